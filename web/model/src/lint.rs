//! What the lints say of a story, as the page is told.

use serde::{Deserialize, Serialize};

/// A story that has been looked at; one with mistakes has no findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linted {
    /// From top to bottom.
    pub findings: Vec<Finding>,
    /// Scripts that are no Lua: the line where each begins, and why.
    pub unread: Vec<(usize, String)>,
}

/// Something that goes wrong sooner or later. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub rule: String,
    pub level: Level,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub message: String,
    /// Why it matters, and what is better.
    pub why: String,
    pub better: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Error,
    Warning,
    Hint,
}
