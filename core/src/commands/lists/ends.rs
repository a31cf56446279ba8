//! Pushing to and popping from the ends of a list.

use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::{End, ListValue};

use super::{LIST, ManyPop};
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, Handler, KeySpec, Shape};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "llen",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (1, 0, 0),
        summary: "Counts the elements of a list.",
        syntax: "LLEN key",
        reply: Shape::Int,
        handler: llen,
        examples: &[Example { setup: "RPUSH l a b", run: "LLEN l", shows: "(integer) 2" }],
        ..LIST
    },
    CommandSpec {
        name: "lmpop",
        arity: -4,
        flags: Flags::WRITE.or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::counted(1, &["RW", "access", "delete"])],
        since: (7, 0, 0),
        summary: "Pops elements from the first of several lists that is not empty.",
        syntax: "LMPOP numkeys key [key ...] <LEFT | RIGHT> [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: lmpop,
        examples: &[Example {
            setup: "RPUSH l a b c",
            run: "LMPOP 2 nosuch l LEFT COUNT 2",
            shows: "1) \"l\"\n2) 1) \"a\"\n   2) \"b\"",
        }],
        ..LIST
    },
    CommandSpec {
        summary: "Pops elements from the left end of a list.",
        syntax: "LPOP key [count]",
        examples: &[
            Example { setup: "RPUSH l a b c", run: "LPOP l", shows: "\"a\"" },
            Example { setup: "RPUSH l a b c", run: "LPOP l 2", shows: "1) \"a\"\n2) \"b\"" },
        ],
        ..pop_spec("lpop", |ctx, argv| pop(ctx, argv, End::Left))
    },
    CommandSpec {
        since: (1, 0, 0),
        summary: "Pushes elements to the left end of a list, one after the other.",
        syntax: "LPUSH key element [element ...]",
        examples: &[Example { setup: "LPUSH l a", run: "LPUSH l b c", shows: "(integer) 3" }],
        ..push_spec("lpush", |ctx, argv| push(ctx, argv, End::Left))
    },
    CommandSpec {
        since: (2, 2, 0),
        summary: "Pushes elements to the left end of a list, if there is one.",
        syntax: "LPUSHX key element [element ...]",
        examples: &[Example { setup: "", run: "LPUSHX nosuch a", shows: "(integer) 0" }],
        ..push_spec("lpushx", |ctx, argv| push_if_there(ctx, argv, End::Left))
    },
    CommandSpec {
        summary: "Pops elements from the right end of a list.",
        syntax: "RPOP key [count]",
        examples: &[Example { setup: "RPUSH l a b c", run: "RPOP l 2", shows: "1) \"c\"\n2) \"b\"" }],
        ..pop_spec("rpop", |ctx, argv| pop(ctx, argv, End::Right))
    },
    CommandSpec {
        since: (1, 0, 0),
        summary: "Pushes elements to the right end of a list.",
        syntax: "RPUSH key element [element ...]",
        examples: &[Example { setup: "RPUSH l a", run: "RPUSH l b c", shows: "(integer) 3" }],
        ..push_spec("rpush", |ctx, argv| push(ctx, argv, End::Right))
    },
    CommandSpec {
        since: (2, 2, 0),
        summary: "Pushes elements to the right end of a list, if there is one.",
        syntax: "RPUSHX key element [element ...]",
        examples: &[Example { setup: "RPUSH l a", run: "RPUSHX l b", shows: "(integer) 2" }],
        ..push_spec("rpushx", |ctx, argv| push_if_there(ctx, argv, End::Right))
    },
];

const fn push_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: const { &[KeySpec::at(1, &["RW", "insert"])] },
        reply: Shape::Int,
        handler,
        ..LIST
    }
}

const fn pop_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: const { &[KeySpec::at(1, &["RW", "access", "delete"])] },
        since: (1, 0, 0),
        reply: Shape::OneOf(&[Shape::BulkOrNil, Shape::Array]),
        handler,
        ..LIST
    }
}

fn llen(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let len = ctx.read::<ListValue>(&argv[1])?.map_or(0, ListValue::len);
    Ok(Reply::from(len).into())
}

fn push(ctx: &mut Ctx<'_>, argv: &[Bytes], end: End) -> CommandResult {
    let len = super::push(ctx, &argv[1], end, &argv[2..])?;
    Ok(Reply::from(len).into())
}

fn push_if_there(ctx: &mut Ctx<'_>, argv: &[Bytes], end: End) -> CommandResult {
    if ctx.write::<ListValue>(&argv[1])?.is_none() {
        return Ok(Reply::Int(0).into());
    }
    push(ctx, argv, end)
}

fn pop(ctx: &mut Ctx<'_>, argv: &[Bytes], end: End) -> CommandResult {
    let [_, key, count @ ..] = argv else { unreachable!("the arity was checked") };
    let count = match count {
        [] => None,
        [count] => Some(args::non_negative(count)?),
        _ => return Err(CommandError::WrongArity(ctx.spec.name.into())),
    };
    let popped = super::pop(ctx, key, end, count.unwrap_or(1))?;
    Ok(match (popped, count) {
        (None, None) => Reply::Nil,
        (None, Some(_)) => Reply::NilArray,
        (Some(popped), None) => Reply::bulk_or_nil(popped.into_iter().next()),
        (Some(popped), Some(_)) => Reply::bulks(popped),
    }
    .into())
}

fn lmpop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let reply = ManyPop::parse(&argv[1..])?.run(ctx)?;
    Ok(reply.unwrap_or(Reply::NilArray).into())
}
