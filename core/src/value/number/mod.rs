//! Numbers as Redis reads and writes them.

mod bignum;
mod float;
mod format;
mod long_double;
mod shortest;

pub use float::{parse_f64, parse_f64_bound};
pub use format::{format_f64, format_g, format_short};
pub use long_double::LongDouble;

/// Reads an integer as strictly as Redis does: no blanks, no plus sign, no leading zeros, no `-0`, within i64.
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    const DIGITS_MAX: usize = 20;
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] => return (!negative).then_some(0),
        [b'1'..=b'9', ..] if text.len() <= DIGITS_MAX => {}
        _ => return None,
    }
    let mut value: i64 = 0;
    for &digit in digits {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        // Counted below zero, for i64::MIN has no positive counterpart.
        value = value.checked_mul(10)?.checked_sub(digit)?;
    }
    if negative { Some(value) } else { value.checked_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_strictly() {
        let check = |text: &str, expected| assert_eq!(parse_i64(text.as_bytes()), expected, "{text:?}");
        check("0", Some(0));
        check("-1", Some(-1));
        check("9223372036854775807", Some(i64::MAX));
        check("-9223372036854775808", Some(i64::MIN));
        for refused in [
            "",
            "-",
            "-0",
            "+1",
            "01",
            " 1",
            "1 ",
            "0x1",
            "1.0",
            "9223372036854775808",
            "-9223372036854775809",
            "1e3",
            "00",
        ] {
            check(refused, None);
        }
    }
}
