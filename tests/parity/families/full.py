"""A server whose memory is full, for commands, scripts with and without flags, functions and transactions."""

from families import hashes, lists, sets, strings, zsets

PROTOCOLS = (2, 3)
LIBRARY = "#!lua name=l\nredis.register_function('w', function(k, a) return redis.call('set', k[1], a[1]) end)\n" + "\n".join(
    "redis.register_function{function_name='%s', flags={'%s'}, callback=function(k, a) return redis.pcall(unpack(a)) end}" % pair for pair in [("n", "no-writes"), ("o", "allow-oom"), ("s", "allow-stale")])
SETUP = [["CONFIG", "SET", "maxmemory", "0"], ["CONFIG", "SET", "maxmemory-policy", "noeviction"]]
HEADS = ["", "", "", "#!lua\n", "#!lua flags=allow-oom\n", "#!lua flags=no-writes\n", "#!lua flags=no-writes,allow-oom\n", "#!lua flags=allow-stale\n"]
LEFT_OUT = {"HRANDFIELD", "SRANDMEMBER", "ZRANDMEMBER", "SPOP", "TTL", "SUNION", "SINTER", "SDIFF", "SMEMBERS", "OBJECT"}


def sequence(rng, version, length):
    steps = [(0, ["FUNCTION", "LOAD", LIBRARY])]
    while len(steps) < length:
        steps += [(0, argv) for argv in command(rng) if argv[0].upper() not in LEFT_OUT]
    return steps


def command(rng):
    inner = rng.choice([strings, lists, hashes, sets, zsets]).command(rng)
    if inner[0].upper() in LEFT_OUT:
        return []
    verb = rng.choice(["call", "pcall"])
    script = rng.choice(HEADS) + rng.choice(
        ["return redis.%s(unpack(ARGV))" % verb, "redis.call('del', 'zz') return redis.%s(unpack(ARGV))" % verb, "redis.call('set', 'zz', 1) return redis.%s(unpack(ARGV))" % verb, "return 1",
         "local e = redis.pcall(unpack(ARGV)) return {e.err or 'none', redis.call('exists', 'zz')}" if verb == "pcall" else "redis.call('lpush', 'll', 1) redis.call('lpop', 'll') return redis.call(unpack(ARGV))"])
    return rng.choice(
        [[["CONFIG", "SET", "maxmemory", rng.choice(["1", "1", "0"])]], [inner], [inner], [[rng.choice(["EVAL", "EVAL", "EVAL_RO"]), script, "0", *inner]], [[rng.choice(["EVAL", "EVAL", "EVAL_RO"]), script, "0", *inner]],
         [["MULTI"], inner, ["GET", "a"], *[["CONFIG", "SET", "maxmemory", "1"]] * (rng.random() < 0.2), rng.choice(strings_of(rng)), ["EXEC"]], [[rng.choice(["FCALL", "FCALL_RO"]), rng.choice("wnos"), "1", "k", *inner]]])


def strings_of(rng):
    return [["SET", "zz", "1"], ["DEL", "zz"], ["INCR", "zz"], ["PING"], ["EVAL", "return 1", "0"]]


SLACK = {}
