"""Commands for keys of any type, over three databases: names, places, expiry, encodings."""

from families.words import BAD_INTEGERS, cased, integer, key, keys, other_type, some, span, text

RULES = [("NX",), ("XX",), ("GT",), ("LT",), ("BAD",)]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def database(rng):
    return rng.choice(["0", "1", "2", "1", "16", "-1", *BAD_INTEGERS[:2]] if rng.random() < 0.2 else ["0", "1", "2"])


def moment(rng, unit):
    """A moment far away in either direction, or none."""
    far = rng.choice([1, 33177117420, -5]) * {"s": 1, "ms": 1000}[unit]
    return str(far) if rng.random() < 0.85 else integer(rng)


def command(rng):
    one, two = key(rng), key(rng)
    rules = some(rng, RULES, 2)
    return rng.choice(
        [
            ["SET", one, text(rng)],
            ["SET", one, text(rng), "EX", span(rng, "s")],
            ["INCR", one],
            ["APPEND", one, text(rng)],
            other_type(rng),
            other_type(rng),
            ["DEL", *keys(rng)],
            ["UNLINK", *keys(rng)],
            ["EXISTS", *keys(rng)],
            ["TOUCH", *keys(rng)],
            ["TYPE", one],
            ["RENAME", one, two],
            ["RENAMENX", one, two],
            ["COPY", one, two, *some(rng, [("REPLACE",), ("DB", database), ("BAD",)], 2)],
            ["MOVE", one, database(rng)],
            ["SWAPDB", database(rng), database(rng)],
            ["SELECT", database(rng)],
            ["SELECT", "0"],
            ["DBSIZE"],
            ["KEYS", rng.choice(["*", "a", "[a-c]", "d*", "?", "d{1}", "[^a]", "**"])],
            [rng.choice(["EXPIRE", "expire"]), one, span(rng, "s"), *rules],
            ["PEXPIRE", one, span(rng, "ms"), *rules],
            ["EXPIREAT", one, moment(rng, "s"), *rules],
            ["PEXPIREAT", one, moment(rng, "ms"), *rules],
            ["PERSIST", one],
            [rng.choice(["EXPIRETIME", "PEXPIRETIME", "TTL", "PTTL"]), one],
            ["OBJECT", cased(rng, rng.choice(["ENCODING", "REFCOUNT", "ENCODING", "IDLETIME", "FREQ", "BAD"])), one],
            ["GET", one],
            ["WAIT", rng.choice(["0", "-1", "x", ""]), rng.choice(["0", "10", "-1", "x"])],
            ["WAITAOF", rng.choice("012x"), rng.choice(["0", "0", "x", "-1"]), rng.choice(["10", "-1", "x"])],
            ["RANDOMKEY", *[one] * (rng.random() < 0.5)],
            ["MIGRATE", "127.0.0.1", "1", "nosuch", database(rng), integer(rng), *some(rng, [("COPY",), ("AUTH", "x"), ("BAD",), ("AUTH2", "x")], 2)],
        ]
    )


def _sorted(raw):
    return b"".join(sorted(raw.split(b"\r\n")))


def _ttl(raw):
    """Time has passed between the two servers."""
    return raw if raw[:1] == b"-" or int(raw[1:]) < 0 else b":<left>"


def _moment(raw):
    """Moments far away were given as such, near ones as a time to live."""
    return raw if raw[:1] == b"-" or int(raw[1:]) < 0 or int(raw[1:]) > 10**10 else b":<moment>"


def _any(raw):
    return raw if raw[:1] == b"-" else b"<any>"


SLACK = {"KEYS": _sorted, "TTL": _ttl, "PTTL": _ttl, "EXPIRETIME": _moment, "PEXPIRETIME": _any, "RANDOMKEY": _any, "OBJECT IDLETIME": _any}
