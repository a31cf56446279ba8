//! PUBSUB: who listens to what.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::Channels;
use crate::value::glob;

pub(super) fn channels(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    names(ctx, argv, Channels::Plain)
}

pub(super) fn shardchannels(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    names(ctx, argv, Channels::Shard)
}

fn names(ctx: &mut Ctx<'_>, argv: &[Bytes], kind: Channels) -> CommandResult {
    let pattern = match &argv[2..] {
        [] => None,
        [pattern] => Some(pattern),
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    let names = ctx
        .state
        .subscriptions
        .iter(kind)
        .map(|(name, _)| name)
        .filter(|name| pattern.is_none_or(|pattern| glob::matches(pattern, name, glob::Case::Sensitive)));
    Ok(Reply::bulks(names.cloned()).into())
}

pub(super) fn numsub(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    counts(ctx, argv, Channels::Plain)
}

pub(super) fn shardnumsub(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    counts(ctx, argv, Channels::Shard)
}

/// An array in RESP3 too, not a map.
fn counts(ctx: &mut Ctx<'_>, argv: &[Bytes], kind: Channels) -> CommandResult {
    let subscriptions = &ctx.state.subscriptions;
    let counts = argv[2..]
        .iter()
        .flat_map(|name| [Reply::Bulk(name.clone()), Reply::from(subscriptions.listeners(kind, name).len())]);
    Ok(Reply::Array(counts.collect()).into())
}

pub(super) fn numpat(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::from(ctx.state.subscriptions.count(Channels::Pattern)).into())
}
