//! Popping the members with the lowest or highest scores.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::commands::waiting;
use crate::error::CommandError;
use crate::resp::{Protocol, Reply};
use crate::value::ZSetValue;

use super::{Scored, ZSET, list, pair};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zmpop",
        arity: -4,
        flags: Flags::WRITE.or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::counted(1, &["RW", "access", "delete"])],
        since: (7, 0, 0),
        summary: "Pops members from the first of several sorted sets that is not empty.",
        syntax: "ZMPOP numkeys key [key ...] <MIN | MAX> [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: zmpop,
        examples: &[Example {
            setup: "ZADD z 1 a 2 b",
            run: "ZMPOP 2 nosuch z MIN",
            shows: "1) \"z\"\n2) 1) 1) \"a\"\n      2) \"1\"",
        }],
        ..ZSET
    },
    CommandSpec {
        name: "zpopmax",
        summary: "Pops the members with the highest scores.",
        syntax: "ZPOPMAX key [count]",
        handler: |ctx, argv| pop_command(ctx, argv, Side::Max),
        examples: &[Example { setup: "ZADD z 1 a 2 b", run: "ZPOPMAX z", shows: "1) \"b\"\n2) \"2\"" }],
        ..POP
    },
    CommandSpec {
        name: "zpopmin",
        summary: "Pops the members with the lowest scores.",
        syntax: "ZPOPMIN key [count]",
        handler: |ctx, argv| pop_command(ctx, argv, Side::Min),
        examples: &[Example { setup: "ZADD z 1 a 2 b", run: "ZPOPMIN z", shows: "1) \"a\"\n2) \"1\"" }],
        ..POP
    },
];

const POP: CommandSpec = CommandSpec {
    arity: -2,
    flags: Flags::WRITE.or(Flags::FAST),
    keys: &[KeySpec::at(1, &["RW", "access", "delete"])],
    since: (5, 0, 0),
    reply: Shape::Array,
    ..ZSET
};

/// MIN or MAX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Min,
    Max,
}

/// Pops up to `count` members; None where there is no sorted set.
pub(super) fn pop(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    side: Side,
    count: usize,
) -> Result<Option<Vec<Scored>>, CommandError> {
    let Some(set) = ctx.write::<ZSetValue>(key)? else { return Ok(None) };
    let len = set.len();
    let (popped, event) = match side {
        Side::Min => (set.remove_range(0..count.min(len)), "zpopmin"),
        Side::Max => {
            let mut popped = set.remove_range(len.saturating_sub(count)..len);
            popped.reverse();
            (popped, "zpopmax")
        }
    };
    if !popped.is_empty() {
        ctx.changed(key, Class::ZSET, event);
    }
    Ok(Some(popped))
}

fn pop_command(ctx: &mut Ctx<'_>, argv: &[Bytes], side: Side) -> CommandResult {
    let count = match &argv[2..] {
        [] => None,
        [count] => Some(args::non_negative(count)?),
        _ => return Err(CommandError::Syntax),
    };
    let popped = pop(ctx, &argv[1], side, count.unwrap_or(1))?.unwrap_or_default();
    // Without a count there is no nesting, even in RESP3.
    if count.is_none() && ctx.protocol == Protocol::Resp3 {
        let flat = popped.into_iter().flat_map(|(member, score)| [Reply::Bulk(member), Reply::Double(score)]);
        return Ok(Reply::Array(flat.collect()).into());
    }
    Ok(list(ctx, popped, true).into())
}

/// ZMPOP and BZMPOP: `numkeys key … MIN|MAX [COUNT count]`.
pub(super) struct ManyPop<'a> {
    pub keys: &'a [Bytes],
    side: Side,
    count: usize,
}

impl<'a> ManyPop<'a> {
    pub(super) fn parse(arguments: &'a [Bytes]) -> Result<Self, CommandError> {
        let (keys, mut rest) = args::counted_keys(arguments)?;
        let side = if rest.take_word("min") {
            Side::Min
        } else if rest.take_word("max") {
            Side::Max
        } else {
            return Err(CommandError::Syntax);
        };
        let mut count = None;
        while !rest.is_done() {
            if count.is_some() || !rest.take_word("count") {
                return Err(CommandError::Syntax);
            }
            count = Some(args::positive_count(rest.next()?)?);
        }
        Ok(Self { keys, side, count: count.unwrap_or(1) })
    }

    /// Pops from the first sorted set that is there; None where none is.
    pub(super) fn run(&self, ctx: &mut Ctx<'_>) -> Result<Option<Reply>, CommandError> {
        for key in self.keys {
            if !waiting::may_take_from(ctx, key) {
                continue;
            }
            if let Some(popped) = pop(ctx, key, self.side, self.count)? {
                let pairs = popped.into_iter().map(|(member, score)| pair(member, score)).collect();
                return Ok(Some(Reply::Array(vec![Reply::Bulk(key.clone()), Reply::Array(pairs)])));
            }
        }
        Ok(None)
    }
}

fn zmpop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let reply = ManyPop::parse(&argv[1..])?.run(ctx)?;
    Ok(reply.unwrap_or(Reply::NilArray).into())
}
