//! Which keys there are: finding, counting, touching and deleting them.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, KeySpec, Shape};
use crate::profile::Version;
use crate::resp::Reply;

use super::KEYSPACE;
use super::scan::Filter;

const DEL: CommandSpec = CommandSpec {
    name: "del",
    arity: -2,
    flags: Flags::WRITE,
    keys: &[KeySpec::range(1, -1, 1, &["RM", "delete"])],
    summary: "Deletes keys and counts those that existed.",
    syntax: "DEL key [key ...]",
    reply: Shape::Int,
    tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
    handler: delete_all,
    examples: &[Example { setup: "SET k v", run: "DEL k nosuch", shows: "(integer) 1" }],
    ..KEYSPACE
};

const EXISTS: CommandSpec = CommandSpec {
    name: "exists",
    arity: -2,
    flags: Flags::READONLY.or(Flags::FAST),
    keys: &[KeySpec::range(1, -1, 1, &["RO"])],
    summary: "Counts how many of the keys exist.",
    syntax: "EXISTS key [key ...]",
    reply: Shape::Int,
    tips: &["request_policy:multi_shard", "response_policy:agg_sum"],
    handler: exists,
    examples: &[Example { setup: "SET k v", run: "EXISTS k k nosuch", shows: "(integer) 2" }],
    ..KEYSPACE
};

const RANDOMKEY: CommandSpec = CommandSpec {
    name: "randomkey",
    arity: 1,
    flags: Flags::READONLY,
    summary: "Answers one of the keys, picked at random.",
    syntax: "RANDOMKEY",
    reply: Shape::BulkOrNil,
    tips: &["request_policy:all_shards", "response_policy:special", "nondeterministic_output"],
    handler: randomkey,
    examples: &[Example { setup: "SET k v", run: "RANDOMKEY", shows: "\"k\"" }],
    ..KEYSPACE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    DEL,
    EXISTS,
    CommandSpec {
        name: "keys",
        arity: 2,
        flags: Flags::READONLY,
        categories: &["keyspace", "dangerous"],
        summary: "Lists the keys that match a pattern.",
        syntax: "KEYS pattern",
        reply: Shape::Array,
        tips: &["request_policy:all_shards", "nondeterministic_output_order"],
        handler: keys,
        examples: &[Example { setup: "SET k v", run: "KEYS *", shows: "1) \"k\"" }],
        ..KEYSPACE
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec {
                tips: &["request_policy:all_shards", "nondeterministic_output"],
                ..RANDOMKEY
            },
        }),
        ..RANDOMKEY
    },
    CommandSpec {
        name: "touch",
        since: (3, 2, 1),
        summary: "Counts how many of the keys exist and marks them as used.",
        syntax: "TOUCH key [key ...]",
        handler: touch,
        examples: &[Example { setup: "SET k v", run: "TOUCH k nosuch", shows: "(integer) 1" }],
        ..EXISTS
    },
    CommandSpec {
        name: "type",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        summary: "Names the type of the value at a key.",
        syntax: "TYPE key",
        reply: Shape::Status,
        handler: type_of,
        examples: &[Example { setup: "SET k v", run: "TYPE k", shows: "string" }],
        ..KEYSPACE
    },
    CommandSpec {
        name: "unlink",
        flags: Flags::WRITE.or(Flags::FAST),
        since: (4, 0, 0),
        summary: "Deletes keys and frees their memory later.",
        syntax: "UNLINK key [key ...]",
        examples: &[Example { setup: "SET k v", run: "UNLINK k", shows: "(integer) 1" }],
        ..DEL
    },
];

fn delete_all(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let deleted = argv[1..].iter().filter(|key| ctx.delete(key, "del")).count();
    Ok(Reply::from(deleted).into())
}

fn exists(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = argv[1..].iter().filter(|key| ctx.lookup_untouched(key).is_some()).count();
    Ok(Reply::from(found).into())
}

fn touch(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = argv[1..].iter().filter(|key| ctx.lookup(key).is_some()).count();
    Ok(Reply::from(found).into())
}

fn keys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (now, filter) = (ctx.now, Filter::new(&argv[1]));
    let living = ctx.db().iter().filter(|(_, entry)| !entry.is_expired(now));
    let found = living.filter(|(key, _)| filter.admits(key)).map(|(key, _)| key.clone());
    Ok(Reply::bulks(found.collect::<Vec<_>>()).into())
}

fn randomkey(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    loop {
        let place = ctx.state.rng.below(ctx.db().len());
        let Some((key, _)) = ctx.db().get_at(place) else { return Ok(Reply::Nil.into()) };
        let key = key.clone();
        // A key past its time is deleted by the look at it, so this ends.
        if ctx.exists(&key) {
            return Ok(Reply::Bulk(key).into());
        }
    }
}

fn type_of(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let entry = ctx.lookup_untouched(&argv[1]);
    Ok(Reply::status(entry.map_or("none", |entry| entry.value.type_name())).into())
}
