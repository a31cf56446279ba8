//! MONITOR: every command that runs, told to those who listen.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::resp::{Reply, push_quoted};

use crate::state::Place;

use super::ctx::{CommandResult, Ctx, Origin, Outcome};
use super::slowlog::redacted;
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "monitor",
    arity: 1,
    flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
    since: (1, 0, 0),
    group: Group::Server,
    summary: "Tells every command that the server runs, until RESET.",
    syntax: "MONITOR",
    reply: Shape::Status,
    handler: monitor,
    examples: &[Example { setup: "", run: "MONITOR", shows: "OK" }],
    ..CommandSpec::BASE
}];

fn monitor(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    if ctx.deny_blocking() {
        return Err(CommandError::Line("ERR MONITOR isn't allowed for DENY BLOCKING client".into()));
    }
    // A second one is passed over without an answer.
    if ctx.client().monitor {
        return Ok(Outcome::Silent);
    }
    ctx.client_mut().monitor = true;
    ctx.state.monitors.push(ctx.client);
    Ok(Reply::OK.into())
}

/// Commands that tell themselves before they run, since what they run is told too.
pub(super) fn tells_early(spec: &CommandSpec) -> bool {
    spec.has(Flags::SKIP_MONITOR)
}

/// Tells one command. Administrative ones are kept to themselves.
pub(super) fn feed(ctx: &mut Ctx<'_>, spec: &CommandSpec, argv: &[Bytes]) {
    if ctx.state.monitors.is_empty() || spec.has(Flags::ADMIN) {
        return;
    }
    let (db, from) = match ctx.origin {
        Origin::Script => (ctx.db, "lua".to_owned()),
        Origin::Client | Origin::Exec => (ctx.client().db, ctx.client().address.clone()),
    };
    let micros = ctx.wall.0;
    let mut line = format!("{}.{:06} [{db} {from}]", micros / 1_000_000, micros % 1_000_000);
    for word in redacted(ctx.version(), spec, argv) {
        line.push(' ');
        push_quoted(&word, &mut line);
    }
    // A client that listens to itself: the lines are no part of the array that EXEC has opened, and still stand in it.
    let place = if ctx.origin == Origin::Exec { Place::Between } else { Place::Behind };
    let listeners: Vec<ClientId> = ctx.state.monitors.clone();
    for listener in listeners {
        ctx.state.push_at(place, listener, Reply::Status(line.clone().into_bytes().into()));
    }
}
