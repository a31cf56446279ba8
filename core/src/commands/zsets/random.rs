//! Random members.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::draw::{self, Count};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::resp::Reply;
use crate::value::ZSetValue;

use super::{Scored, ZSET, list};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "zrandmember",
    arity: -2,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (6, 2, 0),
    summary: "Answers random members; with a negative count a member can come up again.",
    syntax: "ZRANDMEMBER key [count [WITHSCORES]]",
    reply: Shape::OneOf(&[Shape::BulkOrNil, Shape::Array]),
    tips: &["nondeterministic_output"],
    handler: zrandmember,
    examples: &[Example {
        setup: "ZADD z 1 a",
        run: "ZRANDMEMBER z -2 WITHSCORES",
        shows: "1) \"a\"\n2) \"1\"\n3) \"a\"\n4) \"1\"",
    }],
    ..ZSET
}];

fn zrandmember(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let options = draw::options(&argv[2..], "withscores")?;
    let len = ctx.read::<ZSetValue>(&argv[1])?.map_or(0, ZSetValue::len);
    let (count, with_scores) = options.unwrap_or((Count::Distinct(1), false));
    let mut ranks = count.draw(len, &mut ctx.state.rng)?;
    if ranks.len() == len && matches!(count, Count::Distinct(_)) {
        // All of them: the server walks from the highest score down.
        ranks.reverse();
    }
    let set = ctx.peek_as::<ZSetValue>(&argv[1]);
    let member = |rank| set.and_then(|set| set.get(rank)).map(|(member, score)| (member.clone(), score));
    let drawn: Vec<Scored> = ranks.into_iter().filter_map(member).collect();
    Ok(match options {
        None => Reply::bulk_or_nil(drawn.into_iter().next().map(|(member, _)| member)),
        Some(_) => list(ctx, drawn, with_scores),
    }
    .into())
}
