//! Exact numbers of schedules, which outgrow every machine word: two clients of a hundred steps have 10^58.

use std::fmt;

/// A number of schedules. Only ever added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    small: u128,
    /// What does not fit: limbs of 128 bits, the lowest first.
    carried: Vec<u128>,
}

impl Count {
    pub const ZERO: Self = Self { small: 0, carried: Vec::new() };
    pub const ONE: Self = Self { small: 1, carried: Vec::new() };

    pub fn add(&mut self, other: &Self) {
        let mut carry;
        (self.small, carry) = self.small.overflowing_add(other.small);
        let limbs = self.carried.len().max(other.carried.len());
        if !carry && limbs == 0 {
            return;
        }
        self.carried.resize(limbs, 0);
        for (at, limb) in self.carried.iter_mut().enumerate() {
            let (sum, over) = limb.overflowing_add(other.carried.get(at).copied().unwrap_or(0));
            let (sum, over_again) = sum.overflowing_add(u128::from(carry));
            (*limb, carry) = (sum, over || over_again);
        }
        if carry {
            self.carried.push(1);
        }
    }

    /// None where it is larger.
    pub fn to_u128(&self) -> Option<u128> {
        self.carried.is_empty().then_some(self.small)
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// About how much of a whole this is, from 0 to 1.
    pub fn share_of(&self, whole: &Self) -> f64 {
        let top = whole.carried.len();
        if top == 0 {
            return if whole.small == 0 { 0.0 } else { self.small as f64 / whole.small as f64 };
        }
        // The two highest limbs of the whole decide.
        let about = |count: &Self| {
            let limb = |at: usize| match at {
                0 => count.small,
                at => count.carried.get(at - 1).copied().unwrap_or(0),
            };
            limb(top) as f64 + limb(top - 1) as f64 / 2f64.powi(128)
        };
        about(self) / about(whole)
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(small) = self.to_u128() {
            return write!(f, "{small}");
        }
        // Long division by a billion, limbs of 32 bits.
        let limbs = std::iter::once(&self.small).chain(&self.carried);
        let mut words: Vec<u32> =
            limbs.flat_map(|limb| (0..4).map(move |at| (limb >> (32 * at)) as u32)).collect();
        let mut groups = Vec::new();
        while words.iter().any(|word| *word != 0) {
            let mut rest = 0u64;
            for word in words.iter_mut().rev() {
                let value = rest << 32 | u64::from(*word);
                (*word, rest) = ((value / 1_000_000_000) as u32, value % 1_000_000_000);
            }
            groups.push(rest);
        }
        write!(f, "{}", groups.pop().unwrap_or(0))?;
        groups.iter().rev().try_for_each(|group| write!(f, "{group:09}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row n of Pascal's triangle, from sums alone.
    fn row(n: usize) -> Vec<Count> {
        let mut row = vec![Count::ONE];
        for _ in 0..n {
            let mut next = row.clone();
            next.push(Count::ZERO);
            for (at, count) in row.iter().enumerate() {
                next[at + 1].add(count);
            }
            row = next;
        }
        row
    }

    #[test]
    fn numbers_of_any_size_are_exact() {
        let middle = |n: usize| row(n)[n / 2].to_string();
        assert_eq!(middle(4), "6");
        assert_eq!(middle(100), "100891344545564193334812497256");
        assert_eq!(middle(200), "90548514656103281165404177077484163874504589675413336841320");
        assert_eq!(Count::ZERO.to_string(), "0");
    }

    #[test]
    fn shares_add_up_to_one() {
        for n in [4, 200, 600] {
            let row = row(n);
            let mut whole = Count::ZERO;
            row.iter().for_each(|count| whole.add(count));
            let sum: f64 = row.iter().map(|count| count.share_of(&whole)).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{n}: {sum}");
        }
    }
}
