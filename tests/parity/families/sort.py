"""SORT and SORT_RO of lists, sets and sorted sets, by weights in strings and hashes.

Sets hold small integers only, so that both servers keep them in order; the order of a hash table is random.
"""

from families.words import cased, integer, key, number, other_type, some, text

PATTERNS = ["w*", "h*->f", "nosort", "#", "*", "h*->", "w*->f", "", "h*->nosuch", "d{1}", "*w"]
OPTIONS = [
    ("BY", lambda rng: rng.choice(PATTERNS)),
    ("GET", lambda rng: rng.choice(PATTERNS)),
    ("GET", "#"),
    ("ASC",),
    ("DESC",),
    ("ALPHA",),
    ("LIMIT", integer, integer),
    ("LIMIT", lambda rng: str(rng.randint(0, 3)), lambda rng: str(rng.randint(0, 5))),
    ("STORE", key),
    ("BAD",),
]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def element(rng):
    """No number too small for a double: 7.0 would go on to refuse others (it does not reset errno)."""
    found = rng.choice("12345") if rng.random() < 0.6 else rng.choice([number(rng), text(rng)])
    return "0" if found == "5e-324" else found


def in_zset(name):
    """ALPHA takes a text to end at its first NUL, so this one and "" are equal. SORT reads sorted sets from their hash table, in an
    order of the process: ZADD z 1 "" 2 "\\x00\\xff"; SORT z ALPHA gave both orders on four starts of 7.0.15 and of 8.2.3.
    """
    return "x" if name == "\x00\xff" else name


def options(rng):
    """Of sorted sets, elements whose texts to be sorted by are equal come in the order of a hash table; left out but for a list."""
    found = some(rng, OPTIONS if rng.random() < 0.3 else OPTIONS[:-1], 4)
    words = [word.upper() for word in found]
    return found if not {"BY", "ALPHA"} <= set(words) else ["ALPHA"]


def command(rng):
    one = key(rng)
    elements = [element(rng) for _ in range(rng.randint(1, 6))]
    digits = [rng.choice("123456789") for _ in range(rng.randint(1, 6))]
    chosen = options(rng)
    if rng.random() < 0.1:
        return rng.choice([["RPUSH", "list", *elements, *digits], ["SORT", "list", "BY", "w*", "ALPHA", *some(rng, OPTIONS[:-1], 3)]])
    return rng.choice(
        [
            ["RPUSH", one, *elements],
            ["RPUSH", one, *digits],
            ["SADD", one, *digits],
            ["SADD", one, rng.choice("123456789")],
            ["ZADD", one, *[word for name in elements for word in (rng.choice("123"), in_zset(name))]],
            ["SET", "w" + element(rng), element(rng)],
            ["SET", "w" + rng.choice("12345"), rng.choice("12345")],
            ["HSET", "h" + element(rng), "f", element(rng)],
            ["DEL", one],
            other_type(rng),
            [cased(rng, "SORT"), one, *chosen],
            ["SORT", one, *chosen],
            ["SORT", one, *chosen],
            ["SORT_RO", one, *chosen],
            ["EVAL", "return redis.call('SORT', unpack(ARGV))", "0", one, *chosen],
            ["LRANGE", one, "0", "-1"],
            ["OBJECT", "ENCODING", one],
        ]
    )


