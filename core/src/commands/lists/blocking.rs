//! Popping from the first of several lists, waiting for an element where there is none.

use crate::Bytes;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Awaited;
use crate::value::End;

use super::{LIST, ManyPop, pop};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, Handler, KeySpec, Shape};
use crate::commands::waiting;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "blmpop",
        arity: -5,
        flags: Flags::WRITE.or(Flags::BLOCKING).or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::counted(2, &["RW", "access", "delete"])],
        since: (7, 0, 0),
        summary: "Pops elements from the first of several lists that is not empty, or waits for one.",
        syntax: "BLMPOP timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: blmpop,
        examples: &[Example {
            setup: "RPUSH l a b c",
            run: "BLMPOP 0 1 l RIGHT COUNT 2",
            shows: "1) \"l\"\n2) 1) \"c\"\n   2) \"b\"",
        }],
        ..LIST
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BLPOP.flags.or(Flags::NOSCRIPT), ..BLPOP },
        }),
        ..BLPOP
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BRPOP.flags.or(Flags::NOSCRIPT), ..BRPOP },
        }),
        ..BRPOP
    },
];

const BLPOP: CommandSpec = CommandSpec {
    summary: "Pops the first element of the first of several lists that is not empty, or waits for one.",
    syntax: "BLPOP key [key ...] timeout",
    examples: &[Example { setup: "RPUSH l a b", run: "BLPOP nosuch l 0", shows: "1) \"l\"\n2) \"a\"" }],
    ..pop_spec("blpop", |ctx, argv| pop_or_wait(ctx, argv, End::Left))
};

const BRPOP: CommandSpec = CommandSpec {
    summary: "Pops the last element of the first of several lists that is not empty, or waits for one.",
    syntax: "BRPOP key [key ...] timeout",
    examples: &[Example { setup: "RPUSH l a b", run: "BRPOP nosuch l 0", shows: "1) \"l\"\n2) \"b\"" }],
    ..pop_spec("brpop", |ctx, argv| pop_or_wait(ctx, argv, End::Right))
};

const fn pop_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -3,
        flags: Flags::WRITE.or(Flags::BLOCKING),
        keys: const { &[KeySpec::range(1, -2, 1, &["RW", "access", "delete"])] },
        since: (2, 0, 0),
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler,
        ..LIST
    }
}

fn pop_or_wait(ctx: &mut Ctx<'_>, argv: &[Bytes], end: End) -> CommandResult {
    let [_, keys @ .., timeout] = argv else { unreachable!("the arity was checked") };
    let deadline = waiting::deadline(ctx, timeout)?;
    for key in keys {
        if !waiting::may_take_from(ctx, key) {
            continue;
        }
        if let Some(popped) = pop(ctx, key, end, 1)? {
            let pair = std::iter::once(key.clone()).chain(popped);
            return Ok(Reply::bulks(pair).into());
        }
    }
    waiting::wait(ctx, argv, keys, Awaited::List, deadline, Reply::NilArray)
}

fn blmpop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let request = ManyPop::parse(&argv[2..])?;
    let deadline = waiting::deadline(ctx, &argv[1])?;
    match request.run(ctx)? {
        Some(reply) => Ok(reply.into()),
        None => waiting::wait(ctx, argv, request.keys, Awaited::List, deadline, Reply::NilArray),
    }
}
