"""Every command that both servers offer, with arguments as its own documentation has them, and spoilt in all ways.

Half of the calls follow the grammar that COMMAND DOCS gives, on keys of every type; most of those are then damaged: a word is
dropped, doubled, swapped or put in the place of another. The rest is words at random. Waiting commands go through EXEC, where
they don't wait.
"""

import re

from resp import decode

PROTOCOLS = (2, 3)

# What would end, stop or fork the server, or make the connection deaf; what is a protocol of its own; and what prints long
# texts of the server's own.
LEFT_OUT = """shutdown debug monitor failover replicaof slaveof sync psync replconf save bgsave bgrewriteaof migrate quit pfdebug pfselftest
    lolwut info client|kill client|pause client|reply client|list client|info client|id client|setinfo client|tracking client|help
    acl|save acl|load acl|genpass acl|cat acl|list acl|log config|rewrite config|get module|load module|loadex module|unload script|debug script|kill
    function|kill command command|docs command|list command|info latency|doctor latency|graph memory|doctor memory|malloc-stats
    memory|stats memory|usage latency|histogram slowlog|get slowlog|len module|list auth hello wait waitaof restore-asking reset time lastsave""".split()
HELPLESS = {name.split("|")[0] for name in LEFT_OUT if "|" not in name}
# Their help texts are our own.
HELP = re.compile(r"\|help$")

MAKERS = [
    ["SET", "str", "hello"], ["SET", "int", "10"], ["RPUSH", "list", "x", "y", "1", "2", "x"], ["SADD", "set", "1", "2", "3"],
    ["HSET", "hash", "f", "v", "n", "5", "g", "1.5"], ["ZADD", "zset", "1", "x", "2", "y", "3", "z"], ["PFADD", "hll", "a", "b"],
    ["XADD", "stream", "1-1", "f", "v"], ["XADD", "stream", "2-1", "f", "v"], ["XGROUP", "CREATE", "stream", "g", "0"],
    ["GEOADD", "geo", "13.361389", "38.115556", "x", "15.087269", "37.502669", "y"],
]
KEYS = ["str", "int", "list", "set", "hash", "zset", "hll", "stream", "geo", "none", "none2", ""]
HOMES = {"string": ["str", "int"], "list": ["list"], "set": ["set"], "hash": ["hash"], "sorted-set": ["zset"], "hyperloglog": ["hll"],
         "stream": ["stream"], "geo": ["geo"], "bitmap": ["str", "int"]}
INTEGERS = ["0", "1", "2", "3", "-1", "-2", "5", "10", "100"]
EDGES = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615", "2147483647", "2147483648",
         "4294967296", "-2147483649", "4611686018427387904", "9223372036854775", "536870911", "4294967295"]
ODD = ["", "x", "1.5", " 1", "1 ", "+1", "01", "-0", "1e3", "nan", "inf", "-inf", "0x10", "*", "-", "+", "$", ">", "(1", "[a", "1-1", "\x00", "#", "1_0", "--1"]
FLOATS = ["0", "1", "1.5", "-2.25", "0.1", "1e3", "3.0e-2", "100", "37.5", "13.4", "180", "-90"]
MEMBERS = ["x", "y", "z", "f", "g", "n", "1", "2", "hello", "v"]
HINTS = {
    "id": ["1-1", "2-1", "3-1", "*", "0", "5", "$", "5-*"], "group": ["g", "g", "h"], "consumer": ["c", "d"], "numkeys": ["1", "1", "2", "0", "3"],
    "script": ["return 1", "return {KEYS,ARGV}", "return redis.call('get',KEYS[1])", "x", "return redis.pcall(unpack(ARGV))"],
    "sha1": ["e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x"], "min": ["-inf", "0", "1", "(1", "[x", "-"], "max": ["+inf", "3", "2", "(3", "[z", "+"],
    "start": ["0", "1", "-2", "-", "0-0", "-inf", "[x"], "stop": ["-1", "2", "+", "[z"], "end": ["-1", "1", "+", "20"], "encoding": ["u8", "i5", "u1", "i64"],
    "cursor": ["0", "0", "3"], "element": MEMBERS, "unixtime": ["33177117420", "1"], "bit": ["0", "1"], "offset": ["0", "1", "7", "#1", "100"],
    "iterations": ["0"], "serialized-value": ["\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb", "x"], "library-code": ["#!lua name=l\nredis.register_function('fn', function(k, a) return {k, a} end)", "x"],
    "function": ["fn", "x"], "library-name": ["l", "x"], "parameter": ["maxmemory-samples", "x", "lfu-log-factor"],
}
# Longer strings take a time of their own.
SETUP = [["CONFIG", "SET", "proto-max-bulk-len", "1mb"]]
# So many random members take a real server minutes, with repetitions.
RANDOM = re.compile("[hsz]rand")
WAITING = set()
SPECS = {}
NAMES = []


def prepare(ours, real):
    """Learns the commands from the real server, as far as ours has them too."""
    offered = set(names_of(decode(ours.control.call("COMMAND"))))
    docs = decode(real.control.call("COMMAND", "DOCS"))
    grammar = {}
    for name, entry in zip(docs[::2], docs[1::2]):
        learn(grammar, name.decode(), entry)
    SPECS.clear()
    for name, flags in names_of(decode(real.control.call("COMMAND"))).items():
        if name not in offered or name in LEFT_OUT or name.split("|")[0] in HELPLESS or HELP.search(name):
            continue
        if "blocking" in flags:
            WAITING.add(name)
        SPECS[name] = grammar.get(name, ("generic", []))
    NAMES[:] = SPECS


def names_of(table):
    found = {}
    for entry in table:
        found[entry[0].decode()] = {flag[1] for flag in entry[2]}
        found.update(names_of(entry[9]))
    return found


def learn(grammar, name, entry):
    fields = dict(zip((key.decode() for key in entry[::2]), entry[1::2]))
    grammar[name] = (fields.get("group", b"").decode(), [argument(raw) for raw in fields.get("arguments", [])])
    for sub_name, sub_entry in zip(fields.get("subcommands", [])[::2], fields.get("subcommands", [])[1::2]):
        learn(grammar, sub_name.decode(), sub_entry)


def argument(raw):
    fields = {key.decode(): value for key, value in zip(raw[::2], raw[1::2])}
    text = lambda name: fields.get(name, b"").decode()
    flags = {flag[1] if isinstance(flag, tuple) else flag.decode() for flag in fields.get("flags", [])}
    return text("name"), text("type"), text("token"), flags, [argument(inner) for inner in fields.get("arguments", [])]


def tokens(arguments):
    return [arg[2] for arg in arguments if arg[2]] + [token for arg in arguments for token in tokens(arg[4])]


def sequence(rng, version, length):
    steps = [(0, argv) for argv in rng.sample(MAKERS, 7)]
    for _ in range(length):
        name = rng.choice(NAMES)
        argv = call(rng, name)
        if "|".join(argv[:2]).lower() in LEFT_OUT or RANDOM.match(name) and set(argv) & set(EDGES):
            continue
        steps += [(0, ["MULTI"]), (0, argv), (0, ["EXEC"])] if name in WAITING else [(0, argv)]
        if name == "spop":
            # What is left is a matter of luck.
            steps.append((0, ["DEL", "set"]))
    return steps


def call(rng, name):
    group, arguments = SPECS[name]
    words = name.split("|")
    if rng.random() < 0.75:
        rest = [word for arg in arguments for word in written(rng, arg, group)]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            damage(rng, rest, tokens(arguments))
    else:
        rest = [any_word(rng, tokens(arguments)) for _ in range(rng.randint(0, 6))]
    if rng.random() < 0.3:
        words = [word.upper() for word in words]
    return [*words, *rest]


def written(rng, arg, group):
    name, kind, token, flags, inner = arg
    if "optional" in flags and rng.random() < 0.5:
        return []
    words = []
    for index in range(rng.randint(1, 3) if "multiple" in flags and rng.random() < 0.6 else 1):
        if token and (index == 0 or "multiple_token" in flags):
            words.append(token if rng.random() < 0.7 else token.lower())
        if kind == "oneof":
            words += written(rng, rng.choice(inner), group)
        elif kind == "block":
            words += [word for part in inner for word in written(rng, part, group)]
        elif kind != "pure-token":
            words.append(value(rng, name, kind, group))
    return words


def value(rng, name, kind, group):
    if rng.random() < 0.04:
        return rng.choice(ODD + EDGES)
    if kind == "key":
        return rng.choice(HOMES[group]) if group in HOMES and rng.random() < 0.7 else rng.choice(KEYS)
    if name in HINTS and rng.random() < 0.9:
        return rng.choice(HINTS[name])
    if kind == "integer":
        return rng.choice(INTEGERS)
    if kind == "double":
        return rng.choice(FLOATS)
    if kind == "unix-time":
        return rng.choice(["33177117420", "33177117420000", "1", "0"])
    return rng.choice(MEMBERS + ["*", "0"])


def any_word(rng, own):
    return rng.choice(rng.choice([KEYS, INTEGERS, EDGES, ODD, MEMBERS, own or MEMBERS]))


def damage(rng, words, own):
    at = rng.randrange(len(words)) if words else 0
    how = rng.randrange(5)
    if how == 0 and words:
        words.pop(at)
    elif how == 1 and words:
        words.insert(at, words[at])
    elif how == 2 and words:
        other = rng.randrange(len(words))
        words[at], words[other] = words[other], words[at]
    elif how == 3 and words:
        words[at] = any_word(rng, own)
    else:
        words.insert(at, any_word(rng, own))


def _shape(raw):
    """What is random, or in the order of a hash table: only errors are compared."""
    return raw if raw[:1] == b"-" else b"<any>"


def _scanned(raw):
    """Which cursor comes next is each server's own, and so is the order."""
    return raw if raw[:1] == b"-" else b"<page>"


def _sorted(raw):
    return b"\r\n".join(sorted(raw.split(b"\r\n")))


def _long(raw):
    """Times, and what is reckoned from now."""
    return re.sub(rb":\d{2,}\r", b":<time>\r", raw)


def _now(raw):
    """IDs of streams that servers make up."""
    return re.sub(rb"\$15\r\n\d{13}-", b"$15\r\nNOW-", raw)


SLACK = {name: _shape for name in ["RANDOMKEY", "SPOP", "SRANDMEMBER", "HRANDFIELD", "ZRANDMEMBER", "OBJECT IDLETIME", "OBJECT FREQ"]}
SLACK |= {name: _sorted for name in ["SMEMBERS", "SUNION", "SINTER", "SDIFF", "SORT", "SORT_RO"]}
# Keys that have run out count where nobody has looked.
SLACK |= {"DBSIZE": _shape, "XADD": _now, "EXEC": _now}
SLACK |= {name: _scanned for name in ["SCAN", "SSCAN", "HSCAN", "ZSCAN"]}
SLACK |= {name: _sorted for name in ["KEYS", "CONFIG GET", "PUBSUB CHANNELS", "PUBSUB SHARDCHANNELS", "COMMAND GETKEYS", "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"]}
SLACK |= {name: _long for name in ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "HTTL", "HPTTL", "HEXPIRETIME", "HPEXPIRETIME"]}
