"""Channels, patterns and shard channels of three clients, in both protocols, in transactions and scripts."""

import re

CONNECTIONS = 3
PROTOCOLS = (2, 3)
CHANNELS = ["a", "b", "news", "n*", "ab"]


def sequence(rng, version, length):
    # EXEC's array is cut off in the middle by a CLIENT REPLY OFF in it, which is not imitated.
    without = rng.choice(["REPLY", "MULTI"])
    commands = (command(rng) for _ in range(length))
    return [(rng.randrange(3), argv) for argv in commands if without not in argv]


def command(rng):
    one, many = rng.choice(CHANNELS), [rng.choice(CHANNELS) for _ in range(rng.randint(1, 3))]
    listen = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE", "SUBSCRIBE", "PSUBSCRIBE"]
    leave = ["UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE"]
    return rng.choice(
        [
            [rng.choice(listen), *many],
            [rng.choice(listen), *many],
            [rng.choice(leave), *many],
            [rng.choice(leave), one],
            ["PUBLISH", one, "hello"],
            ["PUBLISH", one, "hello"],
            ["PUBLISH", one, "hello"],
            ["SPUBLISH", one, "hi"],
            ["PUBSUB", "NUMSUB", *many],
            ["PUBSUB", "SHARDNUMSUB", *many],
            ["PUBSUB", "NUMPAT"],
            ["PUBSUB", "CHANNELS", one],
            ["PUBSUB", rng.choice(["CHANNELS", "NUMPAT", "NUMSUB", "NOSUCH"]), *many],
            ["PUBSUB", "SHARDCHANNELS", rng.choice(["a", "b"])],
            ["PING"],
            ["PING", one],
            ["EXISTS", one],
            ["MULTI"],
            ["EXEC"],
            ["DISCARD"],
            ["RESET"],
            ["HELLO", "3"],
            ["CLIENT", "REPLY", rng.choice(["ON", "OFF", "SKIP"])],
            ["EVAL", "return redis.call('publish', KEYS[1], ARGV[1])", "1", one, "from a script"],
        ]
    )


def _hello(raw):
    """The client's number and the modules (8.2.3 comes with vector sets) are each server's own."""
    return re.sub(rb":\d+\r\n\$4\r\nmode.*", b"", raw, flags=re.S)


def _any_order(raw):
    """Names, and messages by several patterns of one client, come in the order of a hash table."""
    return b"".join(sorted(_hello(raw).split(b"\r\n")))


SLACK = {"HELLO": _hello}
SLACK |= {name: _any_order for name in ["PUBSUB CHANNELS", "PUBSUB SHARDCHANNELS", "PUBLISH", "EVAL", "EXEC"]}
