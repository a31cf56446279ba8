//! A scenario as it is read, before anything has happened.

use std::ops::Range;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    pub title: String,
    pub summary: String,
    pub tags: Vec<String>,
    /// The example to read after it; empty where there is none.
    pub next: String,
    /// The full version number of the server that tells it.
    pub version: String,
    pub clients: Vec<String>,
    pub blocks: Vec<Block>,
    pub scripts: Vec<Script>,
    pub lines: Vec<Line>,
    pub checks: Vec<Check>,
    /// In the order of the text. With some, the steps that could be read are run all the same.
    pub diagnostics: Vec<Diagnostic>,
    /// So many first steps, and leases, are those of the story before and stay as they were told, but for what is told of them again.
    #[serde(default)]
    pub kept_steps: usize,
    #[serde(default)]
    pub kept_leases: usize,
}

/// What the page shows of the text, from top to bottom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Markdown.
    Prose(String),
    /// One of [`Story::scripts`].
    Script(usize),
    /// Some of [`Story::lines`].
    Steps(Range<usize>),
    /// Some of [`Story::checks`].
    Checks(Range<usize>),
}

/// What holds in a story that is as its author wants it: a command and its reply, asked beside the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// After every step at which the server is free; else behind the last one.
    pub always: bool,
    pub command: String,
    /// Nothing is checked where the text does not say.
    pub expected: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Script {
    pub name: String,
    pub text: String,
    pub sha: String,
    /// Of the line above its first one in the text.
    pub line: usize,
}

/// A step as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its line in the text, from 1.
    pub line: usize,
    pub action: Action,
    pub remarks: Vec<String>,
    /// What a reader is asked before the reply is shown.
    pub predict: Option<Predict>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Predict {
    pub question: String,
    /// Each choice, and whether it is right. With none, the reader writes the reply.
    pub choices: Vec<(String, bool)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    Send {
        /// One of [`Story::clients`].
        client: usize,
        command: String,
        /// The one of [`Story::scripts`] that it brings in.
        script: Option<usize>,
    },
    /// The clock moves; `text` is the directive, such as `+400ms`.
    Clock { text: String },
    /// Something happens to the server itself.
    Server { event: ServerEvent },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerEvent {
    /// The process ends and starts again; its data comes back from disk.
    Restart,
    /// … and it comes back empty.
    RestartEmpty,
    /// A replica takes over.
    Failover,
    /// The server is a read-only replica from now on.
    Replica,
    /// … that has lost its master.
    ReplicaDown,
}

impl Action {
    /// Who acts: one of [`Story::clients`].
    pub fn client(&self) -> Option<usize> {
        if let Self::Send { client, .. } = self { Some(*client) } else { None }
    }
}

/// Line and column count from 1, the column in characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub help: String,
}
