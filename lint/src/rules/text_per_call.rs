//! A story in which EVAL is sent with texts that differ only in numbers or strings.

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "text-per-call",
    level: Level::Warning,
    finds: "A story in which EVAL is sent with texts that differ only in numbers or strings.",
    why: "Each text is another script: it is compiled, and stays in the cache. Before 7.4 the cache grows without end.",
    better: "Keep the text the same and pass what changes as KEYS and ARGV.",
    limits: "Only texts that stand in one story can be compared. Two scripts that really are alike but for a constant are told all the same.",
    check: None,
};
