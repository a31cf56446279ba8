//! Double to text, in the forms that the server, Lua and C give.

use super::shortest;
use crate::profile::Version;

/// A score or double as replies carry it: the short form since 7.2, `%.17g` before. `inf`, `-inf`, `nan`.
pub fn format_f64(value: f64, version: Version) -> String {
    if version < Version::V7_2 { format_g(value, 17) } else { format_short(value) }
}

/// The text of servers since 7.2: integers up to 2^62 in full, else few digits that read back as the same double.
pub fn format_short(value: f64) -> String {
    if !value.is_finite() {
        return not_finite(value).to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value == 0.0 {
        return format!("{sign}0");
    }
    if let Some(integer) = as_integer(value) {
        return integer.to_string();
    }
    let shortest::Digits { digits, exponent } = shortest::digits(value.abs());
    let digits: String = digits.iter().map(|digit| char::from(b'0' + digit)).collect();
    format!("{sign}{}", lay_out_short(&digits, exponent))
}

/// The integer that a score is kept as: beyond 2^62, and beyond its negative, integers count as doubles.
pub fn as_integer(value: f64) -> Option<i64> {
    const INTEGER_MAX: f64 = 4_611_686_018_427_387_904.0;
    (value.abs() <= INTEGER_MAX && value.fract() == 0.0).then_some(value as i64)
}

/// digits × 10^exponent, plain where that is not much longer than with an exponent.
fn lay_out_short(digits: &str, exponent: i32) -> String {
    let len = digits.len() as i32;
    let leading = exponent + len - 1;
    if exponent >= 0 && leading.abs() < len + 7 {
        return format!("{digits}{}", "0".repeat(exponent as usize));
    }
    if exponent < 0 && (exponent > -7 || leading.abs() < 4) {
        return match usize::try_from(len + exponent) {
            Ok(point) if point > 0 => format!("{}.{}", &digits[..point], &digits[point..]),
            _ => format!("0.{}{digits}", "0".repeat((-exponent - len) as usize)),
        };
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    let sign = if leading < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{}", leading.abs())
}

/// C's `%.{precision}g`: at most `precision` (at least 1) significant digits, no trailing zeros.
/// Lua's `tostring` and cjson use 14, servers before 7.2 use 17.
///
/// Of not-a-number, the sign shows.
pub fn format_g(value: f64, precision: usize) -> String {
    if value.is_nan() {
        return nan_text(value).to_owned();
    }
    if value.is_infinite() {
        return not_finite(value).to_owned();
    }
    let scientific = format!("{value:.*e}", precision - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    if (-4..precision as i32).contains(&exponent) {
        let decimals = (precision as i32 - 1 - exponent) as usize;
        return without_trailing_zeros(&format!("{value:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.abs())
}

/// Not-a-number as C prints it on the servers' processors, where 0/0 and inf-inf have the sign bit set. Other processors, on
/// which a browser may run this, leave it clear.
pub fn nan_text(value: f64) -> &'static str {
    let zero = std::hint::black_box(0.0_f64);
    let made_here = (zero / std::hint::black_box(0.0)).is_sign_negative();
    if value.is_sign_negative() == made_here { "-nan" } else { "nan" }
}

pub(super) fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn not_finite(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "inf",
        f64::NEG_INFINITY => "-inf",
        _ => "nan",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores as ZSCORE showed them at 7.0.15 and 8.2.3.
    #[test]
    fn scores_are_printed_as_the_server_does() {
        let check = |value: f64, old: &str, new: &str| {
            assert_eq!(format_f64(value, Version::V7_0), old);
            assert_eq!(format_f64(value, Version::V8_2), new);
        };
        check(3.0, "3", "3");
        check(-0.0, "-0", "-0");
        check(0.1, "0.10000000000000001", "0.1");
        check(1e16, "10000000000000000", "10000000000000000");
        check(1e17, "1e+17", "100000000000000000");
        check(1e20, "1e+20", "1e+20");
        check(9e18, "9e+18", "9e+18");
        check(123e20, "1.2300000000000001e+22", "12300000000000001000000");
        check(1e-5, "1.0000000000000001e-05", "0.00001");
        check(1e-7, "9.9999999999999995e-08", "1e-7");
        check(0.0001234, "0.00012339999999999999", "1.234e-4");
        check(0.00012, "0.00012", "0.00012");
        check(5e-324, "4.9406564584124654e-324", "5e-324");
        check(f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308");
        check(4611686018427387904.0, "4.6116860184273879e+18", "4611686018427387904");
        check(9223372036854775807.0, "9.2233720368547758e+18", "9223372036854776000");
        check(f64::NEG_INFINITY, "-inf", "-inf");
    }

    /// Where Grisu2 does not find the shortest text, 8.2.3 shows a longer one.
    #[test]
    fn the_servers_own_imperfections_are_kept() {
        let check = |value: f64, text: &str| assert_eq!(format_short(value), text);
        check(629072.19902, "6.290721990199999e+5");
        check(4933.549982, "4933.5499820000005");
        check(91.678998, "91.67899800000001");
        check(2153608363.87026, "2.1536083638702598e+9");
        check(7.71048, "7.7104799999999996");
        check(5.6041205510246425e44, "5.6041205510246426e+44");
    }

    #[test]
    fn lua_shows_fourteen_digits() {
        let check = |value: f64, text: &str| assert_eq!(format_g(value, 14), text);
        check(9007199254740992.0, "9.007199254741e+15");
        check(0.1, "0.1");
        check(1.0 / 3.0, "0.33333333333333");
        check(100.0, "100");
        check(1e14, "1e+14");
        check(99999999999999.9, "1e+14");
        check(-0.0, "-0");
        check(1e-5, "1e-05");
    }
}
