//! Numbers as Redis reads and writes them.

mod bignum;
mod float;
mod format;
mod long_double;
mod shortest;

pub use float::{parse_f64, parse_f64_bound};
pub use format::{as_integer, format_f64, format_g, format_short, nan_text};
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

/// Reads an unsigned integer as stream IDs have it. What is no strict integer is read as C's `strtoull` does: blanks and a sign may
/// stand before it, zeros too, and a minus sign means the complement.
pub fn parse_u64(text: &[u8]) -> Option<u64> {
    if let Some(number) = parse_i64(text) {
        return u64::try_from(number).ok();
    }
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let blanks = text.iter().take_while(|byte| is_blank(byte)).count();
    let (is_negative, digits) = match &text[blanks..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: u64 = 0;
    for digit in digits {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    Some(if is_negative { value.wrapping_neg() } else { value })
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
