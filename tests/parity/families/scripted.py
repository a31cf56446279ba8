"""The commands of other families inside scripts, and queued in transactions."""

from families import bitmaps, dump, generic, hyperloglog, sort, strings

PROTOCOLS = (2, 3)
SOURCES = [strings, bitmaps, generic, sort, dump, hyperloglog]
# Times, random picks and the order of keys are each server's own.
LEFT_OUT = {"KEYS", "RANDOMKEY", "CONFIG", "EVAL", "TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME", "OBJECT"}


def sequence(rng, version, length):
    steps = []
    while len(steps) < length:
        source = rng.choice(SOURCES)
        command = source.command(rng)
        if source is hyperloglog:
            command = hyperloglog.apart(command)
        if command[0].upper() in LEFT_OUT:
            continue
        if rng.random() < 0.7:
            verb = rng.choice(["call", "call", "pcall"])
            resp = "redis.setresp(3) " if rng.random() < 0.2 else ""
            steps.append((0, ["EVAL", resp + "return redis.%s(unpack(ARGV))" % verb, "0", *command]))
        else:
            steps += [(0, ["MULTI"])] * (rng.random() < 0.5) + [(0, command)] + [(0, ["EXEC"])] * (rng.random() < 0.3)
    return steps
