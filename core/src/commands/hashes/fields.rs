//! Setting, reading and removing fields.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::HashValue;

use super::{HASH, expire_looked_at};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hdel",
        arity: -3,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (2, 0, 0),
        summary: "Removes fields and counts those that were there.",
        syntax: "HDEL key field [field ...]",
        reply: Shape::Int,
        handler: hdel,
        examples: &[Example { setup: "HSET h a 1 b 2", run: "HDEL h a nosuch", shows: "(integer) 1" }],
        ..HASH
    },
    CommandSpec {
        name: "hexists",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (2, 0, 0),
        summary: "Tells whether a field is there.",
        syntax: "HEXISTS key field",
        reply: Shape::Int,
        handler: hexists,
        examples: &[Example { setup: "HSET h a 1", run: "HEXISTS h a", shows: "(integer) 1" }],
        ..HASH
    },
    CommandSpec {
        name: "hget",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 0, 0),
        summary: "Answers the value of a field.",
        syntax: "HGET key field",
        reply: Shape::BulkOrNil,
        handler: hget,
        examples: &[Example { setup: "HSET h a 1", run: "HGET h a", shows: "\"1\"" }],
        ..HASH
    },
    CommandSpec {
        name: "hmget",
        arity: -3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 0, 0),
        summary: "Answers the values of several fields.",
        syntax: "HMGET key field [field ...]",
        reply: Shape::Array,
        handler: hmget,
        examples: &[Example { setup: "HSET h a 1", run: "HMGET h a nosuch", shows: "1) \"1\"\n2) (nil)" }],
        ..HASH
    },
    CommandSpec {
        name: "hmset",
        syntax: "HMSET key field value [field value ...]",
        summary: "Sets fields; HSET does the same and counts the new ones.",
        reply: Shape::Status,
        handler: hmset,
        examples: &[Example { setup: "", run: "HMSET h a 1 b 2", shows: "OK" }],
        ..HSET
    },
    HSET,
    CommandSpec {
        name: "hsetnx",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "insert"])],
        since: (2, 0, 0),
        summary: "Sets a field that is not there yet.",
        syntax: "HSETNX key field value",
        reply: Shape::Int,
        handler: hsetnx,
        examples: &[Example { setup: "HSET h a 1", run: "HSETNX h a 2", shows: "(integer) 0" }],
        ..HASH
    },
    CommandSpec {
        name: "hstrlen",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (3, 2, 0),
        summary: "Answers the length in bytes of a field's value.",
        syntax: "HSTRLEN key field",
        reply: Shape::Int,
        handler: hstrlen,
        examples: &[Example { setup: "HSET h a hello", run: "HSTRLEN h a", shows: "(integer) 5" }],
        ..HASH
    },
];

const HSET: CommandSpec = CommandSpec {
    name: "hset",
    arity: -4,
    flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
    keys: &[KeySpec::at(1, &["RW", "update"])],
    since: (2, 0, 0),
    summary: "Sets fields and counts the new ones; an expiry of theirs ends.",
    syntax: "HSET key field value [field value ...]",
    reply: Shape::Int,
    handler: hset,
    examples: &[Example { setup: "HSET h a 1", run: "HSET h a 2 b 3", shows: "(integer) 1" }],
    ..HASH
};

/// Sets the fields and values that stand behind the key. The number of new fields.
fn set_all(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> Result<usize, CommandError> {
    let [_, key, pairs @ ..] = argv else { unreachable!("the arity was checked") };
    if pairs.len() % 2 == 1 {
        return Err(CommandError::WrongArity(ctx.spec.name.into()));
    }
    let limits = ctx.limits();
    let hash = ctx.write_or_create::<HashValue>(key)?;
    hash.expect(pairs.chunks_exact(2).map(|pair| (&pair[0], &pair[1])), &limits);
    let set = |pair: &&[Bytes]| hash.set(pair[0].clone(), pair[1].clone(), &limits);
    let created = pairs.chunks_exact(2).filter(set).count();
    ctx.changed(key, Class::HASH, "hset");
    Ok(created)
}

fn hset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::from(set_all(ctx, argv)?).into())
}

fn hmset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    set_all(ctx, argv)?;
    Ok(Reply::OK.into())
}

fn hsetnx(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, field, value) = (&argv[1], &argv[2], &argv[3]);
    expire_looked_at(ctx, key, &argv[2..3])?;
    if ctx.write::<HashValue>(key)?.is_some_and(|hash| hash.get(field).is_some()) {
        return Ok(Reply::Int(0).into());
    }
    let limits = ctx.limits();
    let hash = ctx.write_or_create::<HashValue>(key)?;
    hash.expect(std::iter::once((field, value)), &limits);
    hash.set(field.clone(), value.clone(), &limits);
    ctx.changed(key, Class::HASH, "hset");
    Ok(Reply::Int(1).into())
}

fn hdel(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let Some(hash) = ctx.write::<HashValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let removed = argv[2..].iter().filter(|field| hash.remove(field).is_some()).count();
    if removed > 0 {
        ctx.changed(&argv[1], Class::HASH, "hdel");
    }
    Ok(Reply::from(removed).into())
}

/// The living value of a field.
fn value_of(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> Result<Option<Bytes>, CommandError> {
    let now = ctx.now;
    expire_looked_at(ctx, &argv[1], &argv[2..3])?;
    let hash = ctx.read::<HashValue>(&argv[1])?;
    Ok(hash.and_then(|hash| hash.get_live(&argv[2], now)).cloned())
}

fn hget(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::bulk_or_nil(value_of(ctx, argv)?).into())
}

fn hexists(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::from(value_of(ctx, argv)?.is_some()).into())
}

fn hstrlen(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::from(value_of(ctx, argv)?.map_or(0, |value| value.len())).into())
}

fn hmget(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let now = ctx.now;
    let fields = &argv[2..];
    expire_looked_at(ctx, &argv[1], fields)?;
    let hash = ctx.read::<HashValue>(&argv[1])?;
    let value = |field: &Bytes| hash.and_then(|hash| hash.get_live(field, now)).cloned();
    Ok(Reply::Array(fields.iter().map(|field| Reply::bulk_or_nil(value(field))).collect()).into())
}
