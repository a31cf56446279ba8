//! From full_moon's lossless tree to [`crate::syntax`].

use full_moon::ast::{self, punctuated::Punctuated};
use full_moon::node::Node;
use full_moon::tokenizer::{TokenReference, TokenType};

use crate::backtick;
use crate::syntax::{Block, Call, Expr, ExprKind, Field, Function, Span, Stmt, StmtKind};
use crate::{Mistake, SCRIPT_BYTES_MAX, position};

/// Deeper nesting is refused, as Lua itself does at 200.
const DEPTH_MAX: usize = 150;

pub(crate) fn parse(text: &str) -> Result<Block, Vec<Mistake>> {
    let mistake = |message: &str| Err(vec![Mistake { line: 1, column: 1, message: message.to_owned() }]);
    if text.len() > SCRIPT_BYTES_MAX {
        return mistake("the script is too long to be looked at");
    }
    if nesting(text) > DEPTH_MAX {
        return mistake("the script is nested too deeply to be looked at");
    }
    let body = without_shebang(text);
    if let Some(byte) = backtick::stray(&body) {
        let (line, column) = position(text, byte);
        return Err(vec![Mistake { line, column, message: "no token begins here".to_owned() }]);
    }
    let tree = full_moon::parse(&body).map_err(|errors| {
        let mistake = |error: &full_moon::Error| {
            let (line, column) = position(text, error.range().0.bytes());
            Mistake { line, column, message: error.error_message().into_owned() }
        };
        errors.iter().map(mistake).collect::<Vec<_>>()
    })?;
    Ok(block(tree.nodes()))
}

/// Blanks in place of the first line where that is a shebang: all places stay the same.
fn without_shebang(text: &str) -> String {
    if !text.starts_with("#!") {
        return text.to_owned();
    }
    let end = text.find('\n').unwrap_or(text.len());
    format!("{}{}", " ".repeat(end), &text[end..])
}

/// About how deeply brackets and blocks lie in each other, and the longest row of operators that nest to the right.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let words = text.split(|letter: char| !letter.is_ascii_alphabetic());
    let mut blocks = 0_usize;
    for word in words {
        match word {
            "function" | "do" | "then" | "repeat" => blocks += 1,
            "end" | "until" | "elseif" => blocks = blocks.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(blocks);
    }
    let chains = text.lines().map(|line| line.matches("..").count() + line.matches('^').count());
    let signs = text.lines().map(|line| line.matches("not ").count() + line.matches("- -").count());
    deepest.max(chains.max().unwrap_or_default() / 2).max(signs.max().unwrap_or_default())
}

fn span(node: &impl Node) -> Span {
    let place = |position: Option<full_moon::tokenizer::Position>| position.map_or(0, |at| at.bytes());
    Span { start: place(node.start_position()), end: place(node.end_position()) }
}

fn block(block: &ast::Block) -> Block {
    let mut stmts: Block = block.stmts().filter_map(stmt).collect();
    match block.last_stmt() {
        Some(ast::LastStmt::Return(last)) => {
            let kind = StmtKind::Return(exprs(last.returns()));
            stmts.push(Stmt { span: span(last), kind });
        }
        Some(ast::LastStmt::Break(token)) => {
            stmts.push(Stmt { span: span(token), kind: StmtKind::Break });
        }
        _ => {}
    }
    stmts
}

fn stmt(stmt: &ast::Stmt) -> Option<Stmt> {
    let span = span(stmt);
    let kind = match stmt {
        ast::Stmt::Assignment(assignment) => StmtKind::Assign {
            targets: assignment.variables().iter().map(var).collect(),
            values: exprs(assignment.expressions()),
        },
        ast::Stmt::Do(inner) => StmtKind::Do(block(inner.block())),
        ast::Stmt::FunctionCall(call) => StmtKind::Call(function_call(call)),
        ast::Stmt::FunctionDeclaration(declared) => {
            let name = declared.name();
            let mut path: Vec<String> = name.names().iter().map(text).collect();
            path.extend(name.method_name().map(text));
            StmtKind::Function { path, function: function(declared.body()) }
        }
        ast::Stmt::GenericFor(generic) => StmtKind::GenericFor {
            names: generic.names().iter().map(text).collect(),
            values: exprs(generic.expressions()),
            body: block(generic.block()),
        },
        ast::Stmt::If(branches) => if_stmt(branches),
        ast::Stmt::LocalAssignment(local) => StmtKind::Local {
            names: local.names().iter().map(text).collect(),
            values: exprs(local.expressions()),
        },
        ast::Stmt::LocalFunction(local) => {
            StmtKind::LocalFunction { name: text(local.name()), function: function(local.body()) }
        }
        ast::Stmt::NumericFor(numeric) => StmtKind::NumericFor {
            name: text(numeric.index_variable()),
            bounds: [Some(numeric.start()), Some(numeric.end()), numeric.step()]
                .into_iter()
                .flatten()
                .map(expr)
                .collect(),
            body: block(numeric.block()),
        },
        ast::Stmt::Repeat(repeat) => StmtKind::Repeat(block(repeat.block()), expr(repeat.until())),
        ast::Stmt::While(inner) => StmtKind::While(expr(inner.condition()), block(inner.block())),
        _ => return None,
    };
    Some(Stmt { span, kind })
}

fn if_stmt(branches: &ast::If) -> StmtKind {
    let mut lowered = vec![(Some(expr(branches.condition())), block(branches.block()))];
    for branch in branches.else_if().into_iter().flatten() {
        lowered.push((Some(expr(branch.condition())), block(branch.block())));
    }
    lowered.extend(branches.else_block().map(|inner| (None, block(inner))));
    StmtKind::If(lowered)
}

fn exprs(list: &Punctuated<ast::Expression>) -> Vec<Expr> {
    list.iter().map(expr).collect()
}

fn expr(expression: &ast::Expression) -> Expr {
    let span = span(expression);
    let kind = match expression {
        ast::Expression::BinaryOperator { lhs, binop, rhs } => {
            ExprKind::Binary(text(binop.token()), Box::new(expr(lhs)), Box::new(expr(rhs)))
        }
        ast::Expression::Parentheses { expression, .. } => return Expr { span, ..expr(expression) },
        ast::Expression::UnaryOperator { unop, expression } => {
            ExprKind::Unary(text(unop.token()), Box::new(expr(expression)))
        }
        ast::Expression::Function(inner) => ExprKind::Function(Box::new(function(inner.body()))),
        ast::Expression::FunctionCall(call) => return function_call(call),
        ast::Expression::TableConstructor(constructor) => ExprKind::Table(fields(constructor)),
        ast::Expression::Number(token) => ExprKind::Number(number(&text(token))),
        ast::Expression::String(token) => ExprKind::String(string(token)),
        ast::Expression::Symbol(token) => match text(token).as_str() {
            "nil" => ExprKind::Nil,
            "true" => ExprKind::True,
            "false" => ExprKind::False,
            _ => ExprKind::Vararg,
        },
        ast::Expression::Var(inner) => return var(inner),
        _ => ExprKind::Nil,
    };
    Expr { span, kind }
}

fn var(var: &ast::Var) -> Expr {
    match var {
        ast::Var::Name(token) => Expr { span: span(token), kind: ExprKind::Name(text(token)) },
        ast::Var::Expression(inner) => suffixed(inner.prefix(), inner.suffixes(), span(inner.as_ref())),
        _ => Expr { span: Span::default(), kind: ExprKind::Nil },
    }
}

fn function_call(call: &ast::FunctionCall) -> Expr {
    suffixed(call.prefix(), call.suffixes(), span(call))
}

fn suffixed<'a>(prefix: &ast::Prefix, suffixes: impl Iterator<Item = &'a ast::Suffix>, whole: Span) -> Expr {
    let mut inner = match prefix {
        ast::Prefix::Expression(inner) => expr(inner),
        ast::Prefix::Name(token) => Expr { span: span(token), kind: ExprKind::Name(text(token)) },
        _ => Expr { span: Span::default(), kind: ExprKind::Nil },
    };
    for suffix in suffixes {
        let end = span(suffix).end;
        let place = Span { start: whole.start, end };
        let kind = match suffix {
            ast::Suffix::Index(index) => {
                let key = match index {
                    ast::Index::Brackets { expression, .. } => expr(expression),
                    ast::Index::Dot { name, .. } => {
                        Expr { span: span(name), kind: ExprKind::String(text(name)) }
                    }
                    _ => continue,
                };
                ExprKind::Index(Box::new(inner), Box::new(key))
            }
            ast::Suffix::Call(ast::Call::AnonymousCall(args)) => {
                ExprKind::Call(Box::new(Call { function: inner, method: None, args: arguments(args) }))
            }
            ast::Suffix::Call(ast::Call::MethodCall(call)) => {
                let method = Some(text(call.name()));
                ExprKind::Call(Box::new(Call { function: inner, method, args: arguments(call.args()) }))
            }
            _ => continue,
        };
        inner = Expr { span: place, kind };
    }
    inner
}

fn arguments(args: &ast::FunctionArgs) -> Vec<Expr> {
    match args {
        ast::FunctionArgs::Parentheses { arguments, .. } => exprs(arguments),
        ast::FunctionArgs::String(token) => {
            vec![Expr { span: span(token), kind: ExprKind::String(string(token)) }]
        }
        ast::FunctionArgs::TableConstructor(constructor) => {
            vec![Expr { span: span(constructor.as_ref()), kind: ExprKind::Table(fields(constructor)) }]
        }
        _ => Vec::new(),
    }
}

fn fields(constructor: &ast::TableConstructor) -> Vec<Field> {
    let field = |field: &ast::Field| match field {
        ast::Field::ExpressionKey { key, value, .. } => {
            Some(Field { key: Some(expr(key)), value: expr(value) })
        }
        ast::Field::NameKey { key, value, .. } => {
            let key = Expr { span: span(key), kind: ExprKind::String(text(key)) };
            Some(Field { key: Some(key), value: expr(value) })
        }
        ast::Field::NoKey(value) => Some(Field { key: None, value: expr(value) }),
        _ => None,
    };
    constructor.fields().iter().filter_map(field).collect()
}

fn function(body: &ast::FunctionBody) -> Function {
    let params = body.parameters().iter().map(|parameter| match parameter {
        ast::Parameter::Name(token) => text(token),
        _ => "...".to_owned(),
    });
    Function { params: params.collect(), body: block(body.block()) }
}

fn text(token: &TokenReference) -> String {
    token.token().to_string().trim().to_owned()
}

/// What a string literal stands for; escapes that no rule looks at stay as they are.
fn string(token: &TokenReference) -> String {
    match token.token().token_type() {
        TokenType::StringLiteral { literal, .. } => {
            literal.replace("\\n", "\n").replace("\\'", "'").replace("\\\"", "\"").replace("\\\\", "\\")
        }
        _ => text(token),
    }
}

fn number(text: &str) -> f64 {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match hex {
        Some(digits) => u64::from_str_radix(digits, 16).map_or(f64::NAN, |number| number as f64),
        None => text.parse().unwrap_or(f64::NAN),
    }
}
