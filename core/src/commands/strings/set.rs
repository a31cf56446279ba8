//! Setting one string: SET and the older commands that are parts of it.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::expiry::Unit;
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::resp::Reply;
use crate::value::{StringValue, Value};

use super::options::{Existence, Expiry, Grammar, Options};
use super::{STRING, read};

const SETEX: CommandSpec = CommandSpec {
    name: "setex",
    arity: 4,
    flags: Flags::WRITE.or(Flags::DENYOOM),
    keys: &[KeySpec::at(1, &["OW", "update"])],
    since: (2, 0, 0),
    summary: "Sets a string that expires after some seconds.",
    syntax: "SETEX key seconds value",
    reply: Shape::Status,
    handler: |ctx, argv| set_expiring(ctx, argv, Unit::Seconds),
    examples: &[Example { setup: "", run: "SETEX k 10 v", shows: "OK" }],
    ..STRING
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "getset",
        arity: 3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        summary: "Sets a string and answers the one before; SET with GET does the same.",
        syntax: "GETSET key value",
        reply: Shape::BulkOrNil,
        handler: getset,
        examples: &[Example { setup: "SET k old", run: "GETSET k new", shows: "\"old\"" }],
        ..STRING
    },
    CommandSpec {
        name: "psetex",
        since: (2, 6, 0),
        summary: "Sets a string that expires after some milliseconds.",
        syntax: "PSETEX key milliseconds value",
        handler: |ctx, argv| set_expiring(ctx, argv, Unit::Millis),
        examples: &[Example { setup: "", run: "PSETEX k 1500 v", shows: "OK" }],
        ..SETEX
    },
    CommandSpec {
        name: "set",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec {
            notes: "RW and ACCESS due to the optional `GET` argument",
            ..KeySpec::at(1, &["RW", "access", "update", "variable_flags"])
        }],
        summary: "Sets the string at a key, whatever was there; conditions and an expiry can be given.",
        syntax: "SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
        reply: Shape::OneOf(&[Shape::Status, Shape::BulkOrNil]),
        handler: set,
        examples: &[
            Example { setup: "", run: "SET k v", shows: "OK" },
            Example { setup: "SET k v", run: "SET k w NX", shows: "(nil)" },
            Example { setup: "SET k v", run: "SET k w IFEQ v", shows: "OK" },
        ],
        ..STRING
    },
    SETEX,
    CommandSpec {
        name: "setnx",
        arity: 3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["OW", "insert"])],
        summary: "Sets a string only where the key is missing.",
        syntax: "SETNX key value",
        reply: Shape::Int,
        handler: setnx,
        examples: &[Example { setup: "SET k v", run: "SETNX k w", shows: "(integer) 0" }],
        ..STRING
    },
];

fn set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let options = Options::parse(&argv[3..], Grammar::Set, ctx.version())?;
    let deadline = options.expiry.deadline(ctx.now, "set")?;
    let key = &argv[1];
    let before = if options.get { Some(read::get(ctx, key)?) } else { None };
    let exists = ctx.exists(key);
    let refused = match options.existence {
        Some(Existence::Missing) => exists,
        Some(Existence::Present) => !exists,
        None => false,
    };
    let unequal = match &options.comparison {
        Some(comparison) => !comparison.holds(ctx, key)?,
        None => false,
    };
    if refused || unequal {
        return Ok(before.unwrap_or(Reply::Nil).into());
    }
    // Point of no return.
    put(ctx, key, &argv[2], &options.expiry, deadline);
    Ok(before.unwrap_or(Reply::OK).into())
}

fn setnx(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.exists(&argv[1]) {
        return Ok(Reply::Int(0).into());
    }
    put(ctx, &argv[1], &argv[2], &Expiry::Unset, None);
    Ok(Reply::Int(1).into())
}

fn set_expiring(ctx: &mut Ctx<'_>, argv: &[Bytes], unit: Unit) -> CommandResult {
    let deadline = unit.deadline(&argv[2], ctx.now, ctx.spec.name)?;
    put(ctx, &argv[1], &argv[3], &Expiry::Unset, Some(deadline));
    Ok(Reply::OK.into())
}

fn getset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let before = read::get(ctx, &argv[1])?;
    put(ctx, &argv[1], &argv[2], &Expiry::Unset, None);
    Ok(before.into())
}

/// Sets a string as SET does, and tells it. `deadline` is what the expiry has come to.
pub(super) fn put(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    text: &Bytes,
    expiry: &Expiry,
    deadline: Option<UnixMillis>,
) {
    let kept = if *expiry == Expiry::Keep { ctx.expiry_of(key) } else { None };
    ctx.insert_value(key, Value::String(StringValue::new(text.clone())), deadline.or(kept));
    ctx.shares_argument(key);
    ctx.changed(key, Class::STRING, "set");
    if deadline.is_some() {
        ctx.notify(Class::GENERIC, "expire", key);
    }
}
