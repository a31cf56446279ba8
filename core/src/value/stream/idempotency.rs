//! What a stream remembers of its producers, so that an entry that is sent twice is added once (XADD IDMP, from 8.6 on).
//!
//! Knows no configuration: whoever asks hands in what the server's says. Invariant: no producer is kept without an ID.

use std::collections::{BTreeMap, VecDeque};

use super::StreamId;
use crate::Bytes;
use crate::clock::UnixMillis;

/// How long and how many idempotency IDs are remembered of each producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Seconds since the entry was added.
    pub duration_s: i64,
    pub max_size: usize,
}

/// The producers of one stream and what they have sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Idempotency {
    /// XCFGSET's, where it has been called.
    pub duration_s: Option<i64>,
    pub max_size: Option<usize>,
    /// Each one's idempotency IDs with the entries they made, the oldest first.
    producers: BTreeMap<Bytes, VecDeque<(Bytes, StreamId)>>,
    added: u64,
    duplicates: u64,
}

impl Idempotency {
    /// What holds for the stream, given what the server's configuration says.
    pub fn retention(&self, configured: Retention) -> Retention {
        Retention {
            duration_s: self.duration_s.unwrap_or(configured.duration_s),
            max_size: self.max_size.unwrap_or(configured.max_size),
        }
    }

    /// The entry that this producer made with this ID, if that is still remembered; it is counted as a duplicate.
    pub fn find(
        &mut self,
        producer: &[u8],
        iid: &[u8],
        retention: Retention,
        now: UnixMillis,
    ) -> Option<StreamId> {
        self.expire(retention, now);
        let id = self.producers.get(producer)?.iter().find(|(known, _)| known.as_slice() == iid)?.1;
        self.duplicates += 1;
        Some(id)
    }

    /// Remembers what a producer has just added; the oldest give way.
    pub fn remember(&mut self, producer: Bytes, iid: Bytes, id: StreamId, retention: Retention) {
        let sent = self.producers.entry(producer).or_default();
        while sent.len() >= retention.max_size.max(1) {
            sent.pop_front();
        }
        sent.push_back((iid, id));
        self.added += 1;
    }

    /// Changes how long and how many are remembered. Where that is a change, everything remembered is forgotten.
    pub fn configure(&mut self, wanted: Retention, configured: Retention) {
        if self.retention(configured) != wanted {
            self.producers.clear();
        }
        self.duration_s = Some(wanted.duration_s);
        self.max_size = Some(wanted.max_size);
    }

    pub fn expire(&mut self, retention: Retention, now: UnixMillis) {
        let is_old = |id: &StreamId| {
            now.0.saturating_sub(i64::try_from(id.ms).unwrap_or(i64::MAX)) > retention.duration_s * 1_000
        };
        self.producers.retain(|_, sent| {
            while sent.front().is_some_and(|(_, id)| is_old(id)) {
                sent.pop_front();
            }
            !sent.is_empty()
        });
    }

    pub fn producers(&self) -> usize {
        self.producers.len()
    }

    /// Idempotency IDs of all producers.
    pub fn tracked(&self) -> usize {
        self.producers.values().map(VecDeque::len).sum()
    }

    /// Entries added with an idempotency ID in all the stream's life.
    pub fn added(&self) -> u64 {
        self.added
    }

    /// Entries that were not added because they had been before.
    pub fn duplicates(&self) -> u64 {
        self.duplicates
    }
}
