//! The configuration: every parameter's name, kind, range and default in one table.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Bytes;
use crate::value::glob;

/// What a parameter may hold.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    Int {
        min: i64,
        max: i64,
    },
    /// Bytes, with the units `k kb m mb g gb`.
    Memory,
    Choice(&'static [&'static str]),
    Text,
}

/// One parameter as CONFIG GET and CONFIG SET know it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static str,
    /// An older name that is still taken.
    pub alias: Option<&'static str>,
    pub kind: Kind,
    pub default: &'static str,
    pub immutable: bool,
}

const fn spec(name: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec { name, alias: None, kind, default, immutable: false }
}

const fn aliased(name: &'static str, alias: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec { name, alias: Some(alias), kind, default, immutable: false }
}

const fn fixed(name: &'static str, kind: Kind, default: &'static str) -> Spec {
    Spec { name, alias: None, kind, default, immutable: true }
}

const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

const INT_MAX: i64 = i32::MAX as i64;

/// Sorted by name.
pub const SPECS: &[Spec] = &[
    spec("acllog-max-len", int(0, i64::MAX), "128"),
    spec("activedefrag", Kind::Bool, "no"),
    spec("appendfsync", Kind::Choice(&["everysec", "always", "no"]), "everysec"),
    spec("appendonly", Kind::Bool, "no"),
    aliased("busy-reply-threshold", "lua-time-limit", int(0, i64::MAX), "5000"),
    fixed("cluster-enabled", Kind::Bool, "no"),
    fixed("databases", int(1, INT_MAX), "16"),
    fixed("enable-debug-command", Kind::Choice(&["no", "yes", "local"]), "yes"),
    aliased("hash-max-listpack-entries", "hash-max-ziplist-entries", int(0, i64::MAX), "512"),
    aliased("hash-max-listpack-value", "hash-max-ziplist-value", int(0, i64::MAX), "64"),
    spec("hll-sparse-max-bytes", Kind::Memory, "3000"),
    spec("lfu-decay-time", int(0, INT_MAX), "1"),
    spec("lfu-log-factor", int(0, INT_MAX), "10"),
    aliased("list-max-listpack-size", "list-max-ziplist-size", int(-INT_MAX, INT_MAX), "-2"),
    spec("maxmemory", Kind::Memory, "0"),
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
    spec("min-replicas-to-write", int(0, INT_MAX), "0"),
    spec("notify-keyspace-events", Kind::Text, ""),
    spec("proto-max-bulk-len", Kind::Memory, "536870912"),
    aliased("replica-read-only", "slave-read-only", Kind::Bool, "yes"),
    aliased("replica-serve-stale-data", "slave-serve-stale-data", Kind::Bool, "yes"),
    spec("requirepass", Kind::Text, ""),
    spec("save", Kind::Text, "3600 1 300 100 60 10000"),
    spec("set-max-intset-entries", int(0, i64::MAX), "512"),
    spec("set-max-listpack-entries", int(0, i64::MAX), "128"),
    spec("set-max-listpack-value", int(0, i64::MAX), "64"),
    spec("slowlog-log-slower-than", int(-1, i64::MAX), "10000"),
    spec("slowlog-max-len", int(0, i64::MAX), "128"),
    spec("stream-node-max-bytes", Kind::Memory, "4096"),
    spec("stream-node-max-entries", int(0, i64::MAX), "100"),
    spec("timeout", int(0, INT_MAX), "0"),
    aliased("zset-max-listpack-entries", "zset-max-ziplist-entries", int(0, i64::MAX), "128"),
    aliased("zset-max-listpack-value", "zset-max-ziplist-value", int(0, i64::MAX), "64"),
];

/// A parameter's place in [`SPECS`], found at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param(usize);

impl Param {
    pub const ACLLOG_MAX_LEN: Self = Self::named("acllog-max-len");
    pub const BUSY_REPLY_THRESHOLD: Self = Self::named("busy-reply-threshold");
    pub const CLUSTER_ENABLED: Self = Self::named("cluster-enabled");
    pub const MIN_REPLICAS_TO_WRITE: Self = Self::named("min-replicas-to-write");
    pub const REPLICA_READ_ONLY: Self = Self::named("replica-read-only");
    pub const REPLICA_SERVE_STALE_DATA: Self = Self::named("replica-serve-stale-data");
    pub const MAXMEMORY: Self = Self::named("maxmemory");
    pub const MAXMEMORY_POLICY: Self = Self::named("maxmemory-policy");
    pub const NOTIFY_KEYSPACE_EVENTS: Self = Self::named("notify-keyspace-events");
    pub const PROTO_MAX_BULK_LEN: Self = Self::named("proto-max-bulk-len");
    pub const SLOWLOG_LOG_SLOWER_THAN: Self = Self::named("slowlog-log-slower-than");
    pub const SLOWLOG_MAX_LEN: Self = Self::named("slowlog-max-len");
    pub const REQUIREPASS: Self = Self::named("requirepass");

    /// For constants: a name that does not exist does not compile.
    pub const fn named(name: &str) -> Self {
        let mut index = 0;
        while index < SPECS.len() {
            if same(SPECS[index].name.as_bytes(), name.as_bytes()) {
                return Self(index);
            }
            index += 1;
        }
        panic!("no such parameter")
    }

    /// By name or alias, in any case.
    pub fn find(name: &[u8]) -> Option<Self> {
        SPECS
            .iter()
            .position(|spec| {
                spec.name.as_bytes().eq_ignore_ascii_case(name)
                    || spec.alias.is_some_and(|alias| alias.as_bytes().eq_ignore_ascii_case(name))
            })
            .map(Self)
    }

    pub fn spec(self) -> &'static Spec {
        &SPECS[self.0]
    }
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    Int(i64),
    Text(Bytes),
}

/// The values in force. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Config(Arc<Vec<Value>>);

impl Default for Config {
    fn default() -> Self {
        let parse = |spec: &Spec| parse(spec, spec.default.as_bytes()).expect("defaults are valid");
        Self(Arc::new(SPECS.iter().map(parse).collect()))
    }
}

impl Config {
    pub fn int(&self, param: Param) -> i64 {
        match self.0[param.0] {
            Value::Int(number) => number,
            ref other => unreachable!("{} is {other:?}, not a number", param.spec().name),
        }
    }

    pub fn bool(&self, param: Param) -> bool {
        match self.0[param.0] {
            Value::Bool(yes) => yes,
            ref other => unreachable!("{} is {other:?}, not yes or no", param.spec().name),
        }
    }

    pub fn text(&self, param: Param) -> Bytes {
        match &self.0[param.0] {
            Value::Text(text) => text.clone(),
            Value::Int(number) => Bytes::from(number.to_string()),
            Value::Bool(yes) => Bytes::from(if *yes { "yes" } else { "no" }),
        }
    }

    /// Checks and sets one parameter; the error is the reason that CONFIG SET gives.
    pub fn set(&mut self, param: Param, text: &[u8]) -> Result<(), Cow<'static, str>> {
        let value = parse(param.spec(), text)?;
        Arc::make_mut(&mut self.0)[param.0] = value;
        Ok(())
    }

    /// The parameters that one of the patterns names, with their values, sorted by name.
    pub fn matching(&self, patterns: &[Bytes]) -> Vec<(Bytes, Bytes)> {
        let mut found = Vec::new();
        for (index, spec) in SPECS.iter().enumerate() {
            for name in [Some(spec.name), spec.alias].into_iter().flatten() {
                if patterns
                    .iter()
                    .any(|pattern| glob::matches(pattern, name.as_bytes(), glob::Case::Insensitive))
                {
                    found.push((Bytes::from(name), self.text(Param(index))));
                }
            }
        }
        found.sort();
        found
    }
}

fn parse(spec: &Spec, text: &[u8]) -> Result<Value, Cow<'static, str>> {
    let lower = || String::from_utf8_lossy(text).to_ascii_lowercase();
    match spec.kind {
        Kind::Bool => match lower().as_str() {
            "yes" => Ok(Value::Bool(true)),
            "no" => Ok(Value::Bool(false)),
            _ => Err("argument must be 'yes' or 'no'".into()),
        },
        Kind::Int { min, max } => {
            let number: i64 =
                lower().parse().map_err(|_| Cow::from("argument couldn't be parsed into an integer"))?;
            if (min..=max).contains(&number) {
                Ok(Value::Int(number))
            } else {
                Err(format!("argument must be between {min} and {max} inclusive").into())
            }
        }
        Kind::Memory => {
            parse_memory(&lower()).map(Value::Int).ok_or("argument must be a memory value".into())
        }
        Kind::Choice(choices) => {
            let text = lower();
            if choices.contains(&text.as_str()) {
                Ok(Value::Text(Bytes::from(text)))
            } else {
                let list = choices.join(", ");
                Err(format!("argument(s) must be one of the following: {list}").into())
            }
        }
        Kind::Text => Ok(Value::Text(Bytes::from(text))),
    }
}

/// A number of bytes with an optional unit: `k`, `m`, `g` are powers of 1000, `kb`, `mb`, `gb` of 1024.
fn parse_memory(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "" | "b" => 1,
        "k" => 1_000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(SPECS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn memory_units() {
        for (text, bytes) in [("100mb", Some(104_857_600)), ("1g", Some(1_000_000_000)), ("5x", None)] {
            assert_eq!(parse_memory(text), bytes, "{text}");
        }
    }
}
