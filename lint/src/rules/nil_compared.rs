//! A read's answer that is compared with nil.

use crate::rules::MAY_BE_MISSING;
use crate::script::Script;
use crate::syntax::{self, ExprKind, Span};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "nil-compared",
    level: Level::Error,
    finds: "A read's answer that is compared with nil.",
    why: "A missing key is false in Lua, so `== nil` is never true and `~= nil` always.",
    better: "`if not value then`, or `== false`.",
    limits: "After redis.setresp(3) a missing key is nil, and nothing is said. Values that pass through tables or functions are not followed.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    let uses_resp3 = script.text.contains("setresp");
    if uses_resp3 {
        return;
    }
    syntax::walk(script.block, &mut |expr| {
        let ExprKind::Binary(operator, one, other) = &expr.kind else { return };
        if operator != "==" && operator != "~=" {
            return;
        }
        let compared = match (&one.kind, &other.kind) {
            (_, ExprKind::Nil) => one,
            (ExprKind::Nil, _) => other,
            _ => return,
        };
        let Some(call) = script.source(compared).filter(|call| call.is_one_of(MAY_BE_MISSING)) else {
            return;
        };
        let always = if operator == "==" { "never" } else { "always" };
        found.push((
            expr.span,
            format!("{} answers false, not nil: this is {always} true", call.shown_name()),
        ));
    });
}
