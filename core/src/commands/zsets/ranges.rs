//! Reading and storing ranges of members.

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::ZSetValue;

use super::span::{Bounds, By, Span};
use super::{ZSET, list, store};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zrange",
        since: (1, 2, 0),
        summary: "Answers the members in a range of ranks, scores or texts.",
        syntax: "ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: None, reverse: None }),
        examples: &[
            Example { setup: "ZADD z 1 a 2 b 3 c", run: "ZRANGE z 0 1", shows: "1) \"a\"\n2) \"b\"" },
            Example {
                setup: "ZADD z 1 a 2 b 3 c",
                run: "ZRANGE z +inf (1 BYSCORE REV LIMIT 0 1 WITHSCORES",
                shows: "1) \"c\"\n2) \"3\"",
            },
        ],
        ..RANGE
    },
    CommandSpec {
        name: "zrangebylex",
        since: (2, 8, 9),
        summary: "Answers the members between two texts; means something where all scores are equal.",
        syntax: "ZRANGEBYLEX key min max [LIMIT offset count]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: Some(By::Lex), reverse: Some(false) }),
        examples: &[Example {
            setup: "ZADD z 0 a 0 b 0 c",
            run: "ZRANGEBYLEX z [a (c",
            shows: "1) \"a\"\n2) \"b\"",
        }],
        ..RANGE
    },
    CommandSpec {
        name: "zrangebyscore",
        since: (1, 0, 5),
        summary: "Answers the members between two scores.",
        syntax: "ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: Some(By::Score), reverse: Some(false) }),
        examples: &[Example {
            setup: "ZADD z 1 a 2 b 3 c",
            run: "ZRANGEBYSCORE z (1 +inf",
            shows: "1) \"b\"\n2) \"c\"",
        }],
        ..RANGE
    },
    CommandSpec {
        name: "zrangestore",
        arity: -5,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["OW", "update"]), KeySpec::at(2, &["RO", "access"])],
        since: (6, 2, 0),
        summary: "Stores the members in a range of ranks, scores or texts.",
        syntax: "ZRANGESTORE dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]",
        reply: Shape::Int,
        handler: zrangestore,
        examples: &[Example {
            setup: "ZADD z 1 a 2 b 3 c",
            run: "ZRANGESTORE d z 1 -1",
            shows: "(integer) 2",
        }],
        ..ZSET
    },
    CommandSpec {
        name: "zrevrange",
        since: (1, 2, 0),
        summary: "Answers the members in a range of ranks that count from the highest score.",
        syntax: "ZREVRANGE key start stop [WITHSCORES]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: Some(By::Rank), reverse: Some(true) }),
        examples: &[Example {
            setup: "ZADD z 1 a 2 b 3 c",
            run: "ZREVRANGE z 0 1",
            shows: "1) \"c\"\n2) \"b\"",
        }],
        ..RANGE
    },
    CommandSpec {
        name: "zrevrangebylex",
        since: (2, 8, 9),
        summary: "Answers the members between two texts, the last first.",
        syntax: "ZREVRANGEBYLEX key max min [LIMIT offset count]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: Some(By::Lex), reverse: Some(true) }),
        examples: &[Example {
            setup: "ZADD z 0 a 0 b 0 c",
            run: "ZREVRANGEBYLEX z + (a",
            shows: "1) \"c\"\n2) \"b\"",
        }],
        ..RANGE
    },
    CommandSpec {
        name: "zrevrangebyscore",
        since: (2, 2, 0),
        summary: "Answers the members between two scores, the highest first.",
        syntax: "ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]",
        handler: |ctx, argv| answer(ctx, argv, Kind { by: Some(By::Score), reverse: Some(true) }),
        examples: &[Example {
            setup: "ZADD z 1 a 2 b 3 c",
            run: "ZREVRANGEBYSCORE z 3 (1",
            shows: "1) \"c\"\n2) \"b\"",
        }],
        ..RANGE
    },
];

const RANGE: CommandSpec = CommandSpec {
    arity: -4,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    reply: Shape::Array,
    ..ZSET
};

/// What a command's name settles; None is for its options to say.
#[derive(Clone, Copy)]
struct Kind {
    by: Option<By>,
    reverse: Option<bool>,
}

/// A range as a command's arguments describe it.
struct Request {
    span: Span,
    with_scores: bool,
}

impl Request {
    /// Reads `min max` and the options behind them.
    fn parse(
        ctx: &Ctx<'_>,
        argv: &[Bytes],
        mut kind: Kind,
        can_show_scores: bool,
    ) -> Result<Self, CommandError> {
        let (mut with_scores, mut offset, mut count) = (false, 0, -1);
        let mut words = Cursor::new(&argv[2..]);
        while !words.is_done() {
            if can_show_scores && words.take_word("withscores") {
                with_scores = true;
            } else if words.remaining().len() > 2 && words.take_word("limit") {
                (offset, count) = (args::int(words.next()?)?, args::int(words.next()?)?);
            } else if kind.reverse.is_none() && words.take_word("rev") {
                kind.reverse = Some(true);
            } else if kind.by.is_none() && words.take_word("bylex") {
                kind.by = Some(By::Lex);
            } else if kind.by.is_none() && words.take_word("byscore") {
                kind.by = Some(By::Score);
            } else {
                return Err(CommandError::Syntax);
            }
        }
        // A LIMIT that takes all is let pass, whatever its offset, and means nothing.
        let (by, reverse) = (kind.by.unwrap_or(By::Rank), kind.reverse.unwrap_or(false));
        if by == By::Rank && count != -1 {
            return Err(CommandError::Line(
                "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"
                    .into(),
            ));
        }
        if by == By::Lex && with_scores {
            return Err(CommandError::Line(
                "ERR syntax error, WITHSCORES not supported in combination with BYLEX".into(),
            ));
        }
        // In reverse the upper bound comes first, but for ranks.
        let (min, max) = if reverse && by != By::Rank { (&argv[1], &argv[0]) } else { (&argv[0], &argv[1]) };
        let bounds = Bounds::parse(by, min, max, ctx.version())?;
        let offset = if by == By::Rank { 0 } else { offset };
        Ok(Self { span: Span { bounds, reverse, offset, count }, with_scores })
    }
}

fn answer(ctx: &mut Ctx<'_>, argv: &[Bytes], kind: Kind) -> CommandResult {
    let request = Request::parse(ctx, &argv[2..], kind, true)?;
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let members = set.map_or_else(Vec::new, |set| request.span.members(set));
    Ok(list(ctx, members, request.with_scores).into())
}

fn zrangestore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let request = Request::parse(ctx, &argv[3..], Kind { by: None, reverse: None }, false)?;
    let set = ctx.read::<ZSetValue>(&argv[2])?;
    let members = set.map_or_else(Vec::new, |set| request.span.members(set));
    let stored = store(ctx, &argv[1], members, "zrangestore");
    Ok(Reply::from(stored).into())
}
