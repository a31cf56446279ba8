//! Ranks of members, and how many lie between two bounds.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, Handler, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::ZSetValue;

use super::ZSET;
use super::span::{Bounds, By};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zcount",
        arity: 4,
        since: (2, 0, 0),
        summary: "Counts the members between two scores.",
        syntax: "ZCOUNT key min max",
        reply: Shape::Int,
        handler: |ctx, argv| count(ctx, argv, By::Score),
        examples: &[Example { setup: "ZADD z 1 a 2 b 3 c", run: "ZCOUNT z (1 +inf", shows: "(integer) 2" }],
        ..READ
    },
    CommandSpec {
        name: "zlexcount",
        arity: 4,
        since: (2, 8, 9),
        summary: "Counts the members between two texts; means something where all scores are equal.",
        syntax: "ZLEXCOUNT key min max",
        reply: Shape::Int,
        handler: |ctx, argv| count(ctx, argv, By::Lex),
        examples: &[Example { setup: "ZADD z 0 a 0 b 0 c", run: "ZLEXCOUNT z [b +", shows: "(integer) 2" }],
        ..READ
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { arity: 3, ..ZRANK } }),
        ..ZRANK
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { arity: 3, ..ZREVRANK } }),
        ..ZREVRANK
    },
];

const READ: CommandSpec = CommandSpec {
    flags: Flags::READONLY.or(Flags::FAST),
    keys: &[KeySpec::at(1, &["RO", "access"])],
    ..ZSET
};

const ZRANK: CommandSpec = CommandSpec {
    summary: "Answers how many members stand before this one.",
    syntax: "ZRANK key member [WITHSCORE]",
    examples: &[
        Example { setup: "ZADD z 1 a 2 b", run: "ZRANK z b", shows: "(integer) 1" },
        Example { setup: "ZADD z 1 a 2 b", run: "ZRANK z b WITHSCORE", shows: "1) (integer) 1\n2) \"2\"" },
    ],
    ..rank_spec("zrank", |ctx, argv| rank(ctx, argv, false))
};

const ZREVRANK: CommandSpec = CommandSpec {
    summary: "Answers how many members stand behind this one.",
    syntax: "ZREVRANK key member [WITHSCORE]",
    examples: &[Example { setup: "ZADD z 1 a 2 b", run: "ZREVRANK z b", shows: "(integer) 0" }],
    ..rank_spec("zrevrank", |ctx, argv| rank(ctx, argv, true))
};

const fn rank_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -3,
        since: (2, 0, 0),
        reply: Shape::OneOf(&[Shape::Int, Shape::Nil, Shape::Array]),
        handler,
        ..READ
    }
}

fn count(ctx: &mut Ctx<'_>, argv: &[Bytes], by: By) -> CommandResult {
    let bounds = Bounds::parse(by, &argv[2], &argv[3], ctx.version())?;
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    Ok(Reply::from(set.map_or(0, |set| bounds.ranks(set, false).len())).into())
}

fn rank(ctx: &mut Ctx<'_>, argv: &[Bytes], reverse: bool) -> CommandResult {
    let with_score = match &argv[3..] {
        [] => false,
        [word] if args::is(word, "withscore") => true,
        [_] => return Err(CommandError::Syntax),
        _ => return Err(CommandError::WrongArity(ctx.spec.name.into())),
    };
    let found = ctx.read::<ZSetValue>(&argv[1])?.and_then(|set| {
        let rank = set.rank(&argv[2])?;
        Some((if reverse { set.len() - 1 - rank } else { rank }, set.score(&argv[2])?))
    });
    Ok(match found {
        None if with_score => Reply::NilArray,
        None => Reply::Nil,
        Some((rank, score)) if with_score => Reply::Array(vec![Reply::from(rank), Reply::Double(score)]),
        Some((rank, _)) => Reply::from(rank),
    }
    .into())
}
