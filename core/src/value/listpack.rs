//! The listpack format: what an element takes in it.

use super::number::parse_i64;

/// Bytes of a listpack without elements: total size, length and end mark.
pub const EMPTY_BYTES: usize = 7;

/// Bytes that an element takes, with its length marks.
pub fn element_bytes(element: &[u8]) -> usize {
    let encoded = match parse_i64(element) {
        Some(number) => integer_bytes(number),
        None => match element.len() {
            0..=63 => 1 + element.len(),
            64..=4095 => 2 + element.len(),
            len => 5 + len,
        },
    };
    encoded + back_length_bytes(encoded)
}

/// Bytes that an integer takes as an element.
pub fn integer_element_bytes(number: i64) -> usize {
    let encoded = integer_bytes(number);
    encoded + back_length_bytes(encoded)
}

fn integer_bytes(number: i64) -> usize {
    match number {
        0..=127 => 1,
        -4096..=4095 => 2,
        -32_768..=32_767 => 3,
        -8_388_608..=8_388_607 => 4,
        -2_147_483_648..=2_147_483_647 => 5,
        _ => 9,
    }
}

/// Bytes of the length that stands behind an element so that the list can be walked backwards.
pub fn back_length_bytes(encoded: usize) -> usize {
    match encoded {
        0..=127 => 1,
        128..=16_382 => 2,
        16_383..=2_097_150 => 3,
        2_097_151..=268_435_454 => 4,
        _ => 5,
    }
}
