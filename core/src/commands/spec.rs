//! The record that every command is: one place for all that help, COMMAND INFO, key extraction,
//! cluster routing, lints and COMPAT.md need to know about it.

use crate::Bytes;
use crate::profile::Version;

use super::ctx::{CommandResult, Ctx};

/// Runs a command whose arity has been checked. `argv[0]` is the name (for a subcommand `argv[1]` is the second half).
pub(super) type Handler = fn(&mut Ctx<'_>, &[Bytes]) -> CommandResult;

/// All facts about a command. Records stand beside their handlers, one const array per family.
#[derive(Clone, Copy)]
pub struct CommandSpec {
    /// In lower case; a subcommand has its full name: `config|get`.
    pub name: &'static str,
    /// Redis's signed form: the exact number of arguments with the name, or minus the least number.
    pub arity: i16,
    pub flags: Flags,
    /// ACL categories besides those that the flags imply.
    pub categories: &'static [&'static str],
    pub keys: &'static [KeySpec],
    /// The Redis release that brought it.
    pub since: (u8, u8, u8),
    pub group: Group,
    pub summary: &'static str,
    pub syntax: &'static str,
    pub reply: Shape,
    /// Command tips, as COMMAND INFO shows them (`nondeterministic_output`).
    pub tips: &'static [&'static str],
    /// Only [`super::table`] reads it, and hands it out.
    pub(super) handler: Handler,
    /// The record's place in that table, which gives it.
    pub(super) number: usize,
    pub subcommands: &'static [CommandSpec],
    /// Only on records as they are declared: nobody who runs commands needs them.
    pub examples: &'static [Example],
    /// The record as older servers have it, where flags, keys or tips were different.
    pub(super) earlier: Option<&'static Earlier>,
}

/// A record's older form.
#[derive(Clone, Copy)]
pub(super) struct Earlier {
    /// The first version that no longer has it.
    pub(super) before: Version,
    pub(super) spec: CommandSpec,
}

impl CommandSpec {
    /// What a record starts from: `CommandSpec { name: "get", …, ..CommandSpec::BASE }`.
    pub const BASE: Self = Self {
        name: "",
        arity: 0,
        flags: Flags::NONE,
        categories: &[],
        keys: &[],
        since: (1, 0, 0),
        group: Group::Generic,
        summary: "",
        syntax: "",
        reply: Shape::Any,
        tips: &[],
        handler: |_, _| unreachable!("a container command is never run itself"),
        number: 0,
        subcommands: &[],
        examples: &[],
        earlier: None,
    };

    /// A subcommand by its short name, in any case.
    pub fn subcommand(&self, name: &[u8]) -> Option<&'static CommandSpec> {
        self.subcommands.iter().find(|sub| sub.short_name().as_bytes().eq_ignore_ascii_case(name))
    }

    pub fn is_container(&self) -> bool {
        !self.subcommands.is_empty()
    }

    /// Whether a server of this version knows the command.
    pub fn offered_in(&self, version: Version) -> bool {
        version.number() >= (self.since.0, self.since.1)
    }

    pub fn arity_fits(&self, argc: usize) -> bool {
        let argc = argc as i64;
        let arity = i64::from(self.arity);
        if arity >= 0 { argc == arity } else { argc >= -arity }
    }

    pub fn has(&self, flag: Flags) -> bool {
        self.flags.contains(flag)
    }

    /// All ACL categories, those that the flags imply too, in the order of ACL CAT.
    pub fn all_categories(&self) -> impl Iterator<Item = &'static str> {
        CATEGORIES.iter().copied().filter(|category| self.in_category(category))
    }

    pub fn in_category(&self, category: &str) -> bool {
        let implied = match category {
            "write" => self.has(Flags::WRITE),
            "read" => self.has(Flags::READONLY) && !self.categories.contains(&"scripting"),
            "admin" => self.has(Flags::ADMIN),
            "dangerous" => self.has(Flags::ADMIN),
            "pubsub" => self.has(Flags::PUBSUB),
            "fast" => self.has(Flags::FAST),
            "slow" => !self.has(Flags::FAST),
            "blocking" => self.has(Flags::BLOCKING),
            _ => false,
        };
        implied || self.categories.contains(&category)
    }

    /// The place of the first key, of the last (from the end where negative), and the step between them, as far
    /// as keys stand at fixed places.
    pub fn key_range(&self) -> (i64, i64, i64) {
        let mut found: Option<(i64, i64, i64)> = None;
        for spec in self.keys {
            let (Begin::Index(first), Find::Range { last, step, .. }) = (spec.begin, spec.find) else {
                continue;
            };
            let (first, last) = (first as i64, i64::from(last));
            let last = if last < 0 { last } else { first + last };
            found = match found {
                None => Some((first, last, step as i64)),
                Some((start, end, 1)) if step == 1 && end + 1 == first => Some((start, last, 1)),
                settled => settled,
            };
        }
        found.unwrap_or_default()
    }

    /// The last part of the name: `get` for `config|get`.
    pub fn short_name(&self) -> &'static str {
        self.name.rsplit_once('|').map_or(self.name, |(_, short)| short)
    }
}

/// The ACL categories in the order in which COMMAND INFO lists them.
pub const CATEGORIES: &[&str] = &[
    "keyspace",
    "read",
    "write",
    "set",
    "sortedset",
    "list",
    "hash",
    "string",
    "bitmap",
    "hyperloglog",
    "geo",
    "stream",
    "pubsub",
    "admin",
    "fast",
    "slow",
    "blocking",
    "dangerous",
    "connection",
    "transaction",
    "scripting",
];

/// What a command is allowed to do, as COMMAND INFO lists it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u32);

impl Flags {
    pub const NONE: Self = Self(0);
    pub const WRITE: Self = Self(1);
    pub const READONLY: Self = Self(1 << 1);
    pub const DENYOOM: Self = Self(1 << 2);
    pub const MODULE: Self = Self(1 << 3);
    pub const ADMIN: Self = Self(1 << 4);
    pub const PUBSUB: Self = Self(1 << 5);
    pub const NOSCRIPT: Self = Self(1 << 6);
    pub const BLOCKING: Self = Self(1 << 7);
    pub const LOADING: Self = Self(1 << 8);
    pub const STALE: Self = Self(1 << 9);
    pub const SKIP_MONITOR: Self = Self(1 << 10);
    pub const SKIP_SLOWLOG: Self = Self(1 << 11);
    pub const ASKING: Self = Self(1 << 12);
    pub const FAST: Self = Self(1 << 13);
    pub const NO_AUTH: Self = Self(1 << 14);
    /// Counts as a write for read-only scripts; COMMAND INFO does not show it.
    pub const MAY_REPLICATE: Self = Self(1 << 15);
    pub const NO_ASYNC_LOADING: Self = Self(1 << 16);
    pub const NO_MULTI: Self = Self(1 << 17);
    pub const ALLOW_BUSY: Self = Self(1 << 18);
    pub const MOVABLEKEYS: Self = Self(1 << 19);
    pub const NO_MANDATORY_KEYS: Self = Self(1 << 20);

    /// In the order in which COMMAND INFO lists them. It does not tell of MAY_REPLICATE.
    pub const NAMES: &'static [(Self, &'static str)] = &[
        (Self::WRITE, "write"),
        (Self::READONLY, "readonly"),
        (Self::DENYOOM, "denyoom"),
        (Self::MODULE, "module"),
        (Self::ADMIN, "admin"),
        (Self::PUBSUB, "pubsub"),
        (Self::NOSCRIPT, "noscript"),
        (Self::BLOCKING, "blocking"),
        (Self::LOADING, "loading"),
        (Self::STALE, "stale"),
        (Self::SKIP_MONITOR, "skip_monitor"),
        (Self::SKIP_SLOWLOG, "skip_slowlog"),
        (Self::ASKING, "asking"),
        (Self::FAST, "fast"),
        (Self::NO_AUTH, "no_auth"),
        (Self::NO_ASYNC_LOADING, "no_async_loading"),
        (Self::NO_MULTI, "no_multi"),
        (Self::ALLOW_BUSY, "allow_busy"),
        (Self::NO_MANDATORY_KEYS, "no_mandatory_keys"),
        (Self::MOVABLEKEYS, "movablekeys"),
    ];

    /// Both sets of flags; usable in constants.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These flags without some; usable in constants.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().filter(move |(flag, _)| self.contains(*flag)).map(|(_, name)| *name)
    }
}

/// Where a command's keys stand, as in COMMAND INFO's key specifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySpec {
    pub begin: Begin,
    pub find: Find,
    /// `RO`, `RW`, `OW`, `RM` and what happens to the value, in COMMAND INFO's order.
    pub flags: &'static [&'static str],
    pub notes: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    Index(usize),
    /// From the argument after this word; the search starts at `from` (from the end where negative).
    Keyword {
        word: &'static str,
        from: i32,
    },
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// `last`: relative to the first key, or from the end where negative; `limit`: 2 takes only the first half.
    Range {
        last: i32,
        step: usize,
        limit: usize,
    },
    /// A count at `count_at` (relative to the beginning) and the keys from `first_at` on.
    Count {
        count_at: usize,
        first_at: usize,
        step: usize,
    },
    Unknown,
}

impl KeySpec {
    /// One key at this index.
    pub const fn at(index: usize, flags: &'static [&'static str]) -> Self {
        Self {
            begin: Begin::Index(index),
            find: Find::Range { last: 0, step: 1, limit: 0 },
            flags,
            notes: "",
        }
    }

    /// Keys from this index to the last argument (`last` -1) or a place before the end, every `step`.
    pub const fn range(index: usize, last: i32, step: usize, flags: &'static [&'static str]) -> Self {
        Self { begin: Begin::Index(index), find: Find::Range { last, step, limit: 0 }, flags, notes: "" }
    }

    pub const fn noted(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    /// A number of keys at `index`, the keys behind it.
    pub const fn counted(index: usize, flags: &'static [&'static str]) -> Self {
        Self {
            begin: Begin::Index(index),
            find: Find::Count { count_at: 0, first_at: 1, step: 1 },
            flags,
            notes: "",
        }
    }
}

/// The documentation group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Generic,
    String,
    List,
    Set,
    SortedSet,
    Hash,
    PubSub,
    Transactions,
    Connection,
    Server,
    Scripting,
    HyperLogLog,
    Cluster,
    Geo,
    Stream,
    Bitmap,
}

impl Group {
    /// The name in COMMAND DOCS.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::String => "string",
            Self::List => "list",
            Self::Set => "set",
            Self::SortedSet => "sorted-set",
            Self::Hash => "hash",
            Self::PubSub => "pubsub",
            Self::Transactions => "transactions",
            Self::Connection => "connection",
            Self::Server => "server",
            Self::Scripting => "scripting",
            Self::HyperLogLog => "hyperloglog",
            Self::Cluster => "cluster",
            Self::Geo => "geo",
            Self::Stream => "stream",
            Self::Bitmap => "bitmap",
        }
    }
}

/// The kinds of reply a command can give besides an error; tests hold every reply against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Any,
    Status,
    Int,
    Bulk,
    /// A bulk string or null.
    BulkOrNil,
    Double,
    Array,
    Map,
    Set,
    /// Messages, as (UN)SUBSCRIBE confirms with.
    Push,
    /// Any of these.
    OneOf(&'static [Shape]),
    Nil,
}

/// A line that a test executes: its output is what the help shows.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Commands run first, one a line.
    pub setup: &'static str,
    pub run: &'static str,
    /// As redis-cli prints it.
    pub shows: &'static str,
}
