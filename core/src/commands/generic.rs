//! Commands for keys of any type.

use crate::Bytes;
use crate::resp::Reply;
use crate::value::glob;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "del",
        arity: -2,
        flags: Flags::WRITE,
        categories: &["keyspace"],
        keys: &[KeySpec::range(1, -1, 1, &["RM", "delete"])],
        since: (1, 0, 0),
        group: Group::Generic,
        summary: "Deletes keys and counts those that existed.",
        syntax: "DEL key [key ...]",
        reply: Shape::Int,
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        handler: |ctx, argv| delete_all(ctx, argv, "del"),
        examples: &[Example { setup: "SET k v", run: "DEL k nosuch", shows: "(integer) 1" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "exists",
        arity: -2,
        flags: Flags::READONLY.or(Flags::FAST),
        categories: &["keyspace"],
        keys: &[KeySpec::range(1, -1, 1, &["RO"])],
        since: (1, 0, 0),
        group: Group::Generic,
        summary: "Counts how many of the keys exist.",
        syntax: "EXISTS key [key ...]",
        reply: Shape::Int,
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        handler: exists,
        examples: &[Example { setup: "SET k v", run: "EXISTS k k nosuch", shows: "(integer) 2" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "keys",
        arity: 2,
        flags: Flags::READONLY,
        categories: &["keyspace", "dangerous"],
        since: (1, 0, 0),
        group: Group::Generic,
        summary: "Lists the keys that match a pattern.",
        syntax: "KEYS pattern",
        reply: Shape::Array,
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        handler: keys,
        examples: &[Example { setup: "SET k v", run: "KEYS *", shows: "1) \"k\"" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "type",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        categories: &["keyspace"],
        keys: &[KeySpec::at(1, &["RO"])],
        since: (1, 0, 0),
        group: Group::Generic,
        summary: "Names the type of the value at a key.",
        syntax: "TYPE key",
        reply: Shape::Status,
        handler: type_of,
        examples: &[Example { setup: "SET k v", run: "TYPE k", shows: "string" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "unlink",
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        categories: &["keyspace"],
        keys: &[KeySpec::range(1, -1, 1, &["RM", "delete"])],
        since: (4, 0, 0),
        group: Group::Generic,
        summary: "Deletes keys and frees their memory later.",
        syntax: "UNLINK key [key ...]",
        reply: Shape::Int,
        tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
        handler: |ctx, argv| delete_all(ctx, argv, "del"),
        examples: &[Example { setup: "SET k v", run: "UNLINK k", shows: "(integer) 1" }],
        ..CommandSpec::BASE
    },
];

fn delete_all(ctx: &mut Ctx<'_>, argv: &[Bytes], event: &str) -> CommandResult {
    let deleted = argv[1..].iter().filter(|key| ctx.delete(key, event)).count();
    Ok(Reply::from(deleted).into())
}

fn exists(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = argv[1..].iter().filter(|key| ctx.lookup(key).is_some()).count();
    Ok(Reply::from(found).into())
}

fn keys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let now = ctx.now;
    let found = ctx
        .db()
        .iter()
        .filter(|(key, entry)| !entry.is_expired(now) && glob::matches(&argv[1], key, glob::Case::Sensitive))
        .map(|(key, _)| key.clone());
    Ok(Reply::bulks(found.collect::<Vec<_>>()).into())
}

fn type_of(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::status(ctx.peek(&argv[1]).map_or("none", |entry| entry.value.type_name())).into())
}
