//! The short text of a double that servers since 7.2 give.
//!
//! They find the digits with Grisu2 (Florian Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with Integers", 2010),
//! which always reads back as the same number but in some 0.4 % of cases is not the shortest text that does. To agree to the byte,
//! the same steps are taken here in the same precision.

/// Digits of a positive finite double and the power of ten that scales them: value = digits × 10^exponent.
pub(super) struct Digits {
    pub(super) digits: Vec<u8>,
    pub(super) exponent: i32,
}

/// A number with 64 bits of precision: bits × 2^exponent.
#[derive(Clone, Copy)]
struct Scaled {
    bits: u64,
    exponent: i32,
}

/// After scaling by a power of ten, the exponent of the upper boundary lies here, so that 32 bits hold its integer part.
const SCALED_EXPONENT_MIN: i32 = -60;
const SCALED_EXPONENT_MAX: i32 = -32;

const FRACTION_BITS: u32 = 52;
const HIDDEN_BIT: u64 = 1 << FRACTION_BITS;
const EXPONENT_BIAS: i32 = 1023 + FRACTION_BITS as i32;

impl Scaled {
    fn from_positive(value: f64) -> Self {
        let bits = value.to_bits();
        let fraction = bits & (HIDDEN_BIT - 1);
        match (bits >> FRACTION_BITS) as i32 {
            0 => Self { bits: fraction, exponent: 1 - EXPONENT_BIAS },
            biased => Self { bits: fraction | HIDDEN_BIT, exponent: biased - EXPONENT_BIAS },
        }
    }

    fn normalized(self) -> Self {
        let shift = self.bits.leading_zeros();
        Self { bits: self.bits << shift, exponent: self.exponent - shift as i32 }
    }

    /// The upper 64 bits of the product, rounded half up.
    fn times(self, other: Self) -> Self {
        let product = u128::from(self.bits) * u128::from(other.bits);
        let rounded = (product + (1 << 63)) >> 64;
        Self { bits: rounded as u64, exponent: self.exponent + other.exponent + 64 }
    }

    /// Half way to the next lower and to the next higher double, both with the exponent of the (normalized) higher one.
    fn boundaries(self) -> (Self, Self) {
        let upper = Self { bits: (self.bits << 1) + 1, exponent: self.exponent - 1 }.normalized();
        // Below a power of two the doubles lie twice as dense.
        let shift = if self.bits == HIDDEN_BIT { 2 } else { 1 };
        let lower_bits = (self.bits << shift) - 1;
        let lower =
            Self { bits: lower_bits << (self.exponent - shift - upper.exponent), exponent: upper.exponent };
        (lower, upper)
    }
}

/// The digits of a positive finite double.
pub(super) fn digits(value: f64) -> Digits {
    let exact = Scaled::from_positive(value);
    let (lower, upper) = exact.boundaries();
    let (power, decimal_exponent) = cached_power(upper.exponent);
    let exact = exact.normalized().times(power);
    // One unit inwards on both sides makes up for the rounding of the products.
    let mut upper = upper.times(power);
    upper.bits -= 1;
    let mut lower = lower.times(power);
    lower.bits += 1;
    let mut found = generate(exact, lower, upper);
    found.exponent -= decimal_exponent;
    found
}

/// Digits of the upper boundary until what is left lies within the boundaries, then the last digit moved towards the exact value.
fn generate(exact: Scaled, lower: Scaled, upper: Scaled) -> Digits {
    let point = -upper.exponent as u32;
    let one = 1u64 << point;
    let to_exact = upper.bits - exact.bits;
    let mut width = upper.bits - lower.bits;
    let mut integer = upper.bits >> point;
    let mut fraction = upper.bits & (one - 1);
    let mut digits = Vec::with_capacity(17);
    let push = |digit: u64, digits: &mut Vec<u8>| {
        if digit != 0 || !digits.is_empty() {
            digits.push(digit as u8);
        }
    };
    for exponent in (0..10).rev() {
        let unit = 10u64.pow(exponent);
        push(integer / unit, &mut digits);
        integer %= unit;
        let rest = (integer << point) + fraction;
        if rest <= width {
            round_last(&mut digits, width, rest, unit << point, to_exact);
            return Digits { digits, exponent: exponent as i32 };
        }
    }
    let mut exponent = 0;
    let mut scale = 1u64;
    loop {
        fraction *= 10;
        width *= 10;
        scale = scale.wrapping_mul(10);
        exponent -= 1;
        push(fraction >> point, &mut digits);
        fraction &= one - 1;
        if fraction < width {
            round_last(&mut digits, width, fraction, one, to_exact.wrapping_mul(scale));
            return Digits { digits, exponent };
        }
    }
}

/// Lowers the last digit as long as that comes nearer to the exact value and stays within the boundaries.
fn round_last(digits: &mut [u8], width: u64, mut rest: u64, unit: u64, to_exact: u64) {
    let Some(last) = digits.last_mut() else { return };
    while rest < to_exact
        && width - rest >= unit
        && (rest + unit < to_exact || to_exact - rest > rest + unit - to_exact)
    {
        *last -= 1;
        rest += unit;
    }
}

const POWERS_FIRST: i32 = -348;
const POWERS_STEP: i32 = 8;

/// A power of ten that brings a number with this exponent into the range wanted, and its decimal exponent.
fn cached_power(exponent: i32) -> (Scaled, i32) {
    const LOG10_OF_2: f64 = std::f64::consts::LOG10_2;
    let wanted = -f64::from(exponent + POWERS.len() as i32) * LOG10_OF_2;
    let mut index = ((wanted - f64::from(POWERS_FIRST)) / f64::from(POWERS_STEP)) as usize;
    loop {
        let decimal_exponent = POWERS_FIRST + index as i32 * POWERS_STEP;
        let power = Scaled { bits: POWERS[index], exponent: binary_exponent(decimal_exponent) };
        let scaled = exponent + power.exponent + 64;
        if scaled < SCALED_EXPONENT_MIN {
            index += 1;
        } else if scaled > SCALED_EXPONENT_MAX {
            index -= 1;
        } else {
            return (power, decimal_exponent);
        }
    }
}

/// floor(log2(10^decimal)) - 63, for the powers in the table.
fn binary_exponent(decimal: i32) -> i32 {
    ((decimal * 1_741_647) >> 19) - 63
}

/// 10^k for k = -348, -340 … 340, scaled to 64 bits and rounded to the nearest.
#[rustfmt::skip]
const POWERS: [u64; 87] = [
    0xfa8fd5a0081c0288, 0xbaaee17fa23ebf76, 0x8b16fb203055ac76, 0xcf42894a5dce35ea,
    0x9a6bb0aa55653b2d, 0xe61acf033d1a45df, 0xab70fe17c79ac6ca, 0xff77b1fcbebcdc4f,
    0xbe5691ef416bd60c, 0x8dd01fad907ffc3c, 0xd3515c2831559a83, 0x9d71ac8fada6c9b5,
    0xea9c227723ee8bcb, 0xaecc49914078536d, 0x823c12795db6ce57, 0xc21094364dfb5637,
    0x9096ea6f3848984f, 0xd77485cb25823ac7, 0xa086cfcd97bf97f4, 0xef340a98172aace5,
    0xb23867fb2a35b28e, 0x84c8d4dfd2c63f3b, 0xc5dd44271ad3cdba, 0x936b9fcebb25c996,
    0xdbac6c247d62a584, 0xa3ab66580d5fdaf6, 0xf3e2f893dec3f126, 0xb5b5ada8aaff80b8,
    0x87625f056c7c4a8b, 0xc9bcff6034c13053, 0x964e858c91ba2655, 0xdff9772470297ebd,
    0xa6dfbd9fb8e5b88f, 0xf8a95fcf88747d94, 0xb94470938fa89bcf, 0x8a08f0f8bf0f156b,
    0xcdb02555653131b6, 0x993fe2c6d07b7fac, 0xe45c10c42a2b3b06, 0xaa242499697392d3,
    0xfd87b5f28300ca0e, 0xbce5086492111aeb, 0x8cbccc096f5088cc, 0xd1b71758e219652c,
    0x9c40000000000000, 0xe8d4a51000000000, 0xad78ebc5ac620000, 0x813f3978f8940984,
    0xc097ce7bc90715b3, 0x8f7e32ce7bea5c70, 0xd5d238a4abe98068, 0x9f4f2726179a2245,
    0xed63a231d4c4fb27, 0xb0de65388cc8ada8, 0x83c7088e1aab65db, 0xc45d1df942711d9a,
    0x924d692ca61be758, 0xda01ee641a708dea, 0xa26da3999aef774a, 0xf209787bb47d6b85,
    0xb454e4a179dd1877, 0x865b86925b9bc5c2, 0xc83553c5c8965d3d, 0x952ab45cfa97a0b3,
    0xde469fbd99a05fe3, 0xa59bc234db398c25, 0xf6c69a72a3989f5c, 0xb7dcbf5354e9bece,
    0x88fcf317f22241e2, 0xcc20ce9bd35c78a5, 0x98165af37b2153df, 0xe2a0b5dc971f303a,
    0xa8d9d1535ce3b396, 0xfb9b7cd9a4a7443c, 0xbb764c4ca7a44410, 0x8bab8eefb6409c1a,
    0xd01fef10a657842c, 0x9b10a4e5e9913129, 0xe7109bfba19c0c9d, 0xac2820d9623bf429,
    0x80444b5e7aa7cf85, 0xbf21e44003acdd2d, 0x8e679c2f5e44ff8f, 0xd433179d9c8cb841,
    0x9e19db92b4e31ba9, 0xeb96bf6ebadf77d9, 0xaf87023b9bf0ee6b,
];
