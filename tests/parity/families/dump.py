"""DUMP's bytes, and RESTORE of them in place, elsewhere and damaged. Sets hold integers: a hash table's order is random."""

from families.words import integer, key, other_type, some, span, text

AGAIN = """
local payload = redis.call('DUMP', KEYS[1])
if not payload then return 'nothing to dump' end
if ARGV[1] ~= '' then payload = payload:sub(1, -12) .. ARGV[1] .. payload:sub(-10) end
local call = {'RESTORE', KEYS[2], ARGV[2], payload}
for at = 3, #ARGV do call[#call + 1] = ARGV[at] end
return redis.call(unpack(call))
"""
OPTIONS = [("REPLACE",), ("ABSTTL",), ("IDLETIME", lambda rng: integer(rng, 0, 1000)), ("FREQ", lambda rng: integer(rng, 0, 300)), ("BAD",)]

PROTOCOLS = (2, 3)


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def command(rng):
    one, two = key(rng), key(rng)
    numbers = [integer(rng, -200, 70000) for _ in range(rng.randint(1, 8))]
    texts = [text(rng) for _ in range(rng.randint(1, 8))]
    ttl = rng.choice(["0", "0", "33177117420000", span(rng, "ms"), "-1", "x"])
    damage = rng.choice(["", "", "", "x", "\x00"])
    return rng.choice(
        [
            ["SET", one, text(rng)],
            ["SET", one, integer(rng, -70000, 70000)],
            ["SET", one, text(rng) * rng.randint(1, 12)],
            ["APPEND", one, text(rng)],
            ["RPUSH", one, *texts],
            ["RPUSH", one, *numbers],
            ["SADD", one, *[str(rng.randint(-200, 70000)) for _ in numbers]],
            ["HSET", one, *[word for name in texts for word in (name, rng.choice(numbers))]],
            ["ZADD", one, *[word for name in texts for word in (str(rng.randint(-5, 5)), name)]],
            ["DEL", one],
            other_type(rng),
            ["DUMP", one],
            ["DUMP", one],
            ["EVAL", AGAIN, "2", one, two, damage, ttl, *some(rng, OPTIONS, 3)],
            ["EVAL", AGAIN, "2", one, two, "", "0", "REPLACE"],
            ["RESTORE", one, ttl, text(rng), *some(rng, OPTIONS, 2)],
            ["PEXPIRETIME", one],
            ["TYPE", two],
            ["OBJECT", "ENCODING", two],
        ]
    )


def _moment(raw):
    """A time to live starts at another moment on each server."""
    return raw if raw[:1] == b"-" or int(raw[1:]) < 0 or raw == b":33177117420000\r\n" else b":<moment>"


SLACK = {"PEXPIRETIME": _moment}
