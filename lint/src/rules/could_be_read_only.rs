//! A script that only reads, run as if it could write.

use playground_core::commands::Flags;

use crate::script::{CommandCall, Script};
use crate::syntax::Span;

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "could-be-read-only",
    level: Level::Hint,
    finds: "A script that only reads, run as if it could write.",
    why: "The server then refuses it on replicas and while writes are paused, and sends it to the master. EVAL_RO, EVALSHA_RO, FCALL_RO or `flags=no-writes` say that it only reads.",
    better: "Send it with EVAL_RO, or begin it with `#!lua flags=no-writes`.",
    limits: "Nothing is said where a command's name is not written down, or where the script calls no command at all.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    const MAY_CHANGE: Flags = Flags::WRITE.or(Flags::MAY_REPLICATE);
    let first_line = script.text.lines().next().unwrap_or_default();
    if first_line.starts_with("#!") && (first_line.contains("no-writes") || first_line.contains("name=")) {
        return;
    }
    let reads = |call: &CommandCall<'_>| call.spec.is_some_and(|spec| !spec.flags.intersects(MAY_CHANGE));
    if let Some(first) = script.calls.first()
        && script.calls.iter().all(reads)
    {
        found.push((first.span, "the script only reads: EVAL_RO would do".to_owned()));
    }
}
