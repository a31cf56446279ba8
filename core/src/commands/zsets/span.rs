//! Which part of a sorted set a command means: by rank, by score or by text, from either end.

use std::ops::Range;

use crate::Bytes;
use crate::commands::args;
use crate::error::CommandError;
use crate::profile::Version;
use crate::value::zset::{LexRange, ScoreRange};
use crate::value::{ZSetValue, index};

use super::Scored;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Rank,
    Score,
    Lex,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bounds {
    Rank(i64, i64),
    Score(ScoreRange),
    Lex(LexRange),
}

impl Bounds {
    pub(super) fn parse(by: By, min: &[u8], max: &[u8], version: Version) -> Result<Self, CommandError> {
        match by {
            By::Rank => Ok(Self::Rank(args::int(min)?, args::int(max)?)),
            By::Score => {
                let range = ScoreRange::parse(min, max, version);
                range.map(Self::Score).ok_or(CommandError::Line("ERR min or max is not a float".into()))
            }
            By::Lex => {
                let error = CommandError::Line("ERR min or max not valid string range item".into());
                LexRange::parse(min, max).map(Self::Lex).ok_or(error)
            }
        }
    }

    /// The ranks that lie within the bounds; ranks as bounds count from the end where `reverse`.
    pub(super) fn ranks(&self, set: &ZSetValue, reverse: bool) -> Range<usize> {
        match self {
            Self::Score(range) => set.ranks_by_score(range),
            Self::Lex(range) => set.ranks_by_lex(range, reverse, 0),
            Self::Rank(start, stop) => {
                let len = set.len();
                let ranks = index::resolve_range(*start, *stop, len);
                if reverse && !ranks.is_empty() { len - ranks.end..len - ranks.start } else { ranks }
            }
        }
    }
}

/// A range with its direction and LIMIT.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub bounds: Bounds,
    pub reverse: bool,
    /// Below zero: nothing lies there.
    pub offset: i64,
    /// Below zero: no limit.
    pub count: i64,
}

impl Span {
    /// The members in the span's direction.
    pub(super) fn members(&self, set: &ZSetValue) -> Vec<Scored> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let (Range { mut start, mut end }, offset) = match &self.bounds {
            Bounds::Lex(range) => (set.ranks_by_lex(range, self.reverse, offset), 0),
            bounds => (bounds.ranks(set, self.reverse), offset),
        };
        let offset = offset.min(end - start);
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let owned = |(member, score): (&Bytes, f64)| (member.clone(), score);
        if self.reverse {
            end -= offset;
            start = start.max(end.saturating_sub(count));
            set.iter_range(start..end).rev().map(owned).collect()
        } else {
            start += offset;
            end = end.min(start.saturating_add(count));
            set.iter_range(start..end).map(owned).collect()
        }
    }
}
