//! A key with its hash: the hash orders the keyspace, which gives SCAN its cursor.

use crate::Bytes;

/// SCAN cursors and the order of the keyspace have this many bits, so that a cursor is a short number.
const HASH_BITS: u32 = 48;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId {
    // First, so that comparing two keys mostly compares two numbers.
    hash: u64,
    key: Bytes,
}

impl KeyId {
    pub fn new(key: &Bytes) -> Self {
        Self { hash: hash(key), key: key.clone() }
    }

    /// Sorts before every key of this hash.
    pub fn first_of_hash(hash: u64) -> Self {
        Self { hash, key: Bytes::default() }
    }

    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub fn key(&self) -> &Bytes {
        &self.key
    }
}

/// Eight bytes at a time, multiply and fold. Deterministic on purpose: nobody can be harmed by
/// keys that collide, since the order below the hash is the order of the keys.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word).wrapping_mul((u128::from(MULTIPLIER) << 1) | 1);
        (product as u64) ^ ((product >> 64) as u64)
    };
    let mut chunks = bytes.chunks_exact(8);
    let mut state = mix(MULTIPLIER, bytes.len() as u64);
    for chunk in &mut chunks {
        state = mix(state, u64::from_le_bytes(chunk.try_into().expect("chunks of eight")));
    }
    let mut tail = [0; 8];
    tail[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    state = mix(state, u64::from_le_bytes(tail));
    // Zero is SCAN's "start" and "done", so no key hashes to it.
    (mix(state, MULTIPLIER) >> (64 - HASH_BITS)).max(1)
}
