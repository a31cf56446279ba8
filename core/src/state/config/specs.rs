//! Every parameter with its kind, range and default: those of a 7.0.15 and an 8.2.3 started without a configuration
//! file. What names files, sockets or processors is kept and has no effect.

use crate::profile::Version;

use super::Kind;

/// One parameter as CONFIG GET and CONFIG SET know it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static str,
    /// An older name that is still taken.
    pub alias: Option<&'static str>,
    pub kind: Kind,
    pub default: &'static str,
    /// Only a start can set it.
    pub immutable: bool,
    /// Only a server started with `enable-protected-configs` lets it be set.
    pub protected: bool,
    /// CONFIG GET shows it only where it is asked for by its full name.
    pub hidden: bool,
    /// The first version that has it, and the first that has it no more.
    pub since: Version,
    pub gone: Option<Version>,
    /// Measured releases that lack it in between: what was brought to older ones by a distribution, or came late to a series.
    pub gap: Option<(Version, Version)>,
}

impl Spec {
    pub fn offered_in(&self, version: Version) -> bool {
        version >= self.since
            && self.gone.is_none_or(|gone| version < gone)
            && self.gap.is_none_or(|(first, next)| version < first || version >= next)
    }

    const fn or(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    const fn protected(self) -> Self {
        Self { protected: true, ..self }
    }

    const fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    const fn from(self, since: Version) -> Self {
        Self { since, ..self }
    }

    const fn but_not(self, first: Version, next: Version) -> Self {
        Self { gap: Some((first, next)), ..self }
    }

    const fn until(self, gone: Version) -> Self {
        Self { gone: Some(gone), ..self }
    }
}

const fn spec(name: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec {
        name,
        alias: None,
        kind,
        default,
        immutable: false,
        protected: false,
        hidden: false,
        since: Version::V7_0,
        gone: None,
        gap: None,
    }
}

const fn fixed(name: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec { immutable: true, ..spec(name, kind, default) }
}

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

const INT_MAX: i64 = i32::MAX as i64;

/// Sorted by name.
pub const SPECS: &[Spec] = &[
    spec("acl-pubsub-default", Kind::Choice(&["allchannels", "resetchannels"]), "resetchannels"),
    fixed("aclfile", Kind::Text, ""),
    spec("acllog-max-len", int(0, i64::MAX), "128"),
    spec("active-defrag-cycle-max", int(1, 99), "25"),
    spec("active-defrag-cycle-min", int(1, 99), "1"),
    spec("active-defrag-ignore-bytes", Kind::Size { min: 1 }, "104857600"),
    spec("active-defrag-max-scan-fields", int(1, i64::MAX), "1000"),
    spec("active-defrag-threshold-lower", int(0, 1_000), "10"),
    spec("active-defrag-threshold-upper", int(0, 1_000), "100"),
    spec("active-expire-effort", int(1, 10), "1"),
    spec("activedefrag", Kind::Bool, "no"),
    spec("activerehashing", Kind::Bool, "yes"),
    fixed("always-show-logo", Kind::Bool, "no"),
    spec("aof-disable-auto-gc", Kind::Bool, "no").until(Version::V8_0),
    spec("aof-load-truncated", Kind::Bool, "yes"),
    fixed("aof-rewrite-cpulist", Kind::Text, "").from(Version::V7_4),
    spec("aof-rewrite-incremental-fsync", Kind::Bool, "yes"),
    spec("aof-timestamp-enabled", Kind::Bool, "no"),
    spec("aof-use-rdb-preamble", Kind::Bool, "yes"),
    fixed("aof_rewrite_cpulist", Kind::Text, ""),
    fixed("appenddirname", Kind::Text, "appendonlydir"),
    fixed("appendfilename", Kind::Text, "appendonly.aof"),
    spec("appendfsync", Kind::Choice(&["everysec", "always", "no"]), "everysec"),
    spec("appendonly", Kind::Bool, "no"),
    spec("auto-aof-rewrite-min-size", Kind::Memory { min: 0 }, "67108864"),
    spec("auto-aof-rewrite-percentage", int(0, INT_MAX), "100"),
    fixed("bgsave-cpulist", Kind::Text, "").from(Version::V7_4),
    fixed("bgsave_cpulist", Kind::Text, ""),
    spec("bind", Kind::Addresses, "* -::*"),
    spec("bind-source-addr", Kind::Text, ""),
    fixed("bio-cpulist", Kind::Text, "").from(Version::V7_4),
    fixed("bio_cpulist", Kind::Text, ""),
    spec("busy-reply-threshold", int(0, i64::MAX), "5000").or("lua-time-limit"),
    spec(
        "client-output-buffer-limit",
        Kind::OutputLimits,
        "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
    ),
    spec("client-query-buffer-limit", Kind::Size { min: 1_048_576 }, "1073741824"),
    spec("cluster-allow-pubsubshard-when-down", Kind::Bool, "yes"),
    spec("cluster-allow-reads-when-down", Kind::Bool, "no"),
    spec("cluster-allow-replica-migration", Kind::Bool, "yes"),
    spec("cluster-announce-bus-port", int(0, 65_535), "0"),
    spec("cluster-announce-hostname", Kind::Hostname, ""),
    spec("cluster-announce-human-nodename", Kind::NodeName, "").from(Version::V7_4),
    spec("cluster-announce-ip", Kind::Text, ""),
    spec("cluster-announce-port", int(0, 65_535), "0"),
    spec("cluster-announce-tls-port", int(0, 65_535), "0"),
    spec("cluster-compatibility-sample-ratio", int(0, 100), "0").from(Version::V7_4),
    fixed("cluster-config-file", Kind::Text, "nodes.conf"),
    fixed("cluster-enabled", Kind::Bool, "no"),
    spec("cluster-link-sendbuf-limit", Kind::Size { min: 0 }, "0"),
    spec("cluster-migration-barrier", int(0, INT_MAX), "1"),
    spec("cluster-node-timeout", int(0, i64::MAX), "15000"),
    fixed("cluster-port", int(0, 65_535), "0"),
    spec("cluster-preferred-endpoint-type", Kind::Choice(&["ip", "hostname", "unknown-endpoint"]), "ip"),
    spec("cluster-replica-no-failover", Kind::Bool, "no").or("cluster-slave-no-failover"),
    spec("cluster-replica-validity-factor", int(0, INT_MAX), "10").or("cluster-slave-validity-factor"),
    spec("cluster-require-full-coverage", Kind::Bool, "yes"),
    spec("cluster-slot-stats-enabled", Kind::Bool, "no").from(Version::V7_4),
    spec("crash-log-enabled", Kind::Bool, "yes"),
    spec("crash-memcheck-enabled", Kind::Bool, "yes"),
    fixed("daemonize", Kind::Bool, "no"),
    fixed("databases", int(1, INT_MAX), "16"),
    spec("dbfilename", Kind::Text, "dump.rdb").protected(),
    spec("dir", Kind::Text, "/").protected(),
    fixed("disable-thp", Kind::Bool, "yes"),
    spec("dynamic-hz", Kind::Bool, "yes"),
    fixed("enable-debug-command", Kind::Choice(&["no", "yes", "local"]), "yes"),
    fixed("enable-module-command", Kind::Choice(&["no", "yes", "local"]), "no"),
    fixed("enable-protected-configs", Kind::Choice(&["no", "yes", "local"]), "no"),
    spec("hash-max-listpack-entries", Kind::Count, "512").or("hash-max-ziplist-entries"),
    spec("hash-max-listpack-value", Kind::Size { min: 0 }, "64").or("hash-max-ziplist-value"),
    spec("hide-user-data-from-log", Kind::Bool, "no").from(Version::V7_4),
    spec("hll-sparse-max-bytes", Kind::Size { min: 0 }, "3000"),
    spec("hz", int(0, INT_MAX), "10"),
    spec("ignore-warnings", Kind::Text, ""),
    fixed("io-threads", int(1, 128), "1"),
    fixed("io-threads-do-reads", Kind::Bool, "no").until(Version::V8_0),
    spec("jemalloc-bg-thread", Kind::Bool, "yes"),
    spec("key-load-delay", int(-INT_MAX - 1, INT_MAX), "0").hidden(),
    spec("latency-monitor-threshold", int(0, i64::MAX), "0"),
    spec("latency-tracking", Kind::Bool, "yes"),
    spec("latency-tracking-info-percentiles", Kind::Percentiles, "50 99 99.9"),
    spec("lazyexpire-nested-arbitrary-keys", Kind::Bool, "yes").hidden().from(Version::V7_4),
    spec("lazyfree-lazy-eviction", Kind::Bool, "no"),
    spec("lazyfree-lazy-expire", Kind::Bool, "no"),
    spec("lazyfree-lazy-server-del", Kind::Bool, "no"),
    spec("lazyfree-lazy-user-del", Kind::Bool, "no"),
    spec("lazyfree-lazy-user-flush", Kind::Bool, "no"),
    spec("lfu-decay-time", int(0, INT_MAX), "1"),
    spec("lfu-log-factor", int(0, INT_MAX), "10"),
    spec("list-compress-depth", int(0, INT_MAX), "0"),
    spec("list-max-listpack-size", int(-INT_MAX - 1, INT_MAX), "-2").or("list-max-ziplist-size"),
    spec("locale-collate", Kind::Locale, "").from(Version::V7_4),
    fixed("logfile", Kind::Text, ""),
    spec("loglevel", Kind::Choice(&["debug", "verbose", "notice", "warning", "nothing"]), "notice"),
    fixed("lua-enable-deprecated-api", Kind::Bool, "no").hidden().but_not(Version::V7_2, Version::V8_2),
    spec("masterauth", Kind::Text, ""),
    spec("masteruser", Kind::Text, ""),
    spec("max-new-connections-per-cycle", int(1, 1000), "10").from(Version::V7_4),
    spec("max-new-tls-connections-per-cycle", int(1, 1000), "1").from(Version::V7_4),
    spec("maxclients", int(1, 4_294_967_295), "10000"),
    spec("maxmemory", Kind::Size { min: 0 }, "0"),
    spec("maxmemory-clients", Kind::MemoryOrPercent, "0"),
    spec("maxmemory-eviction-tenacity", int(0, 100), "10"),
    spec(
        "maxmemory-policy",
        Kind::Choice(&[
            "volatile-lru",
            "volatile-lfu",
            "volatile-random",
            "volatile-ttl",
            "allkeys-lru",
            "allkeys-lfu",
            "allkeys-random",
            "noeviction",
        ]),
        "noeviction",
    ),
    spec("maxmemory-samples", int(1, 64), "5"),
    spec("min-replicas-max-lag", int(0, INT_MAX), "10").or("min-slaves-max-lag"),
    spec("min-replicas-to-write", int(0, INT_MAX), "0").or("min-slaves-to-write"),
    spec("no-appendfsync-on-rewrite", Kind::Bool, "no"),
    spec("notify-keyspace-events", Kind::Events, ""),
    spec("oom-score-adj", Kind::Choice(&["no", "yes", "relative", "absolute"]), "no"),
    spec("oom-score-adj-values", Kind::Adjustments, "0 200 800"),
    fixed("pidfile", Kind::Text, ""),
    spec("port", int(0, 65_535), "6379"),
    spec("proc-title-template", Kind::Title, "{title} {listen-addr} {server-mode}"),
    spec("propagation-error-behavior", Kind::Choice(&["ignore", "panic", "panic-on-replicas"]), "ignore"),
    spec("protected-mode", Kind::Bool, "yes"),
    spec("proto-max-bulk-len", Kind::Memory { min: 1_048_576 }, "536870912"),
    spec("rdb-del-sync-files", Kind::Bool, "no"),
    spec("rdb-key-save-delay", int(-INT_MAX - 1, INT_MAX), "0").hidden(),
    spec("rdb-save-incremental-fsync", Kind::Bool, "yes"),
    fixed("rdbchecksum", Kind::Bool, "yes"),
    spec("rdbcompression", Kind::Bool, "yes"),
    spec("repl-backlog-size", Kind::Memory { min: 1 }, "1048576"),
    spec("repl-backlog-ttl", int(0, i64::MAX), "3600"),
    spec("repl-disable-tcp-nodelay", Kind::Bool, "no"),
    spec("repl-diskless-load", Kind::Choice(&["disabled", "on-empty-db", "swapdb"]), "disabled"),
    spec("repl-diskless-sync", Kind::Bool, "yes"),
    spec("repl-diskless-sync-delay", int(0, INT_MAX), "5"),
    spec("repl-diskless-sync-max-replicas", int(0, INT_MAX), "0"),
    spec("repl-ping-replica-period", int(1, INT_MAX), "10").or("repl-ping-slave-period"),
    spec("repl-rdb-channel", Kind::Bool, "yes").hidden().from(Version::V8_0),
    spec("repl-timeout", int(1, INT_MAX), "60"),
    spec("replica-announce-ip", Kind::Text, "").or("slave-announce-ip"),
    spec("replica-announce-port", int(0, 65_535), "0").or("slave-announce-port"),
    spec("replica-announced", Kind::Bool, "yes"),
    spec("replica-full-sync-buffer-limit", Kind::Memory { min: 0 }, "0").from(Version::V7_4),
    spec("replica-ignore-disk-write-errors", Kind::Bool, "no"),
    spec("replica-ignore-maxmemory", Kind::Bool, "yes").or("slave-ignore-maxmemory"),
    spec("replica-lazy-flush", Kind::Bool, "no").or("slave-lazy-flush"),
    spec("replica-priority", int(0, INT_MAX), "100").or("slave-priority"),
    spec("replica-read-only", Kind::Bool, "yes").or("slave-read-only"),
    spec("replica-serve-stale-data", Kind::Bool, "yes").or("slave-serve-stale-data"),
    fixed("replicaof", Kind::Text, "").or("slaveof"),
    spec("requirepass", Kind::Text, ""),
    spec("sanitize-dump-payload", Kind::Choice(&["no", "yes", "clients"]), "no"),
    spec("save", Kind::Save, "3600 1 300 100 60 10000"),
    fixed("server-cpulist", Kind::Text, "").from(Version::V7_4),
    fixed("server_cpulist", Kind::Text, ""),
    spec("set-max-intset-entries", Kind::Count, "512"),
    spec("set-max-listpack-entries", Kind::Count, "128").from(Version::V7_2),
    spec("set-max-listpack-value", Kind::Count, "64").from(Version::V7_2),
    fixed("set-proc-title", Kind::Bool, "yes"),
    spec("shutdown-on-sigint", Kind::Shutdown, "default"),
    spec("shutdown-on-sigterm", Kind::Shutdown, "default"),
    spec("shutdown-timeout", int(0, INT_MAX), "10"),
    spec("slowlog-log-slower-than", int(-1, i64::MAX), "10000"),
    spec("slowlog-max-len", int(0, i64::MAX), "128"),
    fixed("socket-mark-id", int(0, 4_294_967_295), "0"),
    spec("stop-writes-on-bgsave-error", Kind::Bool, "yes"),
    spec("stream-idmp-duration", int(1, 86_400), "100").from(Version::V8_6),
    spec("stream-idmp-maxsize", int(1, 10_000), "100").from(Version::V8_6),
    spec("stream-node-max-bytes", Kind::Size { min: 0 }, "4096"),
    spec("stream-node-max-entries", int(0, i64::MAX), "100"),
    fixed("supervised", Kind::Text, "no"),
    fixed("syslog-enabled", Kind::Bool, "no"),
    fixed("syslog-facility", Kind::Text, "local0"),
    fixed("syslog-ident", Kind::Text, "redis"),
    fixed("tcp-backlog", int(0, INT_MAX), "511"),
    spec("tcp-keepalive", int(0, INT_MAX), "300"),
    spec("timeout", int(0, INT_MAX), "0"),
    spec("tls-auth-clients", Kind::Choice(&["no", "yes", "optional"]), "yes"),
    spec("tls-ca-cert-dir", Kind::Text, ""),
    spec("tls-ca-cert-file", Kind::Text, ""),
    spec("tls-cert-file", Kind::Text, ""),
    spec("tls-ciphers", Kind::Text, ""),
    spec("tls-ciphersuites", Kind::Text, ""),
    spec("tls-client-cert-file", Kind::Text, ""),
    spec("tls-client-key-file", Kind::Text, ""),
    spec("tls-client-key-file-pass", Kind::Text, ""),
    spec("tls-cluster", Kind::Bool, "no"),
    spec("tls-dh-params-file", Kind::Text, ""),
    spec("tls-key-file", Kind::Text, ""),
    spec("tls-key-file-pass", Kind::Text, ""),
    spec("tls-port", int(0, 65_535), "0"),
    spec("tls-prefer-server-ciphers", Kind::Bool, "no"),
    spec("tls-protocols", Kind::Text, ""),
    spec("tls-replication", Kind::Bool, "no"),
    spec("tls-session-cache-size", int(0, INT_MAX), "20480"),
    spec("tls-session-cache-timeout", int(0, INT_MAX), "300"),
    spec("tls-session-caching", Kind::Bool, "yes"),
    spec("tracking-table-max-keys", Kind::Count, "1000000"),
    fixed("unixsocket", Kind::Text, ""),
    fixed("unixsocketperm", Kind::Text, "0"),
    spec("use-exit-on-panic", Kind::Bool, "no").hidden(),
    spec("vset-force-single-threaded-execution", Kind::Bool, "no").from(Version::V7_4),
    spec("watchdog-period", int(0, INT_MAX), "0").hidden(),
    spec("zset-max-listpack-entries", Kind::Count, "128").or("zset-max-ziplist-entries"),
    spec("zset-max-listpack-value", Kind::Size { min: 0 }, "64").or("zset-max-ziplist-value"),
];
