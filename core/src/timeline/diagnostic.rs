//! What is wrong with a text, where, and what to do about it.

use std::fmt;

/// A mistake in a scenario. Line and column count from 1; the column is in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    pub line: usize,
    pub column: usize,
    pub message: String,
    /// What to do; empty where the message says it.
    pub help: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(f, "\n  help: {}", self.help) }
    }
}

/// Collects mistakes, so that one reading tells several. Counts lines from 0 and columns in bytes, as the reader does.
#[derive(Debug, Default)]
pub(super) struct Diagnostics(Vec<Diagnostic>);

/// More than this many mistakes help nobody.
const DIAGNOSTICS_MAX: usize = 50;

impl Diagnostics {
    /// `text`: the whole line, `byte` a place in it.
    pub(super) fn push(
        &mut self,
        (line, text, byte): (usize, &str, usize),
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.0.len() < DIAGNOSTICS_MAX {
            let before = text.bytes().take(byte).filter(|byte| (*byte as i8) >= -64).count();
            let diagnostic =
                Diagnostic { line: line + 1, column: before + 1, message: message.into(), help: help.into() };
            self.0.push(diagnostic);
        }
    }

    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.0.sort();
        self.0.dedup();
        self.0
    }
}
