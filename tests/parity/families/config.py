"""CONFIG SET and GET of all parameters that do no harm: good and bad values, several at once, names in any case."""

PARAMETERS = [
    "maxmemory-samples", "maxmemory-policy", "hash-max-listpack-entries", "hash-max-listpack-value", "list-max-ziplist-size",
    "slowlog-max-len", "slowlog-log-slower-than", "lfu-decay-time", "notify-keyspace-events", "save", "hz", "appendfsync",
    "lazyfree-lazy-expire", "proto-max-bulk-len", "set-max-intset-entries", "set-max-listpack-value", "stream-node-max-bytes",
    "busy-reply-threshold", "lua-time-limit", "timeout", "acllog-max-len", "latency-monitor-threshold", "databases", "nosuch",
    "zset-max-ziplist-value", "maxmemory-eviction-tenacity", "client-query-buffer-limit", "acl-pubsub-default", "loglevel",
    "oom-score-adj", "sanitize-dump-payload", "repl-backlog-size", "min-slaves-to-write", "dbfilename", "hll-sparse-max-bytes",
    "repl-backlog-ttl", "active-defrag-threshold-lower", "tracking-table-max-keys", "lua-enable-deprecated-api",
]
VALUES = ["0", "-1", "1", "7", "100", "1.5", "foo", "", "yes", "no", "maybe", "10kb", "1mb", "2gb", "99999999999999999999",
          "KEA", "Kx", "Eg$lshzxetdmnK", "noc", "100 1", "100 1 5", "allkeys-lru", "ALLKEYS-LFU", "noeviction", "everysec",
          "100000000000", "5%", "nothing", "debug", "clients", "resetchannels", "2147483647", "2147483648"]
# Back to what a start sets, lest sequences see each other.
SETUP = [["CONFIG", "SET", "min-slaves-to-write", "0"], ["CONFIG", "SET", "timeout", "0"], ["CONFIG", "SET", "oom-score-adj", "no"],
         ["CONFIG", "SET", "busy-reply-threshold", "5000"], ["CONFIG", "SET", "notify-keyspace-events", ""]]
SETUP += [["CONFIG", "SET", *pair] for pair in [
    ["maxmemory-samples", "5"], ["maxmemory-policy", "noeviction"], ["hash-max-listpack-entries", "512"],
    ["hash-max-listpack-value", "64"], ["list-max-ziplist-size", "-2"], ["slowlog-max-len", "128"],
    ["slowlog-log-slower-than", "10000"], ["lfu-decay-time", "1"], ["save", ""], ["hz", "10"], ["appendfsync", "everysec"],
    ["lazyfree-lazy-expire", "no"], ["proto-max-bulk-len", "512mb"], ["set-max-intset-entries", "512"],
    ["set-max-listpack-value", "64"], ["stream-node-max-bytes", "4096"], ["acllog-max-len", "128"],
    ["latency-monitor-threshold", "0"], ["zset-max-ziplist-value", "64"], ["maxmemory-eviction-tenacity", "10"],
    ["client-query-buffer-limit", "1gb"], ["acl-pubsub-default", "resetchannels"], ["loglevel", "notice"],
    ["sanitize-dump-payload", "no"], ["repl-backlog-size", "1mb"], ["hll-sparse-max-bytes", "3000"],
    ["repl-backlog-ttl", "3600"], ["active-defrag-threshold-lower", "10"], ["tracking-table-max-keys", "1000000"]]]


def sequence(rng, version, length):
    return [(0, ["CONFIG"] + step(rng)) for _ in range(length)]


def step(rng):
    name = rng.choice(PARAMETERS)
    name = rng.choice([name, name, name, name.upper()])
    return rng.choice(
        [["SET", name, rng.choice(VALUES)], ["SET", name, rng.choice(VALUES)], ["GET", name], ["GET", name],
         ["SET", name, rng.choice(VALUES), rng.choice(PARAMETERS), rng.choice(VALUES)],
         ["GET", name[:5] + "*", name], ["SET", name, "1", "x"], ["REWRITE"], ["nosuch"]])


def _any_order(raw):
    """The real server's parameters come in the order of a hash table."""
    lines = raw.split(b"\r\n")
    return lines[0] + b"".join(sorted(lines[1:]))


SLACK = {"CONFIG GET": _any_order}
