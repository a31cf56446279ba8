"""Clients that wait for elements of lists, and keys that come to be by other ways than pushing."""

from families.words import key, keys

CONNECTIONS = 4
MOVES = """
local payload = redis.call('DUMP', KEYS[1])
return payload and redis.call('RESTORE', KEYS[2], 0, payload, 'REPLACE')
"""


def sequence(rng, version, length):
    """Each client waits once: whose next command comes first where several are let go at once is not compared."""
    steps, idle = [], [1, 2, 3]
    for _ in range(length):
        if idle and rng.random() < 0.3:
            who = rng.choice(idle)
            if rng.random() < 0.2:
                steps.append((who, ["SELECT", rng.choice("001")]))
            else:
                steps.append((who, ["BLPOP", *keys(rng), "0"]))
                idle.remove(who)
        else:
            steps.append((0, command(rng, version)))
    return steps


def command(rng, version):
    one, two, db = key(rng), key(rng), rng.choice("01")
    hidden = rng.choice(["x", "y"])
    return rng.choice(
        [
            ["RPUSH", hidden, "1", "2"],
            ["RPUSH", hidden, "3"],
            ["SET", hidden, "string"],
            ["DEL", hidden],
            ["RENAME", hidden, one],
            ["RENAMENX", hidden, one],
            ["COPY", hidden, one],
            ["COPY", hidden, one, "DB", db, "REPLACE"],
            ["MOVE", hidden, db],
            ["MOVE", one, db],
            # Up to 7.0 it lets the waiting clients look in the order of a hash table.
            ["SWAPDB", "0", "1"] if version >= "7.2" else ["DBSIZE"],
            ["SELECT", db],
            ["SORT", hidden, "STORE", one],
            ["EVAL", MOVES, "2", hidden, one],
            ["SET", one, "string"],
            ["DEL", one],
            ["RPUSH", one, "direct"],
            ["LLEN", two],
            ["MULTI"],
            ["EXEC"],
        ]
    )
