//! A script with what several rules want to know of it: its calls of commands, and what its names stand for.

use std::collections::BTreeMap;

use playground_core::Bytes;
use playground_core::bytes::has_word;
use playground_core::commands::{CommandSpec, Flags, key_positions, lookup};
use playground_core::profile::Version;

use crate::syntax::{self, Block, Call, Expr, ExprKind, Span, Stmt, StmtKind};

pub(crate) struct Script<'a> {
    pub(crate) text: &'a str,
    pub(crate) block: &'a Block,
    pub(crate) calls: Vec<CommandCall<'a>>,
    bindings: BTreeMap<&'a str, Binding<'a>>,
    /// Variables of loops, with what they go over.
    loops: BTreeMap<&'a str, &'a Expr>,
}

/// `redis.call` or `redis.pcall`, perhaps under another name.
pub(crate) struct CommandCall<'a> {
    pub(crate) span: Span,
    pub(crate) args: &'a [Expr],
    pub(crate) protected: bool,
    /// In capitals, where it is written down.
    pub(crate) name: Option<String>,
    pub(crate) spec: Option<&'static CommandSpec>,
}

/// All that is given to a name anywhere in the script; scopes are not told apart.
#[derive(Default)]
struct Binding<'a> {
    values: Vec<&'a Expr>,
    /// A parameter, a loop's variable, or a local without a value.
    other: bool,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Keys,
    Argv,
    Literal(String),
    /// Put together from parts.
    Built,
    /// What a command answered.
    Data,
    Unknown,
}

impl<'a> Script<'a> {
    pub(crate) fn new(text: &'a str, block: &'a Block) -> Self {
        let mut script =
            Self { text, block, calls: Vec::new(), bindings: BTreeMap::new(), loops: BTreeMap::new() };
        syntax::walk_stmts(block, &mut |stmt| script.bind(stmt));
        let mut calls = Vec::new();
        syntax::walk(block, &mut |expr| calls.extend(script.command_call(expr)));
        script.calls = calls;
        script
    }

    fn bind(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Local { names, values } => {
                for (at, name) in names.iter().enumerate() {
                    let binding = self.bindings.entry(name).or_default();
                    match values.get(at) {
                        Some(value) => binding.values.push(value),
                        None => binding.other = true,
                    }
                }
            }
            StmtKind::Assign { targets, values } => {
                for (at, target) in targets.iter().enumerate() {
                    let Some(name) = target.as_name() else { continue };
                    let binding = self.bindings.entry(name).or_default();
                    match values.get(at) {
                        Some(value) => binding.values.push(value),
                        None => binding.other = true,
                    }
                }
            }
            StmtKind::NumericFor { name, .. } => self.bindings.entry(name).or_default().other = true,
            StmtKind::GenericFor { names, values, .. } => {
                names.iter().for_each(|name| self.bindings.entry(name).or_default().other = true);
                let over = values.first().and_then(Expr::as_call).and_then(|call| call.args.first());
                if let (Some(name), Some(over)) = (names.get(1), over) {
                    self.loops.insert(name, over);
                }
            }
            StmtKind::LocalFunction { name, function } => {
                self.bindings.entry(name).or_default().other = true;
                self.bind_params(&function.params);
            }
            StmtKind::Function { function, .. } => self.bind_params(&function.params),
            _ => {}
        }
        for expr in stmt.exprs() {
            expr.walk(&mut |expr| {
                if let ExprKind::Function(function) = &expr.kind {
                    self.bind_params(&function.params);
                }
            });
        }
    }

    fn bind_params(&mut self, params: &'a [String]) {
        params.iter().for_each(|name| self.bindings.entry(name).or_default().other = true);
    }

    /// What a name stands for, where it is given one value only.
    pub(crate) fn resolve(&self, expr: &'a Expr) -> &'a Expr {
        let mut resolved = expr;
        // Names of names: a chain longer than this is a circle.
        for _ in 0..8 {
            let Some(name) = resolved.as_name() else { break };
            match self.bindings.get(name) {
                Some(Binding { values, other: false }) if values.len() == 1 => resolved = values[0],
                _ => break,
            }
        }
        resolved
    }

    /// Whether a name is declared somewhere without a value.
    pub(crate) fn may_be_unset(&self, name: &str) -> bool {
        let mut found = false;
        syntax::walk_stmts(self.block, &mut |stmt| {
            if let StmtKind::Local { names, values } = &stmt.kind {
                found |= values.is_empty() && names.iter().any(|declared| declared == name);
            }
        });
        found
    }

    fn command_call(&self, expr: &'a Expr) -> Option<CommandCall<'a>> {
        let call = expr.as_call()?;
        let protected = self.is_redis_function(&call.function, "pcall");
        if !protected && !self.is_redis_function(&call.function, "call") {
            return None;
        }
        let name = call.args.first().and_then(|first| self.resolve(first).as_text());
        let name = name.map(str::to_ascii_uppercase);
        let spec = name.as_ref().and_then(|name| {
            let sub = call.args.get(1).and_then(|second| second.as_text()).unwrap_or_default();
            lookup(Version::default(), &[Bytes::from(name.as_str()), Bytes::from(sub)]).ok()
        });
        Some(CommandCall { span: expr.span, args: &call.args, protected, name, spec })
    }

    fn is_redis_function(&self, function: &'a Expr, name: &str) -> bool {
        self.resolve(function)
            .as_field()
            .is_some_and(|(object, field)| (object == "redis" || object == "server") && field == name)
    }

    /// The call that a value comes straight from.
    pub(crate) fn source(&self, expr: &'a Expr) -> Option<&CommandCall<'a>> {
        let resolved = self.resolve(expr);
        self.calls.iter().find(|call| call.span == resolved.span && resolved.as_call().is_some())
    }

    /// The arguments of a command that are its keys; none where that can't be told.
    pub(crate) fn keys(&self, call: &CommandCall<'a>) -> Vec<&'a Expr> {
        let Some(spec) = call.spec else { return Vec::new() };
        // From an unpacked table on nobody can tell which argument is which.
        let is_open = |arg: &Expr| {
            matches!(arg.kind, ExprKind::Vararg)
                || arg
                    .as_call()
                    .is_some_and(|call| function_name(call).is_some_and(|name| name.ends_with("unpack")))
        };
        let known = call.args.iter().position(is_open).unwrap_or(call.args.len());
        let argv: Vec<Bytes> = call.args[..known]
            .iter()
            .map(|arg| match &self.resolve(arg).kind {
                ExprKind::String(text) => Bytes::from(text.as_str()),
                ExprKind::Number(number) => Bytes::from(number.to_string()),
                _ => Bytes::from("?"),
            })
            .collect();
        let Some(positions) = key_positions(spec, &argv).filter(|_| !argv.is_empty()) else {
            return Vec::new();
        };
        positions.into_iter().filter_map(|position| call.args.get(position.index)).collect()
    }

    pub(crate) fn origin(&self, expr: &'a Expr) -> Origin {
        let resolved = self.resolve(expr);
        match &resolved.kind {
            ExprKind::String(text) => Origin::Literal(text.clone()),
            ExprKind::Index(object, _) => self.elements_origin(object),
            ExprKind::Name(name) => {
                self.loops.get(name.as_str()).map_or(Origin::Unknown, |over| self.elements_origin(over))
            }
            ExprKind::Binary(operator, ..) if operator == ".." => Origin::Built,
            ExprKind::Binary(operator, one, other) if operator == "or" || operator == "and" => {
                match (self.origin(one), self.origin(other)) {
                    (one, other) if one == other => one,
                    _ => Origin::Unknown,
                }
            }
            ExprKind::Call(call) => match function_name(call) {
                _ if self.source(resolved).is_some() => Origin::Data,
                Some(name) if name == "string.format" || name == "table.concat" => Origin::Built,
                Some(name) if name == "tostring" => {
                    call.args.first().map_or(Origin::Unknown, |arg| self.origin(arg))
                }
                _ => Origin::Unknown,
            },
            _ => Origin::Unknown,
        }
    }

    /// Where the elements of a table come from.
    fn elements_origin(&self, table: &'a Expr) -> Origin {
        let resolved = self.resolve(table);
        match &resolved.kind {
            ExprKind::Name(name) if name.eq_ignore_ascii_case("keys") => Origin::Keys,
            ExprKind::Name(name) if name.eq_ignore_ascii_case("argv") || name == "args" => Origin::Argv,
            ExprKind::Index(object, _) if self.source(object).is_some() => Origin::Data,
            _ if self.source(resolved).is_some() => Origin::Data,
            _ => Origin::Unknown,
        }
    }

    pub(crate) fn writes(call: &CommandCall<'_>) -> bool {
        call.spec.is_some_and(|spec| spec.has(Flags::WRITE))
    }

    /// The text of a place.
    pub(crate) fn text_of(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// The calls of commands within a place.
    pub(crate) fn calls_in(&self, span: Span) -> impl Iterator<Item = &CommandCall<'a>> {
        self.calls.iter().filter(move |call| span.start <= call.span.start && call.span.end <= span.end)
    }
}

impl CommandCall<'_> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    pub(crate) fn is_one_of(&self, names: &[&str]) -> bool {
        self.name.as_deref().is_some_and(|name| names.contains(&name))
    }

    /// Whether a word is among the arguments.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        has_word(self.args.iter().skip(1).filter_map(|arg| arg.as_text()).map(str::as_bytes), word)
    }

    pub(crate) fn shown_name(&self) -> &str {
        self.name.as_deref().unwrap_or("a command")
    }
}

/// `error`, `string.format`, `s:format` as `format`.
pub(crate) fn function_name(call: &Call) -> Option<String> {
    match (&call.method, &call.function.kind) {
        (Some(method), _) => Some(method.clone()),
        (None, ExprKind::Name(name)) => Some(name.clone()),
        (None, _) => call.function.as_field().map(|(object, field)| format!("{object}.{field}")),
    }
}
