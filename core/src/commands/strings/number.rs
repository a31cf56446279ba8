//! Counting with strings.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::StringValue;
use crate::value::number::LongDouble;

use super::{STRING, store};

const NUMBER: CommandSpec = CommandSpec {
    arity: 3,
    flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
    keys: &[KeySpec::at(1, &["RW", "access", "update"])],
    reply: Shape::Int,
    ..STRING
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "decr",
        arity: 2,
        summary: "Subtracts one from a number.",
        syntax: "DECR key",
        handler: |ctx, argv| increment(ctx, &argv[1], -1),
        examples: &[Example { setup: "SET n 10", run: "DECR n", shows: "(integer) 9" }],
        ..NUMBER
    },
    CommandSpec {
        name: "decrby",
        summary: "Subtracts from a number.",
        syntax: "DECRBY key decrement",
        handler: decrby,
        examples: &[Example { setup: "SET n 10", run: "DECRBY n 3", shows: "(integer) 7" }],
        ..NUMBER
    },
    CommandSpec {
        name: "incr",
        arity: 2,
        summary: "Adds one to a number.",
        syntax: "INCR key",
        handler: |ctx, argv| increment(ctx, &argv[1], 1),
        examples: &[Example { setup: "SET n 10", run: "INCR n", shows: "(integer) 11" }],
        ..NUMBER
    },
    CommandSpec {
        name: "incrby",
        summary: "Adds to a number.",
        syntax: "INCRBY key increment",
        handler: |ctx, argv| {
            let by = args::int(&argv[2])?;
            increment(ctx, &argv[1], by)
        },
        examples: &[Example { setup: "SET n 10", run: "INCRBY n 5", shows: "(integer) 15" }],
        ..NUMBER
    },
    CommandSpec {
        name: "incrbyfloat",
        since: (2, 6, 0),
        summary: "Adds to a number with decimals.",
        syntax: "INCRBYFLOAT key increment",
        reply: Shape::Bulk,
        handler: incrbyfloat,
        examples: &[Example { setup: "SET n 10.5", run: "INCRBYFLOAT n 0.1", shows: "\"10.6\"" }],
        ..NUMBER
    },
];

fn increment(ctx: &mut Ctx<'_>, key: &Bytes, by: i64) -> CommandResult {
    let before = match ctx.write::<StringValue>(key)? {
        None => 0,
        Some(value) => value.as_integer().ok_or(CommandError::NotAnInteger)?,
    };
    let after = before.checked_add(by).ok_or(CommandError::IncrementOverflow)?;
    store(ctx, key, StringValue::from_integer(after));
    ctx.changed(key, Class::STRING, "incrby");
    Ok(Reply::Int(after).into())
}

fn decrby(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let by = args::int(&argv[2])?
        .checked_neg()
        .ok_or(CommandError::Line("ERR decrement would overflow".into()))?;
    increment(ctx, &argv[1], by)
}

fn incrbyfloat(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let parse = |text: &[u8]| LongDouble::parse(text).ok_or(CommandError::NotAFloat);
    let before = match ctx.write::<StringValue>(key)? {
        None => LongDouble::ZERO,
        Some(value) => parse(&value.as_slice())?,
    };
    let after = before + parse(&argv[2])?;
    if !after.is_finite() {
        return Err(CommandError::IncrementNotFinite);
    }
    let text = Bytes::from(after.to_text());
    store(ctx, key, StringValue::from_text(text.clone()));
    // The command stands in the queue as a SET of the result from now on.
    ctx.shares_argument(key);
    ctx.changed(key, Class::STRING, "incrbyfloat");
    Ok(Reply::Bulk(text).into())
}
