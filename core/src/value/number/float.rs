//! Text to double, as the server's C library reads it.

use crate::profile::Version;

/// Reads a float argument (scores, increments): the whole text, decimal or hexadecimal, `inf` in any case.
/// None for leading blanks, NaN, and what is too big or so small that it becomes zero.
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    let value = parse_whole(text)?;
    let spelled_infinite = || unsigned(text).is_some_and(|(_, digits)| is_infinity(digits));
    let spelled_zero = || {
        !text
            .iter()
            .take_while(|byte| !matches!(byte, b'e' | b'E' | b'p' | b'P'))
            .any(|byte| matches!(byte, b'1'..=b'9' | b'a'..=b'f' | b'A'..=b'F'))
    };
    let refused = (value.is_infinite() && !spelled_infinite()) || (value == 0.0 && !spelled_zero());
    (!refused).then_some(value)
}

/// Reads a bound of a score range, which is laxer: it ends at a NUL, nothing at all is 0, and what is too big is infinite.
/// Until 7.4 leading blanks and hexadecimal are fine as well.
pub fn parse_f64_bound(text: &[u8], version: Version) -> Option<f64> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Some(0.0);
    }
    if version >= FAST_FLOAT_SINCE {
        return if is_hexadecimal(text) { None } else { parse_whole(text) };
    }
    parse_whole(text.trim_ascii_start())
}

/// From here on the server reads bounds with another library, which knows decimal only.
const FAST_FLOAT_SINCE: Version = Version::V8_0;

fn parse_whole(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = unsigned(text)?;
    let magnitude = if is_infinity(digits) {
        f64::INFINITY
    } else if is_hexadecimal(text) {
        parse_hexadecimal(&digits[2..])?
    } else {
        parse_decimal(digits)?
    };
    Some(if is_negative { -magnitude } else { magnitude })
}

fn unsigned(text: &[u8]) -> Option<(bool, &[u8])> {
    match text {
        [] => None,
        [b'-', digits @ ..] => Some((true, digits)),
        [b'+', digits @ ..] => Some((false, digits)),
        digits => Some((false, digits)),
    }
}

fn is_infinity(digits: &[u8]) -> bool {
    digits.eq_ignore_ascii_case(b"inf") || digits.eq_ignore_ascii_case(b"infinity")
}

fn is_hexadecimal(text: &[u8]) -> bool {
    unsigned(text).is_some_and(|(_, digits)| matches!(digits, [b'0', b'x' | b'X', ..]))
}

fn parse_decimal(digits: &[u8]) -> Option<f64> {
    // Rust's own reading is as exact as C's; only words (inf, nan) have to be kept from it.
    let plain = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    let starts = matches!(digits, [b'0'..=b'9' | b'.', ..]);
    if !plain || !starts {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// `h.hhh` with an optional binary exponent `p±d`.
fn parse_hexadecimal(digits: &[u8]) -> Option<f64> {
    let exponent_at = digits.iter().position(|byte| matches!(byte, b'p' | b'P'));
    let (mantissa, exponent) = match exponent_at {
        Some(at) => (&digits[..at], std::str::from_utf8(&digits[at + 1..]).ok()?),
        None => (digits, "0"),
    };
    if !exponent.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut exponent: i64 = exponent.parse().ok()?;
    let (mut bits, mut seen_point, mut any, mut lost) = (0u64, false, false, false);
    for &byte in mantissa {
        if byte == b'.' && !seen_point {
            seen_point = true;
            continue;
        }
        let digit = char::from(byte).to_digit(16)?;
        any = true;
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
            exponent -= i64::from(seen_point) * 4;
        } else {
            lost |= digit != 0;
            exponent += i64::from(!seen_point) * 4;
        }
    }
    any.then(|| scale(bits | u64::from(lost), exponent))
}

/// bits × 2^exponent, rounded once.
fn scale(bits: u64, exponent: i64) -> f64 {
    let mut value = bits as f64;
    let mut left = exponent.clamp(-2400, 2400) as i32;
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        value *= 2f64.powi(step);
        left -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of 7.0.15 and 8.2.3 to ZADD.
    #[test]
    fn floats_are_read_as_the_server_reads_scores() {
        let check =
            |text: &str, expected: Option<f64>| assert_eq!(parse_f64(text.as_bytes()), expected, "{text:?}");
        check("1.5", Some(1.5));
        check("+1", Some(1.0));
        check(".5", Some(0.5));
        check("5.", Some(5.0));
        check("1E+5", Some(100_000.0));
        check("00012", Some(12.0));
        check("0x10", Some(16.0));
        check("-0x1.8p1", Some(-3.0));
        check("0x.8", Some(0.5));
        check("0e400", Some(0.0));
        check("4.9e-324", Some(4.9e-324));
        check("Inf", Some(f64::INFINITY));
        check("-infinity", Some(f64::NEG_INFINITY));
        for refused in [
            "", " 1", "1 ", "\t1", "nan", "infinit", "1e", "e5", "--1", "+-1", "1d", "0x", "1\0", "1_0",
            "1e400", "1e-400", ".", "+",
        ] {
            check(refused, None);
        }
    }

    /// Answers of 7.0.15 and 8.2.3 to ZCOUNT.
    #[test]
    fn bounds_are_read_more_laxly() {
        let check = |text: &str, old: Option<f64>, new: Option<f64>| {
            assert_eq!(parse_f64_bound(text.as_bytes(), Version::V7_0), old, "{text:?}");
            assert_eq!(parse_f64_bound(text.as_bytes(), Version::V8_2), new, "{text:?}");
        };
        check("", Some(0.0), Some(0.0));
        check("\x001", Some(0.0), Some(0.0));
        check("1\0x", Some(1.0), Some(1.0));
        check(" 1", Some(1.0), None);
        check("0x10", Some(16.0), None);
        check("1e400", Some(f64::INFINITY), Some(f64::INFINITY));
        check("1e-400", Some(0.0), Some(0.0));
        check("1 ", None, None);
        check("nan", None, None);
    }
}
