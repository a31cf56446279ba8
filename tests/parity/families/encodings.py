"""Which encoding values have, near limits that are moved by CONFIG SET."""

from families.words import integer, key

PROTOCOLS = (2,)
LIMITS = [("hash-max-listpack-entries", "512"), ("hash-max-listpack-value", "64"), ("zset-max-listpack-entries", "128"), ("zset-max-listpack-value", "64"), ("set-max-intset-entries", "512"), ("set-max-listpack-entries", "128"), ("set-max-listpack-value", "64"),
          ("list-max-listpack-size", "-2"), ("list-compress-depth", "0"), ("hash-max-ziplist-entries", "512"), ("zset-max-ziplist-value", "64")]
SETUP = [["CONFIG", "SET", name, value] for name, value in LIMITS[:9]]


def sequence(rng, version, length):
    return [(0, command(rng)) for _ in range(length)]


def words(rng, most=8):
    return [rng.choice(["x", "y", "z", "12", "7", "-5", "300", "70000", "5000000000", "a" * 5, "b" * 20, "c" * 64, "d" * 65, "01", "1.5"]) + rng.choice(["", "", str(rng.randint(0, 9))]) for _ in range(rng.randint(1, most))]


def command(rng):
    one, two = key(rng), key(rng)
    numbers = [integer(rng, -5, 40000) for _ in range(rng.randint(1, 8))]
    name = rng.choice(LIMITS)[0]
    limit = rng.choice(["0", "1", "2", "3", "5", "8", "20", "64"]) if "list-max" not in name and "compress" not in name or rng.random() < 0.2 else rng.choice(["-1", "-2", "-5", "1", "2", "3"])
    pairs = [word for other in words(rng) for word in (other, rng.choice(words(rng)))]
    return rng.choice(
        [["CONFIG", "SET", name, limit], ["CONFIG", "SET", name, limit], ["SADD", one, *numbers], ["SADD", one, *words(rng)], ["SADD", one, *numbers, *words(rng, 2)], ["SREM", one, *numbers], ["HSET", one, *pairs], ["HDEL", one, *words(rng)], ["HSET", one, *pairs[:2]],
         ["ZADD", one, *[word for other in words(rng) for word in (integer(rng, 0, 9), other)]], ["ZREM", one, *words(rng)], ["RPUSH", one, *words(rng)], ["LPUSH", one, *numbers], ["LPOP", one, "3"], ["LREM", one, "0", "x"], ["LTRIM", one, "0", "2"], ["LSET", one, "0", rng.choice(words(rng))],
         ["SET", one, rng.choice(words(rng) + numbers)], ["APPEND", one, "x"], ["SETRANGE", one, "2", "y"], ["INCR", one], ["INCRBYFLOAT", one, "1.5"], ["SETBIT", one, "7", "1"], ["GETEX", one, "EX", "1000"], ["COPY", one, two, "REPLACE"], ["RENAME", one, two],
         ["SUNIONSTORE", two, one, key(rng)], ["SINTERSTORE", two, one, key(rng)], ["ZUNIONSTORE", two, "1", one], ["ZRANGESTORE", two, one, "0", "3"], ["SORT", one, "ALPHA", "STORE", two], ["LMOVE", one, two, "LEFT", "RIGHT"], ["SMOVE", one, two, rng.choice(numbers)], ["HINCRBY", one, "7", "5"],
         ["LINSERT", one, "BEFORE", "x", rng.choice(words(rng))], ["DEL", one], *[["OBJECT", "ENCODING", rng.choice([one, two])] for _ in range(9)], ["DEBUG", "RELOAD", "NOFLUSH", "x"], ["EVAL", "redis.call('sadd', KEYS[1], unpack(ARGV)) return redis.call('object', 'encoding', KEYS[1])", "1", one, *numbers]])
