//! The server's own source of "random" choices (RANDOMKEY, SPOP, eviction), fixed by its seed.

/// SplitMix64: one word of state, so that a snapshot carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(u64);

impl Default for Rng {
    fn default() -> Self {
        Self(0x5EED)
    }
}

impl Rng {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        #[cfg(test)]
        {
            self.0 = self.0.wrapping_add(crate::fault::from_outside());
        }
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A number below `bound`; zero where `bound` is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.word() % bound as u64) as usize }
    }
}
