//! Publish and subscribe.

use crate::Bytes;
use crate::event::{ClientId, EventKind};
use crate::resp::Reply;
use crate::state::State;
use crate::value::glob;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "publish",
    arity: 3,
    flags: Flags::PUBSUB.or(Flags::LOADING).or(Flags::STALE).or(Flags::FAST).or(Flags::MAY_REPLICATE),
    since: (2, 0, 0),
    group: Group::PubSub,
    summary: "Sends a message to a channel's subscribers.",
    syntax: "PUBLISH channel message",
    reply: Shape::Int,
    handler: publish_command,
    examples: &[Example { setup: "", run: "PUBLISH news hello", shows: "(integer) 0" }],
    ..CommandSpec::BASE
}];

fn publish_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::from(publish(ctx.state, &argv[1], &argv[2])).into())
}

/// Sends a message to all who listen to the channel; tells how many did.
pub(super) fn publish(state: &mut State, channel: &Bytes, message: &Bytes) -> usize {
    let mut deliveries: Vec<(ClientId, Reply)> = Vec::new();
    for client in state.clients.values() {
        if client.channels.contains(channel) {
            let parts = [Bytes::from("message"), channel.clone(), message.clone()];
            deliveries.push((client.id, push(parts)));
        }
        for pattern in
            client.patterns.iter().filter(|pattern| glob::matches(pattern, channel, glob::Case::Sensitive))
        {
            let parts = [Bytes::from("pmessage"), pattern.clone(), channel.clone(), message.clone()];
            deliveries.push((client.id, push(parts)));
        }
    }
    let (count, now) = (deliveries.len(), state.now);
    for (client, message) in deliveries {
        let protocol = state.client(client).protocol;
        state.journal.push(now, EventKind::Pushed { client, message, protocol });
    }
    count
}

fn push<const N: usize>(parts: [Bytes; N]) -> Reply {
    Reply::Push(parts.into_iter().map(Reply::Bulk).collect())
}
