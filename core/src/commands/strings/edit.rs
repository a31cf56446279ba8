//! Changing a string in place.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::{StringValue, Value};

use super::{STRING, check_length};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "append",
        arity: 3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "insert"])],
        since: (2, 0, 0),
        summary: "Adds to the end of a string and answers its new length.",
        syntax: "APPEND key value",
        reply: Shape::Int,
        handler: append,
        examples: &[Example { setup: "SET k ab", run: "APPEND k c", shows: "(integer) 3" }],
        ..STRING
    },
    CommandSpec {
        name: "setrange",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (2, 2, 0),
        summary: "Overwrites a part of a string; zero bytes fill a gap before it.",
        syntax: "SETRANGE key offset value",
        reply: Shape::Int,
        handler: setrange,
        examples: &[Example { setup: "SET k hello", run: "SETRANGE k 1 a", shows: "(integer) 5" }],
        ..STRING
    },
];

fn append(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, tail) = (&argv[1], &argv[2]);
    let len = match ctx.write::<StringValue>(key)?.map(|value| value.len()) {
        None => {
            ctx.insert_value(key, Value::String(StringValue::new(tail.clone())), None);
            ctx.shares_argument(key);
            tail.len()
        }
        Some(len) => {
            check_length(ctx, len + tail.len())?;
            ctx.write::<StringValue>(key)?.map_or(0, |value| value.append(tail))
        }
    };
    ctx.changed(key, Class::STRING, "append");
    Ok(Reply::from(len).into())
}

fn setrange(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, part) = (&argv[1], &argv[3]);
    let offset = usize::try_from(args::int(&argv[2])?)
        .map_err(|_| CommandError::Line("ERR offset is out of range".into()))?;
    let before = ctx.write::<StringValue>(key)?.map(|value| value.len());
    if part.is_empty() {
        return Ok(Reply::from(before.unwrap_or(0)).into());
    }
    check_length(ctx, offset.saturating_add(part.len()))?;
    if before.is_none() {
        ctx.insert_value(key, Value::String(StringValue::from_buffer(Vec::new())), None);
    }
    let len = ctx.write::<StringValue>(key)?.map_or(0, |value| value.set_range(offset, part));
    ctx.changed(key, Class::STRING, "setrange");
    Ok(Reply::from(len).into())
}
