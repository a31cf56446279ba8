//! The bounds of score and text ranges: `(1`, `-inf`, `[a`, `(a`, `-`, `+`.

use crate::Bytes;
use crate::profile::Version;
use crate::value::number::parse_f64_bound;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBound {
    pub score: f64,
    pub is_exclusive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRange {
    pub min: ScoreBound,
    pub max: ScoreBound,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LexBound {
    Lowest,
    Highest,
    Inclusive(Bytes),
    Exclusive(Bytes),
}

#[derive(Clone, Debug, PartialEq)]
pub struct LexRange {
    pub min: LexBound,
    pub max: LexBound,
}

impl ScoreBound {
    /// None where the server answers `min or max is not a float`.
    pub fn parse(text: &[u8], version: Version) -> Option<Self> {
        let (is_exclusive, number) = match text {
            [b'(', number @ ..] => (true, number),
            number => (false, number),
        };
        let score = parse_f64_bound(number, version)?;
        Some(Self { score, is_exclusive })
    }

    pub(super) fn admits_from_below(self, score: f64) -> bool {
        if self.is_exclusive { score > self.score } else { score >= self.score }
    }

    pub(super) fn admits_from_above(self, score: f64) -> bool {
        if self.is_exclusive { score < self.score } else { score <= self.score }
    }
}

impl ScoreRange {
    pub fn parse(min: &[u8], max: &[u8], version: Version) -> Option<Self> {
        Some(Self { min: ScoreBound::parse(min, version)?, max: ScoreBound::parse(max, version)? })
    }
}

impl LexBound {
    /// None where the server answers `min or max not valid string range item`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        match text {
            b"-" => Some(Self::Lowest),
            b"+" => Some(Self::Highest),
            [b'[', member @ ..] => Some(Self::Inclusive(Bytes::from(member))),
            [b'(', member @ ..] => Some(Self::Exclusive(Bytes::from(member))),
            _ => None,
        }
    }

    pub(super) fn admits_from_below(&self, member: &[u8]) -> bool {
        match self {
            Self::Lowest => true,
            Self::Highest => false,
            Self::Inclusive(bound) => member >= bound.as_slice(),
            Self::Exclusive(bound) => member > bound.as_slice(),
        }
    }

    pub(super) fn admits_from_above(&self, member: &[u8]) -> bool {
        match self {
            Self::Lowest => false,
            Self::Highest => true,
            Self::Inclusive(bound) => member <= bound.as_slice(),
            Self::Exclusive(bound) => member < bound.as_slice(),
        }
    }
}

impl LexRange {
    /// True where no text can lie between the bounds.
    pub(super) fn is_empty(&self) -> bool {
        use LexBound::{Exclusive, Highest, Inclusive, Lowest};
        match (&self.min, &self.max) {
            (Inclusive(min), Inclusive(max)) => min > max,
            (Inclusive(min) | Exclusive(min), Inclusive(max) | Exclusive(max)) => min >= max,
            (Highest, _) | (_, Lowest) => true,
            _ => false,
        }
    }

    pub fn parse(min: &[u8], max: &[u8]) -> Option<Self> {
        Some(Self { min: LexBound::parse(min)?, max: LexBound::parse(max)? })
    }
}
