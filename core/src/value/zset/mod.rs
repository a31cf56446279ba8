//! A sorted set: members in the order of (score, bytes of the member), with ranks.
//!
//! Every range (by rank, score or text) becomes a range of ranks first; what is done with it (read, count, remove, store) knows ranks only.
//! Scores are never NaN.

mod blocks;
mod range;

use std::ops::Range;

use blocks::Blocks;
pub use range::{LexBound, LexRange, ScoreBound, ScoreRange};

use super::encoding::EncodingLimits;
use super::table::{self, Map};
use crate::Bytes;

#[derive(Clone, Debug, PartialEq)]
pub struct ZSetValue {
    scores: Map<f64>,
    order: Blocks,
    encoding: Encoding,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Listpack,
    Skiplist,
}

impl ZSetValue {
    pub fn new() -> Self {
        Self { scores: Map::default(), order: Blocks::default(), encoding: Encoding::Listpack }
    }

    pub fn len(&self) -> usize {
        self.scores.len()
    }

    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    pub fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }

    /// The number of members before this one.
    pub fn rank(&self, member: &[u8]) -> Option<usize> {
        let score = self.score(member)?;
        Some(self.order.position(score, member))
    }

    /// The member with this many before it.
    pub fn get(&self, rank: usize) -> Option<(&Bytes, f64)> {
        self.iter_range(rank..rank.saturating_add(1)).next()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Bytes, f64)> {
        self.iter_range(0..self.len())
    }

    /// The members with these ranks; what lies beyond the end is cut off.
    pub fn iter_range(&self, ranks: Range<usize>) -> impl DoubleEndedIterator<Item = (&Bytes, f64)> {
        self.order.range(ranks).map(|(score, member)| (member, *score))
    }

    /// Told before a command adds up to `expected` members: many of them, or into an empty set a first one of more bytes than a
    /// listpack takes, turn the set into a skiplist at once.
    pub fn expect(&mut self, expected: usize, first_bytes: usize, limits: &EncodingLimits) {
        let many = limits.has_listpack_lists_and_sets() && expected > limits.zset_max_listpack_entries;
        let is_none_allowed =
            limits.zset_max_listpack_entries == 0 || first_bytes > limits.zset_max_listpack_value;
        if many || (self.is_empty() && is_none_allowed) {
            self.encoding = Encoding::Skiplist;
        }
    }

    /// For a result that is too big for a listpack, or that is only to be put in order: nothing is rounded to a listpack's ways.
    pub fn make_skiplist(&mut self) {
        self.encoding = Encoding::Skiplist;
    }

    /// Adds a member or changes its score, which must not be NaN. The old score.
    pub fn insert(&mut self, member: Bytes, score: f64, limits: &EncodingLimits) -> Option<f64> {
        debug_assert!(!score.is_nan());
        let outgrows = !self.scores.contains_key(&member) && self.outgrows_listpack(&member, limits);
        if outgrows {
            self.encoding = Encoding::Skiplist;
        }
        // A listpack keeps -0 as the integer 0.
        let score = if self.encoding == Encoding::Listpack { score + 0.0 } else { score };
        let old = self.scores.insert(member.clone(), score);
        match old {
            Some(old) if old == score => return Some(old),
            Some(old) => self.order.remove(old, &member),
            None => {}
        }
        self.order.insert(score, member);
        old
    }

    fn outgrows_listpack(&self, added: &[u8], limits: &EncodingLimits) -> bool {
        self.len() >= limits.zset_max_listpack_entries || added.len() > limits.zset_max_listpack_value
    }

    /// The score the member had.
    pub fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let score = self.scores.swap_remove(member)?;
        self.order.remove(score, member);
        Some(score)
    }

    /// Removes the members with these ranks, in their order.
    pub fn remove_range(&mut self, ranks: Range<usize>) -> Vec<(Bytes, f64)> {
        let doomed: Vec<(Bytes, f64)> =
            self.iter_range(ranks).map(|(member, score)| (member.clone(), score)).collect();
        for (member, _) in &doomed {
            self.remove(member);
        }
        doomed
    }

    /// The ranks whose scores lie in the range; empty when none does.
    pub fn ranks_by_score(&self, range: &ScoreRange) -> Range<usize> {
        let start = self.order.partition_point(|(score, _)| !range.min.admits_from_below(*score));
        let end = self.order.partition_point(|(score, _)| range.max.admits_from_above(*score));
        start..end.max(start)
    }

    /// The ranks whose members lie in the range, which means something only where all scores are equal. Elsewhere it is what the server
    /// comes across, going from one end: as far as it goes on without a break. `skipped` members are left out first, wherever they lie.
    pub fn ranks_by_lex(&self, range: &LexRange, from_end: bool, skipped: usize) -> Range<usize> {
        let start = self.order.partition_point(|(_, member)| !range.min.admits_from_below(member));
        let end = self.order.partition_point(|(_, member)| range.max.admits_from_above(member));
        let ends = self.iter().next().zip(self.iter().next_back());
        let is_ordered = ends.is_none_or(|((_, lowest), (_, highest))| lowest == highest);
        if !is_ordered {
            self.ranks_by_lex_unordered(range, from_end, skipped)
        } else if from_end {
            start..end.saturating_sub(skipped).max(start)
        } else {
            start.saturating_add(skipped).min(end.max(start))..end.max(start)
        }
    }

    fn ranks_by_lex_unordered(&self, range: &LexRange, from_end: bool, skipped: usize) -> Range<usize> {
        let admitted_below = |(member, _): (&Bytes, f64)| range.min.admits_from_below(member);
        let admitted_above = |(member, _): (&Bytes, f64)| range.max.admits_from_above(member);
        let ends_fit = self.iter().next().is_some_and(admitted_above)
            && self.iter().next_back().is_some_and(admitted_below);
        if !ends_fit || range.is_empty() {
            return 0..0;
        }
        // Whether it goes on is first decided by the very first one that is found, even where that is to be left out.
        if from_end {
            let outside = self.iter().rev().take_while(|pair| !admitted_above(*pair)).count();
            if !self.iter().rev().nth(outside).is_some_and(admitted_below) {
                return 0..0;
            }
            let skipped = outside.saturating_add(skipped).min(self.len());
            let taken = self.iter().rev().skip(skipped).take_while(|pair| admitted_below(*pair)).count();
            let end = self.len() - skipped;
            end - taken..end
        } else {
            let outside = self.iter().take_while(|pair| !admitted_below(*pair)).count();
            if !self.iter().nth(outside).is_some_and(admitted_above) {
                return 0..0;
            }
            let start = outside.saturating_add(skipped).min(self.len());
            let taken = self.iter().skip(start).take_while(|pair| admitted_above(*pair)).count();
            start..start + taken
        }
    }

    /// One step of ZSCAN: members and the next cursor. A small set comes whole, in its order.
    pub fn scan(&self, cursor: u64, count: usize) -> (Vec<(&Bytes, f64)>, u64) {
        match self.encoding {
            Encoding::Listpack => (self.iter().collect(), 0),
            Encoding::Skiplist => {
                let (positions, next) = table::scan_step(cursor, count, self.len());
                let pair = |position| self.scores.get_index(position).map(|(member, score)| (member, *score));
                (positions.filter_map(pair).collect(), next)
            }
        }
    }

    pub fn encoding(&self) -> &'static str {
        match self.encoding {
            Encoding::Listpack => "listpack",
            Encoding::Skiplist => "skiplist",
        }
    }
}

impl Default for ZSetValue {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;

    fn zset(pairs: &[(&str, f64)]) -> ZSetValue {
        let mut zset = ZSetValue::new();
        for (member, score) in pairs {
            zset.insert(Bytes::from(*member), *score, &EncodingLimits::default());
        }
        zset
    }

    fn names<'a>(members: impl Iterator<Item = (&'a Bytes, f64)>) -> String {
        members.map(|(member, _)| member.to_text()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn equal_scores_are_ordered_by_the_members_bytes() {
        let mut zset =
            zset(&[("b", 1.0), ("a", 1.0), ("c", f64::NEG_INFINITY), ("B", 1.0), ("z", -0.0), ("y", 0.0)]);
        assert_eq!(names(zset.iter()), "c y z B a b");
        assert_eq!(zset.rank(b"a"), Some(4));
        assert_eq!(zset.insert(Bytes::from("a"), 9.0, &EncodingLimits::default()), Some(1.0));
        assert_eq!(names(zset.iter_range(3..99)), "B b a");
        assert_eq!(zset.remove_range(0..2).len(), 2);
        assert_eq!(names(zset.iter().rev()), "a b B z");
    }

    /// As 7.0.15 and 8.2.3: also for the very member that makes the set too big for a listpack, the sign stays.
    #[test]
    fn only_a_listpack_forgets_the_sign_of_zero() {
        let limits = EncodingLimits { zset_max_listpack_entries: 1, ..EncodingLimits::default() };
        let mut zset = ZSetValue::new();
        zset.insert(Bytes::from("a"), -0.0, &limits);
        zset.insert(Bytes::from("b"), -0.0, &limits);
        let signs = ["a", "b"].map(|member| zset.score(member.as_bytes()).map(f64::is_sign_negative));
        assert_eq!((signs, zset.encoding()), ([Some(false), Some(true)], "skiplist"));
    }

    #[test]
    fn ranges_by_score_know_open_ends() {
        let zset = zset(&[("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0), ("e", f64::INFINITY)]);
        let check = |min: &str, max: &str, expected: &str| {
            let range = ScoreRange::parse(min.as_bytes(), max.as_bytes(), Version::V8_2).expect("a range");
            assert_eq!(names(zset.iter_range(zset.ranks_by_score(&range))), expected, "{min} {max}");
        };
        check("-inf", "+inf", "a b c d e");
        check("2", "3", "b c d");
        check("(2", "3", "d");
        check("1", "(2", "a");
        check("(1", "(2", "");
        check("3", "2", "");
        check("-inf", "(inf", "a b c d");
    }

    #[test]
    fn ranges_by_text_know_open_ends() {
        let zset = zset(&[("a", 0.0), ("aa", 0.0), ("b", 0.0), ("c", 0.0)]);
        let check = |min: &str, max: &str, expected: &str| {
            let range = LexRange::parse(min.as_bytes(), max.as_bytes()).expect("a range");
            assert_eq!(names(zset.iter_range(zset.ranks_by_lex(&range, false, 0))), expected, "{min} {max}");
        };
        check("-", "+", "a aa b c");
        check("[a", "(b", "a aa");
        check("(a", "[b", "aa b");
        check("+", "-", "");
        check("[", "[c", "a aa b c");
        assert_eq!(LexRange::parse(b"a", b"+"), None);
    }

    /// Against a plain sorted list, through several block splits and back to nothing.
    #[test]
    fn ranks_stay_right_while_thousands_come_and_go() {
        let mut zset = ZSetValue::new();
        let mut model: Vec<(i64, Bytes)> = Vec::new();
        let mut state = 1u64;
        for round in 0..6000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let member = Bytes::from(((state >> 33) % 2500).to_string());
            let score = (state >> 50) as i64 % 50;
            model.retain(|(_, other)| *other != member);
            if round % 3 == 0 {
                zset.remove(&member);
            } else {
                zset.insert(member.clone(), score as f64, &EncodingLimits::default());
                model.push((score, member));
            }
        }
        model.sort();
        assert!(
            zset.iter()
                .map(|(member, score)| (score as i64, member))
                .eq(model.iter().map(|(score, member)| (*score, member)))
        );
        for (rank, (_, member)) in model.iter().enumerate() {
            assert_eq!(zset.rank(member), Some(rank));
        }
        assert_eq!(zset.remove_range(0..usize::MAX).len(), model.len());
        assert!(zset.is_empty());
    }
}
