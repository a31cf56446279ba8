//! Random picks from a collection: HRANDFIELD, SRANDMEMBER, ZRANDMEMBER and SPOP.

use std::collections::BTreeSet;

use crate::Bytes;
use crate::error::CommandError;
use crate::limits::DRAWN_MAX;
use crate::state::Rng;

use super::args;

/// How many to pick: so many different ones, or so many with repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    Distinct(usize),
    Repeated(usize),
}

impl Count {
    /// A negative count stands for picks with repetition.
    pub(super) fn parse(argument: &[u8]) -> Result<Self, CommandError> {
        let count = args::int(argument)?;
        let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
        match count {
            i64::MIN => Err(CommandError::NotNegatable),
            0.. => Ok(Self::Distinct(size)),
            _ => Ok(Self::Repeated(size)),
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Distinct(size) | Self::Repeated(size) => size,
        }
    }

    /// Positions below `len`; different ones come in ascending order.
    pub(super) fn draw(self, len: usize, rng: &mut Rng) -> Result<Vec<usize>, CommandError> {
        match self {
            _ if len == 0 => Ok(Vec::new()),
            Self::Distinct(count) if count >= len => Ok((0..len).collect()),
            Self::Distinct(count) => Ok(distinct(count, len, rng)),
            Self::Repeated(count) if count > DRAWN_MAX => Err(CommandError::TooManyDrawn),
            Self::Repeated(count) => Ok((0..count).map(|_| rng.below(len)).collect()),
        }
    }
}

fn distinct(count: usize, len: usize, rng: &mut Rng) -> Vec<usize> {
    // The fewer are left to be drawn: those that stay, or those that go.
    let few = count.min(len - count);
    let mut drawn = BTreeSet::new();
    while drawn.len() < few {
        drawn.insert(rng.below(len));
    }
    if few == count {
        drawn.into_iter().collect()
    } else {
        (0..len).filter(|at| !drawn.contains(at)).collect()
    }
}

/// `[count [word]]` behind the key: None where one element is asked for. The word asks for values or scores too.
pub(super) fn options(options: &[Bytes], word: &str) -> Result<Option<(Count, bool)>, CommandError> {
    let [count, rest @ ..] = options else { return Ok(None) };
    let count = Count::parse(count)?;
    let with_values = match rest {
        [] => false,
        [option] if args::is(option, word) => true,
        _ => return Err(CommandError::Syntax),
    };
    if with_values && count.size() > i64::MAX as usize / 2 {
        return Err(CommandError::OutOfRange);
    }
    Ok(Some((count, with_values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_picks_are_distinct_and_in_order() {
        let mut rng = Rng::default();
        for count in 0..12 {
            let drawn = Count::Distinct(count).draw(10, &mut rng).expect("not too many");
            assert_eq!(drawn.len(), count.min(10));
            assert!(drawn.windows(2).all(|pair| pair[0] < pair[1]), "{drawn:?}");
        }
    }

    #[test]
    fn every_position_is_drawn_about_as_often() {
        let mut rng = Rng::default();
        for count in [Count::Repeated(7), Count::Distinct(3), Count::Distinct(7)] {
            let mut hits = [0; 10];
            for _ in 0..2000 {
                count.draw(10, &mut rng).expect("not too many").into_iter().for_each(|at| hits[at] += 1);
            }
            let expected = 200 * count.size();
            assert!(hits.iter().all(|&hit| hit * 10 > expected * 8 && hit * 10 < expected * 12), "{hits:?}");
        }
    }

    #[test]
    fn a_reply_without_bound_is_refused() {
        let drawn = Count::Repeated(usize::MAX / 4).draw(1, &mut Rng::default());
        assert_eq!(drawn, Err(CommandError::TooManyDrawn));
        assert_eq!(Count::Repeated(usize::MAX).draw(0, &mut Rng::default()), Ok(vec![]));
    }
}
