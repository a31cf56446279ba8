"""All string commands on few keys, also on such as hold something else, with options in every order."""

from families.words import KEYS, cased, integer, key, keys, looks, number, other_type, some, span, text

EXPIRY = [("EX", lambda rng: span(rng, "s")), ("PX", lambda rng: span(rng, "ms")), ("EXAT", "33177117420"), ("PXAT", "33177117420000")]
SET = [("NX",), ("XX",), ("GET",), ("KEEPTTL",), ("PERSIST",), ("IFEQ", text), ("BAD",), *EXPIRY]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def command(rng):
    one, two = key(rng), key(rng)
    pairs = [word for name in keys(rng) for word in (name, text(rng))]
    uneven = pairs + ["x"] * (rng.random() < 0.1)
    return rng.choice(
        [
            ["SET", one, text(rng), *some(rng, SET)],
            ["SET", one, text(rng)],
            ["SET", one, integer(rng)],
            ["SETNX", one, text(rng)],
            ["SETEX", one, span(rng, "s"), text(rng)],
            ["PSETEX", one, span(rng, "ms"), text(rng)],
            ["GETSET", one, text(rng)],
            ["GETDEL", one],
            ["GETEX", one, *some(rng, [("PERSIST",), ("KEEPTTL",), ("NX",), *EXPIRY], 2)],
            ["MSET", *uneven],
            ["MSETNX", *uneven],
            ["MGET", *keys(rng)],
            ["APPEND", one, text(rng)],
            ["SETRANGE", one, integer(rng), text(rng)],
            ["GETRANGE", one, integer(rng), integer(rng)],
            ["SUBSTR", one, integer(rng), integer(rng)],
            [rng.choice(["INCR", "DECR"]), one],
            [rng.choice(["INCRBY", "DECRBY"]), one, integer(rng)],
            ["INCRBYFLOAT", one, number(rng)],
            ["LCS", one, two, *some(rng, [("LEN",), ("IDX",), ("WITHMATCHLEN",), ("MINMATCHLEN", integer), ("BAD",)], 2)],
            ["DEL", two],
            ["TTL", one],
            other_type(rng),
            looks(rng),
            looks(rng),
            [cased(rng, rng.choice(["GET", "SET", "MSET", "GETEX", "LCS", "APPEND"])), *KEYS[: rng.randint(0, 4)]],
        ]
    )


def _ttl(raw):
    """A second may end between the two servers."""
    return raw if int(raw[1:]) < 0 else b":<left>"


SLACK = {"TTL": _ttl}
