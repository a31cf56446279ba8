//! OBJECT: how a value is kept.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};
use crate::error::CommandError;
use crate::keyspace::Entry;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::{Holder, StringValue, Typed};

use super::KEYSPACE;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "object",
    arity: -2,
    since: (2, 2, 3),
    summary: "Tells how a value is kept.",
    syntax: "OBJECT subcommand",
    subcommands: OBJECT,
    ..CommandSpec::BASE
}];

const SUBCOMMAND: CommandSpec = CommandSpec {
    arity: 3,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(2, &["RO"])],
    since: (2, 2, 3),
    reply: Shape::OneOf(&[Shape::Int, Shape::Nil]),
    tips: &["nondeterministic_output"],
    ..KEYSPACE
};

const OBJECT: &[CommandSpec] = &[
    CommandSpec {
        name: "object|encoding",
        summary: "Names the encoding of the value at a key.",
        syntax: "OBJECT ENCODING key",
        reply: Shape::BulkOrNil,
        handler: encoding,
        examples: &[Example { setup: "SET n 12", run: "OBJECT ENCODING n", shows: "\"int\"" }],
        ..SUBCOMMAND
    },
    CommandSpec {
        name: "object|freq",
        since: (4, 0, 0),
        summary: "Answers how often a key is used, on the logarithmic scale of LFU eviction.",
        syntax: "OBJECT FREQ key",
        handler: freq,
        examples: &[Example {
            setup: "CONFIG SET maxmemory-policy allkeys-lfu\nSET k v",
            run: "OBJECT FREQ k",
            shows: "(integer) 5",
        }],
        ..SUBCOMMAND
    },
    CommandSpec::help(
        "object|help",
        (6, 2, 0),
        Group::Generic,
        &["keyspace"],
        &[Example { setup: "", run: "OBJECT HELP", shows: HELP }],
    ),
    CommandSpec {
        name: "object|idletime",
        summary: "Answers the seconds since a key was last used.",
        syntax: "OBJECT IDLETIME key",
        handler: idletime,
        examples: &[Example { setup: "SET k v", run: "OBJECT IDLETIME k", shows: "(integer) 0" }],
        ..SUBCOMMAND
    },
    CommandSpec {
        name: "object|refcount",
        summary: "Answers how many places of the server share a value.",
        syntax: "OBJECT REFCOUNT key",
        handler: refcount,
        examples: &[Example { setup: "SET k v", run: "OBJECT REFCOUNT k", shows: "(integer) 1" }],
        ..SUBCOMMAND
    },
];

const HELP: &str = " 1) OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:
 2) ENCODING key
 3)     Names the encoding of the value at a key.
 4) FREQ key
 5)     Answers how often a key is used, on the logarithmic scale of LFU eviction.
 6) IDLETIME key
 7)     Answers the seconds since a key was last used.
 8) REFCOUNT key
 9)     Answers how many places of the server share a value.
10) HELP
11)     Lists the subcommands.";

/// The reply made from the entry, which is not touched by it; nil where there is none.
fn about(ctx: &mut Ctx<'_>, key: &Bytes, tell: impl FnOnce(&Entry) -> Reply) -> CommandResult {
    Ok(ctx.peek(key).map_or(Reply::Nil, tell).into())
}

fn encoding(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, version) = (&argv[2], ctx.version());
    about(ctx, key, |entry| {
        let has_expiry = entry.expires_at.is_some();
        Reply::bulk(entry.value.encoding(Holder { version, key_bytes: key.len(), has_expiry }))
    })
}

/// Until 8.0 the small integers are objects that keys share; their count stands still.
fn refcount(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let count = references(ctx, &argv[2]);
    Ok(count.map_or(Reply::Nil, Reply::Int).into())
}

/// How many places share a key's value: before 8.2 small numbers are mostly everybody's.
pub(in crate::commands) fn references(ctx: &mut Ctx<'_>, key: &Bytes) -> Option<i64> {
    const SHARED: i64 = i32::MAX as i64;
    let knows_shared = ctx.version() < Version::V8_2;
    let shared = StringValue::of(&ctx.peek(key)?.value).is_some_and(StringValue::is_shared_integer);
    let own = 1 + i64::from(ctx.shared_text(key).is_some());
    Some(if knows_shared && shared { SHARED } else { own })
}

pub(super) fn is_lfu(ctx: &Ctx<'_>) -> bool {
    ctx.state.frequency_scale().is_some()
}

fn idletime(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (lfu, now) = (is_lfu(ctx), ctx.state.now);
    if lfu && ctx.exists(&argv[2]) {
        return Err(CommandError::Line("ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.".into()));
    }
    about(ctx, &argv[2], |entry| Reply::Int(((now - entry.accessed_at).0 / 1_000_000) as i64))
}

fn freq(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if !is_lfu(ctx) && ctx.exists(&argv[2]) {
        return Err(CommandError::Line("ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.".into()));
    }
    let (scale, now) = (ctx.state.frequency_scale(), ctx.state.now);
    about(ctx, &argv[2], |entry| {
        let decayed = scale.map(|scale| scale.decayed(entry.frequency, entry.accessed_at, now));
        Reply::Int(decayed.unwrap_or(entry.frequency).into())
    })
}
