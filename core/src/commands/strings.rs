//! Strings.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::{StringValue, Value};

use super::args::{self, Cursor};
use super::ctx::{CommandResult, Ctx};
use super::notify::Class;
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "decr",
        arity: 2,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        categories: &["string"],
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (1, 0, 0),
        group: Group::String,
        summary: "Subtracts one from a number.",
        syntax: "DECR key",
        reply: Shape::Int,
        handler: |ctx, argv| increment(ctx, &argv[1], -1),
        examples: &[Example { setup: "SET n 10", run: "DECR n", shows: "(integer) 9" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "get",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        categories: &["string"],
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 0, 0),
        group: Group::String,
        summary: "Answers the string at a key.",
        syntax: "GET key",
        reply: Shape::BulkOrNil,
        handler: get,
        examples: &[Example { setup: "SET k v", run: "GET k", shows: "\"v\"" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "incr",
        arity: 2,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        categories: &["string"],
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (1, 0, 0),
        group: Group::String,
        summary: "Adds one to a number.",
        syntax: "INCR key",
        reply: Shape::Int,
        handler: |ctx, argv| increment(ctx, &argv[1], 1),
        examples: &[Example { setup: "SET n 10", run: "INCR n", shows: "(integer) 11" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "incrby",
        arity: 3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        categories: &["string"],
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (1, 0, 0),
        group: Group::String,
        summary: "Adds to a number.",
        syntax: "INCRBY key increment",
        reply: Shape::Int,
        handler: |ctx, argv| {
            let by = args::int(&argv[2])?;
            increment(ctx, &argv[1], by)
        },
        examples: &[Example { setup: "SET n 10", run: "INCRBY n 5", shows: "(integer) 15" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "set",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        categories: &["string"],
        keys: &[KeySpec {
            notes: "RW and ACCESS due to the optional `GET` argument",
            ..KeySpec::at(1, &["RW", "access", "update", "variable_flags"])
        }],
        since: (1, 0, 0),
        group: Group::String,
        summary: "Sets the string at a key, whatever was there.",
        syntax: "SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
        reply: Shape::OneOf(&[Shape::Status, Shape::BulkOrNil]),
        handler: set,
        examples: &[
            Example { setup: "", run: "SET k v", shows: "OK" },
            Example { setup: "SET k v", run: "SET k w NX", shows: "(nil)" },
        ],
        ..CommandSpec::BASE
    },
];

fn get(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let value = ctx.read::<StringValue>(&argv[1])?;
    Ok(Reply::bulk_or_nil(value.map(StringValue::to_bytes)).into())
}

fn increment(ctx: &mut Ctx<'_>, key: &Bytes, by: i64) -> CommandResult {
    let before = match ctx.read::<StringValue>(key)? {
        None => 0,
        Some(value) => args::int(&value.as_slice())?,
    };
    let after = before
        .checked_add(by)
        .ok_or(CommandError::Line("ERR increment or decrement would overflow".into()))?;
    store(ctx, key, StringValue::from_integer(after));
    ctx.changed(key, Class::STRING, "incrby");
    Ok(Reply::Int(after).into())
}

/// Puts a string in the key's place and keeps its expiry.
pub(super) fn store(ctx: &mut Ctx<'_>, key: &Bytes, value: StringValue) {
    match ctx.lookup_write(key) {
        Some(entry) => entry.value = Value::String(value),
        None => ctx.insert_value(key, Value::String(value), None),
    }
}

/// When a key set with options is to expire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SetExpiry {
    #[default]
    None,
    Keep,
    At(UnixMillis),
}

#[derive(Default)]
struct SetOptions {
    only_if_missing: bool,
    only_if_exists: bool,
    get: bool,
    expiry: SetExpiry,
}

fn set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let options = set_options(ctx, &argv[3..])?;
    let key = &argv[1];
    if options.get && options.only_if_missing && ctx.version() < Version::V7_0 {
        return Err(CommandError::Syntax);
    }
    let before = if options.get {
        Some(Reply::bulk_or_nil(ctx.read::<StringValue>(key)?.map(StringValue::to_bytes)))
    } else {
        None
    };
    let exists = ctx.exists(key);
    if (options.only_if_missing && exists) || (options.only_if_exists && !exists) {
        return Ok(before.unwrap_or(Reply::Nil).into());
    }
    let expires_at = match options.expiry {
        SetExpiry::None => None,
        SetExpiry::At(at) => Some(at),
        SetExpiry::Keep => ctx.peek(key).and_then(|entry| entry.expires_at),
    };
    ctx.insert_value(key, Value::String(StringValue::new(argv[2].clone())), expires_at);
    ctx.changed(key, Class::STRING, "set");
    if matches!(options.expiry, SetExpiry::At(_)) {
        ctx.notify(Class::GENERIC, "expire", key);
    }
    super::expiry::delete_if_past(ctx, key);
    Ok(before.unwrap_or(Reply::OK).into())
}

fn set_options(ctx: &Ctx<'_>, rest: &[Bytes]) -> Result<SetOptions, CommandError> {
    let mut options = SetOptions::default();
    let mut words = Cursor::new(rest);
    while !words.is_done() {
        if words.take_word("nx") && !options.only_if_exists {
            options.only_if_missing = true;
        } else if words.take_word("xx") && !options.only_if_missing {
            options.only_if_exists = true;
        } else if words.take_word("get") {
            options.get = true;
        } else if options.expiry != SetExpiry::None {
            return Err(CommandError::Syntax);
        } else if words.take_word("keepttl") {
            options.expiry = SetExpiry::Keep;
        } else {
            let unit = super::expiry::Unit::from_set_option(words.next()?).ok_or(CommandError::Syntax)?;
            let at = unit.deadline(words.next()?, ctx.now, "set")?;
            options.expiry = SetExpiry::At(at);
        }
    }
    Ok(options)
}
