"""Hashes small enough to keep their order."""

from families.words import cased, integer, key, masked, other_type, text

FIELDS = ["f1", "f2", "f3", "f4", "7", "", "x" * 40]
PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def field(rng):
    return rng.choice(FIELDS)


def fields(rng, most=4):
    return [field(rng) for _ in range(rng.randint(1, most))]


def pairs(rng, most=4):
    return [word for name in fields(rng, most) for word in (name, text(rng))]


def command(rng):
    one = key(rng)
    return rng.choice(
        [
            [cased(rng, "HSET"), one, *pairs(rng)],
            ["HSET", one, *pairs(rng, 6)],
            ["HSET", one, field(rng), integer(rng)],
            [rng.choice(["HSET", "HMSET"]), one, *pairs(rng)[: rng.randint(0, 5)]],
            ["HMSET", one, *pairs(rng)],
            ["HSETNX", one, field(rng), text(rng)],
            ["HGET", one, field(rng)],
            ["HMGET", one, *fields(rng)],
            ["HGETALL", one],
            ["HGETALL", one],
            ["HKEYS", one],
            ["HVALS", one],
            ["HLEN", one],
            ["HSTRLEN", one, field(rng)],
            ["HEXISTS", one, field(rng)],
            ["HDEL", one, *fields(rng)],
            ["HDEL", one, *FIELDS],
            ["HINCRBY", one, field(rng), integer(rng)],
            ["HINCRBYFLOAT", one, field(rng), rng.choice(["1.5", "-0.25", "3", "x", "inf", "1e3", integer(rng)])],
            ["HRANDFIELD", one],
            ["HRANDFIELD", one, str(rng.randint(-9, 9)), *["WITHVALUES", "BAD"][: rng.choice([0, 1, 1, 1, 1, 2])]],
            ["HRANDFIELD", one, rng.choice(["x", "4611686018427387904", "-9223372036854775808"]), *["WITHVALUES"][: rng.randint(0, 1)]],
            ["OBJECT", "ENCODING", one],
            ["TYPE", one],
            ["DEL", one],
            ["SET", one, text(rng)],
            other_type(rng),
        ]
    )


SLACK = {"HRANDFIELD": masked}
