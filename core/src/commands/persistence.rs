//! SAVE and its kin. There are no files here: what a save would write is kept in memory, and a process that ends
//! without saving comes back with it.

use std::rc::Rc;

use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::{Disk, Saved, State};

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "bgrewriteaof",
        arity: 1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING),
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Would write the log anew; there are no files here, so it only says so.",
        syntax: "BGREWRITEAOF",
        reply: Shape::Status,
        handler: bgrewriteaof,
        examples: &[Example {
            setup: "",
            run: "BGREWRITEAOF",
            shows: "Background append only file rewriting started",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "bgsave",
        arity: -1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING),
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Notes the moment as that of the last save; there are no files here.",
        syntax: "BGSAVE [SCHEDULE]",
        reply: Shape::Status,
        handler: bgsave,
        examples: &[Example { setup: "", run: "BGSAVE", shows: "Background saving started" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "lastsave",
        arity: 1,
        flags: Flags::LOADING.or(Flags::STALE).or(Flags::FAST),
        categories: &["admin", "dangerous"],
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Answers when the dataset was last saved.",
        syntax: "LASTSAVE",
        reply: Shape::Int,
        tips: &["nondeterministic_output"],
        handler: lastsave,
        examples: &[Example { setup: "", run: "LASTSAVE", shows: "(integer) 1767225600" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "save",
        arity: 1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING).or(Flags::NO_MULTI),
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Notes the moment as that of the last save; there are no files here.",
        syntax: "SAVE",
        reply: Shape::Status,
        handler: save,
        examples: &[Example { setup: "", run: "SAVE", shows: "OK" }],
        ..CommandSpec::BASE
    },
];

fn note_save(ctx: &mut Ctx<'_>) {
    let State { dbs, functions, now, dirty, .. } = &*ctx.state;
    let disk = Disk { dbs: dbs.clone(), functions: functions.reloaded() };
    let count = ctx.state.saved.count + 1;
    ctx.state.saved = Saved { at: *now, dirty: *dirty, count, disk: Some(Rc::new(disk)), is_final: false };
}

fn save(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    note_save(ctx);
    Ok(Reply::OK.into())
}

fn bgsave(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    match &argv[1..] {
        [] => {}
        [word] if args::is(word, "schedule") => {}
        _ => return Err(CommandError::Syntax),
    }
    note_save(ctx);
    Ok(Reply::status("Background saving started").into())
}

fn bgrewriteaof(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::status("Background append only file rewriting started").into())
}

fn lastsave(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Int((ctx.state.saved.at.0 / 1_000_000) as i64).into())
}
