//! GEOSEARCH and GEOSEARCHSTORE.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::value::ZSetValue;

use super::options::{Grammar, Options};
use super::{GEO, request};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "geosearch",
        arity: -7,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (6, 2, 0),
        summary: "Finds the members within a circle or a box.",
        syntax: "GEOSEARCH key <FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]",
        reply: Shape::Array,
        handler: geosearch,
        examples: &[Example {
            setup: "GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
            run: "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 KM ASC",
            shows: "1) \"Catania\"\n2) \"Palermo\"",
        }],
        ..GEO
    },
    CommandSpec {
        name: "geosearchstore",
        arity: -8,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["OW", "update"]), KeySpec::at(2, &["RO", "access"])],
        since: (6, 2, 0),
        summary: "Stores the members within a circle or a box.",
        syntax: "GEOSEARCHSTORE destination source <FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI>> [ASC | DESC] [COUNT count [ANY]] [STOREDIST]",
        reply: Shape::Int,
        handler: geosearchstore,
        examples: &[Example {
            setup: "GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania",
            run: "GEOSEARCHSTORE d g FROMMEMBER Palermo BYBOX 400 400 KM",
            shows: "(integer) 2",
        }],
        ..GEO
    },
];

fn geosearch(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let options = Options::default().parse(&argv[2..], Grammar::Search, set)?;
    check(&options, &argv[0])?;
    request::run(ctx, &argv[1], &options, "")
}

fn geosearchstore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[2])?;
    let options = Options { destination: Some(argv[1].clone()), ..Options::default() };
    let options = options.parse(&argv[3..], Grammar::SearchStore, set)?;
    if options.shows_more_than_members() {
        return Err(CommandError::StoreAndShow("GEOSEARCHSTORE"));
    }
    check(&options, &argv[0])?;
    request::run(ctx, &argv[2], &options, "geosearchstore")
}

/// The texts name the command as it was typed.
fn check(options: &Options, name: &Bytes) -> Result<(), CommandError> {
    if !options.has_center() {
        return Err(CommandError::OneCenter(name.to_word()));
    }
    if options.shape.is_none() {
        return Err(CommandError::OneShape(name.to_word()));
    }
    Ok(())
}
