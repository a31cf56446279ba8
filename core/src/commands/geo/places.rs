//! Adding places, and asking where they are and how far apart.

use crate::Bytes;
use crate::commands::args::Cursor;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::commands::zsets::members::{self, Rule};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::ZSetValue;
use crate::value::geo::{Place, Unit, format_distance};

use super::{GEO, coordinates, place, place_of, unit};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "geoadd",
        arity: -5,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        summary: "Adds members with their longitude and latitude, or moves them, and counts the new ones.",
        syntax: "GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]",
        reply: Shape::Int,
        handler: geoadd,
        examples: &[Example { setup: "", run: "GEOADD g 13.361389 38.115556 Palermo", shows: "(integer) 1" }],
        ..PLACES
    },
    CommandSpec {
        name: "geodist",
        arity: -4,
        summary: "Answers the distance between two members.",
        syntax: "GEODIST key member1 member2 [M | KM | FT | MI]",
        reply: Shape::BulkOrNil,
        handler: geodist,
        examples: &[Example {
            setup: "GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
            run: "GEODIST g Palermo Catania KM",
            shows: "\"166.2742\"",
        }],
        ..PLACES
    },
    CommandSpec {
        name: "geohash",
        arity: -2,
        summary: "Answers the geohash texts of members, as other systems write them.",
        syntax: "GEOHASH key [member [member ...]]",
        reply: Shape::Array,
        handler: geohash,
        examples: &[Example {
            setup: "GEOADD g 13.361389 38.115556 Palermo",
            run: "GEOHASH g Palermo",
            shows: "1) \"sqc8b49rny0\"",
        }],
        ..PLACES
    },
    CommandSpec {
        name: "geopos",
        arity: -2,
        summary: "Answers longitude and latitude of members.",
        syntax: "GEOPOS key [member [member ...]]",
        reply: Shape::Array,
        handler: geopos,
        examples: &[Example { setup: "", run: "GEOPOS g nosuch", shows: "1) (nil)" }],
        ..PLACES
    },
];

const PLACES: CommandSpec = CommandSpec {
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (3, 2, 0),
    ..GEO
};

fn geoadd(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let mut words = Cursor::new(&argv[2..]);
    let (mut rule, mut counts_changes) = (Rule::default(), false);
    loop {
        if words.take_word("nx") {
            rule.nx = true;
        } else if words.take_word("xx") {
            rule.xx = true;
        } else if words.take_word("ch") {
            counts_changes = true;
        } else {
            break;
        }
    }
    let triples = words.remaining();
    if !triples.len().is_multiple_of(3) || (rule.nx && rule.xx) {
        return Err(CommandError::Syntax);
    }
    let scored = triples
        .chunks_exact(3)
        .map(|triple| Ok((place(&triple[0], &triple[1])?.score(), &triple[2])))
        .collect::<Result<Vec<_>, CommandError>>()?;
    if scored.is_empty() {
        return Err(CommandError::Syntax);
    }
    let outcomes = members::add(ctx, &argv[1], rule, &scored)?;
    Ok(members::counted(&outcomes, counts_changes).into())
}

fn geodist(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let unit = match &argv[4..] {
        [] => Unit::Metre,
        [word] => unit(word)?,
        _ => return Err(CommandError::Syntax),
    };
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let ends = place_of(set, &argv[2]).zip(place_of(set, &argv[3]));
    let distance = ends.map(|(from, to)| Bytes::from(format_distance(from.distance_to(to), unit)));
    Ok(Reply::bulk_or_nil(distance).into())
}

fn geohash(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let hash = |member: &Bytes| place_of(set, member).map(|place| Bytes::from(place.geohash()));
    Ok(Reply::Array(argv[2..].iter().map(|member| Reply::bulk_or_nil(hash(member))).collect()).into())
}

fn geopos(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let places: Vec<Option<Place>> = argv[2..].iter().map(|member| place_of(set, member)).collect();
    let shown =
        places.into_iter().map(|place| place.map_or(Reply::NilArray, |place| coordinates(ctx, place)));
    Ok(Reply::Array(shown.collect()).into())
}
