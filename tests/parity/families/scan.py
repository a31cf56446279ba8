"""SCAN and its kin: the whole of what they show, whatever the order, by scripts that go on to the end; and their errors."""

from families.words import BAD_INTEGERS, cased, integer, key, other_type, some, text

WHOLE = """
local cursor, all, rounds = '0', {}, 0
repeat
  local call = {unpack(KEYS)}
  call[#call + 1] = cursor
  for _, word in ipairs(ARGV) do call[#call + 1] = word end
  local page = redis.call(unpack(call))
  cursor, rounds = page[1], rounds + 1
  for _, shown in ipairs(page[2]) do all[#all + 1] = shown end
until cursor == '0' or rounds > 10000
table.sort(all)
return all
"""
PATTERNS = ["*", "a", "[a-c]*", "k1*", "?", "m?", "**", "1*", "f*[2-4]"]
OPTIONS = [
    ("MATCH", lambda rng: rng.choice(PATTERNS)),
    ("COUNT", lambda rng: rng.choice(["1", "3", "10", "1000"])),
    ("COUNT", integer),
    ("TYPE", lambda rng: rng.choice(["string", "LIST", "hash", "nosuch"])),
    ("NOVALUES",),
    ("BAD",),
]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def command(rng):
    one = key(rng)
    many = [word for at in range(rng.choice([3, 20, 200])) for word in ("k%d" % at, text(rng))]
    numbered = [str(at) for at in range(rng.choice([3, 20, 700]))]
    named = ["m%d" % at for at in range(rng.choice([3, 20, 200]))]
    whole = [("MATCH", lambda rng: rng.choice(PATTERNS)), ("COUNT", lambda rng: rng.choice(["1", "7", "100"]))]
    verb = rng.choice(["HSCAN", "SSCAN", "ZSCAN"])
    cursor = rng.choice(["0", "0", "0", "+0", " 0", "-1", "18446744073709551616", *BAD_INTEGERS])
    return rng.choice(
        [
            ["MSET", *many],
            ["SET", one, text(rng)],
            ["DEL", one, *many[: rng.choice([2, 20]) : 2]],
            ["SADD", one, *numbered],
            ["SADD", one, *named],
            ["SREM", one, *numbered[::3]],
            ["HSET", one, *many],
            ["HDEL", one, *many[::4]],
            ["ZADD", one, *[word for name in named for word in (rng.choice(["0.1", "1", "inf", "1e20", "-0", "3.5e-7"]), name)]],
            other_type(rng),
            ["EVAL", WHOLE, "1", "SCAN", *some(rng, [*whole, OPTIONS[3]], 2)],
            ["EVAL", WHOLE, "2", verb, one, *some(rng, whole, 2)],
            ["EVAL", WHOLE, "2", verb, one, *some(rng, whole, 2)],
            ["EVAL", WHOLE, "2", "HSCAN", one, *some(rng, [*whole, OPTIONS[4]], 2)],
            [cased(rng, "SCAN"), cursor, *some(rng, OPTIONS, 2), "TYPE", "nosuch"],
            [verb, one, cursor, *some(rng, OPTIONS, 2), "MATCH", "nosuch"],
            [verb, "nosuch", cursor, *some(rng, OPTIONS, 2)],
        ]
    )


def _cursor(raw):
    """Which cursor comes next is each server's own; the scripts show that all of them together lead to the end."""
    parts = raw.split(b"\r\n")
    if raw[:1] == b"*" and len(parts) > 2:
        parts[1:3] = [b"<cursor>"]
    return b"\r\n".join(parts)


SLACK = {name: _cursor for name in ("SCAN", "HSCAN", "SSCAN", "ZSCAN")}
