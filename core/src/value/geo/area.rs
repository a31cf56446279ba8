//! Cells: the rectangles that the bits of a geohash halve the map into.

use super::{LATITUDE_MAX, LONGITUDE_MAX, Place, STEPS_MAX};

/// One of `2^steps × 2^steps` rectangles, counted from the south west.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    column: u64,
    row: u64,
    steps: u32,
}

/// The edges of a cell in degrees.
pub(super) struct Edges {
    pub(super) west: f64,
    pub(super) east: f64,
    pub(super) south: f64,
    pub(super) north: f64,
}

impl Cell {
    pub(super) fn around(place: Place, steps: u32) -> Self {
        Self::around_within(place, steps, LATITUDE_MAX)
    }

    /// The same on a map whose latitudes end elsewhere.
    pub(super) fn around_within(place: Place, steps: u32, latitude_max: f64) -> Self {
        let index = |value: f64, max: f64| ((value + max) / (max + max) * (1u64 << steps) as f64) as u64;
        Self {
            column: index(place.longitude, LONGITUDE_MAX),
            row: index(place.latitude, latitude_max),
            steps,
        }
    }

    /// A score that no place has, as ZINCRBY and the like make them, is taken as x86-64 turns it into a number without a sign.
    pub(super) fn from_score(score: f64) -> Self {
        const TOO_MUCH: f64 = 18_446_744_073_709_551_616.0;
        let bits = match score {
            score if score < 0.0 => score as i64 as u64,
            score if score < TOO_MUCH => score as u64,
            _ => 0,
        };
        Self { column: every_second_bit(bits >> 1), row: every_second_bit(bits), steps: STEPS_MAX }
    }

    /// Row and column interleaved; the row has the even bits.
    pub(super) fn bits(self) -> u64 {
        spread(self.row) | spread(self.column) << 1
    }

    /// The scores of the places in it: from the first up to, not including, the second.
    pub(super) fn scores(self) -> (f64, f64) {
        let shift = 2 * (STEPS_MAX - self.steps);
        ((self.bits() << shift) as f64, ((self.bits() + 1) << shift) as f64)
    }

    /// The cell so many columns to the east and rows to the north; the map goes on at its other side. Without a move the index stays
    /// as it is, even if it is the one past the last, into which the very edge of the map falls.
    pub(super) fn neighbour(self, columns: i64, rows: i64) -> Self {
        let moved = |index: u64, by: i64| match by {
            0 => index,
            by => index.wrapping_add_signed(by) & ((1u64 << self.steps) - 1),
        };
        Self { column: moved(self.column, columns), row: moved(self.row, rows), steps: self.steps }
    }

    pub(super) fn edges(self) -> Edges {
        let edge = |index: u64, max: f64| -max + (index as f64 / (1u64 << self.steps) as f64) * (max + max);
        Edges {
            west: edge(self.column, LONGITUDE_MAX),
            east: edge(self.column + 1, LONGITUDE_MAX),
            south: edge(self.row, LATITUDE_MAX),
            north: edge(self.row + 1, LATITUDE_MAX),
        }
    }

    pub(super) fn middle(self) -> Place {
        let Edges { west, east, south, north } = self.edges();
        Place {
            longitude: ((west + east) / 2.0).clamp(-LONGITUDE_MAX, LONGITUDE_MAX),
            latitude: ((south + north) / 2.0).clamp(-LATITUDE_MAX, LATITUDE_MAX),
        }
    }
}

/// Puts a zero before each of the lower 32 bits.
fn spread(bits: u64) -> u64 {
    (0..32).fold(0, |spread, at| spread | (bits >> at & 1) << (2 * at))
}

/// The even bits, moved together.
fn every_second_bit(bits: u64) -> u64 {
    (0..32).fold(0, |joined, at| joined | (bits >> (2 * at) & 1) << at)
}
