//! Everything that can be seen of the server at one position.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub position: usize,
    pub now_us: u64,
    /// By database and key, the first ones: as many as were asked for.
    pub rows: Vec<Row>,
    /// How many keys there are.
    pub keys_total: usize,
    pub clients: Vec<Client>,
    pub scripts: Vec<CachedScript>,
    pub libraries: Vec<Library>,
    pub memory: Memory,
    pub running: Option<Running>,
    /// SHUTDOWN has ended the process.
    pub stopped: bool,
}

impl Frame {
    /// With so many rows at first, whatever their number: a step should not take longer because of keys that nobody sees.
    pub const ROWS: usize = 24;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Row {
    pub db: usize,
    /// As one would type it: in quotes where it needs them.
    pub key: String,
    /// As TYPE names it.
    pub kind: String,
    pub encoding: String,
    /// Bytes of a string, elements of a collection.
    pub len: usize,
    pub expiry: Option<Expiry>,
    pub value: Value,
}

/// What INFO says of memory, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub used: usize,
    /// Of it, what the keys take with their values.
    pub keys: usize,
    /// `maxmemory`; 0 is no limit.
    pub max: usize,
    /// What is done at the limit: `maxmemory-policy`.
    pub policy: String,
    /// Keys that went for want of memory, since the server started.
    pub evicted: u64,
    /// What takes the most of the keys that are shown: bytes with the value, as MEMORY USAGE says.
    pub largest: Vec<(String, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expiry {
    /// When the key goes, since the story began.
    pub at_us: u64,
    /// When this expiry was set.
    pub since_us: u64,
}

impl Expiry {
    /// Counted as PTTL does, from the millisecond that `now` falls in.
    pub fn left_us(&self, now_us: u64) -> u64 {
        self.at_us.saturating_sub(whole_ms(now_us))
    }

    /// How much of it is left, from 0 to 1.
    pub fn share(&self, now_us: u64) -> f64 {
        let whole = self.at_us.saturating_sub(whole_ms(self.since_us)).max(1);
        (self.left_us(now_us) as f64 / whole as f64).min(1.0)
    }
}

/// The begin of a moment's millisecond: expiry knows no smaller unit.
pub fn whole_ms(us: u64) -> u64 {
    us - us % 1_000
}

/// A value's beginning, structured as its type is. Texts are quoted as redis-cli does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    Text(String),
    List(Vec<String>),
    Set(Vec<String>),
    /// Field and value.
    Hash(Vec<(String, String)>),
    /// Member and score.
    Sorted(Vec<(String, String)>),
    /// ID, and the fields with their values in one line.
    Stream(Vec<(String, String)>),
}

impl Value {
    /// How many elements are shown.
    pub fn shown(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::List(items) | Self::Set(items) => items.len(),
            Self::Hash(pairs) | Self::Sorted(pairs) | Self::Stream(pairs) => pairs.len(),
        }
    }

    /// The value in one line.
    pub fn brief(&self) -> String {
        let pair = |(left, right): &(String, String)| format!("{left}: {right}");
        let join = |open: &str, items: Vec<String>, close: &str| format!("{open}{}{close}", items.join(", "));
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => join("[", items.clone(), "]"),
            Self::Set(items) => join("{", items.clone(), "}"),
            Self::Hash(pairs) | Self::Sorted(pairs) | Self::Stream(pairs) => {
                join("{", pairs.iter().map(pair).collect(), "}")
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Client {
    pub name: String,
    pub connected: bool,
    pub db: usize,
    /// The protocol's version: 2 or 3.
    pub protocol: u8,
    /// Between MULTI and EXEC: the commands queued.
    pub queued: Option<Vec<String>>,
    /// EXEC will answer EXECABORT.
    pub aborted: bool,
    pub watching: Vec<String>,
    /// A watched key was changed: EXEC will answer nil.
    pub watch_broken: bool,
    pub blocked: Option<Blocked>,
    /// A command of it is unanswered, for any reason.
    pub waiting: bool,
    /// Channels, and patterns.
    pub subscriptions: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blocked {
    pub keys: Vec<String>,
    pub since_us: u64,
    /// None waits for ever.
    pub until_us: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedScript {
    pub sha: String,
    /// What the story calls it, if it does.
    pub name: Option<String>,
    pub first_line: String,
    /// By SCRIPT LOAD, so that it stays until SCRIPT FLUSH.
    pub loaded: bool,
    /// How often it has been run in the story up to here.
    pub runs: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Library {
    pub name: String,
    pub functions: Vec<String>,
}

/// The script under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// One of the story's clients, if it is one.
    pub client: Option<usize>,
    pub name: String,
    pub since_us: u64,
    pub busy: bool,
    /// It has written: SCRIPT KILL is refused.
    pub wrote: bool,
}
