"""Lists, without waiting."""

from families.words import cased, integer, key, keys, other_type, some, text

PROTOCOLS = (2, 3)
SIDES = ["LEFT", "RIGHT"]


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def side(rng):
    return cased(rng, rng.choice(SIDES)) if rng.random() < 0.95 else "MIDDLE"


def texts(rng, most=5):
    return [rng.choice(["x", "y", "z", "10", text(rng)]) for _ in range(rng.randint(1, most))]


def many(rng):
    """numkeys key … LEFT|RIGHT [COUNT count]"""
    names = keys(rng)
    count = str(len(names)) if rng.random() < 0.9 else integer(rng, -1, 5)
    return [count, *names, side(rng), *some(rng, [("COUNT", lambda rng: integer(rng, 0, 5)), ("COUNT", "2"), ("BAD",)], 1 + (rng.random() < 0.1))]


def command(rng):
    one, two = key(rng), key(rng)
    element = rng.choice(["x", "y", "z"])
    return rng.choice(
        [
            [cased(rng, rng.choice(["LPUSH", "RPUSH"])), one, *texts(rng)],
            [rng.choice(["LPUSH", "RPUSH"]), one, *texts(rng, 9)],
            [rng.choice(["LPUSHX", "RPUSHX"]), one, *texts(rng)],
            [rng.choice(["LPOP", "RPOP"]), one],
            [rng.choice(["LPOP", "RPOP"]), one, integer(rng, 0, 4), *["1"][: rng.random() < 0.05]],
            ["LLEN", one],
            ["LRANGE", one, "0", "-1"],
            ["LRANGE", one, integer(rng), integer(rng)],
            ["LINDEX", one, integer(rng)],
            ["LSET", one, integer(rng, -5, 5), text(rng)],
            ["LINSERT", one, cased(rng, rng.choice(["BEFORE", "AFTER", "BEFORE", "AFTER", "BAD"])), element, text(rng)],
            ["LREM", one, integer(rng, -3, 3), element],
            ["LTRIM", one, integer(rng, -6, 6), integer(rng, -6, 6)],
            [
                "LPOS",
                one,
                element,
                *some(rng, [("RANK", lambda rng: integer(rng, -3, 3)), ("COUNT", lambda rng: integer(rng, 0, 3)), ("MAXLEN", lambda rng: integer(rng, 0, 6)), ("BAD",)]),
            ],
            ["LMOVE", one, two, side(rng), side(rng)],
            ["RPOPLPUSH", one, two],
            ["LMPOP", *many(rng)],
            ["OBJECT", "ENCODING", one],
            ["DEL", one],
            ["EXISTS", one],
            ["SET", one, text(rng)],
            other_type(rng),
            [rng.choice(["LPUSH", "LPOP", "LMPOP", "LMOVE", "LPOS"]), *keys(rng, 0, 3)],
        ]
    )
