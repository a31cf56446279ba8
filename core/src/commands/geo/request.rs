//! A search once its arguments are read: finding, ordering, and answering or storing.

use std::cmp::Ordering;

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::zsets;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::ZSetValue;
use crate::value::geo::{self, Found, Unit, format_distance};

use super::coordinates;
use super::options::Options;

/// Does what the options ask for; `event` is told where the result is stored.
pub(super) fn run(ctx: &mut Ctx<'_>, key: &Bytes, options: &Options, event: &str) -> CommandResult {
    if options.any && options.count.is_none() {
        return Err(CommandError::Line("ERR the ANY argument requires COUNT argument".into()));
    }
    let found = ctx.peek_as::<ZSetValue>(key).map_or_else(Vec::new, |set| find(set, options));
    let unit = options.shape.map_or(Unit::Metre, |(_, unit)| unit);
    let Some(destination) = &options.destination else {
        let shown = found.into_iter().map(|found| show(ctx, found, options, unit)).collect();
        return Ok(Reply::Array(shown).into());
    };
    let score = |found: &Found| {
        if options.store_distance { found.distance_m / unit.metres() } else { found.score }
    };
    let members = found.into_iter().map(|found| (found.member.clone(), score(&found))).collect();
    Ok(Reply::from(zsets::store(ctx, destination, members, event)).into())
}

fn find(set: &ZSetValue, options: &Options) -> Vec<Found> {
    let (Some(center), Some((shape, _))) = (options.center, options.shape) else { return Vec::new() };
    let first_found = options.count.filter(|_| options.any);
    let mut found = geo::search(set, center, shape, first_found);
    // The nearest are what a COUNT means, unless any will do.
    let order = options.order.or(options.count.filter(|_| !options.any).map(|_| Ordering::Less));
    match order {
        Some(Ordering::Less) => found.sort_by(|one, other| one.distance_m.total_cmp(&other.distance_m)),
        Some(_) => found.sort_by(|one, other| other.distance_m.total_cmp(&one.distance_m)),
        None => {}
    }
    found.truncate(options.count.unwrap_or(usize::MAX));
    found
}

fn show(ctx: &Ctx<'_>, found: Found, options: &Options, unit: Unit) -> Reply {
    let member = Reply::Bulk(found.member);
    if !options.shows_more_than_members() {
        return member;
    }
    let distance = options.with_distance.then(|| Reply::bulk(format_distance(found.distance_m, unit)));
    let hash = options.with_hash.then_some(Reply::Int(found.score as i64));
    let place = options.with_coordinates.then(|| coordinates(ctx, found.place));
    Reply::Array([Some(member), distance, hash, place].into_iter().flatten().collect())
}
