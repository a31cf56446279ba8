"""What the families draw their arguments from: few keys, so that commands meet, and numbers that are edges."""

import re

KEYS = ["a", "b", "c", "d{1}"]
INTEGERS = ["0", "1", "-1", "2", "5", "10", "100", "-100", "9223372036854775807", "-9223372036854775808", "9223372036854775806"]
BAD_INTEGERS = ["", "x", "1.5", " 1", "1 ", "+1", "01", "-0", "9223372036854775808", "1e3"]
FLOATS = ["0", "1.5", "-2.25", "0.1", "1e3", "3.0e-2", "1e17", "1e300", "inf", "-inf", "nan", "x", "", "0x10", "5e-324", "123456789.123456789"]
TEXTS = ["", "x", "hello", "10", "-5", "3.5", "foobar", "\x00\xff", "ohmytext", "mynewtext", "a" * 50, "hello world"]


def key(rng):
    return rng.choice(KEYS)


def keys(rng, least=1, most=4):
    return [key(rng) for _ in range(rng.randint(least, most))]


def integer(rng, low=-10, high=20):
    """Mostly small, sometimes an edge, now and then no integer at all."""
    luck = rng.random()
    if luck < 0.75:
        return str(rng.randint(low, high))
    return rng.choice(INTEGERS if luck < 0.93 else BAD_INTEGERS)


def span(rng, unit):
    """A time to live long enough not to end during a sequence, or one that is refused."""
    valid = rng.randint(20, 200) * {"s": 1, "ms": 1000}[unit]
    return str(valid) if rng.random() < 0.8 else rng.choice(["0", "-1", *INTEGERS[-3:-1], *BAD_INTEGERS])


def number(rng):
    return rng.choice(FLOATS) if rng.random() < 0.6 else integer(rng)


def text(rng):
    return rng.choice(TEXTS)


def cased(rng, word):
    return word if rng.random() < 0.8 else word.lower()


def some(rng, options, most=3):
    """A few options in any order, also such as don't go together."""
    found = []
    for _ in range(rng.randint(0, most)):
        option = rng.choice(options)
        found += [cased(rng, option[0])] + [word(rng) if callable(word) else word for word in option[1:]]
    return found


def looks(rng):
    """Commands that show what became of a key."""
    one = key(rng)
    return rng.choice(
        [["GET", one], ["GET", one], ["TYPE", one], ["EXISTS", one], ["OBJECT", "ENCODING", one], ["STRLEN", one]]
    )


def other_type(rng):
    """Makes a key that is no string."""
    return rng.choice([["RPUSH", key(rng), "1"], ["SADD", key(rng), "1"], ["HSET", key(rng), "f", "1"], ["ZADD", key(rng), "1", "m"]])


def masked(raw):
    """Only the shape of a random reply can be compared: how many elements of which kind."""
    return re.sub(rb"\$\d+\r\n.*?\r\n", b"$<any>\r\n", raw, flags=re.S)


def unordered(raw):
    """An array of bulk strings whose order is the server's own."""
    head, _, rest = raw.partition(b"\r\n")
    if head[:1] not in b"*~" or head[1:2] == b"-":
        return raw
    elements = re.findall(rb"\$\d+\r\n.*?\r\n(?=\$\d|\Z)", rest, flags=re.S)
    return head + b"\r\n" + b"".join(sorted(elements))
