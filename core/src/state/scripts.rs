//! The script cache: SHA1 to source, filled by EVAL and SCRIPT LOAD, emptied by SCRIPT FLUSH.

use imbl::OrdMap;

use crate::Bytes;
use crate::limits::EVAL_SCRIPTS_MAX;

/// The 40 hexadecimal digits by which a script is called, in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha1([u8; 40]);

impl Sha1 {
    pub fn of(source: &[u8]) -> Self {
        let text = sha1_smol::Sha1::from(source).digest().to_string();
        Self(text.as_bytes().try_into().expect("a SHA1 has 40 hexadecimal digits"))
    }

    /// Reads an argument in either case; None where it can't be a SHA1.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let digits: [u8; 40] = text.to_ascii_lowercase().try_into().ok()?;
        Some(Self(digits))
    }

    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("")
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Sha1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a script came into the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadedBy {
    /// EVAL: evicted, least recently used first, from 7.4 on.
    Eval,
    /// SCRIPT LOAD: stays until SCRIPT FLUSH.
    ScriptLoad,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CachedScript {
    pub source: Bytes,
    pub loaded_by: LoadedBy,
    /// The tick of its last use, for eviction.
    used: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptCache {
    scripts: OrdMap<Sha1, CachedScript>,
    /// Scripts that may be evicted, least recently used first.
    by_use: OrdMap<u64, Sha1>,
    tick: u64,
    pub evicted: u64,
}

impl ScriptCache {
    pub fn get(&self, sha: &Sha1) -> Option<&CachedScript> {
        self.scripts.get(sha)
    }

    pub fn contains(&self, sha: &Sha1) -> bool {
        self.scripts.contains_key(sha)
    }

    pub fn len(&self) -> usize {
        self.scripts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.scripts.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Sha1, &CachedScript)> {
        self.scripts.iter()
    }

    /// Marks a script as used just now and gives its source.
    pub fn touch(&mut self, sha: &Sha1) -> Option<Bytes> {
        let script = self.scripts.get(sha)?;
        let source = script.source.clone();
        if script.loaded_by == LoadedBy::Eval && self.by_use.get_max().is_none_or(|(_, last)| last != sha) {
            let used = script.used;
            self.tick += 1;
            self.by_use.remove(&used);
            self.by_use.insert(self.tick, *sha);
            if let Some(script) = self.scripts.get_mut(sha) {
                script.used = self.tick;
            }
        }
        Some(source)
    }

    /// Adds a script; with `bounded` the oldest one that EVAL brought goes when there are too many.
    /// A script that EVAL brought stays evictable even when SCRIPT LOAD names it again, as in Redis.
    pub fn insert(&mut self, sha: Sha1, source: Bytes, loaded_by: LoadedBy, bounded: bool) -> Option<Sha1> {
        if self.scripts.contains_key(&sha) {
            self.touch(&sha);
            return None;
        }
        let mut evicted = None;
        self.tick += 1;
        if loaded_by == LoadedBy::Eval {
            if bounded && self.by_use.len() >= EVAL_SCRIPTS_MAX {
                evicted = self.by_use.get_min().map(|(tick, sha)| (*tick, *sha));
            }
            self.by_use.insert(self.tick, sha);
        }
        self.scripts.insert(sha, CachedScript { source, loaded_by, used: self.tick });
        evicted.map(|(tick, oldest)| {
            self.by_use.remove(&tick);
            self.scripts.remove(&oldest);
            self.evicted += 1;
            oldest
        })
    }

    pub fn flush(&mut self) {
        *self = Self { evicted: self.evicted, ..Self::default() };
    }
}
