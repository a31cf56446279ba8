"""Libraries: loading good and bad ones, listing, calling with and without flags, dumping."""

import re

from families.words import cased

PROTOCOLS = (2, 3)
LIBRARIES = ["one", "two", "l3", "bad-name", ""]
# Names that differ in case only end real servers in the same library, sooner or later.
FUNCTIONS = ["f", "g", "h", "F1", "no such", ""]
BODIES = [
    "return 1", "return {keys, args}", "return redis.call('set', keys[1], args[1])", "return redis.pcall('get', keys[1])", "return redis.call('nosuch')", "error('in f')", "error({err='MY own'})", "return x", "x = 1", "return KEYS",
    "return redis.setresp(3)", "return #keys + #args", "return redis.register_function('late', function() end)", "return cjson.encode(args)", "return redis.error_reply('bad')", "return {1, nil, 2}", "return 3.99", "return redis.sha1hex('x')",
    "return redis.acl_check_cmd('get', 'x')", "return math.random(1, 100)", "redis.breakpoint()", "return redis.replicate_commands and 1", "return tostring(redis.REPL_ALL)", "return string.rep('x', 3)", "return _G", "return type(print)", "return server and 1",
]
FLAGS = ["", "no-writes", "allow-oom", "allow-stale", "no-cluster", "allow-cross-slot-keys", "raw-arguments", "bad", "no-writes','allow-oom"]
TOPS = ["", "local a = 1", "redis.call('get', 'x')", "error('top')", "return 5", "x = 1", "redis.log(redis.LOG_NOTICE, 'x')", "redis.register_function('f')", "redis.register_function()", "redis.register_function('f', 1)", "redis.register_function{}", "redis.register_function{function_name='f'}",
        "redis.register_function{function_name='f', callback=1}", "redis.register_function{function_name='f', callback=function() end, extra=1}", "redis.register_function{function_name='f', callback=function() end, flags='x'}", "redis.register_function{function_name='f', callback=function() end, flags={1}}",
        "redis.register_function{function_name='f', callback=function() end, description=1}", "redis.register_function('f', function() end, 'x')", "redis.register_function('a-b', function() end)", "redis.register_function(1, function() end)", "print('x')", "local f = redis.register_function f('q', function() return 7 end)", "cjson.x = 1",
        "redis.setresp(3)", "syntax error", "return redis.nosuch", "math.randomseed(5)", "for i = 1, 3 do redis.register_function('n' .. i, function() return i end) end"]
HEADS = ["#!lua name=%s", "#!lua name=%s", "#!lua name=%s", "#!lua name=%s", "#!lua name=%s", "#!LUA name=%s", "#!js name=%s", "#!lua", "#!lua name=%s name=x", "#!lua name=%s foo=bar", "#!lua  name=%s ", "%s", "#!", "#!lua name='%s'"]


def sequence(rng, version, length):
    return [(0, command(rng, version)) for _ in range(length)]


def code(rng, version):
    parts = [rng.choice(HEADS).replace("%s", rng.choice(LIBRARIES[:3] if rng.random() < 0.9 else LIBRARIES))]
    if rng.random() < 0.3:
        parts.append(rng.choice(TOPS))
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        name, body, flags = rng.choice(FUNCTIONS[:4] if rng.random() < 0.95 else FUNCTIONS), rng.choice(BODIES), rng.choice(FLAGS)
        if version == "7.0" and "error({" in body:
            body = "return 1"
        if version == "8.2":
            # 8.2.3 ends with signal 11 in FUNCTION FLUSH where the last redis.call of a function had an argument that is no string:
            # FUNCTION LOAD "#!lua name=l\nredis.register_function('f', function() redis.call('get', nil) end)"; FCALL f 0; FUNCTION FLUSH
            # (freeClient, called by functionsLibCtxClearCurrent). What EVAL says to such arguments is left to the family lua.
            body = body.replace("keys[1]", "keys[1] or 'k'").replace("args[1]", "args[1] or 'v'")
        description = ", description='what it does'" if rng.random() < 0.3 else ""
        parts.append(rng.choice(
            ["redis.register_function('%s', function(keys, args) %s end)" % (name, body), "redis.register_function{function_name='%s', callback=function(keys, args) %s end, flags={'%s'}%s}" % (name, body, flags, description),
             "redis.register_function{function_name='%s', callback=function(keys, args) %s end%s}" % (name, body, description)]))
    return "\n".join(parts)


def command(rng, version):
    library, name = rng.choice(LIBRARIES[:3]), rng.choice(FUNCTIONS)
    numkeys = rng.choice(["0", "1", "1", "1", "2", "3", "-1", "x"])
    arguments = [rng.choice(["k", "l", "v", "5"]) for _ in range(rng.randint(0, 3))]
    return rng.choice(
        [["FUNCTION", cased(rng, "LOAD"), code(rng, version)], ["FUNCTION", "LOAD", "REPLACE", code(rng, version)], ["FUNCTION", "LOAD", "REPLACE", code(rng, version)], ["FUNCTION", "LOAD", *rng.choice([["x"], ["REPLACE", "REPLACE"], []]), code(rng, version)],
         ["FUNCTION", "DELETE", rng.choice(LIBRARIES)], ["FUNCTION", "LIST", *rng.choice([[], ["WITHCODE"], ["LIBRARYNAME", rng.choice(["*", "o*", "two", "[", "ONE"])], ["WITHCODE", "LIBRARYNAME", "*"], ["LIBRARYNAME"], ["x"], ["WITHCODE", "WITHCODE"]])],
         ["FUNCTION", "DUMP"], ["FUNCTION", "STATS"], ["FUNCTION", "FLUSH", *rng.choice([[], ["SYNC"], ["x"]])], ["FUNCTION", "RESTORE", rng.choice(["", "x", "\n\x00\x19\xcc\x07\xdc\x8e\xa4Y\x9b"]), *rng.choice([[], ["APPEND"], ["REPLACE"], ["x"]])],
         ["FUNCTION", "KILL"], ["FUNCTION", "NOSUCH"], *[[rng.choice(["FCALL", "FCALL", "FCALL_RO"]), name, numkeys, *arguments] for _ in range(7)], ["FCALL", "n2", "0"], ["FCALL", "q", "0"], ["SET", "k", "v"], ["RPUSH", "l", "x"], ["DEL", "k", "l"], ["GET", "k"],
         ["EVAL", "return redis.call('fcall', 'f', 1, 'k', 'v')", "0"], ["EVAL", "return redis.pcall('function', 'list')", "0"], ["CONFIG", "SET", "maxmemory", rng.choice(["1", "0", "0"])]])


def _any_order(raw):
    """Libraries and functions stand in the order of a hash table."""
    return b"".join(sorted(re.split(rb"\r\n", raw)))


def _dump(raw):
    """Libraries are dumped in that order too, so the checksum differs; their number of bytes does not."""
    return raw[:6]


def _taken(raw):
    """Which of several names that are taken is told is a matter of that order too."""
    return re.sub(rb"Function \S+ already exists\r", b"Function NAME already exists\r", raw)


SETUP = [["CONFIG", "SET", "maxmemory", "0"]]
SLACK = {"FUNCTION LIST": _any_order, "FUNCTION DUMP": _dump, "FUNCTION STATS": _any_order, "EVAL": _any_order, "FUNCTION LOAD": _taken}
