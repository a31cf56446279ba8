//! A name that is assigned without `local`, or that nobody has declared.

use std::collections::BTreeSet;

use crate::script::Script;
use crate::syntax::{Block, Expr, ExprKind, Span, Stmt, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "global-variable",
    level: Level::Error,
    finds: "A name that is assigned without `local`, or that nobody has declared.",
    why: "Scripts may make no globals: the assignment raises an error. Reading a global that does not exist raises one too.",
    better: "Put `local` in front.",
    limits: "Only Lua's and Redis's own globals are known.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    let mut scopes = Scopes { known: vec![GLOBALS.iter().map(|name| (*name).to_owned()).collect()], found };
    scopes.block(script.block);
}

const GLOBALS: &[&str] = &[
    "KEYS",
    "ARGV",
    "redis",
    "server",
    "cjson",
    "cmsgpack",
    "struct",
    "bit",
    "string",
    "table",
    "math",
    "os",
    "assert",
    "error",
    "getmetatable",
    "setmetatable",
    "ipairs",
    "pairs",
    "next",
    "pcall",
    "xpcall",
    "rawequal",
    "rawget",
    "rawset",
    "select",
    "tonumber",
    "tostring",
    "type",
    "unpack",
    "coroutine",
    "_G",
    "_VERSION",
    "collectgarbage",
    "load",
    "loadstring",
    "gcinfo",
    "newproxy",
];

struct Scopes<'f> {
    known: Vec<BTreeSet<String>>,
    found: &'f mut Vec<(Span, String)>,
}

impl Scopes<'_> {
    fn knows(&self, name: &str) -> bool {
        self.known.iter().any(|scope| scope.contains(name))
    }

    fn declare<'n>(&mut self, names: impl IntoIterator<Item = &'n String>) {
        if let Some(scope) = self.known.last_mut() {
            scope.extend(names.into_iter().cloned());
        }
    }

    fn inner(&mut self, names: &[String], block: &Block) {
        self.known.push(names.iter().cloned().collect());
        self.block(block);
        self.known.pop();
    }

    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::LocalFunction { name, .. } = &stmt.kind {
            self.declare([name]);
        }
        if !matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Repeat(..)) {
            stmt.exprs().into_iter().for_each(|expr| self.expr(expr));
        }
        match &stmt.kind {
            StmtKind::Local { names, .. } => self.declare(names),
            StmtKind::Assign { targets, values } => {
                values.iter().for_each(|value| self.expr(value));
                targets.iter().for_each(|target| self.target(target));
            }
            StmtKind::NumericFor { name, body, .. } => self.inner(std::slice::from_ref(name), body),
            StmtKind::GenericFor { names, body, .. } => self.inner(names, body),
            StmtKind::Repeat(body, condition) => {
                // The condition sees the locals of the body.
                self.known.push(BTreeSet::new());
                self.block(body);
                self.expr(condition);
                self.known.pop();
            }
            StmtKind::LocalFunction { function, .. } => self.inner(&function.params, &function.body),
            StmtKind::Function { path, function } => {
                if let [name] = &path[..]
                    && !self.knows(name)
                {
                    let message = format!("the function {name} would be a global: put local in front");
                    self.found.push((stmt.span, message));
                    self.known[0].insert(name.clone());
                }
                let mut params = function.params.clone();
                params.push("self".to_owned());
                self.inner(&params, &function.body);
            }
            _ => stmt.blocks().into_iter().for_each(|block| self.inner(&[], block)),
        }
    }

    fn target(&mut self, target: &Expr) {
        match target.as_name() {
            Some(name) if !self.knows(name) => {
                let message = format!("{name} would be a global: put local in front");
                self.found.push((target.span, message));
                // Once is enough.
                self.known[0].insert(name.to_owned());
            }
            Some(_) => {}
            None => self.expr(target),
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) if !self.knows(name) => {
                self.found.push((expr.span, format!("nobody has declared {name}")));
                self.known[0].insert(name.clone());
            }
            ExprKind::Index(one, other) | ExprKind::Binary(_, one, other) => {
                self.expr(one);
                self.expr(other);
            }
            ExprKind::Unary(_, one) => self.expr(one),
            ExprKind::Call(call) => {
                self.expr(&call.function);
                call.args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Function(function) => self.inner(&function.params, &function.body),
            ExprKind::Table(fields) => {
                for field in fields {
                    field.key.iter().for_each(|key| self.expr(key));
                    self.expr(&field.value);
                }
            }
            _ => {}
        }
    }
}
