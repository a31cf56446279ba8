//! A step as it went.

use serde::{Deserialize, Serialize};

use crate::note::{Conversion, Note};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub sent_us: u64,
    /// When the server began with it. None: it has not yet, at the end of the story so far.
    pub started_us: Option<u64>,
    /// When its reply was sent, or when it ended without one.
    pub ended_us: Option<u64>,
    /// The clock behind this step: the next one begins from here.
    pub clock_us: u64,
    pub wait: Option<Wait>,
    pub course: Course,
    pub reply: Option<Reply>,
    /// Where something else came back than the text says; known once the story has been run to its end.
    pub differences: Vec<Difference>,
    pub script: Option<ScriptRun>,
    pub notes: Vec<Note>,
    /// Of scripts whose values lost something on the way.
    pub conversions: Vec<Conversion>,
    /// Messages that reached a client during this step and answer no command, each with its client.
    pub messages: Vec<(usize, String)>,
    pub changes: Vec<Change>,
    /// What else is to be told, for a person: the clock cannot go back, a connection is gone, a check fails.
    pub problems: Vec<String>,
    /// The engine was lost over this step: it is not carried out.
    pub spoilt: bool,
}

impl Step {
    /// Forgets what was told of it during a step and later ones; how it stood before it was answered is not known from this.
    pub fn forget_from(&mut self, step: usize) {
        self.notes.retain(|note| note.during < step);
        self.conversions.retain(|conversion| conversion.during < step);
        // They are known with the last step.
        self.differences.clear();
    }

    /// The steps during which there is something to tell of this one.
    pub fn told_during(&self) -> impl Iterator<Item = usize> + '_ {
        let notes = self.notes.iter().map(|note| note.during);
        let conversions = self.conversions.iter().map(|conversion| conversion.during);
        self.reply.iter().map(|reply| reply.during).chain(notes).chain(conversions)
    }
}

/// What a step waited for, and who ended its wait. Steps are told by their index, moments since the story began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Course {
    /// It could not start when it was sent, because of this step.
    pub held_by: Option<usize>,
    /// Its command began to wait for keys.
    pub blocked_us: Option<u64>,
    /// That wait ended: by this step, or because time ran out.
    pub woken_us: Option<u64>,
    pub woken_by: Option<usize>,
    /// Its script passed the threshold behind which others are answered BUSY.
    pub busy_us: Option<u64>,
    /// This step's KILL was accepted against its script.
    pub killed_us: Option<u64>,
    pub killed_by: Option<usize>,
}

/// What the text says should come, and what came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Where the text says it: a line from 1.
    pub line: usize,
    /// The one of [`crate::story::Story::checks`] that fails after this step.
    pub check: Option<usize>,
    pub expected: String,
    pub got: String,
}

/// How the step stands when the next one is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// In a blocking command.
    Blocked,
    /// Its own script runs on.
    Running,
    /// The server is not free, or its client still waits for an earlier reply.
    Queued,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// As redis-cli prints it on a terminal.
    pub text: String,
    pub kind: ReplyKind,
    /// The step during which it came: the step's own index, or that of a later one.
    pub during: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplyKind {
    Value,
    Nil,
    Error,
    /// The server answered BUSY.
    Busy,
    /// The connection was closed instead.
    Closed,
    /// There was no server to connect to.
    Refused,
    /// Nothing was sent: the client decided against it.
    Skipped,
}

impl ReplyKind {
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Error | Self::Busy | Self::Closed | Self::Refused)
    }
}

/// A script or function while it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptRun {
    /// The function's name, or the SHA1.
    pub name: String,
    pub started_us: u64,
    /// When it passed the threshold behind which others are answered BUSY.
    pub busy_us: Option<u64>,
    pub ended_us: Option<u64>,
    /// Lua VM instructions; 0 as long as it runs.
    pub instructions: u64,
    /// What it called through `redis.call` and what came back, the first ones.
    pub calls: Vec<(String, String)>,
    pub calls_total: usize,
    /// `redis.log`.
    pub logs: Vec<String>,
}

/// What became of a key between the step's begin and its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Change {
    pub db: usize,
    pub key: String,
    pub kind: ChangeKind,
    pub at_us: u64,
    /// Value and life before and after, in a few words.
    pub before: Option<Brief>,
    pub after: Option<Brief>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Added,
    Changed,
    Removed,
    Expired,
    Evicted,
}

impl ChangeKind {
    pub fn leaves_key(self) -> bool {
        matches!(self, Self::Added | Self::Changed)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Brief {
    pub value: String,
    pub expires_us: Option<i64>,
}

/// How long a key was to live, and how long it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub db: usize,
    pub key: String,
    pub from_us: u64,
    /// When it is to expire.
    pub until_us: u64,
    /// When it ended, and how; None at the end of the story so far.
    pub ended: Option<(u64, LeaseEnd)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaseEnd {
    Expired,
    /// The key was deleted before its time.
    Removed,
    /// The key got another expiry, or none.
    Replaced,
}
