"""CONFIG SET and GET of every parameter that both servers have, but for those that would cut the connection or fork."""

import re

from families.config import VALUES
from resp import decode

LEFT_OUT = """port bind tls-port dir requirepass maxclients appendonly logfile replicaof slaveof aclfile dbfilename protected-mode maxmemory maxmemory-clients masterauth masteruser
    min-replicas-to-write min-slaves-to-write cluster-enabled enable-protected-configs enable-module-command shutdown-on-sigint shutdown-on-sigterm timeout unixsocket pidfile syslog-ident
    propagation-error-behavior tls-cluster tls-replication io-threads jemalloc-bg-thread crash-log-enabled crash-memcheck-enabled client-query-buffer-limit repl-backlog-size activedefrag
    bind-source-addr locale-collate proc-title-template supervised tls-session-caching oom-score-adj oom-score-adj-values cluster-port set-proc-title""".split()
MORE = ["0", "1", "-1", "5", "64", "1024", "65536", "16", "100mb", "1gb", "yes", "no", "0x10", "1e3", " 1", "1 ", "default", "disabled", "always", "never", "on", "normal 0 0 0", "replica 1mb 1mb 60 pubsub 1mb 1mb 60", "pubsub 1 2", "local0", "user", "50 99 99.9", "3600 1 300 100", "300"]
DEFAULTS = {}


def prepare(ours, real):
    tables = []
    for server in (ours, real):
        found = decode(server.control.call("CONFIG", "GET", "*"))
        tables.append(dict(zip(found[::2], found[1::2])))
    DEFAULTS.clear()
    for name in sorted(tables[0].keys() & tables[1].keys()):
        if name.decode() not in LEFT_OUT and not name.startswith((b"tls-", b"cluster-", b"replica-announce", b"slave-announce")):
            DEFAULTS[name.decode()] = tables[1][name].decode("latin-1")


def sequence(rng, version, length):
    names = rng.sample(sorted(DEFAULTS), 3)
    steps = []
    for _ in range(length // 2):
        name = rng.choice(names)
        shown = rng.choice([name, name, name, name.upper()])
        steps.append((0, ["CONFIG", *rng.choice([["SET", shown, value(rng, name)], ["SET", shown, value(rng, name)], ["GET", shown], ["GET", shown], ["SET", shown, value(rng, name), rng.choice(names), value(rng, name)], ["GET", *names], ["GET", name[:4] + "*" + name[-2:]]])]))
    return steps + [(0, ["CONFIG", "GET", *names])] + [(0, ["CONFIG", "SET", name, DEFAULTS[name]]) for name in names]


def value(rng, name):
    return rng.choice([*VALUES, *MORE, *MORE, DEFAULTS[name], DEFAULTS[name]])


def _pairs(raw):
    """The real server's parameters come in the order of a hash table."""
    lines = raw.split(b"\r\n")
    return lines[0] + b"".join(sorted(lines[1:]))


SLACK = {"CONFIG GET": _pairs}
