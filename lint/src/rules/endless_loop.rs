//! `while true` or `repeat … until false` without a way out, or with one that hangs on what the server holds.

use crate::script::{Script, function_name};
use crate::syntax::{self, Block, Expr, ExprKind, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "endless-loop",
    level: Level::Error,
    finds: "`while true` or `repeat … until false` without a way out, or with one that hangs on what the server holds.",
    why: "A script that does not end stops the whole server. One that runs until a list is empty takes as long as others have filled it.",
    better: "Bound the rounds: `for i = 1, tonumber(ARGV[1]) do … end`, and let the client call again.",
    limits: "A loop whose end hangs on numbers of the script itself is taken as bounded, whether or not it is.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    syntax::walk_stmts(script.block, &mut |stmt| {
        let (condition, body, endless) = match &stmt.kind {
            StmtKind::While(condition, body) => (condition, body, is_true(condition)),
            StmtKind::Repeat(body, condition) => (condition, body, is_false(condition)),
            _ => return,
        };
        let place = Span { start: stmt.span.start, end: condition.span.end.min(stmt.span.end) };
        let place = if matches!(stmt.kind, StmtKind::Repeat(..)) { condition.span } else { place };
        if endless && !leaves(body) {
            found.push((place, "this loop never ends".to_owned()));
        } else if (endless && takes_away(script, body)) || hangs_on_takes(script, condition, body) {
            found.push((place, "as many rounds as the key has elements: set a bound".to_owned()));
        }
    });
}

fn is_true(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::True | ExprKind::Number(_) | ExprKind::String(_))
}

fn is_false(condition: &Expr) -> bool {
    matches!(condition.kind, ExprKind::False | ExprKind::Nil)
}

/// Whether a block breaks out of its loop, returns, or raises.
fn leaves(block: &Block) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break | StmtKind::Return(_) => true,
        StmtKind::Call(expr) => {
            expr.as_call().and_then(function_name).is_some_and(|name| name == "error" || name == "assert")
        }
        // A break of an inner loop ends only that one; a return ends all.
        StmtKind::While(_, inner)
        | StmtKind::Repeat(inner, _)
        | StmtKind::NumericFor { body: inner, .. }
        | StmtKind::GenericFor { body: inner, .. } => returns(inner),
        _ => stmt.blocks().into_iter().any(leaves),
    })
}

fn returns(block: &Block) -> bool {
    block
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Return(_)) || stmt.blocks().into_iter().any(returns))
}

const TAKES: &[&str] = &[
    "LPOP",
    "RPOP",
    "SPOP",
    "ZPOPMIN",
    "ZPOPMAX",
    "RPOPLPUSH",
    "LMOVE",
    "LMPOP",
    "ZMPOP",
    "LINDEX",
    "XREAD",
];

fn takes_away(script: &Script<'_>, body: &Block) -> bool {
    let (Some(first), Some(last)) = (body.first(), body.last()) else { return false };
    let place = Span { start: first.span.start, end: last.span.end };
    script.calls_in(place).any(|call| call.is_one_of(TAKES))
}

/// The condition looks at what a taking command in the body has answered.
fn hangs_on_takes(script: &Script<'_>, condition: &Expr, body: &Block) -> bool {
    if !takes_away(script, body) {
        return false;
    }
    let compares_numbers = matches!(&condition.kind, ExprKind::Binary(operator, ..) if ["<", "<=", ">", ">="].contains(&operator.as_str()));
    !compares_numbers && condition.has(&mut |expr| expr.as_name().is_some())
}
