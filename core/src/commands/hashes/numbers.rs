//! Counting in fields.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::HashValue;
use crate::value::number::{self, LongDouble};

use super::{HASH, expire_looked_at};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hincrby",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (2, 0, 0),
        summary: "Adds to the integer in a field.",
        syntax: "HINCRBY key field increment",
        reply: Shape::Int,
        handler: hincrby,
        examples: &[Example { setup: "HSET h a 10", run: "HINCRBY h a -3", shows: "(integer) 7" }],
        ..HASH
    },
    CommandSpec {
        name: "hincrbyfloat",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (2, 6, 0),
        summary: "Adds to the number in a field, fractions included.",
        syntax: "HINCRBYFLOAT key field increment",
        reply: Shape::Bulk,
        handler: hincrbyfloat,
        examples: &[Example { setup: "HSET h a 10", run: "HINCRBYFLOAT h a 0.1", shows: "\"10.1\"" }],
        ..HASH
    },
];

fn hincrby(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let by = args::int(&argv[3])?;
    let before = match current(ctx, argv)? {
        None => 0,
        Some(text) => {
            number::parse_i64(&text).ok_or(CommandError::Line("ERR hash value is not an integer".into()))?
        }
    };
    let after = before.checked_add(by).ok_or(CommandError::IncrementOverflow)?;
    store(ctx, argv, Bytes::from(after.to_string()))?;
    ctx.changed(&argv[1], Class::HASH, "hincrby");
    Ok(Reply::Int(after).into())
}

fn hincrbyfloat(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let by = LongDouble::parse(&argv[3]).ok_or(CommandError::NotAFloat)?;
    if !by.is_finite() {
        return Err(CommandError::Line("ERR value is NaN or Infinity".into()));
    }
    let before = match current(ctx, argv)? {
        None => LongDouble::ZERO,
        Some(text) => {
            LongDouble::parse(&text).ok_or(CommandError::Line("ERR hash value is not a float".into()))?
        }
    };
    let after = before + by;
    if !after.is_finite() {
        return Err(CommandError::IncrementNotFinite);
    }
    let text = Bytes::from(after.to_text());
    store(ctx, argv, text.clone())?;
    ctx.changed(&argv[1], Class::HASH, "hincrbyfloat");
    Ok(Reply::Bulk(text).into())
}

fn current(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> Result<Option<Bytes>, CommandError> {
    let now = ctx.now;
    expire_looked_at(ctx, &argv[1], &argv[2..3])?;
    let hash = ctx.write::<HashValue>(&argv[1])?;
    Ok(hash.and_then(|hash| hash.get_live(&argv[2], now)).cloned())
}

fn store(ctx: &mut Ctx<'_>, argv: &[Bytes], value: Bytes) -> Result<(), CommandError> {
    let limits = ctx.limits();
    let hash = ctx.write_or_create::<HashValue>(&argv[1])?;
    hash.set_keeping_expiry(argv[2].clone(), value, &limits);
    Ok(())
}
