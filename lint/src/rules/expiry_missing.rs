//! A lock without an expiry: SET … NX without EX or PX, or SETNX without an EXPIRE.

use crate::script::{CommandCall, Script};
use crate::syntax::{ExprKind, Span};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "expiry-missing",
    level: Level::Warning,
    finds: "A lock without an expiry: SET … NX without EX or PX, or SETNX without an EXPIRE.",
    why: "If its holder dies, nobody ever gets the lock again.",
    better: "`SET lock token NX PX 30000`: value and expiry in one command.",
    limits: "SET … NX is also used for what is no lock (a default value): let such a line off. An EXPIRE of the same key anywhere in the script or story counts.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    for call in &script.calls {
        let makes = call.is("SETNX") || call.is("SET") && call.has_word("NX") && !has_expiry(call);
        let Some(key) = call.args.get(1).filter(|_| makes) else { continue };
        let same_key = |other: &CommandCall<'_>| {
            other.args.get(1).is_some_and(|arg| script.text_of(arg.span) == script.text_of(key.span))
        };
        const GIVES_EXPIRY: &[&str] = &["EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT"];
        if !script.calls.iter().any(|other| other.is_one_of(GIVES_EXPIRY) && same_key(other)) {
            found.push((call.span, "a lock without an expiry outlives its holder".to_owned()));
        }
    }
}

fn has_expiry(call: &CommandCall<'_>) -> bool {
    const OPTIONS: &[&str] = &["EX", "PX", "EXAT", "PXAT"];
    // An option that is not written down may be one.
    let open = call
        .args
        .iter()
        .skip(3)
        .any(|arg| arg.as_text().is_none() && !matches!(arg.kind, ExprKind::Number(_)));
    OPTIONS.iter().any(|option| call.has_word(option)) || open
}
