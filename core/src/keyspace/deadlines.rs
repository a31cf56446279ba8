//! Keys by the moment at which something about them is due.

use imbl::{OrdMap, OrdSet};

use super::KeyId;
use crate::clock::UnixMillis;

/// At most one moment for each key. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Deadlines {
    by_time: OrdSet<(UnixMillis, KeyId)>,
    by_key: OrdMap<KeyId, UnixMillis>,
}

impl Deadlines {
    /// Gives the key this moment in place of the one it had; None takes it away.
    pub(super) fn set(&mut self, key: &KeyId, at: Option<UnixMillis>) {
        if at.is_none() && self.by_key.is_empty() {
            return;
        }
        let before = match at {
            Some(at) => self.by_key.insert(key.clone(), at),
            None => self.by_key.remove(key),
        };
        if before == at {
            return;
        }
        if let Some(before) = before {
            self.by_time.remove(&(before, key.clone()));
        }
        if let Some(at) = at {
            self.by_time.insert((at, key.clone()));
        }
    }

    /// The key that is due first, and when.
    pub(super) fn first(&self) -> Option<(UnixMillis, &KeyId)> {
        self.by_time.get_min().map(|(at, key)| (*at, key))
    }

    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether it holds exactly these, by key and by time.
    pub(super) fn holds(&self, moments: impl Iterator<Item = (KeyId, UnixMillis)>) -> bool {
        let by_key: OrdMap<KeyId, UnixMillis> = moments.collect();
        let by_time: OrdSet<(UnixMillis, KeyId)> =
            by_key.iter().map(|(key, at)| (*at, key.clone())).collect();
        self.by_key == by_key && self.by_time == by_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    #[test]
    fn a_key_has_one_moment_and_the_soonest_comes_first() {
        let [a, b] = ["a", "b"].map(|key| KeyId::new(&Bytes::from(key)));
        let mut deadlines = Deadlines::default();
        deadlines.set(&a, Some(UnixMillis(5)));
        deadlines.set(&b, Some(UnixMillis(3)));
        deadlines.set(&a, Some(UnixMillis(1)));
        assert_eq!((deadlines.first(), deadlines.len()), (Some((UnixMillis(1), &a)), 2));
        deadlines.set(&a, None);
        deadlines.set(&b, Some(UnixMillis(3)));
        assert_eq!(deadlines.first(), Some((UnixMillis(3), &b)));
        deadlines.set(&b, None);
        assert_eq!(deadlines, Deadlines::default());
    }
}
