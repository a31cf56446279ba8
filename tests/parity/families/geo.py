"""Places: adding, measuring, searching circles and boxes, storing what was found."""

import re

from families.words import cased, integer, key, keys, other_type, some, text

PLACES = ["p1", "p2", "p3", "p4", "p5", "p6"]
UNITS = ["m", "km", "ft", "mi"]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def longitude(rng):
    return "%.6f" % rng.uniform(10, 20) if rng.random() < 0.9 else rng.choice(["-180", "180", "181", "0", "x", "179.9"])


def latitude(rng):
    return "%.6f" % rng.uniform(30, 40) if rng.random() < 0.9 else rng.choice(["85.05112878", "-85", "86", "0", "nan", "70"])


def triples(rng):
    return [word for _ in range(rng.randint(1, 4)) for word in (longitude(rng), latitude(rng), rng.choice(PLACES))]


def unit(rng):
    return cased(rng, rng.choice(UNITS)) if rng.random() < 0.97 else "cm"


def length(rng):
    return rng.choice(["0", "1", "50", "200", "1000", "500.5", "20000000"] + ["-1", "x"] * (rng.random() < 0.1))


SHOWN = [("WITHDIST",), ("WITHHASH",), ("WITHCOORD",), ("ASC",), ("DESC",), ("COUNT", lambda rng: integer(rng, 1, 4)), ("BAD",)]


def wanted(rng, *more):
    # The nearest of equals may differ, and so may what comes first unsorted, if ANY cuts.
    return some(rng, [*SHOWN[:6], *SHOWN, *more], 3)


def center(rng):
    return ["FROMMEMBER", rng.choice(PLACES)] if rng.random() < 0.5 else ["FROMLONLAT", longitude(rng), latitude(rng)]


def area(rng):
    return ["BYRADIUS", length(rng), unit(rng)] if rng.random() < 0.5 else ["BYBOX", length(rng), length(rng), unit(rng)]


def command(rng):
    one, two = key(rng), key(rng)
    parts = [center(rng), area(rng)]
    if rng.random() < 0.05:
        parts.append(rng.choice([center(rng), area(rng)]))
    rng.shuffle(parts)
    where = [word for part in parts for word in part]
    member = rng.choice(PLACES)
    store = [rng.choice(["STORE", "STOREDIST"]), two]
    return rng.choice(
        [
            ["GEOADD", one, *triples(rng)],
            ["GEOADD", one, *triples(rng)],
            ["GEOADD", one, *some(rng, [("NX",), ("XX",), ("CH",)], 2), *triples(rng)],
            ["GEOADD", one, *triples(rng)[: rng.randint(3, 7)]],
            ["GEOPOS", one, *PLACES[: rng.randint(0, 6)]],
            ["GEOHASH", one, *PLACES[: rng.randint(0, 6)]],
            ["GEODIST", one, member, rng.choice(PLACES), *[unit(rng), "x"][: rng.choice([0, 1, 1, 2])]],
            ["GEOSEARCH", one, *where, *wanted(rng)],
            ["GEOSEARCH", one, *where, *wanted(rng, ("ANY",))],
            ["GEOSEARCH", one, *where],
            ["GEOSEARCHSTORE", two, one, *where, *some(rng, [("STOREDIST",), ("COUNT", "2"), ("ASC",), ("WITHDIST",)], 2)],
            [rng.choice(["GEORADIUS", "GEORADIUS_RO"]), one, longitude(rng), latitude(rng), length(rng), unit(rng), *wanted(rng)],
            [rng.choice(["GEORADIUSBYMEMBER", "GEORADIUSBYMEMBER_RO"]), one, member, length(rng), unit(rng), *wanted(rng)],
            ["GEORADIUS", one, longitude(rng), latitude(rng), length(rng), unit(rng), *store],
            ["GEORADIUSBYMEMBER", one, member, length(rng), unit(rng), *store, *wanted(rng)],
            ["GEORADIUS_RO", one, longitude(rng), latitude(rng), length(rng), unit(rng), *store],
            ["ZRANGE", one, "0", "-1", "WITHSCORES"],
            ["DEL", one],
            ["SET", one, text(rng)],
            other_type(rng),
            [rng.choice(["GEOADD", "GEOSEARCH", "GEORADIUS", "GEODIST"]), *keys(rng, 0, 4)],
        ]
    )


def _rounded(raw):
    """A stored distance is as good as the C library's sine: its last digits are let be."""
    return re.sub(rb"(?:\$\d+\r\n|,)(-?\d[\d.]*(?:e[+-]?\d+)?)\r\n", lambda found: b"%.13g\r\n" % float(found[1]), raw)


SLACK = {"ZRANGE": _rounded}
