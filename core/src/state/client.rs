//! What the server remembers of a connection.

use std::collections::BTreeSet;

use crate::Bytes;
use crate::clock::Micros;
use crate::event::ClientId;
use crate::keyspace::KeyId;
use crate::resp::{Protocol, Reply};
use crate::value::Value;

use super::Tracking;

/// A connection's own state. Cheap to clone while it is idle.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    pub id: ClientId,
    pub name: Bytes,
    pub library_name: Bytes,
    pub library_version: Bytes,
    /// `127.0.0.1:PORT`, made from the id: no real address is known here.
    pub address: String,
    pub user: Bytes,
    pub authenticated: bool,
    pub protocol: Protocol,
    pub db: usize,
    pub transaction: Option<Transaction>,
    pub watched: Vec<WatchedKey>,
    /// What EXEC is running.
    pub exec: Option<Executing>,
    /// A watched key was changed: EXEC will answer nil.
    pub watch_broken: bool,
    pub blocked: Option<Blocked>,
    pub channels: BTreeSet<Bytes>,
    pub patterns: BTreeSet<Bytes>,
    pub shard_channels: BTreeSet<Bytes>,
    pub reply_mode: ReplyMode,
    pub tracking: Option<Box<Tracking>>,
    pub monitor: bool,
    pub no_touch: bool,
    pub no_evict: bool,
    /// ASKING was the last command: the next one may use an importing slot.
    pub asking: bool,
    pub readonly: bool,
    pub connected_at: Micros,
    pub last_command_at: Micros,
    pub last_command: &'static str,
    pub commands_processed: u64,
    /// Bytes of its requests and replies, as far as whoever feeds the inputs tells.
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Close the connection as soon as the pending reply is out.
    pub closing: bool,
}

/// CLIENT REPLY.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplyMode {
    #[default]
    On,
    Off,
    /// The reply to the next command is left out.
    SkipNext,
    /// The reply to this command is left out, then it is On again.
    SkipThis,
}

/// Between MULTI and EXEC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transaction {
    pub queue: Vec<Vec<Bytes>>,
    /// A command was refused while queueing: EXEC will answer EXECABORT.
    pub aborted: bool,
}

/// What CLIENT LIST tells of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSize {
    pub commands: usize,
    /// Of all arguments, with a pointer to each.
    pub bytes: usize,
}

/// What is to be known of a transaction while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Executing {
    pub size: QueueSize,
    /// Keys whose text is still an argument in the queue, too.
    pub shared: Vec<SharedText>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SharedText {
    pub db: usize,
    pub key: KeyId,
    /// The key had an expiry when the text was stored.
    pub has_expiry: bool,
}

impl Transaction {
    pub fn size(&self) -> QueueSize {
        let bytes = self.queue.iter().flatten().map(|word| word.len() + 8).sum();
        QueueSize { commands: self.queue.len(), bytes }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct WatchedKey {
    pub db: usize,
    pub key: KeyId,
    /// The key was already past its expiry when it was watched; its deletion then breaks nothing.
    pub was_expired: bool,
}

/// A client that waits in a blocking command.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocked {
    pub argv: Vec<Bytes>,
    pub on: BlockedOn,
    /// When the wait ends by itself; None waits for ever.
    pub deadline: Option<Micros>,
    /// When the command is to be tried again whether or not a key was written: time alone may let it go on.
    pub retry_at: Option<Micros>,
    /// What is answered at the deadline.
    pub timeout_reply: Reply,
    pub since: Micros,
}

#[derive(Clone, Debug, PartialEq)]
pub enum BlockedOn {
    /// Until one of these keys of the client's database is written and holds what is awaited.
    Keys { db: usize, keys: Vec<Bytes>, awaited: Awaited },
    /// Until time has passed or replicas have answered (WAIT, WAITAOF): with no replica only time ends it.
    Time,
    /// Until CLIENT PAUSE is over; then the command is run as if it had just arrived.
    Pause,
}

/// CLIENT PAUSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    pub until: Micros,
    /// All commands wait, not only those that may write.
    pub all: bool,
}

/// What a blocking command needs to find at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    List,
    SortedSet,
    Stream,
    /// As [`Awaited::Stream`]; that the key goes or changes its type ends the wait too, with an error.
    StreamGroup,
}

impl Awaited {
    /// Whether a client that waits for this is to look again, now that the key holds the value.
    pub fn is_served_by(self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Self::List, Some(Value::List(_)))
            | (Self::SortedSet, Some(Value::ZSet(_)))
            | (Self::Stream, Some(Value::Stream(_)))
            | (Self::StreamGroup, _) => true,
            (Self::List | Self::SortedSet | Self::Stream, _) => false,
        }
    }
}

impl Client {
    pub fn new(id: ClientId, now: Micros) -> Self {
        Self {
            id,
            name: Bytes::default(),
            library_name: Bytes::default(),
            library_version: Bytes::default(),
            address: format!("127.0.0.1:{}", 50_000 + id.0 % 10_000),
            user: Bytes::from("default"),
            authenticated: true,
            protocol: Protocol::Resp2,
            db: 0,
            transaction: None,
            watched: Vec::new(),
            exec: None,
            watch_broken: false,
            blocked: None,
            channels: BTreeSet::new(),
            patterns: BTreeSet::new(),
            shard_channels: BTreeSet::new(),
            reply_mode: ReplyMode::On,
            tracking: None,
            monitor: false,
            no_touch: false,
            no_evict: false,
            asking: false,
            readonly: false,
            connected_at: now,
            last_command_at: now,
            last_command: "",
            commands_processed: 0,
            bytes_in: 0,
            bytes_out: 0,
            closing: false,
        }
    }

    pub fn subscriptions(&self) -> usize {
        self.channels.len() + self.patterns.len()
    }
}
