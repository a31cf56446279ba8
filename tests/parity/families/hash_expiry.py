"""Fields that expire: long from now, at once, or under conditions. Short lives are for the story family."""

import re

from families import hashes
from families.hashes import FIELDS, field, fields
from families.words import BAD_INTEGERS, cased, integer, key, other_type, text

PROTOCOLS = (2, 3)
VERSIONS = ("8.2",)
FAR = ["33177117420", "33177117421", "20000000000"]
EDGE = ["0", "1", "-1", "70368744177", "70368744178", "70368744177663", "70368744177664", "9223372036854775807", *BAD_INTEGERS]


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def moment(rng, command):
    """A time that is near only where the servers' own clocks do not show."""
    if rng.random() < 0.2:
        return rng.choice(EDGE)
    seconds = rng.choice(FAR) if "AT" in command.upper() else str(rng.randint(2, 9) * 10000)
    return seconds + "000" * command.upper().startswith(("HP", "P"))


def field_list(rng):
    names = fields(rng)
    count = str(len(names)) if rng.random() < 0.9 else integer(rng, -1, 5)
    return [cased(rng, "FIELDS") if rng.random() < 0.97 else "FIELD", count, *names]


def condition(rng):
    return [cased(rng, rng.choice(["NX", "XX", "GT", "LT"]))] if rng.random() < 0.4 else []


def expiry(rng, *more):
    word = rng.choice(["EX", "PX", "EXAT", "PXAT", "EX", "PX", *more])
    return [cased(rng, word)] + ([moment(rng, word)] if word in ("EX", "PX", "EXAT", "PXAT") else [])


def hsetex(rng):
    words = []
    for _ in range(rng.randint(0, 2)):
        words += [cased(rng, rng.choice(["FNX", "FXX"]))] if rng.random() < 0.4 else expiry(rng, "KEEPTTL", "BAD")
    names = fields(rng)
    count = str(len(names)) if rng.random() < 0.92 else integer(rng, -1, 5)
    return ["HSETEX", key(rng), *words, cased(rng, "FIELDS"), count, *[word for name in names for word in (name, text(rng))]]


def command(rng):
    one = key(rng)
    name = cased(rng, rng.choice(["HEXPIRE", "HPEXPIRE", "HEXPIREAT", "HPEXPIREAT"]))
    look = rng.choice(["HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME"])
    return rng.choice(
        [
            [name, one, moment(rng, name), *condition(rng), *field_list(rng)],
            [name, one, moment(rng, name), *condition(rng), *field_list(rng)],
            [look, one, *field_list(rng)],
            [look, one, "FIELDS", str(len(FIELDS)), *FIELDS],
            ["HPERSIST", one, *field_list(rng)],
            ["HGETDEL", one, *field_list(rng)],
            ["HGETEX", one, *(expiry(rng, "PERSIST", "BAD") if rng.random() < 0.6 else []), *field_list(rng)],
            hsetex(rng),
            hsetex(rng),
            ["HSET", one, *hashes.pairs(rng, 6)],
            ["HGETALL", one],
            ["HLEN", one],
            ["HINCRBY", one, field(rng), integer(rng)],
            ["HSETNX", one, field(rng), text(rng)],
            ["HDEL", one, *fields(rng, 2)],
            ["OBJECT", "ENCODING", one],
            ["COPY", one, key(rng)],
            ["RENAME", one, key(rng)],
            ["EXISTS", one],
            other_type(rng),
            hashes.command(rng),
        ]
    )


def _left(raw):
    """What is left, or a moment that was reckoned from now, differs from server to server."""
    return re.sub(rb":(?!33177117|20000000)\d{3,}\r", b":<time>\r", raw)


SLACK = {**hashes.SLACK, **{name: _left for name in ("HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME")}}
