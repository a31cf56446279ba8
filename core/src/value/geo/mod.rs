//! Places on the earth as 52-bit numbers, which are the scores of a GEO set.
//!
//! A hash interleaves 26 bits of latitude (even bits) with 26 bits of longitude (odd bits); the range of either is halved bit by bit.
//! Angles in degrees, distances in metres. Trigonometry comes from the `libm` crate, so that WebAssembly and native agree.

mod area;
mod search;

pub use search::{Found, Shape, search};

use area::Cell;

pub const LONGITUDE_MAX: f64 = 180.0;
/// Where the square map of Web Mercator ends.
pub const LATITUDE_MAX: f64 = 85.051_128_78;
/// The radius of the sphere that the server takes for the earth.
const EARTH_RADIUS_M: f64 = 6_372_797.560_856;
const STEPS_MAX: u32 = 26;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub longitude: f64,
    pub latitude: f64,
}

/// m, km, ft, mi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Metre,
    Kilometre,
    Foot,
    Mile,
}

impl Unit {
    /// None where the server answers `unsupported unit provided. please use M, KM, FT, MI`.
    pub fn parse(text: &[u8]) -> Option<Self> {
        match text.to_ascii_lowercase().as_slice() {
            b"m" => Some(Self::Metre),
            b"km" => Some(Self::Kilometre),
            b"ft" => Some(Self::Foot),
            b"mi" => Some(Self::Mile),
            _ => None,
        }
    }

    pub fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Kilometre => 1000.0,
            Self::Foot => 0.3048,
            Self::Mile => 1609.34,
        }
    }
}

impl Place {
    /// Whether the place can be in a GEO set; if not the server answers `invalid longitude,latitude pair`.
    pub fn is_valid(self) -> bool {
        self.longitude.abs() <= LONGITUDE_MAX && self.latitude.abs() <= LATITUDE_MAX
    }

    /// The score under which GEOADD files a valid place.
    pub fn score(self) -> f64 {
        Cell::around(self, STEPS_MAX).bits() as f64
    }

    /// The middle of the cell that a score means.
    pub fn from_score(score: f64) -> Self {
        Cell::from_score(score).middle()
    }

    /// The distance along the sphere in metres (haversine).
    pub fn distance_to(self, other: Self) -> f64 {
        let longitude_sine = libm::sin((radians(other.longitude) - radians(self.longitude)) / 2.0);
        if longitude_sine == 0.0 {
            return latitude_distance(self.latitude, other.latitude);
        }
        let (from, to) = (radians(self.latitude), radians(other.latitude));
        let latitude_sine = libm::sin((to - from) / 2.0);
        let a =
            latitude_sine * latitude_sine + libm::cos(from) * libm::cos(to) * longitude_sine * longitude_sine;
        2.0 * EARTH_RADIUS_M * libm::asin(a.sqrt())
    }

    /// The 11 characters of GEOHASH, which other systems understand: in contrast to the score, latitudes reach to the poles.
    pub fn geohash(self) -> String {
        const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
        const CHARACTERS: u32 = 11;
        let bits = Cell::around_within(self, STEPS_MAX, 90.0).bits();
        (1..=CHARACTERS)
            .map(|nth| {
                // 52 bits fill ten characters; the server leaves the two that remain out.
                let index = if nth == CHARACTERS { 0 } else { bits >> (2 * STEPS_MAX - 5 * nth) & 31 };
                char::from(ALPHABET[index as usize])
            })
            .collect()
    }
}

/// A distance as GEODIST and WITHDIST show it: four decimals.
pub fn format_distance(metres: f64, unit: Unit) -> String {
    format!("{:.4}", metres / unit.metres())
}

fn latitude_distance(from: f64, to: f64) -> f64 {
    EARTH_RADIUS_M * (radians(to) - radians(from)).abs()
}

fn radians(degrees: f64) -> f64 {
    degrees * (std::f64::consts::PI / 180.0)
}

fn degrees(radians: f64) -> f64 {
    radians / (std::f64::consts::PI / 180.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::number::{LongDouble, format_short};

    const PALERMO: Place = Place { longitude: 13.361389, latitude: 38.115556 };
    const CATANIA: Place = Place { longitude: 15.087269, latitude: 37.502669 };

    fn as_in_7_0(degrees: f64) -> String {
        LongDouble::from(degrees).to_text()
    }

    /// Answers of 7.0.15 and 8.2.3.
    #[test]
    fn places_become_the_servers_scores_and_back() {
        let check = |place: Place, score: f64, old: [&str; 2], new: [&str; 2]| {
            assert_eq!(place.score(), score);
            let Place { longitude, latitude } = Place::from_score(score);
            assert_eq!([longitude, latitude].map(as_in_7_0), old);
            assert_eq!([longitude, latitude].map(format_short), new);
        };
        let palermo = ["13.36138933897018433", "38.11555639549629859"];
        check(PALERMO, 3479099956230698.0, palermo, ["13.361389338970184", "38.1155563954963"]);
        let origin = Place { longitude: 0.0, latitude: 0.0 };
        let shown = ["0.00000268220901489", "0.00000126736058093"];
        check(origin, 3377699720527872.0, shown, ["2.682209014892578e-6", "1.2673605809254695e-6"]);
        let corner = Place { longitude: LONGITUDE_MAX, latitude: LATITUDE_MAX };
        let back = Place::from_score(corner.score());
        assert_eq!(as_in_7_0(back.longitude), "180");
        assert_eq!(as_in_7_0(back.latitude), "85.0511287799999991");
    }

    #[test]
    fn distances_and_geohashes_agree() {
        let [palermo, catania] = [PALERMO, CATANIA].map(|place| Place::from_score(place.score()));
        let metres = palermo.distance_to(catania);
        assert_eq!(format_distance(metres, Unit::Metre), "166274.1516");
        assert_eq!(format_distance(metres, Unit::Kilometre), "166.2742");
        assert_eq!(format_distance(palermo.distance_to(palermo), Unit::Foot), "0.0000");
        assert_eq!(palermo.geohash(), "sqc8b49rny0");
        assert_eq!(catania.geohash(), "sqdtr74hyu0");
    }

    #[test]
    fn places_beyond_the_map_are_invalid() {
        assert!(!Place { longitude: 181.0, latitude: 0.0 }.is_valid());
        assert!(!Place { longitude: 0.0, latitude: 85.051_128_79 }.is_valid());
        assert!(!Place { longitude: f64::NAN, latitude: 0.0 }.is_valid());
        assert!(Place { longitude: -180.0, latitude: -85.051_128_78 }.is_valid());
    }
}
