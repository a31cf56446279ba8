"""ACL: random rules for two users, what they show as, and what the users may then do, in scripts and transactions too."""

import re

from families.client import _no_greeting

CONNECTIONS = 3
PROTOCOLS = (2, 3)
SETUP = [["ACL", "DELUSER", "bob", "joe"], ["ACL", "LOG", "RESET"]]
RULES = [
    "on", "on", "off", "nopass", "resetpass", ">pw", "<pw", ">other", "#abc", "reset", "clearselectors",
    "~a*", "~b", "%R~r*", "%W~w*", "%RW~x", "%~x", "%Z~x", "allkeys", "resetkeys", "~*", "~b",
    "&ch*", "&a", "allchannels", "resetchannels", "&*", "+@all", "-@all", "allcommands", "nocommands",
    "+@transaction", "-@transaction", "+get", "-get", "+set", "-set", "+GET", "+eval", "+config|get", "-config|get", "-config",
    "+config", "+select|0", "+select|1", "+publish", "+subscribe", "+psubscribe", "+nosuch", "+@nosuch", "+config|nosuch",
    "+config|get|x", "+debug|", "-select|0", "(+get ~z)", "(+set %W~q &z)", "(+get", "~a)", "()", "(+nosuch)", "foo",
]
NAMES = ["bob", "joe"]


def sequence(rng, version, length):
    # From 7.2 on a refused AUTH inside EXEC gets no element at all, which breaks the stream and is not imitated.
    without = rng.choice(["AUTH", "MULTI"])
    return [(who, argv) for who, argv in (step(rng) for _ in range(length)) if without not in argv]


def step(rng):
    name = rng.choice(NAMES)
    rules = [rng.choice(RULES) for _ in range(rng.randint(1, 4))]
    if rng.random() < 0.6:
        return 0, ["ACL"] + rng.choice(
            [["SETUSER", name, *rules], ["SETUSER", name, *rules], ["SETUSER", name, "on", "nopass", *rules],
             ["GETUSER", name], ["USERS"], ["WHOAMI"], ["DELUSER", name],
             ["DRYRUN", name, *command(rng)], ["DRYRUN", name, rng.choice(["nosuch", "config", "get"])],
             ["CAT", rng.choice(["nosuch", "transaction"])], ["GENPASS", rng.choice(["0", "foo", "5000"])],
             ["LOG", rng.choice(["0", "foo", "RESET"])], ["foo"]])
    who = rng.choice([1, 2])
    return who, rng.choice(
        [["AUTH", name, rng.choice(["pw", "pw", "nope"])], ["AUTH", name, "pw"], ["AUTH", "pw"],
         ["HELLO", "3", "AUTH", name, "pw"], ["MULTI"], ["EXEC"], ["RESET"], command(rng), command(rng), command(rng)])


def command(rng):
    key, channel = rng.choice(["a1", "b", "r1", "w1", "x", "z", "q"]), rng.choice(["ch1", "a", "z", "no"])
    return rng.choice(
        [["GET", key], ["SET", key, "1"], ["SET", key, "1", "GET"], ["MGET", key, "a1"], ["EXISTS", key], ["DEL", key],
         ["STRLEN", key], ["APPEND", key, "x"], ["PUBLISH", channel, "m"], ["SUBSCRIBE", channel],
         ["PSUBSCRIBE", rng.choice(["ch*", "ch1*"])], ["SELECT", rng.choice(["0", "1"])], ["CONFIG", "GET", "maxmemory"],
         ["PING"], ["EVAL", "return redis.call('set', KEYS[1], 1)", "1", key],
         ["EVAL", "return redis.call('get', ARGV[1])", "0", key],
         ["EVAL", "return redis.acl_check_cmd('get', ARGV[1])", "0", key],
         ["EVAL", "return redis.pcall('publish', ARGV[1], 'm')", "0", channel]])


def _any_order(raw):
    """The rules of 7.0 that name single commands stand in the order of a hash table."""
    return b" ".join(sorted(re.split(rb"[ \r\n]+", raw)))


SLACK = {"*": _no_greeting, "ACL GETUSER": _any_order, "ACL CAT": _any_order}
