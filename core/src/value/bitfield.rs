//! BITFIELD: integers of 1 to 64 bits anywhere in a string, with a rule for what does not fit.

use super::bits::{get_bit, set_bit};
use super::number::parse_i64;

/// Bit offsets stay below the bits of the longest string, 512 MB.
const OFFSET_END: i64 = 1 << 32;

/// `i1` to `i64` or `u1` to `u63`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    is_signed: bool,
    bits: u32,
}

/// What INCRBY and SET do with a value that does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    #[default]
    Wrap,
    Sat,
    Fail,
}

impl FieldType {
    /// None where the server answers `Invalid bitfield type`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (&sign, digits) = text.split_first()?;
        let is_signed = match sign {
            b'i' => true,
            b'u' => false,
            _ => return None,
        };
        let bits = parse_i64(digits)?;
        let most = if is_signed { 64 } else { 63 };
        (1..=most).contains(&bits).then_some(Self { is_signed, bits: bits as u32 })
    }

    /// Reads a bit offset, `#n` being the n-th field of this type. None where the server answers `bit offset is not an integer or out of range`.
    pub fn parse_offset(self, text: &[u8]) -> Option<u64> {
        let offset = match text {
            [b'#', number @ ..] => parse_i64(number)?.checked_mul(i64::from(self.bits))?,
            number => parse_i64(number)?,
        };
        (0..OFFSET_END).contains(&offset).then_some(offset as u64)
    }

    /// Bytes a string needs to hold the field at this offset: what a write grows it to, even one that FAILs.
    pub fn string_bytes(self, offset: u64) -> usize {
        (offset + u64::from(self.bits)).div_ceil(8) as usize
    }

    /// The field at a bit offset; bits beyond the end are 0.
    pub fn get(self, bytes: &[u8], offset: u64) -> i64 {
        let end = offset + u64::from(self.bits);
        let value =
            (offset..end).fold(0u64, |value, position| value << 1 | u64::from(get_bit(bytes, position)));
        self.wrap(i128::from(value))
    }

    /// Writes the lower bits of a value; grows the string as far as needed.
    pub fn set(self, bytes: &mut Vec<u8>, offset: u64, value: i64) {
        for at in 0..self.bits {
            set_bit(bytes, offset + u64::from(self.bits - 1 - at), value >> at & 1 == 1);
        }
    }

    /// SET: the value as it fits this type; None where OVERFLOW FAIL refuses it. For an unsigned type a negative value counts as huge.
    pub fn fit(self, value: i64, overflow: Overflow) -> Option<i64> {
        let wanted = if self.is_signed { i128::from(value) } else { i128::from(value as u64) };
        let (_, max) = self.limits();
        // The server takes the distance to the maximum in 64 bits; where that overflows it believes the value too big, not too small.
        let seems_too_big = self.is_signed && self.bits < 64 && max - wanted > i128::from(i64::MAX);
        if seems_too_big && overflow == Overflow::Sat {
            return Some(max as i64);
        }
        self.fit_exact(wanted, overflow)
    }

    /// INCRBY: the sum as it fits this type; None where OVERFLOW FAIL refuses it.
    pub fn add(self, value: i64, increment: i64, overflow: Overflow) -> Option<i64> {
        self.fit_exact(i128::from(value) + i128::from(increment), overflow)
    }

    fn fit_exact(self, wanted: i128, overflow: Overflow) -> Option<i64> {
        let (min, max) = self.limits();
        if (min..=max).contains(&wanted) {
            return Some(wanted as i64);
        }
        match overflow {
            Overflow::Wrap => Some(self.wrap(wanted)),
            Overflow::Sat => Some(wanted.clamp(min, max) as i64),
            Overflow::Fail => None,
        }
    }

    fn limits(self) -> (i128, i128) {
        if self.is_signed {
            let half = 1i128 << (self.bits - 1);
            (-half, half - 1)
        } else {
            (0, (1i128 << self.bits) - 1)
        }
    }

    /// The lower bits of a value, read as this type.
    fn wrap(self, value: i128) -> i64 {
        let low = value & ((1i128 << self.bits) - 1);
        let (_, max) = self.limits();
        (if low > max { low - (1i128 << self.bits) } else { low }) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str) -> FieldType {
        FieldType::parse(text.as_bytes()).expect("a type")
    }

    /// Answers of 7.0.15.
    #[test]
    fn what_does_not_fit_wraps_saturates_or_fails() {
        let check = |name: &str, value, increment, expected: [Option<i64>; 3]| {
            let rules = [Overflow::Wrap, Overflow::Sat, Overflow::Fail];
            assert_eq!(
                rules.map(|rule| field(name).add(value, increment, rule)),
                expected,
                "{name} {value} + {increment}"
            );
        };
        check("u2", 1, 3, [Some(0), Some(3), None]);
        check("i5", -1, 31, [Some(-2), Some(15), None]);
        check("i64", i64::MAX, 1, [Some(i64::MIN), Some(i64::MAX), None]);
        check("u63", 5, i64::MIN, [Some(5), Some(0), None]);
        check("i8", -128, i64::MIN, [Some(-128), Some(-128), None]);
        assert_eq!(field("u8").fit(-1, Overflow::Sat), Some(255));
        assert_eq!(field("i8").fit(200, Overflow::Wrap), Some(-56));
        assert_eq!(field("i8").fit(200, Overflow::Fail), None);
        assert_eq!(field("i62").fit(-7_532_080_035_169_175_132, Overflow::Sat), Some((1 << 61) - 1));
    }

    #[test]
    fn fields_lie_anywhere_and_grow_the_string() {
        let mut bytes = Vec::new();
        field("u4").set(&mut bytes, 6, 0b1011);
        assert_eq!(bytes, [0b10, 0b1100_0000]);
        assert_eq!((field("u4").get(&bytes, 6), field("i4").get(&bytes, 6)), (11, -5));
        assert_eq!(field("i64").get(&bytes, 1000), 0);
        assert_eq!(field("u2").string_bytes(1000), 126);
    }

    #[test]
    fn types_and_offsets_outside_are_refused() {
        for text in ["u64", "i65", "u0", "x8", "u", "", "u08", "u-1"] {
            assert_eq!(FieldType::parse(text.as_bytes()), None, "{text}");
        }
        let check =
            |text: &str, expected| assert_eq!(field("u8").parse_offset(text.as_bytes()), expected, "{text}");
        check("#2", Some(16));
        check("4294967295", Some(4_294_967_295));
        check("4294967296", None);
        check("#536870912", None);
        check("-1", None);
        check("#-1", None);
    }
}
