//! A client's command from its arrival to its outcome: everything that is checked before a handler runs,
//! in Redis's order.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::resp::Reply;
use crate::script::Engine;
use crate::state::{Blocked, BlockedOn, Param, State};

use super::call::{call, container, lookup};
use super::ctx::{Ctx, Origin, Outcome};
use super::effective;
use super::spec::{CommandSpec, Flags};
use super::table::handler;

/// Checks and runs (or queues) one command of a client.
pub(crate) fn dispatch(state: &mut State, engine: &Engine, client: ClientId, argv: &[Bytes]) -> Outcome {
    let outcome = admit(state, engine, client, argv);
    super::routing::end_asking(state, client, argv);
    outcome
}

fn admit(state: &mut State, engine: &Engine, client: ClientId, argv: &[Bytes]) -> Outcome {
    let spec = match lookup(state.version, argv) {
        Ok(spec) => spec,
        Err(error) => return reject(state, client, container(state.version, argv), error),
    };
    note_arrival(state, client, spec);
    if let Err(error) = check(state, client, spec, argv) {
        return reject(state, client, Some(spec), error);
    }
    if is_paused(state, client, spec, argv) {
        return Outcome::Block(Box::new(Blocked {
            argv: argv.to_vec(),
            on: BlockedOn::Pause,
            deadline: None,
            retry_at: None,
            timeout_reply: Reply::Nil,
            since: state.now,
        }));
    }
    if must_queue(state, client, spec) {
        // What EXEC will not run in any case is not kept.
        let record = state.client_mut(client);
        let is_lost = record.watch_broken;
        if let Some(transaction) =
            record.transaction.as_mut().filter(|transaction| !transaction.aborted && !is_lost)
        {
            transaction.queue.push(argv.to_vec());
        }
        return Outcome::Reply(Reply::status("QUEUED"));
    }
    let outcome = call(&mut context(state, engine, client, spec), spec, argv);
    super::client::end_caching(state, client, spec);
    outcome
}

/// Runs a blocked client's command once more, now that a key it waits for was written.
/// `only_key` is the one key it may be served from, where the version has it so.
pub(crate) fn retry_blocked(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    argv: &[Bytes],
    only_key: Option<Bytes>,
) -> Outcome {
    match lookup(state.version, argv) {
        Ok(spec) => {
            let mut ctx = context(state, engine, client, spec);
            ctx.only_key = only_key;
            handler(spec)(&mut ctx, argv).unwrap_or_else(|error| {
                let reply = Reply::from(error);
                if let Reply::Error(line) = &reply {
                    state.stats.count_error(line);
                }
                Outcome::Reply(reply)
            })
        }
        Err(error) => Outcome::Reply(error.into()),
    }
}

/// A handler's view for a command that comes from a client.
pub(crate) fn context<'a>(
    state: &'a mut State,
    engine: &'a Engine,
    client: ClientId,
    spec: &'static CommandSpec,
) -> Ctx<'a> {
    let (now, wall) = (state.now.unix_millis(), state.now);
    let (db, protocol) = (state.client(client).db, state.client(client).protocol);
    Ctx { state, engine, client, spec, origin: Origin::Client, db, protocol, now, wall, only_key: None }
}

fn note_arrival(state: &mut State, client: ClientId, spec: &'static CommandSpec) {
    let now = state.now;
    let client = state.client_mut(client);
    client.last_command_at = now;
    client.last_command = spec.name;
    client.commands_processed += 1;
}

fn check(
    state: &mut State,
    client: ClientId,
    spec: &'static CommandSpec,
    argv: &[Bytes],
) -> Result<(), CommandError> {
    if !spec.arity_fits(argv.len()) {
        return Err(CommandError::WrongArity(spec.name.into()));
    }
    check_protected(state, spec)?;
    let open = state.acl.default_user().is_open();
    if !open && !state.client(client).authenticated && !spec.has(Flags::NO_AUTH) {
        return Err(CommandError::Line("NOAUTH Authentication required.".into()));
    }
    let in_transaction = state.client(client).transaction.is_some();
    if in_transaction && spec.has(Flags::NO_MULTI) {
        return Err(CommandError::Line("ERR Command not allowed inside a transaction".into()));
    }
    super::acl::check(state, client, spec, argv, Origin::Client)
        .map_err(|denied| denied.to_error(&state.client(client).user, state.version))?;
    // EXEC is ended by a wrong slot without being taken for an aborted transaction.
    super::routing::check_client(state, client, spec, argv)?;
    check_memory(state, client, spec, argv)?;
    super::guards::check_client(state, effective::flags(state, spec, argv))?;
    check_monitor(state, client, spec)?;
    check_subscriber(state, client, spec)?;
    check_busy(state, spec)
}

/// Evicts what the policy allows; where that is not enough, commands that may take more memory are refused.
fn check_memory(
    state: &mut State,
    client: ClientId,
    spec: &CommandSpec,
    argv: &[Bytes],
) -> Result<(), CommandError> {
    const NEVER_QUEUED: &[&str] = &["exec", "discard", "quit", "reset"];
    if state.running.is_some() {
        return Ok(());
    }
    let over_limit = super::memory::enforce_limit(state);
    if state.config.int(Param::MAXMEMORY) > 0 {
        state.over_limit = over_limit;
    }
    if !over_limit {
        return Ok(());
    }
    let transaction = state.client(client).transaction.as_ref();
    let queued_denied = || {
        transaction.is_some_and(|transaction| {
            transaction.queue.iter().any(|argv| queued_flags(state, argv).contains(Flags::DENYOOM))
        })
    };
    // In 7.0 a queue is memory too, whatever it holds.
    let queueing =
        state.version < Version::V7_2 && transaction.is_some() && !NEVER_QUEUED.contains(&spec.name);
    let denied = queueing
        || effective::flags(state, spec, argv).contains(Flags::DENYOOM)
        || spec.name == "exec" && queued_denied();
    if denied { Err(CommandError::OutOfMemory) } else { Ok(()) }
}

/// Commands that only a configuration lets through.
fn check_protected(state: &State, spec: &CommandSpec) -> Result<(), CommandError> {
    const DEBUG: Param = Param::named("enable-debug-command");
    const MODULE: Param = Param::named("enable-module-command");
    let (command, option) = match spec.name {
        "debug" => ("DEBUG", DEBUG),
        "module|load" | "module|loadex" | "module|unload" => ("MODULE", MODULE),
        _ => return Ok(()),
    };
    // All connections are local ones.
    if state.config.text(option) == "no" {
        return Err(CommandError::NotAllowed { command, option: option.spec().name });
    }
    Ok(())
}

/// A client that listens to MONITOR counts as a replica, which may not touch keys.
fn check_monitor(state: &State, client: ClientId, spec: &CommandSpec) -> Result<(), CommandError> {
    const TOUCHES_KEYS: Flags = Flags::WRITE.or(Flags::READONLY).or(Flags::MAY_REPLICATE);
    if state.client(client).monitor && spec.flags.intersects(TOUCHES_KEYS) {
        return Err(CommandError::Line("ERR Replica can't interact with the keyspace".into()));
    }
    Ok(())
}

/// A RESP2 client that has subscribed may only go on with a few commands.
fn check_subscriber(state: &State, client: ClientId, spec: &CommandSpec) -> Result<(), CommandError> {
    const ALLOWED: &[&str] = &[
        "ping",
        "subscribe",
        "unsubscribe",
        "psubscribe",
        "punsubscribe",
        "ssubscribe",
        "sunsubscribe",
        "quit",
        "reset",
    ];
    let client = state.client(client);
    let subscribed = client.subscriptions() + client.shard_channels.len() > 0;
    if subscribed && client.protocol == crate::resp::Protocol::Resp2 && !ALLOWED.contains(&spec.name) {
        return Err(CommandError::SubscriberOnly(spec.name.into()));
    }
    Ok(())
}

fn check_busy(state: &State, spec: &CommandSpec) -> Result<(), CommandError> {
    let Some(running) = state.running.as_ref().filter(|running| running.busy) else { return Ok(()) };
    let function = running.is_function();
    let allowed = match spec.name {
        "function|stats" => function,
        _ => spec.has(Flags::ALLOW_BUSY),
    };
    if allowed { Ok(()) } else { Err(CommandError::Busy { function }) }
}

/// Whether CLIENT PAUSE holds the command back. What may write is told by the record, EXEC by its queue.
fn is_paused(state: &State, client: ClientId, spec: &CommandSpec, argv: &[Bytes]) -> bool {
    const WRITES: Flags = Flags::WRITE.or(Flags::MAY_REPLICATE);
    let Some(pause) = state.pause else { return false };
    let queued_writes = || {
        state.client(client).transaction.as_ref().is_some_and(|transaction| {
            transaction.queue.iter().any(|argv| queued_flags(state, argv).intersects(WRITES))
        })
    };
    pause.all
        || effective::flags(state, spec, argv).intersects(WRITES)
        || spec.name == "exec" && queued_writes()
}

fn queued_flags(state: &State, argv: &[Bytes]) -> Flags {
    lookup(state.version, argv).map_or(Flags::NONE, |spec| effective::flags(state, spec, argv))
}

fn must_queue(state: &State, client: ClientId, spec: &CommandSpec) -> bool {
    const AT_ONCE: &[&str] = &["exec", "discard", "multi", "watch", "quit", "reset"];
    state.client(client).transaction.is_some() && !AT_ONCE.contains(&spec.name)
}

/// Answers an error before the command has run. Inside a transaction that spoils it; EXEC itself ends it.
fn reject(
    state: &mut State,
    client: ClientId,
    spec: Option<&'static CommandSpec>,
    error: CommandError,
) -> Outcome {
    if let Some(spec) = spec {
        state.stats.command(spec.name).rejected += 1;
    }
    let error = if spec.is_some_and(|spec| spec.name == "exec") {
        super::transactions::discard(state, client);
        let line = error.to_string();
        if super::routing::is_redirection(&line) {
            error
        } else {
            CommandError::ExecAbortBecause(line.strip_prefix("ERR ").map(String::from).unwrap_or(line))
        }
    } else {
        if let Some(transaction) = state.client_mut(client).transaction.as_mut() {
            transaction.aborted = true;
        }
        error
    };
    let reply = Reply::from(error);
    if let Reply::Error(line) = &reply {
        state.stats.count_error(line);
    }
    Outcome::Reply(reply)
}
