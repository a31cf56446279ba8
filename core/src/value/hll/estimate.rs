//! From registers to a cardinality: Ertl's improved raw estimator.

use super::{INDEX_BITS, REGISTERS};

/// The highest value but one a register can have.
const VALUES: usize = (u64::BITS - INDEX_BITS) as usize;
/// 1 / (2 ln 2)
const ALPHA: f64 = 0.721_347_520_444_481_7;

pub(super) fn count(registers: &[u8]) -> u64 {
    let mut histogram = [0u32; 64];
    for &value in registers {
        histogram[usize::from(value)] += 1;
    }
    let m = REGISTERS as f64;
    let mut z = m * tau((m - f64::from(histogram[VALUES + 1])) / m);
    for value in (1..=VALUES).rev() {
        z = (z + f64::from(histogram[value])) * 0.5;
    }
    z += m * sigma(f64::from(histogram[0]) / m);
    (ALPHA * m * m / z).round() as u64
}

fn sigma(x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut x, mut y, mut z) = (x, 1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if before == z {
            return z;
        }
    }
}

fn tau(x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut x, mut y, mut z) = (x, 1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if before == z {
            return z / 3.0;
        }
    }
}
