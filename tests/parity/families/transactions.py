"""MULTI, EXEC, DISCARD and WATCH of two clients, with commands that fail when they are queued or when they run, and with scripts."""

from families import bitmaps, hashes, lists, strings, zsets
from families.words import KEYS

CONNECTIONS = 2
PROTOCOLS = (2, 3)
SOURCES = [strings, lists, hashes, zsets, bitmaps]
LEFT_OUT = {"HRANDFIELD", "ZRANDMEMBER", "TTL"}


def sequence(rng, version, length):
    steps = []
    while len(steps) < length:
        who, argv = rng.choice([0, 0, 1]), command(rng)
        if argv[0].upper() not in LEFT_OUT:
            steps.append((who, argv))
    return steps


def command(rng):
    luck = rng.random()
    if luck < 0.35:
        return rng.choice(SOURCES).command(rng)
    inner = rng.choice([strings, lists]).command(rng)
    return rng.choice(
        [["MULTI"], ["MULTI"], ["EXEC"], ["EXEC"], ["DISCARD"], ["WATCH", rng.choice(KEYS)], ["UNWATCH"], ["WATCH"], ["NOSUCH", "x"], ["GET"], ["CONFIG", "NOSUCH"], ["EVAL", "return redis.call(unpack(ARGV))", "0", *inner],
         ["EVAL", "return redis.pcall(unpack(ARGV))", "0", *inner], ["EVAL", "syntax error", "0"], ["EVAL", "return 1", "x"], ["EVALSHA", "x" * 40, "0"], ["SUBSCRIBE", "x"] if rng.random() < 0.1 else ["PING"], ["BLPOP", "nosuch", "0"] if rng.random() < 0 else ["ECHO", "x"], ["SELECT", rng.choice("0012")], ["FLUSHDB"],
         ["SWAPDB", "0", "1"], ["RESET"], ["HELLO", "9"], ["SCRIPT", "LOAD", "return 5"], ["EVALSHA", "4ca238f611c9d0ae4e9a75a5dbac22aedc1e44b2", "0"], ["MOVE", rng.choice(KEYS), "1"], ["RENAME", rng.choice(KEYS), rng.choice(KEYS)], ["DEBUG", "SLEEP", "0"], ["OBJECT", "ENCODING", rng.choice(KEYS)]])
