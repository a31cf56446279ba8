//! Strings as rows of bits: BITCOUNT, BITPOS, BITOP, SETBIT, GETBIT. Bit 0 is the highest bit of the first byte.

use std::ops::Range;

use super::index::{resolve_clamped_range, resolve_each_clamped};

/// What the start and end of BITCOUNT and BITPOS count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Byte,
    Bit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOp {
    And,
    Or,
    Xor,
    /// Of the first source only.
    Not,
    /// In the first source, in none of the others.
    Diff,
    /// In one of the others, not in the first.
    Diff1,
    /// In the first source and in one of the others.
    AndOr,
    /// In exactly one source.
    One,
}

/// GETBIT: beyond the end all bits are 0.
pub fn get_bit(bytes: &[u8], position: u64) -> bool {
    usize::try_from(position / 8)
        .ok()
        .and_then(|at| bytes.get(at))
        .is_some_and(|byte| byte & mask(position) != 0)
}

/// SETBIT: grows the string with zero bytes up to the bit, even to set it to 0. The old bit.
pub fn set_bit(bytes: &mut Vec<u8>, position: u64, bit: bool) -> bool {
    let old = get_bit(bytes, position);
    let at = (position / 8) as usize;
    if bytes.len() <= at {
        bytes.resize(at + 1, 0);
    }
    bytes[at] = if bit { bytes[at] | mask(position) } else { bytes[at] & !mask(position) };
    old
}

/// BITCOUNT: set bits between two inclusive signed indexes, or in all.
pub fn count_bits(bytes: &[u8], range: Option<(i64, i64, Unit)>) -> u64 {
    let bits = match range {
        Some((start, stop, unit)) => bit_range(bytes, start, stop, unit, resolve_clamped_range),
        None => 0..bytes.len() as u64 * 8,
    };
    let whole = bits.start.div_ceil(8)..bits.end / 8;
    if whole.is_empty() {
        return bits.filter(|&position| get_bit(bytes, position)).count() as u64;
    }
    let edges = (bits.start..whole.start * 8).chain(whole.end * 8..bits.end);
    let at_edges = edges.filter(|&position| get_bit(bytes, position)).count() as u64;
    let inner = &bytes[whole.start as usize..whole.end as usize];
    at_edges + inner.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>()
}

/// BITPOS: the first bit that is `bit`. A string without an end given counts as followed by zeros; None where the server answers -1.
pub fn find_bit(bytes: &[u8], bit: bool, start: i64, stop: Option<i64>, unit: Unit) -> Option<u64> {
    let bits = bit_range(bytes, start, stop.unwrap_or(-1), unit, resolve_each_clamped);
    if bits.is_empty() {
        return None;
    }
    let uniform = if bit { 0x00 } else { 0xff };
    let mut position = bits.start;
    while position < bits.end {
        let is_uniform_byte = position.is_multiple_of(8) && bytes[(position / 8) as usize] == uniform;
        if is_uniform_byte {
            position += 8;
        } else if get_bit(bytes, position) == bit {
            return Some(position);
        } else {
            position += 1;
        }
    }
    (!bit && stop.is_none()).then_some(bytes.len() as u64 * 8)
}

/// BITOP: as long as the longest source, the others filled with zeros.
pub fn bit_op(op: BitOp, sources: &[&[u8]]) -> Vec<u8> {
    let len = sources.iter().map(|source| source.len()).max().unwrap_or(0);
    (0..len)
        .map(|at| {
            let mut bytes = sources.iter().map(|source| source.get(at).copied().unwrap_or(0));
            let first = bytes.next().unwrap_or(0);
            match op {
                BitOp::And => bytes.fold(first, |all, byte| all & byte),
                BitOp::Or => bytes.fold(first, |any, byte| any | byte),
                BitOp::Xor => bytes.fold(first, |odd, byte| odd ^ byte),
                BitOp::Not => !first,
                BitOp::Diff => first & !bytes.fold(0, |any, byte| any | byte),
                BitOp::Diff1 => !first & bytes.fold(0, |any, byte| any | byte),
                BitOp::AndOr => first & bytes.fold(0, |any, byte| any | byte),
                BitOp::One => {
                    let (once, _) = bytes.fold((first, 0), |(once, often), byte| {
                        let often = often | (once & byte);
                        ((once | byte) & !often, often)
                    });
                    once
                }
            }
        })
        .collect()
}

fn mask(position: u64) -> u8 {
    0x80 >> (position % 8)
}

fn bit_range(bytes: &[u8], start: i64, stop: i64, unit: Unit, resolve: Resolve) -> Range<u64> {
    let bits_per_unit = match unit {
        Unit::Byte => 8,
        Unit::Bit => 1,
    };
    let range = resolve(start, stop, bytes.len() * 8 / bits_per_unit);
    (range.start * bits_per_unit) as u64..(range.end * bits_per_unit) as u64
}

type Resolve = fn(i64, i64, usize) -> Range<usize>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of 7.0.15.
    #[test]
    fn bitcount_reads_ranges_as_the_server_does() {
        let check = |start, stop, unit, expected| {
            assert_eq!(count_bits(b"foobar", Some((start, stop, unit))), expected, "{start} {stop} {unit:?}");
        };
        check(0, 0, Unit::Byte, 4);
        check(5, 3, Unit::Byte, 0);
        check(-2, -1, Unit::Byte, 7);
        check(-100, -50, Unit::Byte, 4);
        check(100, 200, Unit::Byte, 0);
        check(1, 1, Unit::Bit, 1);
        check(5, 30, Unit::Bit, 17);
        assert_eq!(count_bits(b"foobar", None), 26);
    }

    /// Answers of 7.0.15.
    #[test]
    fn bitpos_sees_zeros_behind_an_open_end_only() {
        let check = |bytes: &[u8], bit, start, stop, unit, expected| {
            assert_eq!(find_bit(bytes, bit, start, stop, unit), expected, "{bit} {start} {stop:?} {unit:?}");
        };
        check(b"\xff\xf0\x00", false, 0, None, Unit::Byte, Some(12));
        check(b"\xff\xf0\x00", true, 2, None, Unit::Byte, None);
        check(b"\xff\xf0\x00", false, 0, Some(0), Unit::Byte, None);
        check(b"\xff\xf0\x00", true, 7, Some(15), Unit::Bit, Some(7));
        check(b"\xff\xf0\x00", false, 7, Some(9), Unit::Bit, None);
        check(b"\xff\xf0\x00", false, 0, Some(12), Unit::Bit, Some(12));
        check(b"\xff\xff\xff", false, 0, None, Unit::Byte, Some(24));
        check(b"\xff\xff\xff", false, 0, Some(-1), Unit::Byte, None);
        check(b"\xff\xff\xff", false, 1, None, Unit::Byte, Some(24));
        check(b"\xff\xff\xff", false, 3, None, Unit::Byte, None);
        check(b"", false, 0, None, Unit::Byte, None);
        check(b"\x00\x20", false, -4, Some(-5), Unit::Byte, Some(0));
        check(b"\x00\x20", false, -1, Some(-2), Unit::Byte, None);
    }

    /// Answers of 8.2.3.
    #[test]
    fn bitop_fills_short_sources_with_zeros() {
        let check =
            |op, sources: &[&[u8]], expected: &[u8]| assert_eq!(bit_op(op, sources), expected, "{op:?}");
        let (b, z, f): (&[u8], &[u8], &[u8]) = (b"foobar", b"\xff\xf0\x00", b"\xff\xff\xff");
        check(BitOp::And, &[b, z], b"f`\0\0\0\0");
        check(BitOp::Diff, &[b, z], b"\x00\x0fobar");
        check(BitOp::Diff1, &[b, z], b"\x99\x90\0\0\0\0");
        check(BitOp::AndOr, &[b, z, f], b"foo\0\0\0");
        check(BitOp::One, &[b, z, f], b"\x00\x00\x90bar");
        check(BitOp::Not, &[z], b"\x00\x0f\xff");
    }

    #[test]
    fn setting_a_far_bit_grows_the_string() {
        let mut bytes = Vec::new();
        assert!(!set_bit(&mut bytes, 7, true));
        assert!(set_bit(&mut bytes, 7, true));
        assert!(!set_bit(&mut bytes, 17, false));
        assert_eq!(bytes, b"\x01\0\0");
    }
}
