//! Keys, their values and their expiry. Knows no clients, no commands and no clock.
//!
//! Invariants: an empty collection never stays; the expiry index holds exactly the keys that have an expiry, the index of
//! field expiries every hash as [`Db::index_fields`] last saw it.
//! Cloning a [`Db`] is cheap: its maps share structure with the clone.

mod deadlines;
mod frequency;
mod key;

use imbl::ordmap::DiffItem;
use imbl::{OrdMap, OrdSet};

use deadlines::Deadlines;
pub use frequency::Scale;
pub use key::KeyId;

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::value::Value;

/// What a key holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub value: Value,
    pub expires_at: Option<UnixMillis>,
    /// When a command last looked at the key; OBJECT IDLETIME and LRU eviction count from here.
    pub accessed_at: Micros,
    /// How often, on the logarithmic scale of LFU eviction (0 to 255).
    pub frequency: u8,
}

impl Entry {
    pub fn new(value: Value) -> Self {
        Self { value, expires_at: None, accessed_at: Micros(0), frequency: LFU_INITIAL }
    }

    /// In the millisecond of its expiry a key is still there, and PTTL tells 0; it is gone from the next one on. Fields of
    /// hashes are gone in that millisecond already.
    pub fn is_expired(&self, now: UnixMillis) -> bool {
        self.expires_at.is_some_and(|at| at < now)
    }
}

/// Redis gives new keys a head start so that they are not evicted at once.
pub const LFU_INITIAL: u8 = 5;

/// One numbered database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Db {
    entries: OrdMap<KeyId, Entry>,
    expiries: OrdSet<(UnixMillis, KeyId)>,
    /// Hashes with fields that expire, by the first of them.
    field_expiries: Deadlines,
}

impl Db {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many keys have an expiry.
    pub fn expiring_len(&self) -> usize {
        self.expiries.len()
    }

    pub fn get(&self, key: &KeyId) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// The expiry must not be changed through this: [`Db::set_expiry`] keeps the index.
    pub fn get_mut(&mut self, key: &KeyId) -> Option<&mut Entry> {
        self.entries.get_mut(key)
    }

    pub fn contains(&self, key: &KeyId) -> bool {
        self.entries.contains_key(key)
    }

    /// Puts an entry in the key's place and gives back what was there.
    pub fn insert(&mut self, key: KeyId, entry: Entry) -> Option<Entry> {
        let expires_at = entry.expires_at;
        self.field_expiries.set(&key, entry.value.next_field_expiry());
        let before = self.entries.insert(key.clone(), entry);
        let expired_at = before.as_ref().and_then(|entry| entry.expires_at);
        if expired_at != expires_at {
            self.reindex(key, expired_at, expires_at);
        }
        before
    }

    pub fn remove(&mut self, key: &KeyId) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        if let Some(at) = entry.expires_at {
            self.expiries.remove(&(at, key.clone()));
        }
        self.field_expiries.set(key, None);
        Some(entry)
    }

    /// Keys that hold something else in `later` than here, with what they hold here and there. Parts that the two share are
    /// not looked through.
    pub fn differences<'a>(
        &'a self,
        later: &'a Self,
    ) -> impl Iterator<Item = (&'a Bytes, Option<&'a Entry>, Option<&'a Entry>)> {
        let holds_same =
            |one: &Entry, other: &Entry| one.expires_at == other.expires_at && one.value == other.value;
        self.entries.diff(&later.entries).filter_map(move |difference| match difference {
            DiffItem::Add(key, now) => Some((key.key(), None, Some(now))),
            DiffItem::Remove(key, before) => Some((key.key(), Some(before), None)),
            DiffItem::Update { old: (key, before), new: (_, now) } => {
                (!holds_same(before, now)).then_some((key.key(), Some(before), Some(now)))
            }
        })
    }

    /// Sets or takes away a key's expiry; false where there is no such key.
    pub fn set_expiry(&mut self, key: &KeyId, expires_at: Option<UnixMillis>) -> bool {
        let Some(entry) = self.entries.get_mut(key) else { return false };
        let before = std::mem::replace(&mut entry.expires_at, expires_at);
        self.reindex(key.clone(), before, expires_at);
        true
    }

    fn reindex(&mut self, key: KeyId, before: Option<UnixMillis>, after: Option<UnixMillis>) {
        if let Some(at) = before {
            self.expiries.remove(&(at, key.clone()));
        }
        if let Some(at) = after {
            self.expiries.insert((at, key));
        }
    }

    /// The key that expires first, and when.
    pub fn next_expiry(&self) -> Option<(UnixMillis, &KeyId)> {
        self.expiries.get_min().map(|(at, key)| (*at, key))
    }

    /// To be called when the fields of a hash may have changed in place: keeps the index of their expiries.
    pub fn index_fields(&mut self, key: &KeyId) {
        let next = self.entries.get(key).and_then(|entry| entry.value.next_field_expiry());
        self.field_expiries.set(key, next);
    }

    /// The hash whose field expires first, and when.
    pub fn next_field_expiry(&self) -> Option<(UnixMillis, &KeyId)> {
        self.field_expiries.first()
    }

    /// How many hashes have fields that expire.
    pub fn field_expiring_len(&self) -> usize {
        self.field_expiries.len()
    }

    /// Every key in the order of SCAN: by hash, so that it is stable while other keys come and go.
    pub fn iter(&self) -> impl Iterator<Item = (&Bytes, &Entry)> {
        self.entries.iter().map(|(id, entry)| (id.key(), entry))
    }

    /// The key at a place of SCAN's order. Walks there.
    pub fn get_at(&self, place: usize) -> Option<(&Bytes, &Entry)> {
        self.iter().nth(place)
    }

    /// The entries whose hash is at least `cursor`, in SCAN order.
    pub fn iter_from(&self, cursor: u64) -> impl Iterator<Item = (&KeyId, &Entry)> {
        self.entries.range(KeyId::first_of_hash(cursor)..)
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Holds the invariants against a scan of all keys.
    ///
    /// # Errors
    /// Names the one that is broken.
    pub fn audit(&self) -> Result<(), String> {
        let expiries: OrdSet<(UnixMillis, KeyId)> = (self.entries.iter())
            .filter_map(|(key, entry)| entry.expires_at.map(|at| (at, key.clone())))
            .collect();
        if expiries != self.expiries {
            return Err(format!("the expiry index has {:?}, the keys have {expiries:?}", self.expiries));
        }
        let fields = self
            .entries
            .iter()
            .filter_map(|(key, entry)| entry.value.next_field_expiry().map(|at| (key.clone(), at)));
        if !self.field_expiries.holds(fields) {
            return Err(format!(
                "the index of field expiries is not that of the hashes: {:?}",
                self.field_expiries
            ));
        }
        match self.entries.iter().find(|(_, entry)| entry.value.is_empty_collection()) {
            Some((key, _)) => Err(format!("an empty collection has stayed at {:?}", key.key())),
            None => Ok(()),
        }
    }
}
