//! Commands about the server as a whole.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::{EventKind, KeyChange};
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Param, Place};

use super::args;
use super::ctx::{CommandResult, Ctx, Origin, Outcome, break_watches_of_replaced};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "dbsize",
        arity: 1,
        flags: Flags::READONLY.or(Flags::FAST),
        categories: &["keyspace"],
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Counts the keys of the database.",
        syntax: "DBSIZE",
        reply: Shape::Int,
        tips: &["request_policy:all_shards", "response_policy:agg_sum"],
        handler: dbsize,
        examples: &[Example { setup: "SET k v", run: "DBSIZE", shows: "(integer) 1" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "flushall",
        arity: -1,
        flags: Flags::WRITE,
        categories: &["keyspace", "dangerous"],
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Deletes the keys of all databases.",
        syntax: "FLUSHALL [ASYNC | SYNC]",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: flushall,
        examples: &[Example { setup: "SET k v", run: "FLUSHALL", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "flushdb",
        arity: -1,
        flags: Flags::WRITE,
        categories: &["keyspace", "dangerous"],
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Deletes the keys of the database.",
        syntax: "FLUSHDB [ASYNC | SYNC]",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: flushdb,
        examples: &[Example { setup: "SET k v", run: "FLUSHDB", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "shutdown",
        arity: -1,
        flags: Flags::ADMIN
            .or(Flags::NOSCRIPT)
            .or(Flags::LOADING)
            .or(Flags::STALE)
            .or(Flags::NO_MULTI)
            .or(Flags::ALLOW_BUSY),
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Ends the server.",
        syntax: "SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
        handler: shutdown,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "time",
        arity: 1,
        flags: Flags::LOADING.or(Flags::STALE).or(Flags::FAST),
        since: (2, 6, 0),
        group: Group::Server,
        summary: "Answers the virtual time in seconds and microseconds.",
        syntax: "TIME",
        reply: Shape::Array,
        tips: &["nondeterministic_output"],
        handler: time,
        ..CommandSpec::BASE
    },
];

fn dbsize(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::from(ctx.db().len()).into())
}

fn time(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let micros = ctx.wall.0;
    let parts = [micros / 1_000_000, micros % 1_000_000];
    Ok(Reply::bulks(parts.map(|part| part.to_string())).into())
}

fn flushall(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    check_flush_mode(argv)?;
    tell_trackers(ctx, argv);
    for db in 0..ctx.state.dbs.len() {
        flush(ctx, db);
    }
    ctx.state.dirty += 1;
    Ok(Reply::OK.into())
}

fn flushdb(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    check_flush_mode(argv)?;
    tell_trackers(ctx, argv);
    flush(ctx, ctx.db);
    ctx.state.dirty += 1;
    Ok(Reply::OK.into())
}

/// From 7.4 on a client that does not ask for ASYNC waits until another thread has freed the keys, and by then
/// its invalidation message is out.
fn tell_trackers(ctx: &mut Ctx<'_>, argv: &[Bytes]) {
    let waits = ctx.version() >= Version::V7_4 && ctx.origin == Origin::Client;
    let early = waits && !argv.get(1).is_some_and(|mode| args::is(mode, "async"));
    let place = if early { Place::Before } else { Place::Behind };
    super::client::invalidate_all(ctx.state, place);
}

fn check_flush_mode(argv: &[Bytes]) -> Result<(), CommandError> {
    match &argv[1..] {
        [] => Ok(()),
        [mode] if args::is(mode, "sync") || args::is(mode, "async") => Ok(()),
        _ => Err(CommandError::Syntax),
    }
}

fn flush(ctx: &mut Ctx<'_>, db: usize) {
    let keys: Vec<Bytes> = ctx.state.dbs[db].iter().map(|(key, _)| key.clone()).collect();
    break_watches_of_replaced(ctx.state, db, None);
    ctx.state.dbs[db].clear();
    ctx.state.tally.forget();
    let (now, by) = (ctx.state.now, Some(ctx.client));
    for key in keys {
        ctx.state.journal.detail(now, || EventKind::KeyChanged {
            db: db as u32,
            key,
            change: KeyChange::Deleted,
            by,
        });
    }
}

fn shutdown(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let known = ["nosave", "save", "now", "force", "abort"];
    for word in &argv[1..] {
        if !known.iter().any(|option| args::is(word, option)) {
            return Err(CommandError::Syntax);
        }
    }
    let asked = |option: &str| argv[1..].iter().any(|word| args::is(word, option));
    let others = ["nosave", "save", "now", "force"].iter().any(|option| asked(option));
    if asked("save") && asked("nosave") || asked("abort") && others {
        return Err(CommandError::Syntax);
    }
    if ctx.deny_blocking() && !asked("now") && !asked("abort") {
        let text = "ERR SHUTDOWN without NOW or ABORT isn't allowed for DENY BLOCKING client";
        return Err(CommandError::Line(text.into()));
    }
    if asked("abort") {
        return Err(CommandError::Line("ERR No shutdown in progress.".into()));
    }
    // Only the hard way out is open while a script holds the server.
    if let Some(running) = ctx.state.running.as_ref().filter(|running| running.busy && !asked("nosave")) {
        return Err(CommandError::Busy { function: running.is_function() });
    }
    let saves = asked("save") || !asked("nosave") && !ctx.state.config.text(Param::SAVE).is_empty();
    ctx.state.saved.is_final = !saves;
    ctx.state.stopping = true;
    Ok(Outcome::Silent)
}
