//! PUBLISH and SPUBLISH, and how messages reach clients.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::resp::Reply;
use crate::state::{Channels, State};
use crate::value::glob;

pub(super) fn publish_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::from(publish(ctx.state, &argv[1], &argv[2])).into())
}

/// Sends a message to all who listen to the channel or to a pattern that fits it; tells how many messages that were.
pub(crate) fn publish(state: &mut State, channel: &Bytes, message: &Bytes) -> usize {
    let mut deliveries = Vec::new();
    for client in state.subscriptions.listeners(Channels::Plain, channel) {
        deliveries.push((*client, push([Bytes::from("message"), channel.clone(), message.clone()])));
    }
    for (pattern, clients) in state.subscriptions.iter(Channels::Pattern) {
        if !glob::matches(pattern, channel, glob::Case::Sensitive) {
            continue;
        }
        for client in clients {
            let parts = [Bytes::from("pmessage"), pattern.clone(), channel.clone(), message.clone()];
            deliveries.push((*client, push(parts)));
        }
    }
    let count = deliveries.len();
    for (client, message) in deliveries {
        state.push(client, message);
    }
    count
}

pub(super) fn spublish_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (channel, message) = (&argv[1], &argv[2]);
    let clients = ctx.state.subscriptions.listeners(Channels::Shard, channel).to_vec();
    for client in &clients {
        ctx.state.push(*client, push([Bytes::from("smessage"), channel.clone(), message.clone()]));
    }
    Ok(Reply::from(clients.len()).into())
}

fn push<const N: usize>(parts: [Bytes; N]) -> Reply {
    Reply::Push(parts.into_iter().map(Reply::Bulk).collect())
}
