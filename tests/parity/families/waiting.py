"""Clients that wait for elements and members: who is served first, by what, and what wakes nobody."""

from families.words import cased

CONNECTIONS = 5
CAREFUL = True
PROTOCOLS = (2, 3)
KEYS = ["a", "b", "c"]
SIDES = ["LEFT", "RIGHT"]


def sequence(rng, version, length):
    steps, waits = [], rng.random() < 0.05
    for _ in range(length):
        luck = rng.random()
        if luck < 0.4:
            steps.append((rng.randint(0, 2), blocking(rng)))
        elif luck < 0.95 or not waits:
            steps += [(3, argv) for argv in writing(rng)]
        else:
            steps += [(4, [*rng.choice([["BLPOP", "never"], ["BZPOPMIN", "never"], ["BLMOVE", "never", "a", "LEFT", "LEFT"]]), "0.01"]), ("sleep", 0.1)]
    # Whoever still waits is told apart by what serves it.
    return steps + [(3, ["DEL", *KEYS])] + [(3, ["RPUSH", key, *"123456"]) for key in KEYS]


def key(rng):
    return rng.choice(KEYS)


def keys(rng):
    return rng.sample(KEYS, rng.randint(1, 3))


def blocking(rng):
    names = keys(rng)
    timeout = "0" if rng.random() < 0.97 else rng.choice(["x", "-1", "1e400", "nan"])
    side, other = rng.choice(SIDES), rng.choice(SIDES)
    return rng.choice(
        [
            [cased(rng, rng.choice(["BLPOP", "BRPOP"])), *names, timeout],
            ["BLPOP", *names, timeout],
            ["BLMOVE", key(rng), key(rng), side, other, timeout],
            ["BRPOPLPUSH", key(rng), key(rng), timeout],
            ["BLMPOP", timeout, str(len(names)), *names, side, "COUNT", str(rng.randint(1, 3))],
            [rng.choice(["BZPOPMIN", "BZPOPMAX"]), *names, timeout],
            ["BZMPOP", timeout, str(len(names)), *names, rng.choice(["MIN", "MAX"]), "COUNT", str(rng.randint(1, 3))],
            ["LLEN", key(rng)],
        ]
    )


def write(rng):
    one, two = key(rng), key(rng)
    elements = [str(rng.randint(0, 99)) for _ in range(rng.randint(1, 3))]
    return rng.choice(
        [
            [rng.choice(["LPUSH", "RPUSH"]), one, *elements],
            ["RPUSH", one, *elements],
            ["RPUSH", one, *elements],
            ["ZADD", one, "1", "m" + elements[0], "2", "n"],
            ["LPOP", one],
            ["DEL", one],
            ["DEL", one],
            ["RENAME", one, two],
            ["COPY", one, two],
            ["LMOVE", one, two, "LEFT", "RIGHT"],
            ["SADD", one, "x"],
            ["SET", one, "x"],
            ["SORT", one, "STORE", two],
            ["ZUNIONSTORE", two, "1", one],
            ["LINSERT", one, "BEFORE", elements[0], "z"],
            ["LTRIM", one, "1", "0"],
            ["LRANGE", one, "0", "-1"],
        ]
    )


def writing(rng):
    """One command, several in a transaction, or several in a script."""
    luck = rng.random()
    if luck < 0.6:
        return [write(rng)]
    commands = [write(rng) for _ in range(rng.randint(2, 4))]
    if luck < 0.8:
        return [["MULTI"], *commands, ["BLPOP", key(rng), "0"], ["EXEC"]]
    call = lambda argv: "redis.pcall(%s)" % ",".join("'%s'" % word for word in argv)
    return [["EVAL", "\n".join(call(argv) for argv in commands), "0"]]
