//! SHA-256, by which ACL passwords are kept.

/// The 64 hexadecimal digits of the digest, in lower case.
pub fn hex(bytes: &[u8]) -> String {
    digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn digest(bytes: &[u8]) -> [u8; 32] {
    // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    let constants = round_constants();
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut digest = [0; 32];
    for (place, word) in digest.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut words = [0u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes(bytes.try_into().expect("chunks of four"));
    }
    for index in 16..64 {
        let (far, near) = (words[index - 15], words[index - 2]);
        let first = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
        let second = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
        words[index] =
            words[index - 16].wrapping_add(first).wrapping_add(words[index - 7]).wrapping_add(second);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = h.wrapping_add(mixed).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let second = mixed.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (sum, word) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *sum = sum.wrapping_add(word);
    }
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
fn round_constants() -> [u32; 64] {
    let mut constants = [0; 64];
    let is_prime =
        |number: &u128| (2..*number).take_while(|by| by * by <= *number).all(|by| !number.is_multiple_of(by));
    for (constant, prime) in constants.iter_mut().zip((2u128..).filter(is_prime)) {
        *constant = cube_root(prime << 96) as u32;
    }
    constants
}

/// The largest whole number whose cube is not above `number`.
fn cube_root(number: u128) -> u128 {
    let mut root = 0;
    for bit in (0..40).rev() {
        let trial = root | 1 << bit;
        if trial * trial * trial <= number {
            root = trial;
        }
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digests() {
        for (text, expected) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("secret", "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"),
        ] {
            assert_eq!(hex(text.as_bytes()), expected);
        }
        assert_eq!(hex(&[b'a'; 200]).len(), 64);
    }
}
