//! Lints for Redis Lua scripts and for stories: over a real parse of Lua 5.1, and over the core's records of commands.
//!
//! A crate of its own, so that the engine does not carry a parser: whoever wants lints takes it. A rule is one file in
//! `rules/`; it sees a script with its calls and bindings and knows no other rule. Nothing here runs a script.
//!
//! A line that ends with `-- lint: allow RULE`, or stands below a line with only that, is let off; in a story the remark
//! `# lint: allow RULE` does the same for the step that follows.

mod allow;
mod backtick;
mod lower;
mod rules;
mod scenario;
mod script;
mod syntax;

pub use rules::{ALL, Level, Rule};
pub use scenario::{Linted, lint_scenario};

use std::fmt;

/// Longer scripts are not looked at.
pub const SCRIPT_BYTES_MAX: usize = 256 * 1024;

/// One place that a rule complains about. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static Rule,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub message: String,
}

/// A text that is no Lua.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, message, rule, .. } = self;
        write!(f, "{line}:{column}: {}: {message} [{}]", rule.level.name(), rule.id)
    }
}

/// Looks at one script, with or without a shebang.
///
/// # Errors
/// What keeps it from being read.
pub fn lint_script(text: &str) -> Result<Vec<Finding>, Vec<Mistake>> {
    let block = lower::parse(text)?;
    let script = script::Script::new(text, &block);
    let mut found = Vec::new();
    for rule in ALL {
        if let Some(check) = rule.check {
            let mut complaints = Vec::new();
            check(&script, &mut complaints);
            let located = complaints.into_iter().map(|(span, message)| locate(rule, text, span, message));
            found.extend(located);
        }
    }
    let allowed = allow::of_script(text);
    found.retain(|finding| !allow::is_allowed(&allowed, finding));
    found.sort_by_key(|finding| (finding.line, finding.column, finding.rule.id));
    found.dedup();
    Ok(found)
}

fn locate(rule: &'static Rule, text: &str, span: syntax::Span, message: String) -> Finding {
    let (line, column) = position(text, span.start);
    let (end_line, end_column) = position(text, span.end);
    Finding { rule, line, column, end_line, end_column, message }
}

/// Line and column of a byte.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line, before[start..].chars().count() + 1)
}
