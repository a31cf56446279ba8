//! Removing ranges of members.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::resp::Reply;
use crate::value::ZSetValue;

use super::ZSET;
use super::span::{Bounds, By};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zremrangebylex",
        since: (2, 8, 9),
        summary: "Removes the members between two texts; means something where all scores are equal.",
        syntax: "ZREMRANGEBYLEX key min max",
        handler: |ctx, argv| remove(ctx, argv, By::Lex),
        examples: &[Example {
            setup: "ZADD z 0 a 0 b 0 c",
            run: "ZREMRANGEBYLEX z - (c",
            shows: "(integer) 2",
        }],
        ..REMOVAL
    },
    CommandSpec {
        name: "zremrangebyrank",
        since: (2, 0, 0),
        summary: "Removes the members in a range of ranks.",
        syntax: "ZREMRANGEBYRANK key start stop",
        handler: |ctx, argv| remove(ctx, argv, By::Rank),
        examples: &[Example {
            setup: "ZADD z 1 a 2 b 3 c",
            run: "ZREMRANGEBYRANK z 0 -2",
            shows: "(integer) 2",
        }],
        ..REMOVAL
    },
    CommandSpec {
        name: "zremrangebyscore",
        since: (1, 2, 0),
        summary: "Removes the members between two scores.",
        syntax: "ZREMRANGEBYSCORE key min max",
        handler: |ctx, argv| remove(ctx, argv, By::Score),
        examples: &[Example {
            setup: "ZADD z 1 a 2 b",
            run: "ZREMRANGEBYSCORE z -inf (2",
            shows: "(integer) 1",
        }],
        ..REMOVAL
    },
];

const REMOVAL: CommandSpec = CommandSpec {
    arity: 4,
    flags: Flags::WRITE,
    keys: &[KeySpec::at(1, &["RW", "delete"])],
    reply: Shape::Int,
    ..ZSET
};

fn remove(ctx: &mut Ctx<'_>, argv: &[Bytes], by: By) -> CommandResult {
    let bounds = Bounds::parse(by, &argv[2], &argv[3], ctx.version())?;
    let event = ctx.spec.name;
    let Some(set) = ctx.write::<ZSetValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let removed = set.remove_range(bounds.ranks(set, false)).len();
    if removed > 0 {
        ctx.changed(&argv[1], Class::ZSET, event);
    }
    Ok(Reply::from(removed).into())
}
