//! Texts that belong to a key and, until EXEC has ended, to a command in its queue as well. Nobody can tell but by
//! OBJECT REFCOUNT and DEBUG OBJECT, which count both.

use crate::Bytes;
use crate::keyspace::KeyId;
use crate::profile::Version;
use crate::state::SharedText;

use super::ctx::{Ctx, Origin};

impl Ctx<'_> {
    /// The key's text is the argument itself, as the command found it.
    pub fn shares_argument(&mut self, key: &Bytes) {
        if self.origin != Origin::Exec {
            return;
        }
        let has_expiry = self.expiry_of(key).is_some();
        let shared = SharedText { db: self.db, key: KeyId::new(key), has_expiry };
        if let Some(executing) = &mut self.client_mut().exec {
            executing.shared.push(shared);
        }
    }

    /// The key has a text of its own again, or another value.
    pub fn unshare_argument(&mut self, key: &Bytes) {
        let db = self.db;
        if let Some(executing) = &mut self.client_mut().exec
            && !executing.shared.is_empty()
        {
            let id = KeyId::new(key);
            executing.shared.retain(|shared| shared.db != db || shared.key != id);
        }
    }

    /// An expiry takes room in the object since 8.2: one that had none is made anew.
    pub fn unshare_for_expiry(&mut self, key: &Bytes) {
        if self.version() >= Version::V8_2 && !self.shared_text(key).is_some_and(|shared| shared.has_expiry) {
            self.unshare_argument(key);
        }
    }

    /// The object goes to another place as it is; since 8.2 its name is part of it and it is made anew.
    pub fn moves_with_argument(&mut self, (db, from): (usize, &Bytes), (to_db, to): (usize, &Bytes)) {
        let (version, from, to) = (self.version(), KeyId::new(from), KeyId::new(to));
        let Some(executing) = &mut self.client_mut().exec else { return };
        executing.shared.retain(|shared| shared.db != to_db || shared.key != to);
        let Some(at) = executing.shared.iter().position(|shared| shared.db == db && shared.key == from)
        else {
            return;
        };
        let moved = executing.shared.swap_remove(at);
        if version < Version::V8_2 {
            executing.shared.push(SharedText { db: to_db, key: to, ..moved });
        }
    }

    pub fn swaps_with_arguments(&mut self, first: usize, second: usize) {
        for shared in self.client_mut().exec.iter_mut().flat_map(|executing| &mut executing.shared) {
            if shared.db == first {
                shared.db = second;
            } else if shared.db == second {
                shared.db = first;
            }
        }
    }

    pub fn shared_text(&self, key: &Bytes) -> Option<&SharedText> {
        let shared = &self.client().exec.as_ref()?.shared;
        shared.iter().find(|shared| shared.db == self.db && shared.key == KeyId::new(key))
    }
}
