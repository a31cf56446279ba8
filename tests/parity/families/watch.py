"""Which commands count as a change of a key: another client watches it, and EXEC tells."""

from families import bitmaps, dump, generic, hyperloglog, sort, strings
from families.words import KEYS, keys

CONNECTIONS = 2
SOURCES = [strings, bitmaps, generic, sort, dump, hyperloglog]
# Times, random picks and the order of keys are each server's own.
LEFT_OUT = {"KEYS", "RANDOMKEY", "CONFIG", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "OBJECT"}


def sequence(rng, version, length):
    steps = []
    while len(steps) < length:
        source = rng.choice(SOURCES)
        command = source.command(rng)
        if source is hyperloglog:
            command = hyperloglog.apart(command)
        if command[0].upper() in LEFT_OUT:
            continue
        steps.append((0, command))
        if rng.random() < 0.3:
            steps += [(1, ["MULTI"]), (1, ["PING"]), (1, ["EXEC"]), (1, ["SELECT", rng.choice("0001")])]
            watched = KEYS if rng.random() < 0.3 else keys(rng)
            steps += [(1, ["WATCH", *watched, *hyperloglog.apart(watched)])]
    return steps
