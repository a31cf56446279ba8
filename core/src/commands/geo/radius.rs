//! GEORADIUS and its kin, which GEOSEARCH has replaced.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{Begin, CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::value::ZSetValue;

use super::options::{Grammar, Options, circle};
use super::{GEO, place, place_of, request};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "georadius",
        arity: -6,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::MOVABLEKEYS),
        keys: &[SOURCE, stored("STORE", 6), stored("STOREDIST", 6)],
        since: (3, 2, 0),
        summary: "Finds or stores the members within a radius of a place.",
        syntax: "GEORADIUS key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Int]),
        handler: |ctx, argv| around_place(ctx, argv, Grammar::Radius),
        examples: &[Example { setup: SICILY, run: "GEORADIUS g 15 37 100 KM", shows: "1) \"Catania\"" }],
        ..GEO
    },
    CommandSpec {
        name: "georadius_ro",
        arity: -6,
        flags: Flags::READONLY,
        keys: &[SOURCE],
        since: (3, 2, 10),
        summary: "Finds the members within a radius of a place.",
        syntax: "GEORADIUS_RO key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]",
        reply: Shape::Array,
        handler: |ctx, argv| around_place(ctx, argv, Grammar::RadiusReadOnly),
        examples: &[Example { setup: SICILY, run: "GEORADIUS_RO g 15 37 100 KM", shows: "1) \"Catania\"" }],
        ..GEO
    },
    CommandSpec {
        name: "georadiusbymember",
        arity: -5,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::MOVABLEKEYS),
        keys: &[SOURCE, stored("STORE", 5), stored("STOREDIST", 5)],
        since: (3, 2, 0),
        summary: "Finds or stores the members within a radius of another.",
        syntax: "GEORADIUSBYMEMBER key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC] [STORE key | STOREDIST key]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Int]),
        handler: |ctx, argv| around_member(ctx, argv, Grammar::Radius),
        examples: &[Example {
            setup: SICILY,
            run: "GEORADIUSBYMEMBER g Palermo 100 KM",
            shows: "1) \"Palermo\"",
        }],
        ..GEO
    },
    CommandSpec {
        name: "georadiusbymember_ro",
        arity: -5,
        flags: Flags::READONLY,
        keys: &[SOURCE],
        since: (3, 2, 10),
        summary: "Finds the members within a radius of another.",
        syntax: "GEORADIUSBYMEMBER_RO key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]",
        reply: Shape::Array,
        handler: |ctx, argv| around_member(ctx, argv, Grammar::RadiusReadOnly),
        examples: &[Example {
            setup: SICILY,
            run: "GEORADIUSBYMEMBER_RO g Palermo 100 KM",
            shows: "1) \"Palermo\"",
        }],
        ..GEO
    },
];

const SICILY: &str = "GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania";
const SOURCE: KeySpec = KeySpec::at(1, &["RO", "access"]);

const fn stored(word: &'static str, from: i32) -> KeySpec {
    KeySpec { begin: Begin::Keyword { word, from }, ..KeySpec::at(0, const { &["OW", "update"] }) }
}

fn around_place(ctx: &mut Ctx<'_>, argv: &[Bytes], grammar: Grammar) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let center = Some(place(&argv[2], &argv[3])?);
    let shape = Some(circle(&argv[4], &argv[5])?);
    let options = Options { center, shape, ..Options::default() }.parse(&argv[6..], grammar, set)?;
    run(ctx, argv, &options)
}

fn around_member(ctx: &mut Ctx<'_>, argv: &[Bytes], grammar: Grammar) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let mut options = Options::default();
    // Where the key is missing the radius is not even read.
    if set.is_some() {
        options.center = Some(place_of(set, &argv[2]).ok_or(CommandError::NoSuchPlace)?);
        options.shape = Some(circle(&argv[3], &argv[4])?);
    }
    let options = options.parse(&argv[5..], grammar, set)?;
    run(ctx, argv, &options)
}

fn run(ctx: &mut Ctx<'_>, argv: &[Bytes], options: &Options) -> CommandResult {
    if options.destination.is_some() && options.shows_more_than_members() {
        return Err(CommandError::StoreAndShow("STORE option in GEORADIUS"));
    }
    request::run(ctx, &argv[1], options, "georadiusstore")
}
