//! Commands that took long.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::Bytes;
use crate::clock::Micros;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slowlog {
    /// Newest first.
    pub entries: Arc<VecDeque<SlowCommand>>,
    pub next_id: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SlowCommand {
    pub id: u64,
    pub at: Micros,
    pub micros: u64,
    /// Shortened, and without secrets.
    pub argv: Vec<Bytes>,
    pub address: String,
    pub client_name: Bytes,
}
