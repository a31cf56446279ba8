//! A key that is not one of KEYS: written in the script, put together from parts, taken from ARGV or from data.

use crate::script::{Origin, Script};
use crate::syntax::Span;

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "key-not-declared",
    level: Level::Warning,
    finds: "A key that is not one of KEYS: written in the script, put together from parts, taken from ARGV or from data.",
    why: "The server can't know the key before the script runs: in a cluster the script fails or runs on the wrong node, and rules on keys (ACL) refuse it.",
    better: "Pass each key name in KEYS. Names that belong together share a tag in braces.",
    limits: "A key that comes from a function or a table is taken as declared. What is put together from KEYS itself is told too: it holds in a cluster only if the tag stays the same.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    for call in &script.calls {
        for key in script.keys(call) {
            let how = match script.origin(key) {
                Origin::Literal(text) if text == "?" => continue,
                Origin::Literal(_) => "is written in the script",
                Origin::Built => "is put together in the script",
                Origin::Argv => "is taken from ARGV",
                Origin::Data => "is taken from data",
                Origin::Keys | Origin::Unknown => continue,
            };
            found.push((key.span, format!("the key of {} {how} and not passed in KEYS", call.shown_name())));
        }
    }
}
