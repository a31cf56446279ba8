"""Sets. Where the real server keeps a hash table its order is its own, so only the members are compared there."""

from families.words import cased, integer, key, keys, masked, other_type, some, text, unordered

PROTOCOLS = (2, 3)
WORDS = ["x", "y", "z", "foo", "bar", "w" * 60, "w" * 65]


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def members(rng, most=6):
    """Mostly numbers, so that intsets come up, or mostly words."""
    numbers = [str(number) for number in range(-3, 12)] + ["9223372036854775807", "70000"]
    source = rng.choice([numbers, numbers, WORDS[:5], WORDS, numbers + WORDS[:5]])
    return [rng.choice(source) if rng.random() < 0.97 else text(rng) for _ in range(rng.randint(1, most))]


def command(rng):
    one, two = key(rng), key(rng)
    names = keys(rng)
    count = str(len(names)) if rng.random() < 0.9 else integer(rng, -1, 5)
    return rng.choice(
        [
            [cased(rng, "SADD"), one, *members(rng)],
            ["SADD", one, *members(rng, 12)],
            ["SADD", one, *members(rng)],
            ["SREM", one, *members(rng)],
            ["SMOVE", one, two, members(rng)[0]],
            ["SCARD", one],
            ["SISMEMBER", one, members(rng)[0]],
            ["SMISMEMBER", one, *members(rng)],
            ["SMEMBERS", one],
            ["SMEMBERS", one],
            ["SINTER", *names],
            ["SUNION", *names],
            ["SDIFF", *names],
            ["SINTERSTORE", two, *names],
            ["SUNIONSTORE", two, *names],
            ["SDIFFSTORE", two, *names],
            ["SINTERCARD", count, *names, *some(rng, [("LIMIT", lambda rng: integer(rng, 0, 4)), ("BAD",)], 1)],
            ["SRANDMEMBER", one],
            ["SRANDMEMBER", one, integer(rng, -5, 9).replace("-9223372036854775807", "x"), *["1"][: rng.random() < 0.05]],
            ["SPOP", one, "100"],
            ["SPOP", one, rng.choice(["0", "-1", "x", "-9223372036854775808"]), *["1"][: rng.random() < 0.2]],
            ["OBJECT", "ENCODING", one],
            ["OBJECT", "ENCODING", two],
            ["DEL", one],
            ["SET", one, text(rng)],
            other_type(rng),
            [rng.choice(["SADD", "SREM", "SINTERCARD", "SMOVE"]), *keys(rng, 0, 3)],
        ]
    )


def _members(raw):
    return unordered(raw) if b"*" in raw[:1] or b"~" in raw[:1] else raw


SLACK = {"SRANDMEMBER": masked, **{name: unordered for name in ("SPOP", "SUNION", "SDIFF", "SINTER", "SMEMBERS")}}
