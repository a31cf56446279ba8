//! The rules, one file each: what it finds, why it matters, the better way, and where it errs.
//!
//! A new rule: its file, a line in [`ALL`], a script that breaks it and one that must not in tests/lint.

mod arithmetic_on_missing;
mod could_be_read_only;
mod deleted_lock;
mod endless_loop;
mod evalsha_in_pipeline;
mod evalsha_without_fallback;
mod expiry_missing;
mod float_returned;
mod global_variable;
mod hole_length;
mod key_not_declared;
mod named_fields_returned;
mod nil_compared;
mod nil_in_table;
mod pcall_unchecked;
mod read_everything;
mod returned;
mod scan_everything;
mod text_per_call;
mod unpack_large;
mod write_before_check;

use crate::script::Script;
use crate::syntax::Span;

/// What a rule is.
#[derive(Debug)]
pub struct Rule {
    /// Never changes: comments that let a line off rely on it.
    pub id: &'static str,
    pub level: Level,
    pub finds: &'static str,
    pub why: &'static str,
    pub better: &'static str,
    /// What it overlooks, and where it is wrong.
    pub limits: &'static str,
    /// None: the rule is about stories, not about scripts.
    pub(crate) check: Option<Check>,
}

pub(crate) type Check = fn(&Script<'_>, &mut Vec<(Span, String)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// It goes wrong, or loses something.
    Error,
    /// It goes wrong under some circumstances.
    Warning,
    /// It could be better.
    Hint,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// All rules, by name.
pub const ALL: &[&Rule] = &[
    &arithmetic_on_missing::RULE,
    &could_be_read_only::RULE,
    &deleted_lock::RULE,
    &endless_loop::RULE,
    &evalsha_in_pipeline::RULE,
    &evalsha_without_fallback::RULE,
    &expiry_missing::RULE,
    &float_returned::RULE,
    &global_variable::RULE,
    &hole_length::RULE,
    &key_not_declared::RULE,
    &named_fields_returned::RULE,
    &nil_compared::RULE,
    &nil_in_table::RULE,
    &pcall_unchecked::RULE,
    &read_everything::RULE,
    &scan_everything::RULE,
    &text_per_call::RULE,
    &unpack_large::RULE,
    &write_before_check::RULE,
];

/// Rules that a story breaks.
pub(crate) use deleted_lock::RULE as DELETED_LOCK;
pub(crate) use evalsha_in_pipeline::RULE as EVALSHA_IN_PIPELINE;
pub(crate) use evalsha_without_fallback::RULE as EVALSHA_WITHOUT_FALLBACK;
pub(crate) use expiry_missing::RULE as EXPIRY_MISSING;
pub(crate) use text_per_call::RULE as TEXT_PER_CALL;

/// Commands that answer nil where the key, field or member is missing, or the list is empty.
pub(crate) const MAY_BE_MISSING: &[&str] = &[
    "GET",
    "GETDEL",
    "GETEX",
    "GETSET",
    "HGET",
    "LINDEX",
    "LPOP",
    "RPOP",
    "SPOP",
    "SRANDMEMBER",
    "ZSCORE",
    "ZRANK",
    "ZREVRANK",
    "RPOPLPUSH",
    "LMOVE",
    "RANDOMKEY",
];

/// Commands that answer as many elements as a key holds.
pub(crate) const WHOLE_VALUE: &[&str] =
    &["SMEMBERS", "HGETALL", "HKEYS", "HVALS", "KEYS", "SUNION", "SINTER", "SDIFF"];
