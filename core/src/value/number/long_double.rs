//! The 80-bit float of x86, in which INCRBYFLOAT and HINCRBYFLOAT count: 64 bits of precision, rounded half to even.
//!
//! Sums and their text agree with the server's to the last digit. Numbers below 2^-16382 keep full precision here, which no text can show.

use super::bignum::Natural;
use super::float::{self, Spelling};
use super::format::without_trailing_zeros;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LongDouble {
    is_negative: bool,
    magnitude: Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Magnitude {
    Zero,
    /// mantissa × 2^exponent; the mantissa's highest bit is set.
    Finite {
        mantissa: u64,
        exponent: i32,
    },
    Infinite,
    NotANumber,
}

/// Exponents of the mantissa's lowest bit.
const EXPONENT_MAX: i32 = 16383 - 63;
const EXPONENT_SMALLEST: i32 = -16445;
/// A longer text is refused unread.
const TEXT_BYTES_MAX: usize = 5119;

impl LongDouble {
    pub const ZERO: Self = Self { is_negative: false, magnitude: Magnitude::Zero };

    /// Reads a whole text, decimal or hexadecimal, `inf` in any case.
    /// None for leading blanks, NaN, and what is too big or so small that it becomes zero.
    pub fn parse(text: &[u8]) -> Option<Self> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let (is_negative, spelling) = float::spelling(text)?;
        let magnitude = match spelling {
            Spelling::Infinity => Magnitude::Infinite,
            Spelling::Decimal(digits) => parse_decimal(digits)?,
            Spelling::Hexadecimal(digits) => {
                let (mantissa, is_inexact, exponent) = float::hexadecimal_parts(digits)?;
                round(mantissa, is_inexact, exponent)?
            }
        };
        Some(Self { is_negative, magnitude })
    }

    pub fn is_finite(self) -> bool {
        matches!(self.magnitude, Magnitude::Zero | Magnitude::Finite { .. })
    }

    /// As seconds: whole milliseconds, rounded up after the product was rounded to 64 bits. What does not fit is cut to the limits of i128.
    pub fn seconds_to_millis(self) -> i128 {
        let scaled = match self.magnitude {
            Magnitude::Zero | Magnitude::NotANumber => return 0,
            Magnitude::Finite { mantissa, exponent } => round(u128::from(mantissa) * 1000, false, exponent),
            Magnitude::Infinite => None,
        };
        let limit = if self.is_negative { i128::MIN } else { i128::MAX };
        // 2^62 times 64 bits still fit.
        let Some(Magnitude::Finite { mantissa, exponent: exponent @ ..=62 }) = scaled else { return limit };
        let mantissa = i128::from(mantissa);
        let signed = if self.is_negative { -mantissa } else { mantissa };
        match u32::try_from(-exponent) {
            // Rounded down where negated, thus up.
            Ok(shift) => -(-signed >> shift.min(127)),
            Err(_) => signed << exponent,
        }
    }

    /// The text of the server's human-readable form: `%.17Lf` without trailing zeros.
    pub fn to_text(self) -> String {
        let digits = match self.magnitude {
            Magnitude::Zero => "0".to_owned(),
            Magnitude::Infinite => "inf".to_owned(),
            Magnitude::NotANumber => "nan".to_owned(),
            Magnitude::Finite { mantissa, exponent } if exponent >= 0 => {
                let mut natural = Natural::from_u64(mantissa);
                natural.shift_left(exponent as u32);
                natural.to_decimal()
            }
            Magnitude::Finite { mantissa, exponent } => with_seventeen_decimals(mantissa, -exponent as u32),
        };
        if self.is_negative && digits != "0" { format!("-{digits}") } else { digits }
    }
}

impl std::ops::Add for LongDouble {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        use Magnitude::{Finite, Infinite, NotANumber, Zero};
        match (self.magnitude, other.magnitude) {
            (NotANumber, _) | (_, Zero) => self,
            (_, NotANumber) | (Zero, _) => other,
            (Infinite, Infinite) if self.is_negative != other.is_negative => {
                Self { is_negative: false, magnitude: NotANumber }
            }
            (Infinite, _) => self,
            (_, Infinite) => other,
            (Finite { mantissa: a, exponent: a_exponent }, Finite { mantissa: b, exponent: b_exponent }) => {
                let is_difference = self.is_negative != other.is_negative;
                let (a, b) = ((a_exponent, a), (b_exponent, b));
                let (big, small, is_negative) =
                    if a >= b { (a, b, self.is_negative) } else { (b, a, other.is_negative) };
                let magnitude = add_magnitudes(big, small, is_difference);
                Self { is_negative: is_negative && magnitude != Zero, magnitude }
            }
        }
    }
}

impl From<f64> for LongDouble {
    fn from(value: f64) -> Self {
        let is_negative = value.is_sign_negative();
        let magnitude = if value.is_nan() {
            Magnitude::NotANumber
        } else if value.is_infinite() {
            Magnitude::Infinite
        } else {
            let bits = value.to_bits();
            let fraction = bits & ((1 << 52) - 1);
            let (mantissa, exponent) = match (bits >> 52 & 0x7ff) as i32 {
                0 => (fraction, -1074),
                biased => (fraction | 1 << 52, biased - 1075),
            };
            round(u128::from(mantissa), false, exponent).unwrap_or(Magnitude::Zero)
        };
        Self { is_negative, magnitude }
    }
}

/// big ± small. The sum is exact but for what lies more than 64 bits below the bigger one, which only decides the rounding.
fn add_magnitudes(
    (exponent, big): (i32, u64),
    (small_exponent, small): (i32, u64),
    is_difference: bool,
) -> Magnitude {
    /// Room below the bigger mantissa, so that a difference that loses a leading bit still knows enough to round.
    const ROOM: u32 = 62;
    let big = u128::from(big) << ROOM;
    let distance = (exponent - small_exponent) as u32;
    let (small, is_inexact) = if distance <= ROOM {
        (u128::from(small) << (ROOM - distance), false)
    } else {
        let right = (distance - ROOM).min(127);
        let small = u128::from(small);
        (small >> right, small & ((1 << right) - 1) != 0)
    };
    let sum = if is_difference { big - small - u128::from(is_inexact) } else { big + small };
    match round(sum, is_inexact, exponent - ROOM as i32) {
        Some(magnitude) => magnitude,
        None if sum == 0 => Magnitude::Zero,
        None => Magnitude::Infinite,
    }
}

/// bits × 2^exponent (and a little more if inexact) in 64 bits. None when it is too big, or too small yet not zero.
fn round(bits: u128, is_inexact: bool, exponent: i32) -> Option<Magnitude> {
    if bits == 0 {
        return (!is_inexact).then_some(Magnitude::Zero);
    }
    let excess = 64 - bits.leading_zeros() as i32;
    let mut exponent = exponent.checked_add(excess)?;
    let mut mantissa = if excess <= 0 { (bits << -excess) as u64 } else { (bits >> excess) as u64 };
    if excess > 0 {
        let half = 1u128 << (excess - 1);
        let cut = bits & ((half << 1) - 1);
        let up = cut > half || (cut == half && (is_inexact || mantissa & 1 == 1));
        if up {
            let (rounded, overflowed) = mantissa.overflowing_add(1);
            mantissa = if overflowed { 1 << 63 } else { rounded };
            exponent += i32::from(overflowed);
        }
    }
    let is_too_big = exponent > EXPONENT_MAX;
    let is_too_small =
        exponent + 64 < EXPONENT_SMALLEST || (exponent + 64 == EXPONENT_SMALLEST && mantissa <= 1 << 63);
    (!is_too_big && !is_too_small).then_some(Magnitude::Finite { mantissa, exponent })
}

fn parse_decimal(digits: &[u8]) -> Option<Magnitude> {
    let (digits, mut exponent) = float::decimal_parts(digits)?;
    let digits_len = digits.iter().skip_while(|&&digit| digit == b'0').count() as i64;
    let mut numerator = Natural::from_digits(digits.into_iter());
    if numerator.is_zero() {
        return Some(Magnitude::Zero);
    }
    /// Beyond ten to this power everything overflows or vanishes.
    const DECIMAL_EXPONENT_MAX: i64 = 5000;
    if (exponent + digits_len).abs() > DECIMAL_EXPONENT_MAX {
        return None;
    }
    if exponent >= 0 {
        numerator.multiply_by_power_of_ten(exponent as u32);
        exponent = 0;
    }
    let mut denominator = Natural::from_u64(1);
    denominator.multiply_by_power_of_ten(-exponent as u32);
    let (quotient, is_inexact, binary_exponent) = divide(numerator, denominator);
    round(quotient, is_inexact, binary_exponent)
}

/// numerator / denominator as bits × 2^exponent with more than 64 bits, and whether a remainder is left.
fn divide(mut numerator: Natural, mut denominator: Natural) -> (u128, bool, i32) {
    const QUOTIENT_BITS: i32 = 67;
    // Scaled so that the quotient lies in [1/2, 2).
    let scale = denominator.bits() as i32 - numerator.bits() as i32;
    if scale >= 0 {
        numerator.shift_left(scale as u32);
    } else {
        denominator.shift_left(-scale as u32);
    }
    let mut quotient = 0u128;
    for _ in 0..QUOTIENT_BITS {
        quotient <<= 1;
        if numerator >= denominator {
            numerator.subtract(&denominator);
            quotient |= 1;
        }
        numerator.shift_left(1);
    }
    (quotient, !numerator.is_zero(), 1 - QUOTIENT_BITS - scale)
}

/// mantissa / 2^shift with 17 decimals, rounded half to even, without trailing zeros.
fn with_seventeen_decimals(mantissa: u64, shift: u32) -> String {
    const DECIMALS: u128 = 100_000_000_000_000_000;
    let scaled = u128::from(mantissa) * DECIMALS;
    let rounded = match shift {
        0..=127 => {
            let whole = scaled >> shift;
            let cut = scaled & ((1 << shift) - 1);
            let half = 1u128 << (shift - 1);
            whole + u128::from(cut > half || (cut == half && whole & 1 == 1))
        }
        _ => 0,
    };
    without_trailing_zeros(&format!("{}.{:017}", rounded / DECIMALS, rounded % DECIMALS)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of 7.0.15 to `SET k A` and `INCRBYFLOAT k B`.
    #[test]
    fn sums_agree_with_incrbyfloat() {
        let check = |a: &str, b: &str, sum: &str| {
            let parse = |text: &str| LongDouble::parse(text.as_bytes()).expect("a number");
            assert_eq!((parse(a) + parse(b)).to_text(), sum, "{a} + {b}");
        };
        check("10.5", "0.1", "10.6");
        check("0.1", "0.2", "0.3");
        check("5.0e3", "2.0e2", "5200");
        check("3", "-3", "0");
        check("0", "-0", "0");
        check("-1.5", "1", "-0.5");
        check("0x10", "0", "16");
        check("1e-18", "0", "0");
        check("-1e-20", "0", "0");
        check(
            "1.7976931348623159e308",
            "0",
            "179769313486231590003050712178302546013880489252090780714208159407727081182936353012885530751859873926336523675192582878859701386533131835999573011288429694698106897016165865133331281304684724759660700168370767548966982797484210950452750874434632116449387785062538014826555880493241790085370897720263009370112",
        );
    }

    #[test]
    fn seconds_become_milliseconds_rounded_up() {
        let check = |text: &str, millis: i128| {
            let seconds = LongDouble::parse(text.as_bytes()).expect("a number");
            assert_eq!(seconds.seconds_to_millis(), millis, "{text}");
        };
        check("0", 0);
        check("0.001", 1);
        check("0.07", 70);
        check("0.0001", 1);
        check("1e-4000", 1);
        check("2.5", 2500);
        check("-0.5", -500);
        check("-0.0005", 0);
        check("0x10", 16_000);
        check("9223372036854775807", 9_223_372_036_854_775_806_976);
        check("1e400", i128::MAX);
        check("-inf", i128::MIN);
    }

    #[test]
    fn what_the_server_refuses_is_refused() {
        for text in ["", " 1", "1 ", "nan", "1e5000", "1e-5000", "abc", "1\0", "--1", "0x", &"1".repeat(5120)]
        {
            assert_eq!(LongDouble::parse(text.as_bytes()), None, "{text:?}");
        }
        assert!(
            !(LongDouble::parse(b"inf").expect("inf") + LongDouble::parse(b"-inf").expect("-inf"))
                .is_finite()
        );
    }
}
