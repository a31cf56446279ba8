//! Points in time and spans, with their unit in the type. Nothing here reads a clock.

use std::fmt;
use std::ops::{Add, Sub};

/// A point on the virtual clock: microseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub u64);

/// A point in time as Redis keeps expiry: milliseconds since the Unix epoch. May lie before the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(pub i64);

impl Micros {
    pub fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    /// The millisecond this moment falls in, as Redis's `mstime()` cuts it.
    pub fn unix_millis(self) -> UnixMillis {
        UnixMillis((self.0 / 1000) as i64)
    }

    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Micros {
    type Output = Self;
    fn add(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub for Micros {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl UnixMillis {
    /// The first microsecond of this millisecond; moments before the epoch become the epoch.
    pub fn micros(self) -> Micros {
        Micros((self.0.max(0) as u64).saturating_mul(1000))
    }

    /// The millisecond behind this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}ms", self.0 / 1000, self.0 % 1000)
    }
}
