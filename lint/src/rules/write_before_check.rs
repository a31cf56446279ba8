//! An error that is raised or returned after something has been written.

use crate::script::{Script, function_name};
use crate::syntax::{self, Block, Expr, ExprKind, Span, Stmt, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "write-before-check",
    level: Level::Warning,
    finds: "An error that is raised or returned after something has been written.",
    why: "Nothing is rolled back: the client gets an error, and half of the work is done.",
    better: "Check everything first, then write.",
    limits: "Only error, assert, redis.error_reply and {err = …} are taken for errors; a redis.call that may fail on a wrong type is not. Paths are followed block by block. Of conditions only `answer == 0` and `not answer` are understood: the command has changed nothing then.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    let mut paths = Paths { script, found, told: Vec::new() };
    paths.block(script.block, None);
    let mut functions = Vec::new();
    syntax::walk(script.block, &mut |expr| {
        if let ExprKind::Function(function) = &expr.kind {
            functions.push(&function.body);
        }
    });
    syntax::walk_stmts(script.block, &mut |stmt| {
        functions.extend(stmt.function().map(|function| &function.body))
    });
    for body in functions {
        paths.block(body, None);
    }
}

struct Paths<'s, 'a, 'f> {
    script: &'s Script<'a>,
    found: &'f mut Vec<(Span, String)>,
    told: Vec<Span>,
}

impl Paths<'_, '_, '_> {
    /// `wrote`: where something has been written on the way here. Gives where it has been on the way out; the second is
    /// whether the block is left for good.
    fn block(&mut self, block: &Block, wrote: Option<Span>) -> (Option<Span>, bool) {
        let mut wrote = wrote;
        for stmt in block {
            let own = self.own_span(stmt);
            if let Some(write) = wrote.filter(|_| raises(stmt)) {
                self.tell(stmt.span, write);
            }
            let writes = own.and_then(|own| {
                let mut calls = self.script.calls_in(own);
                calls.find(|call| Script::writes(call)).map(|call| call.span)
            });
            wrote = wrote.or(writes);
            match &stmt.kind {
                StmtKind::Return(_) | StmtKind::Break => return (wrote, true),
                StmtKind::If(branches) => {
                    let mut after =
                        if branches.iter().any(|(condition, _)| condition.is_none()) { None } else { wrote };
                    for (condition, branch) in branches {
                        let nothing = condition.as_ref().and_then(|condition| self.without_effect(condition));
                        let (out, left) = self.block(branch, wrote.filter(|write| Some(*write) != nothing));
                        after = after.or(out.filter(|_| !left));
                    }
                    wrote = after.or(wrote);
                }
                StmtKind::While(_, body)
                | StmtKind::Repeat(body, _)
                | StmtKind::NumericFor { body, .. }
                | StmtKind::GenericFor { body, .. } => {
                    // What one round writes, the next one has written.
                    let (once, _) = self.block(body, wrote);
                    let (twice, _) = self.block(body, once);
                    wrote = wrote.or(twice);
                }
                StmtKind::Do(body) => wrote = self.block(body, wrote).0,
                _ => {}
            }
        }
        (wrote, false)
    }

    /// A command that has changed nothing where the condition holds: its answer is 0 or nil.
    fn without_effect(&self, condition: &Expr) -> Option<Span> {
        let answer = match &condition.kind {
            ExprKind::Unary(operator, inner) if operator == "not" => inner,
            ExprKind::Binary(operator, one, other) if operator == "==" => match other.kind {
                ExprKind::Number(0.0) | ExprKind::False => one,
                _ => return None,
            },
            _ => return None,
        };
        self.script
            .calls
            .iter()
            .find(|call| call.span == answer.span || self.is_answer(answer, call.span))
            .map(|call| call.span)
    }

    /// Whether a name stands for what a call has answered.
    fn is_answer(&self, expr: &Expr, call: Span) -> bool {
        let Some(name) = expr.as_name() else { return false };
        let mut found = false;
        syntax::walk_stmts(self.script.block, &mut |stmt| {
            if let StmtKind::Local { names, values } = &stmt.kind {
                found |= names.iter().zip(values).any(|(local, value)| local == name && value.span == call);
            }
        });
        found
    }

    /// The part of a statement that runs in its own place: without blocks and functions.
    fn own_span(&self, stmt: &Stmt) -> Option<Span> {
        let exprs = stmt.exprs();
        if exprs.iter().any(|expr| expr.has(&mut |inner| matches!(inner.kind, ExprKind::Function(_)))) {
            return None;
        }
        let (first, last) = (exprs.first()?, exprs.last()?);
        Some(Span { start: first.span.start, end: last.span.end })
    }

    fn tell(&mut self, place: Span, write: Span) {
        if !self.told.contains(&place) {
            self.told.push(place);
            let call = self.script.calls.iter().find(|call| call.span == write);
            let name = call.map_or("write", |call| call.shown_name());
            let message = format!("an error here leaves the {name} before it done");
            self.found.push((place, message));
        }
    }
}

/// Whether a statement itself raises or returns an error.
fn raises(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Call(expr) => {
            expr.as_call().and_then(function_name).is_some_and(|name| name == "error" || name == "assert")
        }
        StmtKind::Return(values) => values.iter().any(|value| match &value.kind {
            ExprKind::Call(call) => function_name(call).is_some_and(|name| name.ends_with(".error_reply")),
            ExprKind::Table(fields) => {
                fields.iter().any(|field| field.key.as_ref().and_then(|key| key.as_text()) == Some("err"))
            }
            _ => false,
        }),
        _ => false,
    }
}
