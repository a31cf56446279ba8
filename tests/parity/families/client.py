"""CLIENT with three connections: names, tracking, replies kept back, pauses, kills; HELLO and RESET besides."""

import re

CONNECTIONS = 3
PROTOCOLS = (2, 3)
KEYS = ["a", "ab", "b", "x"]
PREFIXES = ["a", "ab", "b", "", "x"]


def sequence(rng, version, length):
    # EXEC's array is cut off in the middle by a CLIENT REPLY OFF in it, which is not imitated.
    without = rng.choice([["REPLY"], ["MULTI"]])
    commands = (command(rng) for _ in range(length))
    return [(rng.randrange(3), argv) for argv in commands if not set(without) & set(argv)]


def command(rng):
    key = rng.choice(KEYS)
    return rng.choice([client, client, client, tracking, keyspace, other])(rng, key)


def client(rng, key):
    word = rng.choice(["on", "off", "foo", "yes", "no"])
    return ["CLIENT"] + rng.choice(
        [
            ["GETNAME"],
            ["SETNAME", rng.choice(["joe", "a b", "", "jim", "x\n"])],
            ["NO-EVICT", word],
            ["NO-TOUCH", word],
            ["REPLY", rng.choice(["ON", "OFF", "SKIP", "ON", "foo"])],
            ["SETINFO", rng.choice(["LIB-NAME", "lib-ver", "foo"]), rng.choice(["v", "a b"])],
            ["PAUSE", rng.choice(["100000", "-1", "foo"]), rng.choice(["WRITE", "foo"])],
            ["UNPAUSE"],
            ["UNBLOCK", rng.choice(["99999999", "foo"]), rng.choice(["ERROR", "TIMEOUT", "foo"])],
            ["KILL", rng.choice(["foo", "127.0.0.1:1"])],
            ["KILL", rng.choice(["ID", "TYPE", "USER", "SKIPME", "foo"]),
             rng.choice(["0", "99999999", "master", "foo", "no", "yes"]), "TYPE", "replica"],
            ["KILL", "MAXAGE", rng.choice(["0", "100000", "foo"])],
            ["LIST", "TYPE", rng.choice(["foo", "master"])],
            ["LIST", rng.choice(["ID", "foo"]), rng.choice(["0", "99999999", "foo"])],
            [rng.choice(["FOO", "PAUSE", "GETNAME", "UNBLOCK", "KILL", "INFO"]), "1", "2", "3", "4"],
        ]
    )


def tracking(rng, key):
    options = [["BCAST"], ["OPTIN"], ["OPTOUT"], ["NOLOOP"], ["PREFIX", rng.choice(PREFIXES)],
               ["PREFIX", rng.choice(PREFIXES)], ["REDIRECT", "99999999"], ["foo"]]
    chosen = [word for option in rng.sample(options, rng.choice([0, 0, 1, 1, 2, 3])) for word in option]
    return ["CLIENT"] + rng.choice(
        [
            ["TRACKING", rng.choice(["ON", "ON", "ON", "ON", "OFF", "foo"]), *chosen],
            ["TRACKING", "ON", *chosen],
            ["TRACKING", "OFF"],
            ["TRACKINGINFO"],
            ["CACHING", rng.choice(["YES", "NO", "foo"])],
            ["GETREDIR"],
        ]
    )


def keyspace(rng, key):
    return rng.choice(
        [
            ["GET", key],
            ["MGET", key, rng.choice(KEYS)],
            ["SET", key, "1"],
            ["MSET", key, "1", rng.choice(KEYS), "2"],
            ["DEL", key],
            ["EVAL", "return redis.call('get', KEYS[1])", "1", key],
            ["EVAL", "return redis.call('set', KEYS[1], 5)", "1", key],
            # Without the word, servers from 7.4 on answer it from another thread, whenever that is ready.
            ["FLUSHALL", "ASYNC"],
        ]
    )


def other(rng, key):
    return rng.choice([["MULTI"], ["EXEC"], ["DISCARD"], ["PING"], ["HELLO", rng.choice(["2", "3", "4", "foo"])],
                       ["HELLO", "3", rng.choice(["SETNAME", "AUTH", "foo"]), rng.choice(["joe", "a b"])],
                       ["RESET"], ["SUBSCRIBE", "__redis__:invalidate"], ["UNSUBSCRIBE"],
                       ["PUBLISH", "__redis__:invalidate", "x"]])


def _no_greeting(raw):
    """HELLO's answer holds the client's number and the modules, which are each server's own."""
    pattern = rb":\d+\r\n\$4\r\nmode.*?modules\r\n(?:\*0\r\n|\*1.*?args\r\n\*0\r\n)"
    return re.sub(pattern, b"", raw, flags=re.S)


SLACK = {"*": _no_greeting}
