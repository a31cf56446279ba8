//! SCAN, HSCAN, SSCAN or ZSCAN in a loop of the script.

use crate::script::Script;
use crate::syntax::{self, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "scan-everything",
    level: Level::Warning,
    finds: "SCAN, HSCAN, SSCAN or ZSCAN in a loop of the script.",
    why: "SCAN is made for many short calls. In one script they add up: nobody else is served until the whole keyspace or collection has been gone through.",
    better: "Let the client loop: one SCAN a call, and a script only for each page.",
    limits: "A loop that stops after a fixed number of rounds is told all the same.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    const SCANS: &[&str] = &["SCAN", "HSCAN", "SSCAN", "ZSCAN"];
    let mut told: Vec<Span> = Vec::new();
    syntax::walk_stmts(script.block, &mut |stmt| {
        if !matches!(stmt.kind, StmtKind::While(..) | StmtKind::Repeat(..) | StmtKind::NumericFor { .. }) {
            return;
        }
        for call in script.calls_in(stmt.span).filter(|call| call.is_one_of(SCANS)) {
            if !told.contains(&call.span) {
                told.push(call.span);
                let message = format!("{} in a loop goes through everything in one go", call.shown_name());
                found.push((call.span, message));
            }
        }
    });
}
