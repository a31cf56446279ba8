//! How many bytes the keys take, followed from write to write while `maxmemory` asks for it.
//!
//! Invariant: once [`Tally::settle`] is through, the total is the sum over all keys. Knows only what it is told:
//! whoever writes a key notes it, whoever changes many at once calls [`Tally::forget`].

use imbl::OrdMap;

use crate::keyspace::{Db, Entry, KeyId};
use crate::profile::Version;
use crate::value::{Holder, memory};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    sizes: OrdMap<(usize, KeyId), usize>,
    total: usize,
    /// Keys written since the last settling.
    written: Vec<(usize, KeyId)>,
    /// The sizes are known; otherwise nothing is noted.
    follows: bool,
}

/// Elements measured of a big collection, as many as MEMORY USAGE takes.
const SAMPLES: usize = 5;

/// Bytes of one key with its value.
pub fn entry_bytes(key: &KeyId, entry: &Entry, version: Version) -> usize {
    let holder = Holder { version, key_bytes: key.key().len(), has_expiry: entry.expires_at.is_some() };
    memory::usage(&entry.value, holder, SAMPLES)
}

/// Bytes of all keys, measured afresh.
pub fn dataset_bytes(dbs: &[Db], version: Version) -> usize {
    let entries = dbs.iter().flat_map(|db| db.iter_from(0));
    entries.map(|(key, entry)| entry_bytes(key, entry, version)).sum()
}

impl Tally {
    pub fn note(&mut self, db: usize, key: &KeyId) {
        if self.follows {
            self.written.push((db, key.clone()));
        }
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Takes in what was written since the last time and gives the total in bytes.
    pub fn settle(&mut self, dbs: &[Db], version: Version) -> usize {
        if !self.follows {
            self.follows = true;
            for (index, db) in dbs.iter().enumerate() {
                for (key, entry) in db.iter_from(0) {
                    self.set(index, key.clone(), Some(entry_bytes(key, entry, version)));
                }
            }
        }
        for (db, key) in std::mem::take(&mut self.written) {
            let bytes = dbs[db].get(&key).map(|entry| entry_bytes(&key, entry, version));
            self.set(db, key, bytes);
        }
        self.total
    }

    /// Whether settling comes to what measuring afresh does.
    ///
    /// # Errors
    /// Both sums.
    pub fn audit(&self, dbs: &[Db], version: Version) -> Result<(), String> {
        let (settled, measured) = (self.clone().settle(dbs, version), dataset_bytes(dbs, version));
        if settled == measured {
            return Ok(());
        }
        Err(format!("the tally has {settled} bytes, the keys take {measured}"))
    }

    fn set(&mut self, db: usize, key: KeyId, bytes: Option<usize>) {
        let before = match bytes {
            Some(bytes) => self.sizes.insert((db, key), bytes),
            None => self.sizes.remove(&(db, key)),
        };
        self.total = self.total + bytes.unwrap_or_default() - before.unwrap_or_default();
    }
}
