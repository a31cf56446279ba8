//! Numbers as C's `strtod` reads them: decimal and hexadecimal, infinities and NaN, any prefix of a longer text.

/// The number at the start of `text` and its length, or nothing. Leading blanks are not skipped.
pub(super) fn parse(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let rest = &text[sign..];
    let (value, length) = match rest {
        [b'0', b'x' | b'X', digits @ ..] => match hexadecimal(digits) {
            Some((value, length)) => (value, length + 2),
            None => (0.0, 1),
        },
        _ if starts_with(rest, b"infinity") => (f64::INFINITY, 8),
        _ if starts_with(rest, b"inf") => (f64::INFINITY, 3),
        _ if starts_with(rest, b"nan") => (f64::NAN, 3 + payload_length(&rest[3..])),
        _ => decimal(rest)?,
    };
    // By its sign bit: a NaN has one too.
    Some((if negative { value.copysign(-1.0) } else { value.copysign(1.0) }, sign + length))
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// The length of `(chars)` behind a NaN.
fn payload_length(text: &[u8]) -> usize {
    let [b'(', inner @ ..] = text else { return 0 };
    let length = inner.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    if inner.get(length) == Some(&b')') { length + 2 } else { 0 }
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The length of an exponent with its letter; 0 if digits are missing.
fn exponent_length(text: &[u8], letter: u8) -> usize {
    if text.first().map(u8::to_ascii_lowercase) != Some(letter) {
        return 0;
    }
    let sign = usize::from(matches!(text.get(1), Some(b'-' | b'+')));
    match count_digits(&text[1 + sign..]) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

fn decimal(text: &[u8]) -> Option<(f64, usize)> {
    let whole = count_digits(text);
    let mut length = whole;
    if text.get(length) == Some(&b'.') {
        let fraction = count_digits(&text[length + 1..]);
        if whole + fraction > 0 {
            length += 1 + fraction;
        }
    }
    if length == 0 {
        return None;
    }
    length += exponent_length(&text[length..], b'e');
    let value = std::str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((value, length))
}

/// What follows `0x`.
fn hexadecimal(text: &[u8]) -> Option<(f64, usize)> {
    let mut mantissa: u64 = 0;
    let mut exponent: i64 = 0;
    let mut digits = 0;
    let mut point = None;
    let mut length = 0;
    for &byte in text {
        if byte == b'.' && point.is_none() {
            point = Some(length);
        } else if let Some(digit) = char::from(byte).to_digit(16) {
            digits += 1;
            if mantissa >> 60 == 0 {
                mantissa = mantissa << 4 | u64::from(digit);
                exponent -= if point.is_some() { 4 } else { 0 };
            } else {
                // Only whether anything is lost matters for rounding.
                mantissa |= u64::from(digit != 0);
                exponent += if point.is_some() { 0 } else { 4 };
            }
        } else {
            break;
        }
        length += 1;
    }
    if digits == 0 {
        return None;
    }
    let power = exponent_length(&text[length..], b'p');
    if power > 0 {
        let text = std::str::from_utf8(&text[length + 1..length + power]).ok()?;
        // Too many digits to count mean an exponent beyond all bounds.
        let limit = if text.starts_with('-') { -1_000_000_000 } else { 1_000_000_000 };
        exponent += text.parse().unwrap_or(limit).clamp(-1_000_000_000, 1_000_000_000);
        length += power;
    }
    Some((scale(mantissa, exponent), length))
}

/// `mantissa * 2^exponent`, rounded half to even once.
fn scale(mantissa: u64, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = i64::from(mantissa.leading_zeros());
    let (mantissa, exponent) = (mantissa << shift, exponent - shift);
    let leading = exponent + 63;
    if leading > 1023 {
        return f64::INFINITY;
    }
    // A subnormal number keeps fewer than 53 bits.
    let keep = if leading >= -1022 { 53 } else { 53 + leading + 1022 };
    if keep < 0 {
        return 0.0;
    }
    let dropped = (64 - keep) as u32;
    let wide = u128::from(mantissa);
    let (kept, rest, half) = ((wide >> dropped) as u64, wide & ((1 << dropped) - 1), 1u128 << (dropped - 1));
    let kept = if rest > half || rest == half && kept & 1 == 1 { kept + 1 } else { kept };
    let power = exponent + i64::from(dropped);
    let unit = if power >= -1022 {
        f64::from_bits(((power + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (power + 1074))
    };
    kept as f64 * unit
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn numbers_are_read_as_strtod_reads_them() {
        let check = |text: &str, value: f64, length: usize| {
            assert_eq!(parse(text.as_bytes()), Some((value, length)), "{text}");
        };
        check("1.5x", 1.5, 3);
        check("-1e", -1.0, 2);
        check("1e+5]", 1e5, 4);
        check(".5", 0.5, 2);
        check("1.", 1.0, 2);
        check("0x", 0.0, 1);
        check("0x1.8p3", 12.0, 7);
        check("0x1p-1074", 5e-324, 9);
        check("0x0.8p-1074", 0.0, 11);
        check("0x1.8p-1074", 1e-323, 11);
        check("0x1p1024", f64::INFINITY, 8);
        check("0x1.fffffffffffff8p0", 2.0, 20);
        check("0x123456789abcdef01234", 8.596805828370696e22, 22);
        check("infinit", f64::INFINITY, 3);
        check("-Infinity", f64::NEG_INFINITY, 9);
        assert_eq!(parse(b"-"), None);
        assert_eq!(parse(b"."), None);
        assert!(parse(b"-nan(12)").is_some_and(|(value, length)| value.is_sign_negative() && length == 8));
        assert!(parse(b"nan(-)").is_some_and(|(value, length)| value.is_nan() && length == 3));
    }
}
