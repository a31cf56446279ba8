//! What can happen to a server from outside. The log of inputs is the truth of a timeline.

use crate::Bytes;
use crate::clock::Micros;
use crate::event::ClientId;

/// Something that reaches the server at a moment of the virtual clock.
/// Moments never run backwards: an earlier `at` than the server's own is taken as now.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub at: Micros,
    pub kind: InputKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    Connect {
        client: ClientId,
    },
    /// One command of a client. A client may send several without waiting: they are a pipeline.
    Command {
        client: ClientId,
        argv: Vec<Bytes>,
    },
    Disconnect {
        client: ClientId,
    },
    /// Only time passes.
    Advance,
    /// The process ends and starts again; with `keep_data` the dataset comes back from disk.
    Restart {
        keep_data: bool,
    },
    /// The server is made a replica of a master that is not seen, whose link is up or down.
    Replicate {
        link_up: bool,
    },
    /// A replica takes over: data and functions are kept, connections and the script cache are lost.
    Failover,
}
