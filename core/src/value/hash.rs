//! A hash, with the expiry of single fields. Knows no clock: whoever asks hands in the moment.
//!
//! Fields that have run out stay until [`HashValue::take_expired`] is called, as they do in the server; the `live` methods hide them.

use std::collections::BTreeSet;

use indexmap::map::Entry;

use super::encoding::EncodingLimits;
use super::table::{self, Map};
use crate::Bytes;
use crate::clock::UnixMillis;

#[derive(Clone, Debug, PartialEq)]
pub struct HashValue {
    fields: Map<Field>,
    /// The fields that have an expiry, soonest first.
    expiries: BTreeSet<(UnixMillis, Bytes)>,
    encoding: Encoding,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub value: Bytes,
    pub expires_at: Option<UnixMillis>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    /// In order of insertion; a removal closes the gap.
    Listpack,
    /// Once a field had an expiry: soonest first, then those without one.
    ListpackEx,
    /// A removal puts the last field into the gap.
    Hashtable,
}

impl Field {
    pub fn is_expired(&self, now: UnixMillis) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl HashValue {
    pub fn new() -> Self {
        Self { fields: Map::default(), expiries: BTreeSet::new(), encoding: Encoding::Listpack }
    }

    /// Fields, those that have run out but are not yet taken away included.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The field, run out or not.
    pub fn get(&self, field: &[u8]) -> Option<&Field> {
        self.fields.get(field)
    }

    /// The value of a field that has not run out.
    pub fn get_live(&self, field: &[u8], now: UnixMillis) -> Option<&Bytes> {
        self.fields.get(field).filter(|found| !found.is_expired(now)).map(|found| &found.value)
    }

    /// The field at a position of the hash's order; for a random pick the caller draws the position.
    pub fn get_at(&self, position: usize) -> Option<(&Bytes, &Field)> {
        self.fields.get_index(position)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Bytes, &Field)> + ExactSizeIterator {
        self.fields.iter()
    }

    /// Fields that have not run out, with their values.
    pub fn iter_live(&self, now: UnixMillis) -> impl DoubleEndedIterator<Item = (&Bytes, &Bytes)> {
        self.fields
            .iter()
            .filter(move |(_, field)| !field.is_expired(now))
            .map(|(name, field)| (name, &field.value))
    }

    /// Told before a command sets these fields and values: a long text, or since 7.2 a large number, turns the hash into a table at once.
    pub fn expect<'a>(
        &mut self,
        pairs: impl ExactSizeIterator<Item = (&'a Bytes, &'a Bytes)>,
        limits: &EncodingLimits,
    ) {
        let many = limits.has_listpack_lists_and_sets() && pairs.len() > limits.hash_max_listpack_entries;
        let long = |text: &Bytes| text.len() > limits.hash_max_listpack_value;
        if many || pairs.into_iter().any(|(field, value)| long(field) || long(value)) {
            self.encoding = Encoding::Hashtable;
        }
    }

    /// HSET: a field's expiry ends. True when the field is new.
    pub fn set(&mut self, field: Bytes, value: Bytes, limits: &EncodingLimits) -> bool {
        if self.get(&field).is_some_and(|old| old.expires_at.is_some()) {
            self.set_expiry(&field, None);
        }
        self.set_keeping_expiry(field, value, limits)
    }

    /// HINCRBY and the like: an expiry stays. True when the field is new.
    pub fn set_keeping_expiry(&mut self, field: Bytes, value: Bytes, limits: &EncodingLimits) -> bool {
        if field.len().max(value.len()) > limits.hash_max_listpack_value {
            self.encoding = Encoding::Hashtable;
        }
        let is_new = match self.fields.entry(field) {
            Entry::Occupied(mut old) => {
                old.get_mut().value = value;
                false
            }
            Entry::Vacant(place) => {
                place.insert(Field { value, expires_at: None });
                true
            }
        };
        // The limit may have been lowered since the last time, so that even a field that was there can be too many.
        if self.fields.len() > limits.hash_max_listpack_entries {
            self.encoding = Encoding::Hashtable;
        }
        is_new
    }

    /// Told before a command gives fields an expiry: a listpack then has room for it, whatever becomes of the fields.
    pub fn expect_expiry(&mut self) {
        if self.encoding == Encoding::Listpack {
            self.encoding = Encoding::ListpackEx;
        }
    }

    /// Gives a field that exists an expiry or takes it away. False when there is no such field.
    pub fn set_expiry(&mut self, field: &[u8], expires_at: Option<UnixMillis>) -> bool {
        let Some((position, name, found)) = self.fields.get_full_mut(field) else { return false };
        let old = std::mem::replace(&mut found.expires_at, expires_at);
        let name = name.clone();
        if let Some(at) = old {
            self.expiries.remove(&(at, name.clone()));
        }
        if let Some(at) = expires_at {
            self.expiries.insert((at, name));
        }
        if expires_at.is_some() {
            self.expect_expiry();
        }
        if self.encoding == Encoding::ListpackEx && (old.is_some() || expires_at.is_some()) {
            self.reorder(position, expires_at);
        }
        true
    }

    /// The field as it was.
    pub fn remove(&mut self, field: &[u8]) -> Option<Field> {
        let removed = match self.encoding {
            Encoding::Hashtable => self.fields.swap_remove(field),
            Encoding::Listpack | Encoding::ListpackEx => self.fields.shift_remove(field),
        }?;
        if let Some(at) = removed.expires_at {
            self.expiries.remove(&(at, Bytes::from(field)));
        }
        Some(removed)
    }

    /// How many fields have an expiry.
    pub fn expiring_len(&self) -> usize {
        self.expiries.len()
    }

    /// When the first field runs out; None when none has an expiry.
    pub fn next_expiry(&self) -> Option<UnixMillis> {
        self.expiries.first().map(|(at, _)| *at)
    }

    /// Removes the fields that have run out, soonest first, and names them.
    pub fn take_expired(&mut self, now: UnixMillis) -> Vec<Bytes> {
        let expired: Vec<Bytes> =
            self.expiries.iter().take_while(|(at, _)| *at <= now).map(|(_, name)| name.clone()).collect();
        for name in &expired {
            self.remove(name);
        }
        expired
    }

    /// One step of HSCAN: the fields and the next cursor. A small hash comes whole. Fields that have run out are in it.
    pub fn scan(&self, cursor: u64, count: usize) -> (Vec<(&Bytes, &Field)>, u64) {
        match self.encoding {
            Encoding::Listpack | Encoding::ListpackEx => (self.iter().collect(), 0),
            Encoding::Hashtable => {
                let (positions, next) = table::scan_step(cursor, count, self.len());
                (positions.filter_map(|position| self.get_at(position)).collect(), next)
            }
        }
    }

    pub fn encoding(&self) -> &'static str {
        match self.encoding {
            Encoding::Listpack => "listpack",
            Encoding::ListpackEx => "listpackex",
            Encoding::Hashtable => "hashtable",
        }
    }

    /// Moves a field whose expiry changed to its place: before the first that runs out no sooner, or to the end.
    fn reorder(&mut self, position: usize, expires_at: Option<UnixMillis>) {
        let last = self.fields.len() - 1;
        self.fields.move_index(position, last);
        let Some(at) = expires_at else { return };
        let no_sooner = |field: &Field| field.expires_at.is_none_or(|other| other >= at);
        let place = self.fields.values().position(no_sooner).unwrap_or(last);
        self.fields.move_index(last, place);
    }
}

impl Default for HashValue {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;

    fn shown(hash: &HashValue) -> String {
        let fields: Vec<String> = hash
            .iter()
            .map(|(name, field)| format!("{}={}", name.to_text(), field.value.to_text()))
            .collect();
        fields.join(" ")
    }

    /// The order HGETALL showed at 8.2.3 after the same commands.
    #[test]
    fn fields_that_expire_stand_first_soonest_before_later() {
        let limits = EncodingLimits::new(Version::V8_2);
        let mut hash = HashValue::new();
        for (field, value) in [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")] {
            hash.set(Bytes::from(field), Bytes::from(value), &limits);
        }
        assert_eq!(hash.encoding(), "listpack");
        let expire =
            |hash: &mut HashValue, field: &str, at| hash.set_expiry(field.as_bytes(), Some(UnixMillis(at)));
        expire(&mut hash, "c", 100);
        assert_eq!((shown(&hash).as_str(), hash.encoding()), ("c=3 a=1 b=2 d=4", "listpackex"));
        expire(&mut hash, "d", 50);
        expire(&mut hash, "a", 200);
        assert_eq!(shown(&hash), "d=4 c=3 a=1 b=2");
        hash.set_expiry(b"d", None);
        assert_eq!(shown(&hash), "c=3 a=1 b=2 d=4");
        hash.set(Bytes::from("c"), Bytes::from("9"), &limits);
        assert_eq!(shown(&hash), "a=1 b=2 d=4 c=9");
        hash.set(Bytes::from("e"), Bytes::from("5"), &limits);
        hash.remove(b"a");
        expire(&mut hash, "e", 200);
        expire(&mut hash, "c", 200);
        assert_eq!((shown(&hash).as_str(), hash.encoding()), ("c=9 e=5 b=2 d=4", "listpackex"));
    }

    #[test]
    fn fields_that_ran_out_are_hidden_and_then_taken_away_soonest_first() {
        let limits = EncodingLimits::default();
        let mut hash = HashValue::new();
        for field in ["a", "b", "c"] {
            hash.set(Bytes::from(field), Bytes::from("1"), &limits);
        }
        hash.set_expiry(b"a", Some(UnixMillis(20)));
        hash.set_expiry(b"b", Some(UnixMillis(10)));
        assert_eq!(hash.next_expiry(), Some(UnixMillis(10)));
        assert_eq!(hash.get_live(b"b", UnixMillis(9)), Some(&Bytes::from("1")));
        assert_eq!(hash.get_live(b"b", UnixMillis(10)), None);
        assert_eq!(hash.len(), 3);
        assert_eq!(hash.iter_live(UnixMillis(20)).count(), 1);
        assert_eq!(hash.take_expired(UnixMillis(30)), [Bytes::from("b"), Bytes::from("a")]);
        assert_eq!((hash.len(), hash.next_expiry()), (1, None));
    }

    #[test]
    fn a_hash_once_big_stays_a_table() {
        let limits = EncodingLimits { hash_max_listpack_entries: 2, ..EncodingLimits::default() };
        let mut hash = HashValue::new();
        for field in ["a", "b"] {
            hash.set(Bytes::from(field), Bytes::from("1"), &limits);
        }
        assert_eq!(hash.encoding(), "listpack");
        hash.set(Bytes::from("c"), Bytes::from("1"), &limits);
        hash.remove(b"c");
        hash.remove(b"b");
        assert_eq!(hash.encoding(), "hashtable");
    }
}
