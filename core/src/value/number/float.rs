//! Text to double, as the server's C library reads it.

use crate::profile::Version;

/// Reads a float argument (scores, increments): the whole text, decimal or hexadecimal, `inf` in any case.
/// None for leading blanks, NaN, and what is too big or so small that it becomes zero.
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    let value = parse_whole(text)?;
    let is_refused = match spelling(text)?.1 {
        Spelling::Infinity => false,
        Spelling::Decimal(digits) => {
            value.is_infinite() || (value == 0.0 && !is_zero(&decimal_parts(digits)?.0))
        }
        Spelling::Hexadecimal(digits) => {
            value.is_infinite() || (value == 0.0 && hexadecimal_parts(digits)?.0 != 0)
        }
    };
    (!is_refused).then_some(value)
}

fn is_zero(digits: &[u8]) -> bool {
    digits.iter().all(|&digit| digit == b'0')
}

/// Reads a bound of a score range, which is laxer: it ends at a NUL, nothing at all is 0, and what is too big is infinite.
/// Until 7.4 leading blanks and hexadecimal are fine as well.
pub fn parse_f64_bound(text: &[u8], version: Version) -> Option<f64> {
    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Some(0.0);
    }
    if version >= FAST_FLOAT_SINCE {
        let is_hexadecimal = matches!(spelling(text)?.1, Spelling::Hexadecimal(_));
        return if is_hexadecimal { None } else { parse_whole(text) };
    }
    parse_whole(text.trim_ascii_start())
}

/// From here on the server reads bounds with another library, which knows decimal only.
const FAST_FLOAT_SINCE: Version = Version::V8_0;

/// What stands behind the sign.
pub(super) enum Spelling<'a> {
    Infinity,
    /// Not yet known to be well-formed.
    Decimal(&'a [u8]),
    /// What follows the `0x`, not yet known to be well-formed.
    Hexadecimal(&'a [u8]),
}

/// Splits off the sign: whether it is a minus, and what follows.
pub(super) fn spelling(text: &[u8]) -> Option<(bool, Spelling<'_>)> {
    let (is_negative, digits) = match text {
        [] => return None,
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let spelling = match digits {
        [b'0', b'x' | b'X', hexadecimal @ ..] => Spelling::Hexadecimal(hexadecimal),
        digits if digits.eq_ignore_ascii_case(b"inf") || digits.eq_ignore_ascii_case(b"infinity") => {
            Spelling::Infinity
        }
        digits => Spelling::Decimal(digits),
    };
    Some((is_negative, spelling))
}

/// The digits of `d.ddd` with an optional exponent `e±d`, and the power of ten that scales them.
pub(super) fn decimal_parts(text: &[u8]) -> Option<(Vec<u8>, i64)> {
    let (mantissa, exponent) = split_exponent(text, b'e')?;
    let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
    let decimals = mantissa.get(point + 1..).unwrap_or_default();
    let digits = [&mantissa[..point], decimals].concat();
    let well_formed = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    well_formed.then_some((digits, exponent - decimals.len() as i64))
}

/// The bits of `h.hhh` with an optional binary exponent `p±d`, whether more bits were cut off, and the power of two that scales them.
pub(super) fn hexadecimal_parts(text: &[u8]) -> Option<(u128, bool, i32)> {
    let (mantissa, mut exponent) = split_exponent(text, b'p')?;
    let (mut bits, mut is_inexact, mut after_point, mut any) = (0u128, false, false, false);
    for &byte in mantissa {
        if byte == b'.' && !after_point {
            after_point = true;
            continue;
        }
        let digit = char::from(byte).to_digit(16)?;
        any = true;
        let has_room = bits >> 100 == 0;
        if has_room {
            bits = bits << 4 | u128::from(digit);
        } else {
            is_inexact |= digit != 0;
        }
        exponent += 4 * (i64::from(!has_room) - i64::from(after_point));
    }
    any.then(|| (bits, is_inexact, exponent.clamp(-100_000, 100_000) as i32))
}

/// Cuts off an exponent behind a letter in either case; 0 when there is none. A huge one is cut to what certainly overflows.
fn split_exponent(text: &[u8], letter: u8) -> Option<(&[u8], i64)> {
    let Some(at) = text.iter().position(|byte| byte.to_ascii_lowercase() == letter) else {
        return Some((text, 0));
    };
    let (is_negative, digits) = match &text[at + 1..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value =
        digits.iter().fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(1_000_000));
    Some((&text[..at], if is_negative { -value } else { value }))
}

fn parse_whole(text: &[u8]) -> Option<f64> {
    let (is_negative, spelling) = spelling(text)?;
    let magnitude = match spelling {
        Spelling::Infinity => f64::INFINITY,
        Spelling::Decimal(digits) => {
            decimal_parts(digits)?;
            // Rust's own reading of well-formed decimals is as exact as C's.
            std::str::from_utf8(digits).ok()?.parse().ok()?
        }
        Spelling::Hexadecimal(digits) => {
            let (bits, is_inexact, exponent) = hexadecimal_parts(digits)?;
            scale(bits | u128::from(is_inexact), exponent)
        }
    };
    Some(if is_negative { -magnitude } else { magnitude })
}

/// bits × 2^exponent, rounded once but for what becomes subnormal.
fn scale(bits: u128, exponent: i32) -> f64 {
    const STEP_MAX: i32 = 1000;
    let mut value = bits as f64;
    let mut left = exponent.clamp(-3 * STEP_MAX, 3 * STEP_MAX);
    while left != 0 {
        let step = left.clamp(-STEP_MAX, STEP_MAX);
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
