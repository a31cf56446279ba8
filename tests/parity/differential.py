#!/usr/bin/env python3
"""Sends the same random command sequences to the playground and to a real server, and compares every byte that comes back.

usage: differential.py FAMILY…|all [--version 7.0|8.2|all] [--count N] [--seed S] [--length L] [--seconds S] [--steps-from FILE]
       differential.py --record FILE [--version 7.0|8.2|all]
       [--ours CMD] [--real CMD]      how to start the servers; %PORT% and %V% are filled in
       [--ours-port N] [--real-port N]  or: servers that already run

A family is a module in families/ that has
  sequence(rng, version, length) -> [step]   a step is (connection, [argument, …]), or ("sleep", seconds)
  CONNECTIONS = 1 and PROTOCOLS = (2,)       how many connections it uses; the protocol of a sequence is one of these
  VERSIONS = ("7.0", "8.2")                  where it makes sense
  SETUP = [[argument, …]]                    sent on a connection of its own before each sequence, besides FLUSHALL and the like
  SLACK = {"COMMAND SUB": normalise}         raw bytes -> raw bytes, for replies of these commands ("*": of all)
  prepare(ours, real)                        is called before the first sequence, to learn from the servers
  CAREFUL = True                             every step has to be over before the next one is sent
Most sequences are compared in a hurry (hurry.py). Where that finds a difference, they are run again with care (careful.py):
what differs then is shrunk, printed with its seed and written as one line of JSON, which --steps-from takes. Once it is put right,
that line goes into differences.jsonl, whose lines `cargo test` plays; --record asks the real server about them again.
A difference that several processes of the real server have among themselves is counted as random, and is none.
Exit 0: no difference, 1: some, 2: could not run.
"""
import argparse
import importlib
import json
import os
import random
import shlex
import sys
import time

import careful
import hurry
import lazy  # noqa: F401, for what it does to the families
from resp import Closed, NoReply
from servers import Server, playground, real_server

HERE = os.path.dirname(os.path.abspath(__file__))
VERSIONS = ("7.0", "8.2")
PROCESSES = 5  # that are asked about a difference


def shrink(servers, family, protocol, steps):
    """A shorter sequence that still differs: drops ever smaller pieces."""
    size = max(1, len(steps) // 2)
    while True:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            difference = careful.compare(servers, family, protocol, fewer)[0] if fewer else None
            if difference is not None:
                steps = fewer[: difference + 1]
            else:
                at += size
        if size == 1:
            return steps
        size = max(1, size // 2)


def show(steps, ours, real):
    for (who, argv), left, right in zip(steps, ours, real):
        print("  %s> %s" % (who, argv if who == "sleep" else " ".join(map(quoted, argv))))
        if left != right:
            for name, seen in (("ours", left), ("real", right)):
                for conn, raw in seen or [("-", b"<nothing>")]:
                    print("      %s %s: %s" % (name, conn, repr(raw)[1:][:1500]))


def quoted(word):
    shown = shlex.quote(str(word))
    return shown if shown.isprintable() else repr(word)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*")
    parser.add_argument("--version", default="8.2", choices=[*VERSIONS, "all"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first sequence")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=25)
    parser.add_argument("--steps-from")
    parser.add_argument("--record", metavar="FILE", help="print its lines with what the real server answers now")
    parser.add_argument("--stop-after", type=int, default=3, help="differences")
    parser.add_argument("--seconds", type=int, help="after which a family ends, however many sequences it has had")
    parser.add_argument("--alike", type=int, default=2, help="differences of a kind that are shown")
    parser.add_argument("--ours", default=playground())
    parser.add_argument("--real")
    parser.add_argument("--ours-port", type=int)
    parser.add_argument("--real-port", type=int)
    args = parser.parse_args()
    differences = 0
    for version in VERSIONS if args.version == "all" else [args.version]:
        pairs = start(version, args)
        try:
            if args.record:
                record(pairs[0], args, version)
                continue
            for name in everything() if args.families == ["all"] else args.families:
                family = importlib.import_module("families." + name)
                if version in getattr(family, "VERSIONS", VERSIONS):
                    if hasattr(family, "prepare"):
                        family.prepare(*pairs[0])
                    differences += check(pairs, family, name, version, args)
        finally:
            for server in (server for pair in pairs for server in pair):
                server.stop()
    return 1 if differences else 0


def start(version, args):
    ports, count = (args.ours_port, args.real_port), hurry.PAIRS
    if any(ports):
        count = 1
    return [(Server(args.ours, ports[0], version), Server(args.real or real_server(version), ports[1], version)) for _ in range(count)]


def everything():
    names = sorted(name[:-3] for name in os.listdir(os.path.join(HERE, "families")) if name.endswith(".py"))
    return [name for name in names if name not in ("__init__", "words")]


def sequences(family, name, version, args):
    """(number, protocol, steps): random ones, or those of a file."""
    if args.steps_from:
        for number, line in enumerate(open(args.steps_from)):
            fixed = json.loads(line)
            if fixed["family"] == name and fixed.get("version", version) == version:
                yield number, fixed["protocol"], [tuple(step) for step in fixed["steps"]]
        return
    for number in range(args.first, args.first + args.count):
        rng = random.Random("%s %s %d %d" % (name, version, args.seed, number))
        protocol = rng.choice(getattr(family, "PROTOCOLS", (2,)))
        yield number, protocol, family.sequence(rng, version, args.length)


def case(servers, family, name, version, protocol, steps):
    """A line for --steps-from, with what the real server answers."""
    real = careful.compare(servers, family, protocol, steps)[2]
    replies = [[[who, raw.decode("latin-1")] for who, raw in seen] for seen in real]
    return {"family": name, "version": version, "protocol": protocol, "steps": steps, "replies": replies}


def record(servers, args, version):
    """The lines of a file, with the replies of the real server."""
    for line in open(args.record):
        old = json.loads(line)
        if old["version"] == version:
            family = importlib.import_module("families." + old["family"])
            print(json.dumps(case(servers, family, old["family"], version, old["protocol"], [tuple(step) for step in old["steps"]])))


def kind_of(servers, family, protocol, steps):
    """What differences of the same cause mostly have in common."""
    index, ours, real = careful.compare(servers, family, protocol, steps)
    if index is None:
        return None
    argv = steps[index][1]
    words = str(argv[0]).lower() if isinstance(argv, list) else "sleep"
    return words, *(b"".join(raw for _, raw in seen[index])[:30] for seen in (ours, real))


def random_step(servers, family, protocol, steps, version, args):
    """The step that differs, if other processes of the real server differ from it there as well: in addresses, or in the order of a hash table."""
    index = careful.compare(servers, family, protocol, steps)[0]
    if index is None:
        return None
    for _ in range(PROCESSES):
        other = Server(args.real or real_server(version), None, version)
        try:
            seen = careful.compare((other, servers[1]), family, protocol, steps)[1:]
            if careful.first_difference(family, [steps[index]], *([side[index]] for side in seen)) is not None:
                return steps[index]
        finally:
            other.stop()
    return None


def check(pairs, family, name, version, args):
    differences = done = again = random_ones = 0
    kinds = {}
    started = time.monotonic()
    # The last pair is kept for the careful way, as the others may be in the middle of something.
    servers = pairs[-1]
    for (number, protocol, steps), is_suspect in hurry.suspects(pairs[:-1] or pairs, family, sequences(family, name, version, args)):
        if args.seconds and time.monotonic() - started > args.seconds:
            break
        done += 1
        if not is_suspect:
            continue
        again += 1
        # A difference that does not come again was one of time, on a machine that has other things to do.
        try:
            if any(careful.compare(servers, family, protocol, steps)[0] is None for _ in range(3)):
                continue
        except (Closed, NoReply, OSError):
            lost = " and ".join(who for who, server in zip(("ours", "the real one"), servers) if not server.answers()) or "one"
            print("%s: %s is lost to sequence %d of seed %d on %s: %s" % (name, lost, number, args.seed, version, json.dumps(steps)), flush=True)
            differences += 1
            break
        if step := random_step(servers, family, protocol, steps, version, args):
            random_ones += 1
            print("%s: sequence %d of seed %d is random on %s: %s" % (name, number, args.seed, version, json.dumps(step)), flush=True)
            continue
        differences += 1
        kind = kind_of(servers, family, protocol, steps)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] > args.alike:
            continue
        steps = shrink(servers, family, protocol, steps)
        print("%s: sequence %d of seed %d differs on %s, protocol %d" % (name, number, args.seed, version, protocol))
        show(steps, *careful.compare(servers, family, protocol, steps)[1:])
        print("  " + json.dumps(case(servers, family, name, version, protocol, steps)), flush=True)
        if differences >= args.stop_after:
            break
    seconds = time.monotonic() - started
    print("%s on %s: %d sequences of seed %d, %d differences (%.0f s, %d run again, %d random)"
          % (name, version, done, args.seed, differences, seconds, again, random_ones), flush=True)
    return differences


if __name__ == "__main__":
    sys.exit(main())
