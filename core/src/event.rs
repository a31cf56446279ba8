//! What an onlooker could want to know. Replies, lanes, notes and exports are derived from these.

use crate::Bytes;
use crate::clock::Micros;
use crate::lua::LuaValue;
use crate::resp::{Protocol, Reply};

/// A connection. Whoever feeds the inputs chooses the numbers; CLIENT ID shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub at: Micros,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The server began to run the client's oldest unanswered command.
    Started {
        client: ClientId,
    },
    /// The reply to the client's oldest unanswered command, in the protocol it was encoded for.
    Replied {
        client: ClientId,
        reply: Reply,
        protocol: Protocol,
    },
    /// Anything a client is sent that answers no command: messages, invalidations.
    Pushed {
        client: ClientId,
        message: Reply,
        protocol: Protocol,
    },
    /// The client waits for one of the keys.
    Blocked {
        client: ClientId,
        keys: Vec<Bytes>,
    },
    /// The wait is over: `by` is whose command wrote the key, None where time ran out.
    Unblocked {
        client: ClientId,
        by: Option<ClientId>,
    },
    KeyChanged {
        db: u32,
        key: Bytes,
        change: KeyChange,
        /// Whose command did it; None where the server did (expiry, eviction).
        by: Option<ClientId>,
    },
    ScriptStarted {
        client: ClientId,
        name: Bytes,
    },
    /// Also where the command was refused before it ran.
    ScriptCalled {
        client: ClientId,
        argv: Vec<Bytes>,
        reply: Reply,
    },
    /// What a script that raised no error has handed back, before it became a reply. `protocol`: the script's own.
    ScriptReturned {
        client: ClientId,
        value: LuaValue,
        protocol: Protocol,
    },
    ScriptLogged {
        client: ClientId,
        level: u8,
        text: Bytes,
    },
    /// `instructions`: Lua VM instructions the run took, counted in steps of the hook.
    ScriptEnded {
        client: ClientId,
        instructions: u64,
    },
    ScriptCached {
        sha: Bytes,
    },
    ScriptEvicted {
        sha: Bytes,
    },
    /// The running script has passed `busy-reply-threshold`.
    BusyBegan {
        client: ClientId,
    },
    /// The server closed the connection.
    Closed {
        client: ClientId,
    },
    /// SHUTDOWN: the process has ended.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyChange {
    Written,
    Deleted,
    Expired,
    Evicted,
}
