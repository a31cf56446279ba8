//! Reading a string and doing away with it or with its expiry.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::{StringValue, Typed};

use super::options::{Comparison, Expiry, Grammar, Options};
use super::{STRING, read};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "delex",
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (8, 4, 0),
        summary: "Deletes a key if its string, or the digest of it, is or is not a given one.",
        syntax: "DELEX key [IFEQ value | IFNE value | IFDEQ digest | IFDNE digest]",
        reply: Shape::Int,
        handler: delex,
        examples: &[
            Example { setup: "SET lock A", run: "DELEX lock IFEQ A", shows: "(integer) 1" },
            Example { setup: "SET lock B", run: "DELEX lock IFEQ A", shows: "(integer) 0" },
        ],
        ..STRING
    },
    CommandSpec {
        name: "getdel",
        arity: 2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "delete"])],
        since: (6, 2, 0),
        summary: "Answers a string and deletes the key.",
        syntax: "GETDEL key",
        reply: Shape::BulkOrNil,
        handler: getdel,
        examples: &[Example { setup: "SET k v", run: "GETDEL k", shows: "\"v\"" }],
        ..STRING
    },
    CommandSpec {
        name: "getex",
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec {
            notes: "RW and UPDATE because it changes the TTL",
            ..KeySpec::at(1, &["RW", "access", "update"])
        }],
        since: (6, 2, 0),
        summary: "Answers a string and sets or takes away its expiry.",
        syntax: "GETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST]",
        reply: Shape::BulkOrNil,
        handler: getex,
        examples: &[Example { setup: "SET k v", run: "GETEX k EX 10", shows: "\"v\"" }],
        ..STRING
    },
];

fn getdel(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let value = read::get(ctx, &argv[1])?;
    if value != Reply::Nil {
        ctx.delete(&argv[1], "del");
    }
    Ok(value.into())
}

fn getex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let options = Options::parse(&argv[2..], Grammar::GetEx, ctx.version())?;
    let value = read::get(ctx, key)?;
    if value == Reply::Nil {
        return Ok(value.into());
    }
    let deadline = options.expiry.deadline(ctx.now, "getex")?;
    match deadline {
        Some(at) if options.expiry.is_absolute() && at <= ctx.now => {
            ctx.delete(key, "del");
        }
        Some(at) => {
            ctx.set_expiry(key, Some(at));
            ctx.changed(key, Class::GENERIC, "expire");
        }
        None if options.expiry == Expiry::Persist && ctx.expiry_of(key).is_some() => {
            ctx.set_expiry(key, None);
            ctx.changed(key, Class::GENERIC, "persist");
        }
        None => {}
    }
    Ok(value.into())
}

fn delex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let condition = match &argv[2..] {
        [] => None,
        [word, operand] => Some((word, operand)),
        _ => return Err(CommandError::WrongArity(ctx.spec.name.into())),
    };
    let Some(entry) = ctx.lookup_write(key) else { return Ok(Reply::Int(0).into()) };
    let is_string = StringValue::of(&entry.value).is_some();
    if let Some((word, operand)) = condition {
        let line = |text: &'static str| CommandError::Line(text.into());
        if !is_string {
            return Err(line("ERR Key should be of string type if conditions are specified"));
        }
        let comparison = Comparison::parse(word, operand)
            .ok_or(line("ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE"))?;
        if !comparison.holds(ctx, key)? {
            return Ok(Reply::Int(0).into());
        }
    }
    ctx.delete(key, "del");
    Ok(Reply::Int(1).into())
}
