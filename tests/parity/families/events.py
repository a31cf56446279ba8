"""The keyspace notifications of string, bitmap, HyperLogLog and generic commands, as a subscriber sees them."""

from families import bitmaps, dump, generic, hyperloglog, strings

CONNECTIONS = 2
SOURCES = [strings, bitmaps, hyperloglog, generic, dump]
# What only the command's own family needs to compare, and CONFIG, which would stop the events.
LEFT_OUT = {"KEYS", "RANDOMKEY", "CONFIG", "DUMP", "PTTL"}


def sequence(rng, version, length):
    classes = "KEAmnoc" if version >= "8.2" else "KEAmn"
    steps = [(0, ["CONFIG", "SET", "notify-keyspace-events", classes]), (1, ["PSUBSCRIBE", "__key*"])]
    while len(steps) < length:
        source = rng.choice(SOURCES)
        command = source.command(rng)
        if source is hyperloglog:
            command = hyperloglog.apart(command)
        if command[0].upper() not in LEFT_OUT:
            steps.append((0, command))
    return steps


def _moment(raw):
    """Times are each server's own; the events that come with them are compared."""
    return b":<moment>" if raw[:1] == b":" and int(raw[1:]) > 0 else raw


SLACK = {name: _moment for name in ("TTL", "EXPIRETIME", "PEXPIRETIME", "OBJECT IDLETIME")}
