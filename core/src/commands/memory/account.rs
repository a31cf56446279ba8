//! `used_memory`: an estimate of what the real server would take, value by value.

use crate::profile::Version;
use crate::state::{State, dataset_bytes};

/// Bytes that a server takes which has just started, as measured.
pub(in crate::commands) fn startup_bytes(version: Version) -> usize {
    if version < Version::V7_2 { 876_288 } else { 653_840 }
}

/// The parts of `used_memory`, in bytes.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands) struct Usage {
    pub startup: usize,
    /// Buckets of the key tables and the like.
    pub tables: usize,
    pub clients: usize,
    pub scripts: usize,
    pub functions: usize,
    pub dataset: usize,
}

impl Usage {
    pub(in crate::commands) fn total(&self) -> usize {
        self.overhead() + self.dataset
    }

    pub(in crate::commands) fn overhead(&self) -> usize {
        self.startup + self.tables + self.clients + self.scripts + self.functions
    }
}

/// Measured afresh: for INFO and MEMORY STATS.
pub(in crate::commands) fn usage(state: &State) -> Usage {
    parts(state, dataset_bytes(&state.dbs, state.version))
}

/// Bytes in use, cheap enough to be asked before each command.
pub(in crate::commands) fn used(state: &mut State) -> usize {
    let dataset = state.tally.settle(&state.dbs, state.version);
    parts(state, dataset).total()
}

fn parts(state: &State, dataset: usize) -> Usage {
    const SCRIPT_BYTES: usize = 160;
    let buckets = |len: usize| if len == 0 { 0 } else { 8 * len.next_power_of_two().max(4) };
    let tables = state.dbs.iter().map(|db| buckets(db.len()) + buckets(db.expiring_len())).sum();
    let scripts = state.scripts.iter().map(|(_, script)| script.source.len() + SCRIPT_BYTES).sum();
    let libraries = state.functions.libraries();
    Usage {
        startup: startup_bytes(state.version),
        tables,
        clients: state.clients.values().map(crate::commands::client::memory).sum(),
        scripts,
        functions: libraries.map(|library| 2 * library.source.len() + SCRIPT_BYTES).sum(),
        dataset,
    }
}
