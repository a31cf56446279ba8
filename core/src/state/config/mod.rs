//! The configuration: the values in force.

mod machine;
mod parse;
mod specs;

use std::borrow::Cow;
use std::sync::Arc;

pub use parse::memory_size;
pub use specs::{SPECS, Spec};

use crate::Bytes;
use crate::profile::Version;
use crate::value::glob;

/// What a parameter may hold.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bool,
    Int {
        min: i64,
        max: i64,
    },
    /// A number without an upper bound.
    Count,
    /// Bytes, with the units `k kb m mb g gb`.
    Memory {
        min: i64,
    },
    /// Bytes without an upper bound.
    Size {
        min: i64,
    },
    /// Bytes, or a share of all memory: `5%`.
    MemoryOrPercent,
    Choice(&'static [&'static str]),
    /// Classes of keyspace notifications.
    Events,
    /// `save`: pairs of seconds and changes.
    Save,
    /// `client-output-buffer-limit`: a class of clients and its three limits, any number of times. Classes that are not
    /// named keep theirs.
    OutputLimits,
    /// Shares in percent.
    Percentiles,
    /// `bind`: what this machine can listen at.
    Addresses,
    /// `proc-title-template`: a text with variables in braces.
    Title,
    /// `oom-score-adj-values`: three numbers.
    Adjustments,
    Hostname,
    NodeName,
    Locale,
    /// `shutdown-on-…`: words for SHUTDOWN.
    Shutdown,
    Text,
}

/// A parameter's place in [`SPECS`], found at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param(usize);

impl Param {
    pub const ACLLOG_MAX_LEN: Self = Self::named("acllog-max-len");
    pub const BUSY_REPLY_THRESHOLD: Self = Self::named("busy-reply-threshold");
    pub const CLIENT_OUTPUT_BUFFER_LIMIT: Self = Self::named("client-output-buffer-limit");
    pub const CLIENT_QUERY_BUFFER_LIMIT: Self = Self::named("client-query-buffer-limit");
    pub const CLUSTER_ENABLED: Self = Self::named("cluster-enabled");
    pub const CLUSTER_REQUIRE_FULL_COVERAGE: Self = Self::named("cluster-require-full-coverage");
    pub const LATENCY_MONITOR_THRESHOLD: Self = Self::named("latency-monitor-threshold");
    pub const LIST_COMPRESS_DEPTH: Self = Self::named("list-compress-depth");
    pub const LIST_MAX_LISTPACK_SIZE: Self = Self::named("list-max-listpack-size");
    pub const MIN_REPLICAS_TO_WRITE: Self = Self::named("min-replicas-to-write");
    pub const REPLICA_READ_ONLY: Self = Self::named("replica-read-only");
    pub const REPLICA_SERVE_STALE_DATA: Self = Self::named("replica-serve-stale-data");
    pub const MAXCLIENTS: Self = Self::named("maxclients");
    pub const MAXMEMORY: Self = Self::named("maxmemory");
    pub const MAXMEMORY_POLICY: Self = Self::named("maxmemory-policy");
    pub const NOTIFY_KEYSPACE_EVENTS: Self = Self::named("notify-keyspace-events");
    pub const PORT: Self = Self::named("port");
    pub const PROTO_MAX_BULK_LEN: Self = Self::named("proto-max-bulk-len");
    pub const SLOWLOG_LOG_SLOWER_THAN: Self = Self::named("slowlog-log-slower-than");
    pub const SLOWLOG_MAX_LEN: Self = Self::named("slowlog-max-len");
    pub const TIMEOUT: Self = Self::named("timeout");
    pub const REQUIREPASS: Self = Self::named("requirepass");
    pub const SAVE: Self = Self::named("save");

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

    /// By name or alias, in any case, where the version has it.
    pub fn find(name: &[u8], version: Version) -> Option<Self> {
        SPECS
            .iter()
            .position(|spec| {
                spec.offered_in(version)
                    && (spec.name.as_bytes().eq_ignore_ascii_case(name)
                        || spec.alias.is_some_and(|alias| alias.as_bytes().eq_ignore_ascii_case(name)))
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
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Text(Bytes),
}

/// The values in force. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Config(Arc<Vec<Value>>);

impl Default for Config {
    fn default() -> Self {
        let parse = |spec: &Spec| {
            let default = spec.default.as_bytes();
            parse::parse(spec, default, default, Version::default()).expect("defaults are valid")
        };
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
    pub fn set(&mut self, param: Param, text: &[u8], version: Version) -> Result<(), Cow<'static, str>> {
        let value = parse::parse(param.spec(), &self.text(param), text, version)?;
        Arc::make_mut(&mut self.0)[param.0] = value;
        Ok(())
    }

    /// What CONFIG GET shows.
    fn shown(&self, param: Param) -> Bytes {
        match param.spec().kind {
            Kind::Events => parse::shown_events(&self.text(param)),
            _ => self.text(param),
        }
    }

    /// The parameters of this version that one of the patterns names, with their values, sorted by name. A name
    /// without wildcards is given back as it was written.
    pub fn matching(&self, patterns: &[Bytes], version: Version) -> Vec<(Bytes, Bytes)> {
        let mut found: Vec<(Bytes, Bytes)> = Vec::new();
        for (index, spec) in SPECS.iter().enumerate().filter(|(_, spec)| spec.offered_in(version)) {
            for name in [Some(spec.name), spec.alias].into_iter().flatten() {
                let literal = |pattern: &Bytes| pattern.eq_ignore_ascii_case(name.as_bytes());
                let fits = |pattern: &Bytes| {
                    !spec.hidden && glob::matches(pattern, name.as_bytes(), glob::Case::Insensitive)
                };
                // The first that fits decides how the name is written.
                if let Some(first) = patterns.iter().find(|pattern| literal(pattern) || fits(pattern)) {
                    let name = if literal(first) { first.clone() } else { Bytes::from(name) };
                    found.push((name, self.shown(Param(index))));
                }
            }
        }
        found.sort();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(SPECS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn a_version_has_its_own_parameters() {
        let found = |version| Config::default().matching(&[Bytes::from("set-max-*")], version).len();
        assert_eq!((found(Version::V7_0), found(Version::V7_2)), (1, 3));
    }
}
