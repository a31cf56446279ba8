//! Popping from the first of several sorted sets, waiting for a member where there is none.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, Handler, KeySpec, Shape};
use crate::commands::waiting;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Awaited;

use super::ZSET;
use super::pops::{ManyPop, Side, pop};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "bzmpop",
        arity: -5,
        flags: Flags::WRITE.or(Flags::BLOCKING).or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::counted(2, &["RW", "access", "delete"])],
        since: (7, 0, 0),
        summary: "Pops members from the first of several sorted sets that is not empty, or waits for one.",
        syntax: "BZMPOP timeout numkeys key [key ...] <MIN | MAX> [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: bzmpop,
        examples: &[Example {
            setup: "ZADD z 1 a 2 b",
            run: "BZMPOP 0 1 z MAX",
            shows: "1) \"z\"\n2) 1) 1) \"b\"\n      2) \"2\"",
        }],
        ..ZSET
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BZPOPMAX.flags.or(Flags::NOSCRIPT), ..BZPOPMAX },
        }),
        ..BZPOPMAX
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BZPOPMIN.flags.or(Flags::NOSCRIPT), ..BZPOPMIN },
        }),
        ..BZPOPMIN
    },
];

const BZPOPMAX: CommandSpec = CommandSpec {
    summary: "Pops the member with the highest score of the first sorted set that is not empty, or waits for one.",
    syntax: "BZPOPMAX key [key ...] timeout",
    examples: &[Example {
        setup: "ZADD z 1 a 2 b",
        run: "BZPOPMAX nosuch z 0",
        shows: "1) \"z\"\n2) \"b\"\n3) \"2\"",
    }],
    ..pop_spec("bzpopmax", |ctx, argv| pop_or_wait(ctx, argv, Side::Max))
};

const BZPOPMIN: CommandSpec = CommandSpec {
    summary: "Pops the member with the lowest score of the first sorted set that is not empty, or waits for one.",
    syntax: "BZPOPMIN key [key ...] timeout",
    examples: &[Example {
        setup: "ZADD z 1 a 2 b",
        run: "BZPOPMIN nosuch z 0",
        shows: "1) \"z\"\n2) \"a\"\n3) \"1\"",
    }],
    ..pop_spec("bzpopmin", |ctx, argv| pop_or_wait(ctx, argv, Side::Min))
};

const fn pop_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -3,
        flags: Flags::WRITE.or(Flags::BLOCKING).or(Flags::FAST),
        keys: const { &[KeySpec::range(1, -2, 1, &["RW", "access", "delete"])] },
        since: (5, 0, 0),
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler,
        ..ZSET
    }
}

fn pop_or_wait(ctx: &mut Ctx<'_>, argv: &[Bytes], side: Side) -> CommandResult {
    let [_, keys @ .., timeout] = argv else { unreachable!("the arity was checked") };
    let deadline = waiting::deadline(ctx, timeout)?;
    for key in keys {
        if !waiting::may_take_from(ctx, key) {
            continue;
        }
        if let Some((member, score)) = pop(ctx, key, side, 1)?.and_then(|popped| popped.into_iter().next()) {
            let reply = vec![Reply::Bulk(key.clone()), Reply::Bulk(member), Reply::Double(score)];
            return Ok(Reply::Array(reply).into());
        }
    }
    waiting::wait(ctx, argv, keys, Awaited::SortedSet, deadline, Reply::NilArray)
}

fn bzmpop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let request = ManyPop::parse(&argv[2..])?;
    let deadline = waiting::deadline(ctx, &argv[1])?;
    match request.run(ctx)? {
        Some(reply) => Ok(reply.into()),
        None => waiting::wait(ctx, argv, request.keys, Awaited::SortedSet, deadline, Reply::NilArray),
    }
}
