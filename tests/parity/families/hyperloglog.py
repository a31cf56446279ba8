"""HyperLogLogs, their bytes included, and strings that are none.

Strings that begin like one and are broken further on are left out: servers notice that only where they come across it.
"""

from families.words import KEYS, key, keys, looks, other_type, text

BROKEN = ["HYLL", "HYLL\x01" + "\x00" * 11, "HYLL\x00" + "\x00" * 11, "HYLL\x02" + "\x00" * 11]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def apart(command):
    """The command on keys of the family's own, so that no other family breaks a HyperLogLog in the middle."""
    return ["h" + word if word in KEYS else word for word in command]


def elements(rng):
    start = rng.randint(0, 1000)
    return [str(start + at) for at in range(rng.choice([0, 1, 2, 5, 20, 100, 400]))] or [text(rng)] * rng.randint(0, 1)


def command(rng):
    one = key(rng)
    return rng.choice(
        [
            ["PFADD", one, *elements(rng)],
            ["PFADD", one, *elements(rng)],
            ["PFADD", one, *elements(rng)],
            ["PFCOUNT", *keys(rng)],
            ["PFCOUNT", one],
            ["PFMERGE", *keys(rng)],
            ["PFDEBUG", rng.choice(["ENCODING", "DECODE", "TODENSE", "GETREG", "BAD"]), one],
            ["SET", one, rng.choice(BROKEN)],
            ["CONFIG", "SET", "hll-sparse-max-bytes", rng.choice(["3000", "100", "0"])],
            ["DEL", one],
            other_type(rng),
            looks(rng),
            ["GET", one],
        ]
    )


SETUP = [["CONFIG", "SET", "hll-sparse-max-bytes", "3000"]]
