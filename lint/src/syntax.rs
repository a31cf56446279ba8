//! Lua 5.1 as rules see it: no tokens, no blanks, places in bytes.

/// Bytes of the script's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Nil,
    True,
    False,
    Vararg,
    Number(f64),
    String(String),
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<Call>),
    Function(Box<Function>),
    Table(Vec<Field>),
    Binary(String, Box<Expr>, Box<Expr>),
    Unary(String, Box<Expr>),
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) function: Expr,
    /// `object:method(…)`.
    pub(crate) method: Option<String>,
    pub(crate) args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) params: Vec<String>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) key: Option<Expr>,
    pub(crate) value: Expr,
}

pub(crate) type Block = Vec<Stmt>;

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Local {
        names: Vec<String>,
        values: Vec<Expr>,
    },
    Assign {
        targets: Vec<Expr>,
        values: Vec<Expr>,
    },
    Call(Expr),
    Do(Block),
    While(Expr, Block),
    Repeat(Block, Expr),
    /// The last branch has no condition where there is an `else`.
    If(Vec<(Option<Expr>, Block)>),
    NumericFor {
        name: String,
        bounds: Vec<Expr>,
        body: Block,
    },
    GenericFor {
        names: Vec<String>,
        values: Vec<Expr>,
        body: Block,
    },
    LocalFunction {
        name: String,
        function: Function,
    },
    /// `function a.b:c() … end`: the names in front of the parameters.
    Function {
        path: Vec<String>,
        function: Function,
    },
    Return(Vec<Expr>),
    Break,
}

impl Expr {
    pub(crate) fn as_name(&self) -> Option<&str> {
        if let ExprKind::Name(name) = &self.kind { Some(name) } else { None }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let ExprKind::String(text) = &self.kind { Some(text) } else { None }
    }

    pub(crate) fn as_call(&self) -> Option<&Call> {
        if let ExprKind::Call(call) = &self.kind { Some(call) } else { None }
    }

    /// `a.b` or `a['b']` with a plain `a`.
    pub(crate) fn as_field(&self) -> Option<(&str, &str)> {
        let ExprKind::Index(object, key) = &self.kind else { return None };
        Some((object.as_name()?, key.as_text()?))
    }

    /// Visits this expression and all in it; functions' bodies too.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Index(one, other) | ExprKind::Binary(_, one, other) => {
                one.walk(visit);
                other.walk(visit);
            }
            ExprKind::Unary(_, one) => one.walk(visit),
            ExprKind::Call(call) => {
                call.function.walk(visit);
                call.args.iter().for_each(|arg| arg.walk(visit));
            }
            ExprKind::Function(function) => walk(&function.body, visit),
            ExprKind::Table(fields) => {
                for field in fields {
                    field.key.iter().for_each(|key| key.walk(visit));
                    field.value.walk(visit);
                }
            }
            _ => {}
        }
    }

    /// Whether some expression in it, functions' bodies left out, is so.
    pub(crate) fn has(&self, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found |= is(expr));
        found
    }
}

impl Stmt {
    /// The expressions that stand directly in a statement, those of its blocks left out.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Local { values, .. } | StmtKind::Return(values) => values.iter().collect(),
            StmtKind::Assign { targets, values } => targets.iter().chain(values).collect(),
            StmtKind::Call(expr) | StmtKind::While(expr, _) | StmtKind::Repeat(_, expr) => vec![expr],
            StmtKind::If(branches) => {
                branches.iter().filter_map(|(condition, _)| condition.as_ref()).collect()
            }
            StmtKind::NumericFor { bounds, .. } => bounds.iter().collect(),
            StmtKind::GenericFor { values, .. } => values.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The blocks of a statement; those of functions are told apart by [`Stmt::function`].
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::Do(block)
            | StmtKind::While(_, block)
            | StmtKind::Repeat(block, _)
            | StmtKind::NumericFor { body: block, .. }
            | StmtKind::GenericFor { body: block, .. } => vec![block],
            StmtKind::If(branches) => branches.iter().map(|(_, block)| block).collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn function(&self) -> Option<&Function> {
        match &self.kind {
            StmtKind::LocalFunction { function, .. } | StmtKind::Function { function, .. } => Some(function),
            _ => None,
        }
    }
}

/// Visits all expressions of a block, in order.
pub(crate) fn walk<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Expr)) {
    for stmt in block {
        stmt.exprs().into_iter().for_each(|expr| expr.walk(visit));
        stmt.blocks().into_iter().for_each(|block| walk(block, visit));
        if let Some(function) = stmt.function() {
            walk(&function.body, visit);
        }
    }
}

/// Visits all statements of a block, in order; those of function expressions too.
pub(crate) fn walk_stmts<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a Stmt)) {
    for stmt in block {
        visit(stmt);
        for expr in stmt.exprs() {
            functions_in(expr, &mut |function| walk_stmts(&function.body, visit));
        }
        stmt.blocks().into_iter().for_each(|block| walk_stmts(block, visit));
        if let Some(function) = stmt.function() {
            walk_stmts(&function.body, visit);
        }
    }
}

/// Visits the functions in an expression, those inside of them left out.
fn functions_in<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Function)) {
    match &expr.kind {
        ExprKind::Function(function) => visit(function),
        ExprKind::Index(one, other) | ExprKind::Binary(_, one, other) => {
            functions_in(one, visit);
            functions_in(other, visit);
        }
        ExprKind::Unary(_, one) => functions_in(one, visit),
        ExprKind::Call(call) => {
            functions_in(&call.function, visit);
            call.args.iter().for_each(|arg| functions_in(arg, visit));
        }
        ExprKind::Table(fields) => {
            for field in fields {
                field.key.iter().for_each(|key| functions_in(key, visit));
                functions_in(&field.value, visit);
            }
        }
        _ => {}
    }
}
