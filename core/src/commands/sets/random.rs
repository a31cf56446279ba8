//! Random members.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::draw::Count;
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::SetValue;

use super::SET;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "spop",
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "delete"])],
        since: (1, 0, 0),
        summary: "Removes random members and answers them.",
        syntax: "SPOP key [count]",
        reply: Shape::OneOf(&[Shape::BulkOrNil, Shape::Set]),
        tips: &["nondeterministic_output"],
        handler: spop,
        examples: &[Example { setup: "SADD s a", run: "SPOP s", shows: "\"a\"" }],
        ..SET
    },
    CommandSpec {
        name: "srandmember",
        arity: -2,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 0, 0),
        summary: "Answers random members; with a negative count a member can come up again.",
        syntax: "SRANDMEMBER key [count]",
        reply: Shape::OneOf(&[Shape::BulkOrNil, Shape::Array]),
        tips: &["nondeterministic_output"],
        handler: srandmember,
        examples: &[Example { setup: "SADD s a", run: "SRANDMEMBER s -2", shows: "1) \"a\"\n2) \"a\"" }],
        ..SET
    },
];

fn spop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let count = match &argv[2..] {
        [] => None,
        [count] => Some(args::non_negative(count)?),
        _ => return Err(CommandError::Syntax),
    };
    let popped = pop(ctx, &argv[1], count.unwrap_or(1))?;
    Ok(match count {
        None => Reply::bulk_or_nil(popped.into_iter().next()),
        Some(_) => Reply::Set(popped.into_iter().map(Reply::Bulk).collect()),
    }
    .into())
}

fn pop(ctx: &mut Ctx<'_>, key: &Bytes, count: usize) -> Result<Vec<Bytes>, CommandError> {
    let Some(len) = ctx.write::<SetValue>(key)?.map(|set| set.len()) else { return Ok(Vec::new()) };
    let positions = Count::Distinct(count).draw(len, &mut ctx.state.rng)?;
    let Some(set) = ctx.write::<SetValue>(key)? else { return Ok(Vec::new()) };
    // From the last to the first, so that a removal moves none that is still to come.
    let mut popped: Vec<Bytes> = positions.into_iter().rev().filter_map(|at| set.remove_at(at)).collect();
    popped.reverse();
    if !popped.is_empty() {
        ctx.changed(key, Class::SET, "spop");
    }
    Ok(popped)
}

fn srandmember(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let count = match &argv[2..] {
        [] => None,
        [count] => Some(Count::parse(count)?),
        _ => return Err(CommandError::Syntax),
    };
    let len = ctx.read::<SetValue>(&argv[1])?.map_or(0, SetValue::len);
    let positions = count.unwrap_or(Count::Distinct(1)).draw(len, &mut ctx.state.rng)?;
    let set = ctx.peek_as::<SetValue>(&argv[1]);
    let mut drawn = positions.into_iter().filter_map(|at| set.and_then(|set| set.get(at)));
    Ok(match count {
        None => Reply::bulk_or_nil(drawn.next()),
        Some(_) => Reply::bulks(drawn),
    }
    .into())
}
