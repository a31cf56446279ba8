//! Client-side caching as data: who has read which keys, who wants to hear of which prefixes.

use std::collections::{BTreeMap, BTreeSet};

use imbl::OrdMap;

use crate::Bytes;
use crate::event::ClientId;

/// What a connection has chosen with CLIENT TRACKING.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracking {
    /// Who gets the messages instead.
    pub redirect: Option<ClientId>,
    /// That client is gone.
    pub broken_redirect: bool,
    pub broadcast: bool,
    pub opt_in: bool,
    pub opt_out: bool,
    pub no_loop: bool,
    /// Only with `broadcast`; the empty prefix stands for all keys.
    pub prefixes: BTreeSet<Bytes>,
    /// CLIENT CACHING was called for the next command.
    pub caching: bool,
}

/// All that is tracked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackingTable {
    /// Keys, whatever their database, with those who read them.
    pub readers: OrdMap<Bytes, BTreeSet<ClientId>>,
    pub prefixes: BTreeMap<Bytes, Prefix>,
    /// How many clients track at all; nothing needs to be looked up where none does.
    pub clients: usize,
}

/// A prefix that clients listen to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prefix {
    pub clients: BTreeSet<ClientId>,
    /// Keys changed since the last message, and who changed them last.
    pub changed: BTreeMap<Bytes, Option<ClientId>>,
}
