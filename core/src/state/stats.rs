//! Counters that INFO shows.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::clock::Micros;
use crate::keyspace::Db;

use super::Functions;

/// Calls of one command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandStats {
    pub calls: u64,
    /// Virtual time they took.
    pub micros: u64,
    /// Refused before they ran: arity, ACL, OOM.
    pub rejected: u64,
    /// Ran and answered an error.
    pub failed: u64,
}

/// The last save of the dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saved {
    pub at: Micros,
    /// How many changes there had been.
    pub dirty: u64,
    /// Saves since the start.
    pub count: u64,
    /// What the file has. None: there is no file.
    pub disk: Option<Rc<Disk>>,
    /// The process ended without another save: only what the file has is left.
    pub is_final: bool,
}

/// What a process that starts reads from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Disk {
    pub dbs: Vec<Db>,
    pub functions: Functions,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub connections_received: u64,
    pub commands_processed: u64,
    pub keyspace_hits: u64,
    pub keyspace_misses: u64,
    pub expired_keys: u64,
    /// Fields of hashes that ran out.
    pub expired_fields: u64,
    pub evicted_keys: u64,
    pub error_replies: u64,
    /// By full command name (`config|get`).
    pub commands: Arc<BTreeMap<&'static str, CommandStats>>,
    /// By error code (`ERR`, `WRONGTYPE`).
    pub errors: Arc<BTreeMap<String, u64>>,
}

impl Stats {
    pub fn command(&mut self, name: &'static str) -> &mut CommandStats {
        Arc::make_mut(&mut self.commands).entry(name).or_default()
    }

    /// Counts an error line under its code, the first word: where none ends soon, that is ERR.
    pub fn count_error(&mut self, line: &[u8]) {
        const CODE_BYTES_MAX: usize = 30;
        let end = line.iter().take(CODE_BYTES_MAX + 1).position(|&byte| byte == b' ');
        let code = end.map_or(&b"ERR"[..], |end| &line[..end]);
        self.error_replies += 1;
        *Arc::make_mut(&mut self.errors).entry(String::from_utf8_lossy(code).into_owned()).or_default() += 1;
    }
}
