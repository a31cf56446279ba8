//! A consumer group: what was delivered to whom and is not acknowledged yet.
//!
//! Invariant: an ID is in the group's pending entries exactly when it is in those of the one consumer named there.

use std::collections::{BTreeMap, BTreeSet};

use super::id::StreamId;
use crate::Bytes;
use crate::clock::UnixMillis;

#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The last ID delivered to any consumer.
    pub last_id: StreamId,
    /// How many entries of all ever added lie up to `last_id`; None when that cannot be known.
    pub entries_read: Option<u64>,
    pending: BTreeMap<StreamId, Pending>,
    consumers: BTreeMap<Bytes, Consumer>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    pub consumer: Bytes,
    pub delivered_at: UnixMillis,
    pub deliveries: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Consumer {
    /// When it last tried to do anything.
    pub seen_at: UnixMillis,
    /// When it last got an entry; None if never. Known since 7.2.
    pub active_at: Option<UnixMillis>,
    pending: BTreeSet<StreamId>,
}

impl Group {
    pub fn new(last_id: StreamId, entries_read: Option<u64>) -> Self {
        Self { last_id, entries_read, pending: BTreeMap::new(), consumers: BTreeMap::new() }
    }

    /// All pending entries, by ID.
    pub fn pending(&self) -> &BTreeMap<StreamId, Pending> {
        &self.pending
    }

    /// By name, in the order of its bytes.
    pub fn consumers(&self) -> &BTreeMap<Bytes, Consumer> {
        &self.consumers
    }

    pub fn consumer(&self, name: &[u8]) -> Option<&Consumer> {
        self.consumers.get(name)
    }

    pub fn consumer_mut(&mut self, name: &[u8]) -> Option<&mut Consumer> {
        self.consumers.get_mut(name)
    }

    /// True when the consumer is new.
    pub fn create_consumer(&mut self, name: &Bytes, now: UnixMillis) -> bool {
        let is_new = !self.consumers.contains_key(name.as_slice());
        if is_new {
            self.consumers
                .insert(name.clone(), Consumer { seen_at: now, active_at: None, pending: BTreeSet::new() });
        }
        is_new
    }

    /// Removes a consumer with all that it has pending, and says how much that was.
    pub fn remove_consumer(&mut self, name: &[u8]) -> Option<usize> {
        let consumer = self.consumers.remove(name)?;
        for id in &consumer.pending {
            self.pending.remove(id);
        }
        Some(consumer.pending.len())
    }

    /// Makes an entry pending for a consumer that exists, whoever had it before.
    pub fn assign(&mut self, id: StreamId, pending: Pending) {
        self.acknowledge(id);
        let consumer =
            self.consumers.get_mut(pending.consumer.as_slice()).expect("the caller made the consumer");
        consumer.pending.insert(id);
        self.pending.insert(id, pending);
    }

    /// The pending entry, to change its time or count in place.
    pub fn pending_mut(&mut self, id: StreamId) -> Option<&mut Pending> {
        self.pending.get_mut(&id)
    }

    /// Ends that an entry is pending. False when it was not.
    pub fn acknowledge(&mut self, id: StreamId) -> bool {
        let Some(pending) = self.pending.remove(&id) else { return false };
        if let Some(consumer) = self.consumers.get_mut(pending.consumer.as_slice()) {
            consumer.pending.remove(&id);
        }
        true
    }
}

impl Consumer {
    /// IDs delivered to it and not acknowledged.
    pub fn pending(&self) -> &BTreeSet<StreamId> {
        &self.pending
    }
}
