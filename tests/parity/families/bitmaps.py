"""Bits, bit operations and bit fields."""

from families.words import cased, integer, key, keys, looks, other_type, text

OPERATIONS = ["AND", "OR", "XOR", "NOT", "DIFF", "DIFF1", "ANDOR", "ONE", "BAD"]
TYPES = ["u1", "u2", "i5", "u8", "i8", "i16", "u32", "i63", "u63", "i64", "u64", "i65", "u0", "x8", "u", "i1"]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def offset(rng):
    return rng.choice([integer(rng, 0, 40), "#%d" % rng.randint(0, 5), integer(rng, 0, 200)])


def bit_range(rng):
    words = [integer(rng), integer(rng)][: rng.randint(0, 2)]
    if len(words) == 2 and rng.random() < 0.5:
        words.append(cased(rng, rng.choice(["BIT", "BYTE", "BAD"])))
    return words


def fields(rng, can_write):
    words = []
    for _ in range(rng.randint(0, 4)):
        verb = rng.choice(["GET", "SET", "INCRBY", "OVERFLOW"] if can_write else ["GET", "GET", "GET", "SET"])
        words.append(cased(rng, verb))
        if verb == "OVERFLOW":
            words.append(rng.choice(["WRAP", "SAT", "FAIL", "BAD"] if rng.random() < 0.2 else ["WRAP", "SAT", "FAIL"]))
            continue
        words += [rng.choice(TYPES[:12] if rng.random() < 0.9 else TYPES), offset(rng)]
        if verb != "GET":
            words.append(integer(rng, -300, 300))
    return words[: len(words) - (rng.random() < 0.05)]


def command(rng):
    one = key(rng)
    return rng.choice(
        [
            ["SETBIT", one, integer(rng, 0, 60), rng.choice(["0", "1", "1", "2", "x"])],
            ["SETBIT", one, str(rng.randint(0, 60)), rng.choice("01")],
            ["GETBIT", one, integer(rng, 0, 60)],
            ["BITCOUNT", one, *bit_range(rng)],
            ["BITPOS", one, rng.choice(["0", "1", "1", "0", "2", "x"]), *bit_range(rng)],
            ["BITOP", cased(rng, rng.choice(OPERATIONS)), *keys(rng, 1, 4)],
            ["BITFIELD", one, *fields(rng, True)],
            ["BITFIELD", one, *fields(rng, True)],
            ["BITFIELD_RO", one, *fields(rng, False)],
            ["SET", one, text(rng)],
            ["SETRANGE", one, str(rng.randint(0, 5)), text(rng)],
            ["DEL", one],
            other_type(rng),
            looks(rng),
            ["GET", one],
            ["GET", one],
        ]
    )


