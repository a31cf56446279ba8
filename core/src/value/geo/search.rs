//! GEOSEARCH: what lies within a circle or a box.
//!
//! The order in which members are found (cell by cell) can be seen where no sorting is asked for, so the cells are the server's.

use super::area::{Cell, Edges};
use super::{EARTH_RADIUS_M, Place, STEPS_MAX, degrees, latitude_distance, radians};
use crate::Bytes;
use crate::value::ZSetValue;
use crate::value::zset::{ScoreBound, ScoreRange};

/// What to search around a place; lengths in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Circle {
        radius_m: f64,
    },
    /// As wide and high as told, the place in its middle.
    Box {
        width_m: f64,
        height_m: f64,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub member: Bytes,
    pub score: f64,
    pub place: Place,
    pub distance_m: f64,
}

/// The members within the shape, in the order the server comes upon them; ends after `limit` of them (COUNT … ANY).
pub fn search(zset: &ZSetValue, center: Place, shape: Shape, limit: Option<usize>) -> Vec<Found> {
    let mut found = Vec::new();
    let limit = limit.unwrap_or(usize::MAX);
    let mut last: Option<Cell> = None;
    for cell in cells(center, shape).into_iter().flatten() {
        // On small maps neighbours can be the same cell.
        if last.replace(cell) == Some(cell) {
            continue;
        }
        let (min, max) = cell.scores();
        let range = ScoreRange {
            min: ScoreBound { score: min, is_exclusive: false },
            max: ScoreBound { score: max, is_exclusive: true },
        };
        for (member, score) in zset.iter_range(zset.ranks_by_score(&range)) {
            if found.len() >= limit {
                return found;
            }
            let place = Place::from_score(score);
            if let Some(distance_m) = shape.distance_within(center, place) {
                found.push(Found { member: member.clone(), score, place, distance_m });
            }
        }
    }
    found
}

impl Shape {
    /// The distance of a place from the center, if it is within the shape.
    fn distance_within(self, center: Place, place: Place) -> Option<f64> {
        match self {
            Self::Circle { radius_m } => {
                let distance_m = center.distance_to(place);
                (distance_m <= radius_m).then_some(distance_m)
            }
            Self::Box { width_m, height_m } => {
                let aside = Place { latitude: place.latitude, ..center };
                let is_within = latitude_distance(place.latitude, center.latitude) <= height_m / 2.0
                    && place.distance_to(aside) <= width_m / 2.0;
                is_within.then(|| center.distance_to(place))
            }
        }
    }

    /// The radius of a circle around it.
    fn radius_m(self) -> f64 {
        match self {
            Self::Circle { radius_m } => radius_m,
            Self::Box { width_m, height_m } => {
                (width_m / 2.0 * (width_m / 2.0) + height_m / 2.0 * (height_m / 2.0)).sqrt()
            }
        }
    }

    fn bounding_box(self, center: Place) -> Edges {
        let (half_width, half_height) = match self {
            Self::Circle { radius_m } => (radius_m, radius_m),
            Self::Box { width_m, height_m } => (width_m / 2.0, height_m / 2.0),
        };
        let latitudes = degrees(half_height / EARTH_RADIUS_M);
        let longitudes_at =
            |latitude: f64| degrees(half_width / EARTH_RADIUS_M / libm::cos(radians(latitude)));
        // The side nearer to the pole is the wider one in degrees.
        let longitudes = if center.latitude < 0.0 {
            longitudes_at(center.latitude - latitudes)
        } else {
            longitudes_at(center.latitude + latitudes)
        };
        Edges {
            west: center.longitude - longitudes,
            east: center.longitude + longitudes,
            south: center.latitude - latitudes,
            north: center.latitude + latitudes,
        }
    }
}

/// The cells to look into: the one around the center, then its neighbours; None where nothing can lie.
fn cells(center: Place, shape: Shape) -> [Option<Cell>; 9] {
    let bounds = shape.bounding_box(center);
    let mut steps = steps_for(shape.radius_m(), center.latitude);
    let is_too_small = |cell: Cell| {
        let [north, south, east, west] =
            [(0, 1), (0, -1), (1, 0), (-1, 0)].map(|(x, y)| cell.neighbour(x, y).edges());
        north.north < bounds.north
            || south.south > bounds.south
            || east.east < bounds.east
            || west.west > bounds.west
    };
    if steps > 1 && is_too_small(Cell::around(center, steps)) {
        steps -= 1;
    }
    let cell = Cell::around(center, steps);
    let edges = cell.edges();
    // Cells of the coarsest maps are too few to leave any out.
    let may_skip = steps >= 2;
    let is_useless = |columns: i64, rows: i64| {
        may_skip
            && ((rows < 0 && edges.south < bounds.south)
                || (rows > 0 && edges.north > bounds.north)
                || (columns < 0 && edges.west < bounds.west)
                || (columns > 0 && edges.east > bounds.east))
    };
    [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)]
        .map(|(columns, rows)| (!is_useless(columns, rows)).then(|| cell.neighbour(columns, rows)))
}

/// How fine the map may be so that the nine cells still cover a circle.
fn steps_for(radius_m: f64, latitude: f64) -> u32 {
    /// Half the map's width.
    const MERCATOR_MAX: f64 = 20_037_726.37;
    if radius_m == 0.0 {
        return STEPS_MAX;
    }
    let mut steps: i32 = 1;
    let mut range = radius_m;
    while range < MERCATOR_MAX {
        range *= 2.0;
        steps += 1;
    }
    // The circle has to fit into the neighbours wherever its center lies, and towards the poles the cells get narrow.
    steps -= 2;
    if latitude.abs() > 66.0 {
        steps -= 1;
    }
    if latitude.abs() > 80.0 {
        steps -= 1;
    }
    steps.clamp(1, STEPS_MAX as i32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::EncodingLimits;

    fn sicily() -> ZSetValue {
        let mut zset = ZSetValue::new();
        for (name, longitude, latitude) in [
            ("Palermo", 13.361389, 38.115556),
            ("Catania", 15.087269, 37.502669),
            ("SF", -122.4, 37.8),
            ("x", 179.9, 84.0),
            ("y", -179.9, -84.0),
        ] {
            zset.insert(Bytes::from(name), Place { longitude, latitude }.score(), &EncodingLimits::default());
        }
        zset
    }

    /// Unsorted answers of 7.0.15 to GEOSEARCH from 15, 37.
    #[test]
    fn members_are_found_in_the_servers_order() {
        let center = Place { longitude: 15.0, latitude: 37.0 };
        let check = |shape, limit, names: &str| {
            let found = search(&sicily(), center, shape, limit);
            let found: Vec<String> = found.iter().map(|found| found.member.to_text()).collect();
            assert_eq!(found.join(" "), names, "{shape:?}");
        };
        check(Shape::Circle { radius_m: 200_000.0 }, None, "Palermo Catania");
        check(Shape::Circle { radius_m: 100_000.0 }, None, "Catania");
        check(Shape::Circle { radius_m: 200_000_000.0 }, None, "Palermo Catania x SF y");
        check(Shape::Circle { radius_m: 200_000_000.0 }, Some(2), "Palermo Catania");
        check(Shape::Box { width_m: 400_000.0, height_m: 400_000.0 }, None, "Palermo Catania");
        check(Shape::Box { width_m: 100_000.0, height_m: 400_000.0 }, None, "Catania");
    }
}
