//! Arithmetic on what a read answers, without a default for a missing key.

use crate::rules::MAY_BE_MISSING;
use crate::script::{CommandCall, Script, function_name};
use crate::syntax::{self, Expr, ExprKind, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "arithmetic-on-missing",
    level: Level::Error,
    finds: "Arithmetic on what a read answers, without a default for a missing key.",
    why: "A missing key is false in Lua, and false is no number: `redis.call('GET', k) + 1` raises an error, and so does `tonumber(false) + 1`.",
    better: "`tonumber(redis.call('GET', KEYS[1]) or '0') + 1`, or return early with `if not value`.",
    limits: "A value that is tested anywhere in the script is taken as guarded, and a key that the script has written before as there. Values that pass through tables or functions are not followed.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    syntax::walk(script.block, &mut |expr| {
        let ExprKind::Binary(operator, one, other) = &expr.kind else { return };
        if !["+", "-", "*", "/", "%", "^"].contains(&operator.as_str()) {
            return;
        }
        for operand in [one, other] {
            if let Some(command) = missing(script, operand) {
                let message = format!("{command} answers false for a missing key: this would raise an error");
                found.push((operand.span, message));
            }
        }
    });
}

/// The command whose bare answer is counted with.
fn missing<'a>(script: &Script<'a>, operand: &'a Expr) -> Option<String> {
    if operand.as_name().is_some_and(|name| is_tested(script, name)) {
        return None;
    }
    let mut value = script.resolve(operand);
    if let Some(call) = value.as_call()
        && function_name(call).as_deref() == Some("tonumber")
    {
        let inner = call.args.first()?;
        if inner.as_name().is_some_and(|name| is_tested(script, name)) {
            return None;
        }
        value = script.resolve(inner);
    }
    let call = script.source(value)?;
    // What the script itself has written is there.
    let same_key = |other: &CommandCall<'_>| match (other.args.get(1), call.args.get(1)) {
        (Some(one), Some(other)) => script.text_of(one.span) == script.text_of(other.span),
        _ => false,
    };
    let before = |other: &&CommandCall<'_>| other.span.start < call.span.start;
    let written = script.calls.iter().filter(before).any(|other| Script::writes(other) && same_key(other));
    (call.is_one_of(MAY_BE_MISSING) && !written).then(|| call.shown_name().to_owned())
}

/// Whether a condition anywhere looks at the name, or gives it a default.
fn is_tested(script: &Script<'_>, name: &str) -> bool {
    let mut tested = false;
    let mentions = |expr: &Expr| expr.has(&mut |inner| inner.as_name() == Some(name));
    syntax::walk_stmts(script.block, &mut |stmt| {
        tested |= match &stmt.kind {
            StmtKind::If(branches) => {
                branches.iter().any(|(condition, _)| condition.as_ref().is_some_and(mentions))
            }
            StmtKind::While(condition, _) | StmtKind::Repeat(_, condition) => mentions(condition),
            _ => false,
        };
    });
    syntax::walk(script.block, &mut |expr| {
        if let ExprKind::Binary(operator, one, _) = &expr.kind {
            tested |= (operator == "or" || operator == "and") && mentions(one);
        }
    });
    tested
}
