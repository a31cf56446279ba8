//! An ordered sequence of (score, member) with cheap insertion, removal and ranks: sorted blocks of bounded length.
//!
//! Invariants: blocks are never empty, never longer than `BLOCK_LEN_MAX`, and ascending within and among each other.

use std::cmp::Ordering;
use std::ops::Range;

use crate::Bytes;

/// Keeps the shifting inside a block and the walk over the blocks both short up to some 100,000 members.
const BLOCK_LEN_MAX: usize = 512;

pub(super) type Entry = (f64, Bytes);

#[derive(Clone, Debug, Default)]
pub(super) struct Blocks(Vec<Vec<Entry>>);

impl Blocks {
    /// The number of entries for which the predicate holds, which it must for all up to some point and for none after it.
    pub(super) fn partition_point(&self, holds: impl Fn(&Entry) -> bool) -> usize {
        let block = self.block_of(&holds);
        let before: usize = self.0[..block].iter().map(Vec::len).sum();
        before + self.0.get(block).map_or(0, |entries| entries.partition_point(holds))
    }

    /// The number of entries before this one.
    pub(super) fn position(&self, score: f64, member: &[u8]) -> usize {
        self.partition_point(|entry| compare(entry, score, member).is_lt())
    }

    pub(super) fn insert(&mut self, score: f64, member: Bytes) {
        if self.0.is_empty() {
            self.0.push(Vec::new());
        }
        let before = |entry: &Entry| compare(entry, score, &member).is_lt();
        let block = self.block_of(before).min(self.0.len() - 1);
        let entries = &mut self.0[block];
        let place = entries.partition_point(before);
        entries.insert(place, (score, member));
        if entries.len() > BLOCK_LEN_MAX {
            let upper = entries.split_off(BLOCK_LEN_MAX / 2);
            self.0.insert(block + 1, upper);
        }
    }

    /// Removes an entry that is there.
    pub(super) fn remove(&mut self, score: f64, member: &[u8]) {
        let before = |entry: &Entry| compare(entry, score, member).is_lt();
        let block = self.block_of(before);
        let entries = &mut self.0[block];
        let place = entries.partition_point(before);
        debug_assert!(entries[place].1 == *member);
        entries.remove(place);
        if entries.is_empty() {
            self.0.remove(block);
        }
    }

    /// The entries at these positions; what lies beyond the end is cut off.
    pub(super) fn range(&self, positions: Range<usize>) -> impl DoubleEndedIterator<Item = &Entry> {
        let mut block_start = 0;
        let mut slices = Vec::new();
        for entries in &self.0 {
            let cut = |position: usize| position.saturating_sub(block_start).min(entries.len());
            slices.push(&entries[cut(positions.start).min(cut(positions.end))..cut(positions.end)]);
            block_start += entries.len();
            if block_start >= positions.end {
                break;
            }
        }
        slices.into_iter().flatten()
    }

    /// The block that holds the partition point, or the number of blocks when it is the very end.
    fn block_of(&self, holds: impl Fn(&Entry) -> bool) -> usize {
        self.0.partition_point(|entries| entries.last().is_some_and(&holds))
    }
}

/// Equal sequences are equal however they are cut into blocks.
impl PartialEq for Blocks {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().flatten().eq(other.0.iter().flatten())
    }
}

fn compare(entry: &Entry, score: f64, member: &[u8]) -> Ordering {
    let by_score = entry.0.partial_cmp(&score).expect("scores are never NaN");
    by_score.then_with(|| entry.1.as_slice().cmp(member))
}
