//! Places on the earth, which are members of sorted sets: the score holds longitude and latitude.

mod options;
pub(super) mod places;
pub(super) mod radius;
mod request;
pub(super) mod search;

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::ZSetValue;
use crate::value::geo::{Place, Unit};
use crate::value::number::parse_f64;

use super::ctx::Ctx;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const GEO: CommandSpec = CommandSpec { categories: &["geo"], group: Group::Geo, ..CommandSpec::BASE };

/// Longitude and latitude.
fn place(longitude: &[u8], latitude: &[u8]) -> Result<Place, CommandError> {
    let degrees = |argument: &[u8]| parse_f64(argument).ok_or(CommandError::NotAFloat);
    let place = Place { longitude: degrees(longitude)?, latitude: degrees(latitude)? };
    if place.is_valid() {
        return Ok(place);
    }
    Err(CommandError::InvalidPlace(format!("{:.6},{:.6}", place.longitude, place.latitude)))
}

fn unit(argument: &[u8]) -> Result<Unit, CommandError> {
    Unit::parse(argument).ok_or(CommandError::UnsupportedUnit)
}

fn place_of(set: Option<&ZSetValue>, member: &Bytes) -> Option<Place> {
    set.and_then(|set| set.score(member)).map(Place::from_score)
}

/// Longitude and latitude as a reply.
fn coordinates(ctx: &Ctx<'_>, place: Place) -> Reply {
    let degrees = if ctx.version() < Version::V8_0 { Reply::LongDouble } else { Reply::Double };
    Reply::Array(vec![degrees(place.longitude), degrees(place.latitude)])
}
