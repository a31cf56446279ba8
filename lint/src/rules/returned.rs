//! What a script hands to its client: not a rule, but what several of them look at.

use crate::script::{Script, function_name};
use crate::syntax::{self, Block, Expr, ExprKind, StmtKind};

/// The values that returns of the script itself, or of functions that it registers, hand back.
pub(super) fn returned<'a>(script: &Script<'a>) -> Vec<&'a Expr> {
    let mut found = Vec::new();
    collect(script.block, &mut found);
    let mut registered: Vec<&'a Expr> = Vec::new();
    syntax::walk(script.block, &mut |expr| {
        let Some(call) = expr.as_call() else { return };
        if !function_name(call).is_some_and(|name| name.ends_with(".register_function")) {
            return;
        }
        for arg in &call.args {
            match &arg.kind {
                ExprKind::Table(fields) => registered.extend(fields.iter().map(|field| &field.value)),
                _ => registered.push(arg),
            }
        }
    });
    for value in registered {
        match &value.kind {
            ExprKind::Function(function) => collect(&function.body, &mut found),
            ExprKind::Name(name) => syntax::walk_stmts(script.block, &mut |stmt| {
                if let StmtKind::LocalFunction { name: declared, function } = &stmt.kind
                    && declared == name
                {
                    collect(&function.body, &mut found);
                }
            }),
            _ => {}
        }
    }
    found
}

/// Returns of a block, those of inner functions left out.
fn collect<'a>(block: &'a Block, found: &mut Vec<&'a Expr>) {
    for stmt in block {
        if let StmtKind::Return(values) = &stmt.kind {
            // Only the first value becomes the reply.
            for value in values.iter().take(1) {
                found.push(value);
                elements(value, found, 0);
            }
        }
        stmt.blocks().into_iter().for_each(|block| collect(block, found));
    }
}

/// The elements of a table that is returned as it stands, and theirs.
fn elements<'a>(value: &'a Expr, found: &mut Vec<&'a Expr>, depth: usize) {
    if let ExprKind::Table(fields) = &value.kind
        && depth < 4
    {
        for field in fields.iter().filter(|field| field.key.is_none()) {
            found.push(&field.value);
            elements(&field.value, found, depth + 1);
        }
    }
}
