//! The (UN)SUBSCRIBE family. Every name is confirmed by a message of its own.

use std::collections::BTreeSet;

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx, Outcome};
use crate::error::CommandError;
use crate::event::ClientId;
use crate::resp::Reply;
use crate::state::{Channels, Client, State};

pub(super) fn subscribe(ctx: &mut Ctx<'_>, argv: &[Bytes], kind: Channels) -> CommandResult {
    // In a transaction all but SSUBSCRIBE are let through, for old times' sake.
    if ctx.deny_blocking() && kind == Channels::Shard {
        return Err(CommandError::Line("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client".into()));
    }
    let mut confirmations = Vec::with_capacity(argv.len() - 1);
    for name in &argv[1..] {
        let id = ctx.client;
        let client = ctx.client_mut();
        if names_mut(client, kind).insert(name.clone()) {
            ctx.state.subscriptions.add(kind, name, id);
        }
        confirmations.push(confirmation(ctx, Some(name), kind));
    }
    Ok(Outcome::Replies(confirmations))
}

/// Without names it ends all subscriptions of the kind.
pub(super) fn unsubscribe(ctx: &mut Ctx<'_>, argv: &[Bytes], kind: Channels) -> CommandResult {
    let all: Vec<Bytes>;
    let names = if argv.len() > 1 {
        &argv[1..]
    } else {
        all = names_mut(ctx.client_mut(), kind).iter().cloned().collect();
        &all
    };
    if names.is_empty() {
        return Ok(Outcome::Replies(vec![confirmation(ctx, None, kind)]));
    }
    let mut confirmations = Vec::with_capacity(names.len());
    for name in names {
        remove(ctx.state, ctx.client, kind, name);
        confirmations.push(confirmation(ctx, Some(name), kind));
    }
    Ok(Outcome::Replies(confirmations))
}

/// Takes a client off everything it listens to, without telling it.
pub(crate) fn unsubscribe_all(state: &mut State, client: ClientId) {
    for kind in [Channels::Plain, Channels::Pattern, Channels::Shard] {
        let names = std::mem::take(names_mut(state.client_mut(client), kind));
        for name in names {
            state.subscriptions.remove(kind, &name, client);
        }
    }
}

fn remove(state: &mut State, client: ClientId, kind: Channels, name: &Bytes) {
    if names_mut(state.client_mut(client), kind).remove(name) {
        state.subscriptions.remove(kind, name, client);
    }
}

fn names_mut(client: &mut Client, kind: Channels) -> &mut BTreeSet<Bytes> {
    match kind {
        Channels::Plain => &mut client.channels,
        Channels::Pattern => &mut client.patterns,
        Channels::Shard => &mut client.shard_channels,
    }
}

/// Shard channels are counted by themselves, channels and patterns together.
fn confirmation(ctx: &Ctx<'_>, name: Option<&Bytes>, kind: Channels) -> Reply {
    let client = ctx.client();
    let count = match kind {
        Channels::Plain | Channels::Pattern => client.subscriptions(),
        Channels::Shard => client.shard_channels.len(),
    };
    Reply::Push(vec![Reply::bulk(ctx.spec.name), Reply::bulk_or_nil(name.cloned()), Reply::from(count)])
}
