//! MULTI, EXEC, DISCARD, WATCH, UNWATCH. There is no rollback: what ran, ran.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::keyspace::KeyId;
use crate::resp::Reply;
use crate::script::Engine;
use crate::state::{ExecProgress, Executing, Place, State, Transaction, WatchedKey};

use super::call::{call, lookup};
use super::ctx::{CommandResult, Ctx, Origin, Outcome};
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const CONTROL: Flags =
    Flags::NOSCRIPT.or(Flags::LOADING).or(Flags::STALE).or(Flags::FAST).or(Flags::ALLOW_BUSY);

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "discard",
        arity: 1,
        flags: CONTROL,
        categories: &["transaction"],
        since: (2, 0, 0),
        group: Group::Transactions,
        summary: "Forgets the queued commands and all watches.",
        syntax: "DISCARD",
        reply: Shape::Status,
        handler: discard_command,
        examples: &[Example { setup: "MULTI", run: "DISCARD", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "exec",
        arity: 1,
        flags: Flags::NOSCRIPT.or(Flags::LOADING).or(Flags::STALE).or(Flags::SKIP_SLOWLOG),
        categories: &["transaction"],
        since: (1, 2, 0),
        group: Group::Transactions,
        summary: "Runs the queued commands in one go, unless a watched key was changed.",
        syntax: "EXEC",
        handler: exec,
        examples: &[Example { setup: "MULTI\nSET k v", run: "EXEC", shows: "1) OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "multi",
        arity: 1,
        flags: CONTROL,
        categories: &["transaction"],
        since: (1, 2, 0),
        group: Group::Transactions,
        summary: "Starts queueing commands for EXEC.",
        syntax: "MULTI",
        reply: Shape::Status,
        handler: multi,
        examples: &[Example { setup: "", run: "MULTI", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "unwatch",
        arity: 1,
        flags: CONTROL,
        categories: &["transaction"],
        since: (2, 2, 0),
        group: Group::Transactions,
        summary: "Forgets all watched keys.",
        syntax: "UNWATCH",
        reply: Shape::Status,
        handler: unwatch,
        examples: &[Example { setup: "WATCH k", run: "UNWATCH", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "watch",
        arity: -2,
        flags: CONTROL,
        categories: &["transaction"],
        keys: &[KeySpec::range(1, -1, 1, &["RO"])],
        since: (2, 2, 0),
        group: Group::Transactions,
        summary: "Makes the next EXEC depend on these keys staying unchanged.",
        syntax: "WATCH key [key ...]",
        reply: Shape::Status,
        handler: watch,
        examples: &[Example { setup: "", run: "WATCH k", shows: "OK" }],
        ..CommandSpec::BASE
    },
];

fn multi(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    if ctx.client().transaction.is_some() {
        return Err(CommandError::Line("ERR MULTI calls can not be nested".into()));
    }
    ctx.client_mut().transaction = Some(Transaction::default());
    Ok(Reply::OK.into())
}

fn discard_command(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    if ctx.client().transaction.is_none() {
        return Err(CommandError::Line("ERR DISCARD without MULTI".into()));
    }
    discard(ctx.state, ctx.client);
    Ok(Reply::OK.into())
}

/// Ends a client's transaction and its watches.
pub(crate) fn discard(state: &mut State, client: ClientId) {
    state.client_mut(client).transaction = None;
    forget_watches(state, client);
}

fn exec(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let Some(transaction) = ctx.client_mut().transaction.take() else {
        return Err(CommandError::Line("ERR EXEC without MULTI".into()));
    };
    let broken = ctx.client().watch_broken || watched_key_expired(ctx);
    forget_watches(ctx.state, ctx.client);
    if transaction.aborted {
        return Err(CommandError::ExecAbort);
    }
    if broken {
        return Ok(Reply::NilArray.into());
    }
    let size = transaction.size();
    ctx.client_mut().exec = Some(Executing { size, shared: Vec::new() });
    let progress = ExecProgress::new(transaction.queue);
    Ok(go_on(ctx.state, ctx.engine, ctx.client, progress))
}

/// Runs what is left of a transaction. A script that reaches the busy threshold interrupts it; whoever ends the
/// script adds its reply and comes back here.
pub(crate) fn go_on(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    mut progress: ExecProgress,
) -> Outcome {
    let (now, wall) = (state.now.unix_millis(), state.now);
    let mut rest = std::mem::take(&mut progress.rest).into_iter();
    while let Some(argv) = rest.next() {
        let spec = match lookup(state.version, &argv) {
            Ok(spec) => spec,
            Err(error) => {
                progress.add([error.into()]);
                continue;
            }
        };
        if let Err(denied) = super::acl::check(state, client, spec, &argv, Origin::Exec) {
            progress.add([denied.to_exec_error().into()]);
            continue;
        }
        // Looked up anew each time: SELECT and HELLO inside a transaction hold for what follows.
        let (db, protocol) = (state.client(client).db, state.client(client).protocol);
        let mut ctx = Ctx {
            state,
            engine,
            client,
            spec,
            origin: Origin::Exec,
            db,
            protocol,
            now,
            wall,
            only_key: None,
        };
        let outcome = call(&mut ctx, spec, &argv);
        if state.client(client).protocol != protocol {
            // HELLO holds for what follows it; what was answered before keeps its form.
            progress.replies = progress.replies.into_iter().map(|reply| reply.fixed(protocol)).collect();
        }
        // Those stand where they came up, within the array.
        progress.replies.append(&mut state.journal.take_held(client, Place::Before));
        match outcome {
            Outcome::Reply(reply) => progress.add([reply]),
            Outcome::Replies(replies) => progress.add(replies),
            Outcome::Silent | Outcome::Block(_) => progress.add([Reply::Nil]),
            Outcome::Running(mut running) => {
                progress.rest = rest.collect();
                running.exec = Some(progress);
                return Outcome::Running(running);
            }
        }
        progress.replies.append(&mut state.journal.take_held(client, Place::Between));
    }
    state.client_mut(client).exec = None;
    finish(progress)
}

/// The array holds as many elements as there were commands; what is more, since one command can give several
/// confirmations, follows it.
fn finish(mut progress: ExecProgress) -> Outcome {
    let rest = progress.replies.split_off(progress.count.min(progress.replies.len()));
    let array = Reply::Array(progress.replies);
    if rest.is_empty() {
        Outcome::Reply(array)
    } else {
        Outcome::Replies(std::iter::once(array).chain(rest).collect())
    }
}

fn watch(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.client().transaction.is_some() {
        return Err(CommandError::Line("ERR WATCH inside MULTI is not allowed".into()));
    }
    for key in &argv[1..] {
        let (db, id, client) = (ctx.db, KeyId::new(key), ctx.client);
        if ctx.client().watched.iter().any(|watched| watched.db == db && watched.key == id) {
            continue;
        }
        let was_expired = ctx.db().get(&id).is_some_and(|entry| entry.is_expired(ctx.now));
        ctx.client_mut().watched.push(WatchedKey { db, key: id.clone(), was_expired });
        ctx.state.watchers.entry((db, id)).or_default().push(client);
    }
    Ok(Reply::OK.into())
}

fn unwatch(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    forget_watches(ctx.state, ctx.client);
    Ok(Reply::OK.into())
}

/// A key that ran out while it was watched counts as changed, even where nobody has removed it yet.
fn watched_key_expired(ctx: &Ctx<'_>) -> bool {
    ctx.client().watched.iter().any(|watched| {
        let entry = ctx.state.dbs[watched.db].get(&watched.key);
        !watched.was_expired && entry.is_some_and(|entry| entry.is_expired(ctx.now))
    })
}

/// Takes a client off all keys it watches.
pub(crate) fn forget_watches(state: &mut State, client: ClientId) {
    let record = state.client_mut(client);
    record.watch_broken = false;
    for watched in std::mem::take(&mut record.watched) {
        let place = (watched.db, watched.key);
        if let Some(watching) = state.watchers.get_mut(&place) {
            watching.retain(|known| *known != client);
            if watching.is_empty() {
                state.watchers.remove(&place);
            }
        }
    }
}
