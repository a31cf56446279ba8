//! redis.pcall whose answer nobody looks at for an error.

use crate::script::Script;
use crate::syntax::{self, Expr, ExprKind, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "pcall-unchecked",
    level: Level::Warning,
    finds: "redis.pcall whose answer nobody looks at for an error.",
    why: "The error is swallowed: the script goes on as if the command had worked, and neither the client nor the log learns of it.",
    better: "`local reply = redis.pcall(…)`, then `if type(reply) == 'table' and reply.err then return reply end`; or redis.call.",
    limits: "An answer that is returned, passed on to a function or looked at with `.err` or `type` counts as checked.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    let message = "if this fails, nobody learns of it".to_owned();
    syntax::walk_stmts(script.block, &mut |stmt| match &stmt.kind {
        StmtKind::Call(expr) if is_pcall(script, expr) => found.push((expr.span, message.clone())),
        StmtKind::Local { names, values } => {
            for (name, value) in names.iter().zip(values) {
                if is_pcall(script, value) && !is_checked(script, name) {
                    found.push((value.span, message.clone()));
                }
            }
        }
        _ => {}
    });
}

fn is_pcall(script: &Script<'_>, expr: &Expr) -> bool {
    script.calls.iter().any(|call| call.protected && call.span == expr.span)
}

fn is_checked(script: &Script<'_>, name: &str) -> bool {
    let is_it = |expr: &Expr| expr.as_name() == Some(name);
    let mut checked = false;
    syntax::walk(script.block, &mut |expr| match &expr.kind {
        ExprKind::Index(object, key) => {
            checked |= is_it(object) && matches!(key.as_text(), Some("err" | "ok"));
        }
        ExprKind::Call(call) => checked |= call.args.iter().any(is_it),
        ExprKind::Table(fields) => checked |= fields.iter().any(|field| is_it(&field.value)),
        _ => {}
    });
    syntax::walk_stmts(script.block, &mut |stmt| {
        if let StmtKind::Return(values) = &stmt.kind {
            checked |= values.iter().any(is_it);
        }
    });
    checked
}
