"""Sorted sets: scores with edges, ranges of every kind, pops, and computing with sets among the sources."""

from families.words import cased, integer, key, keys, masked, other_type, some, text

PROTOCOLS = (2, 3)
MEMBERS = ["a", "b", "c", "d", "e", "f", "10", "7", "", "x" * 60, "x" * 70]
SCORES = ["0", "-0", "1", "2", "3", "5", "1.5", "-2.25", "0.1", "1e3", "inf", "-inf", "+inf", "1e17", "3.0e-2", "123456789.123456789", "0x10", "5e-324"]
BAD_SCORES = ["nan", "x", "", " 1", "1 ", "1e400", "--1", "(1"]


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def member(rng):
    return rng.choice(MEMBERS[:9] if rng.random() < 0.98 else MEMBERS)


def score(rng):
    luck = rng.random()
    return str(rng.randint(-3, 9)) if luck < 0.5 else rng.choice(SCORES if luck < 0.96 else BAD_SCORES)


def pairs(rng, most=5):
    return [word for _ in range(rng.randint(1, most)) for word in (score(rng), member(rng))]


def score_bound(rng):
    return rng.choice(["", "", "("]) + (score(rng) if rng.random() < 0.9 else rng.choice(["-inf", "+inf", "inf", " 1", "0x1", "1e999"]))


def lex_bound(rng):
    return rng.choice(["-", "+", "[" + member(rng), "(" + member(rng), "[" + member(rng), "(a", "[", "x" if rng.random() < 0.3 else "("])


def bound(rng, kind):
    return {"rank": lambda rng: integer(rng, -6, 6), "score": score_bound, "lex": lex_bound}[kind](rng)


LIMIT = ("LIMIT", lambda rng: integer(rng, -1, 3), lambda rng: integer(rng, -1, 4))


def zrange(rng, *more):
    kind = rng.choice(["rank", "score", "lex"])
    words = {"rank": [], "score": [cased(rng, "BYSCORE")], "lex": [cased(rng, "BYLEX")]}[kind]
    words += [word for word in some(rng, [("REV",), LIMIT, *more], 2)]
    return [bound(rng, kind), bound(rng, kind), *words]


def sources(rng):
    names = keys(rng)
    count = str(len(names)) if rng.random() < 0.93 else integer(rng, -1, 5)
    return [count, *names]


def combining(rng, *more):
    weights = ("WEIGHTS", *[lambda rng: rng.choice(["1", "2", "-1", "0.5", "0", "inf", "2", "3", "x" if rng.random() < 0.1 else "4"])] * rng.randint(1, 3))
    aggregate = ("AGGREGATE", lambda rng: cased(rng, rng.choice(["SUM", "MIN", "MAX", "MIN", "MAX", "BAD"])))
    names = keys(rng, 1, 3)
    fitting = ["WEIGHTS", *[rng.choice(["1", "2", "-1", "0.5"]) for _ in names]] if rng.random() < 0.4 else []
    return [str(len(names)), *names, *fitting, *some(rng, [aggregate, aggregate, weights, *more], 2)]


def many(rng):
    return [*sources(rng), cased(rng, rng.choice(["MIN", "MAX", "MIN", "MAX", "BAD"])), *some(rng, [("COUNT", lambda rng: integer(rng, 1, 4)), ("BAD",)], 1)]


def command(rng):
    one, two = key(rng), key(rng)
    side = rng.choice(["MIN", "MAX"])
    return rng.choice(
        [
            ["ZADD", one, *pairs(rng)],
            ["ZADD", one, *pairs(rng, 9)],
            ["ZADD", one, *[word for name in MEMBERS[:6] for word in ("0", name)]],
            ["ZADD", one, *some(rng, [("NX",), ("XX",), ("GT",), ("LT",), ("CH",), ("INCR",)], 2), *pairs(rng)],
            ["ZADD", one, *some(rng, [("XX",), ("GT",), ("LT",), ("CH",)], 2), *pairs(rng)],
            ["ZADD", one, cased(rng, "INCR"), *some(rng, [("NX",), ("XX",), ("GT",), ("LT",), ("CH",)], 1), score(rng), member(rng)],
            ["ZINCRBY", one, score(rng), member(rng)],
            ["ZREM", one, *[member(rng) for _ in range(rng.randint(1, 4))]],
            ["ZCARD", one],
            ["ZSCORE", one, member(rng)],
            ["ZMSCORE", one, *[member(rng) for _ in range(rng.randint(1, 4))]],
            [rng.choice(["ZRANK", "ZREVRANK"]), one, member(rng), *[cased(rng, "WITHSCORE"), "BAD"][: rng.choice([0, 0, 1, 1, 1, 2])]],
            ["ZCOUNT", one, score_bound(rng), score_bound(rng)],
            ["ZLEXCOUNT", one, lex_bound(rng), lex_bound(rng)],
            ["ZRANGE", one, "0", "-1", "WITHSCORES"],
            ["ZRANGE", one, "0", "-1", "WITHSCORES"],
            ["ZRANGE", one, *zrange(rng, ("WITHSCORES",), ("BAD",))],
            ["ZRANGE", one, *zrange(rng)],
            ["ZRANGESTORE", two, one, *zrange(rng)],
            [rng.choice(["ZRANGEBYSCORE", "ZREVRANGEBYSCORE"]), one, score_bound(rng), score_bound(rng), *some(rng, [("WITHSCORES",), LIMIT, ("BAD",)], 2)],
            [rng.choice(["ZRANGEBYLEX", "ZREVRANGEBYLEX"]), one, lex_bound(rng), lex_bound(rng), *some(rng, [LIMIT, ("WITHSCORES",)], 1)],
            ["ZREVRANGE", one, integer(rng, -6, 6), integer(rng, -6, 6), *some(rng, [("WITHSCORES",), ("REV",)], 1)],
            ["ZREMRANGEBYRANK", one, integer(rng, -6, 6), integer(rng, -6, 6)],
            ["ZREMRANGEBYSCORE", one, score_bound(rng), score_bound(rng)],
            ["ZREMRANGEBYLEX", one, lex_bound(rng), lex_bound(rng)],
            ["ZPOP" + side, one],
            ["ZPOP" + side, one, integer(rng, 0, 3), *["1"][: rng.random() < 0.05]],
            ["ZMPOP", *many(rng)],
            ["ZRANDMEMBER", one],
            ["ZRANDMEMBER", one, str(rng.randint(-6, 6)), *["WITHSCORES", "BAD"][: rng.choice([0, 1, 1, 1, 2])]],
            [rng.choice(["ZUNION", "ZINTER"]), *combining(rng, ("WITHSCORES",), ("BAD",))],
            [rng.choice(["ZUNION", "ZINTER"]), *combining(rng), "WITHSCORES"],
            ["ZDIFF", *sources(rng), *some(rng, [("WITHSCORES",), ("WITHSCORES",), ("AGGREGATE", "MIN")], 1)],
            [rng.choice(["ZUNIONSTORE", "ZINTERSTORE"]), two, *combining(rng)],
            ["ZDIFFSTORE", two, *sources(rng)],
            ["ZINTERCARD", *sources(rng), *some(rng, [("LIMIT", lambda rng: integer(rng, 0, 3)), ("BAD",)], 1)],
            ["SADD", one, *[member(rng) for _ in range(rng.randint(1, 4))]],
            ["OBJECT", "ENCODING", one],
            ["OBJECT", "ENCODING", two],
            ["DEL", one],
            ["SET", one, text(rng)],
            other_type(rng),
            [rng.choice(["ZADD", "ZRANGE", "ZMPOP", "ZUNION", "ZINTERSTORE", "ZRANGESTORE", "ZPOPMIN"]), *keys(rng, 0, 3)],
        ]
    )


def _masked(raw):
    """Random members with their scores."""
    import re

    return re.sub(rb",[^\r]*\r\n", b",<any>\r\n", masked(raw))


SLACK = {"ZRANDMEMBER": _masked}
