//! The hash table behind big sets, hashes and sorted sets: iterates in an order that depends on nothing but the operations applied.

use std::hash::BuildHasherDefault;

use indexmap::{IndexMap, IndexSet};

use crate::Bytes;

/// A hasher without a random seed, so that nothing differs from run to run.
pub type FixedState = BuildHasherDefault<std::hash::DefaultHasher>;
pub type Map<V> = IndexMap<Bytes, V, FixedState>;
pub type Members = IndexSet<Bytes, FixedState>;

/// One step of an HSCAN, SSCAN or ZSCAN over positions `0..len`: the positions to show, and the next cursor (0: all seen).
///
/// It walks down from the end. A removal moves the last element into the gap, that is from the part already shown to a place that may
/// still come, and an insertion goes to the end: so whatever is there from first to last call is shown at least once.
pub fn scan_step(cursor: u64, count: usize, len: usize) -> (impl Iterator<Item = usize>, u64) {
    let len = len as u64;
    let end = if cursor == 0 { len } else { cursor.min(len) };
    let start = end.saturating_sub(count.max(1) as u64);
    ((start as usize..end as usize).rev(), start)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Removing what was just shown, or anything else, between two steps never hides an element that stays.
    #[test]
    fn a_scan_shows_all_that_stays_in_spite_of_removals() {
        let mut members: Members = (0..100).map(|n| Bytes::from(n.to_string())).collect();
        let staying: Vec<Bytes> =
            (0..100).filter(|n| n % 3 != 0).map(|n| Bytes::from(n.to_string())).collect();
        let mut seen = Members::default();
        let mut cursor = 0;
        let mut victim = 0;
        loop {
            let (positions, next) = scan_step(cursor, 7, members.len());
            seen.extend(positions.map(|at| members[at].clone()));
            for _ in 0..4 {
                members.swap_remove(victim.to_string().as_bytes());
                victim += 3;
            }
            if next == 0 {
                break;
            }
            cursor = next;
        }
        assert!(staying.iter().all(|member| seen.contains(member)));
    }
}
