//! MODULE. There is nothing that could be loaded, so that there are never any.

use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "module",
    arity: -2,
    since: (4, 0, 0),
    group: Group::Server,
    summary: "Would look after modules; none can be loaded here.",
    syntax: "MODULE",
    subcommands: MODULE,
    ..CommandSpec::BASE
}];

const MODULE: &[CommandSpec] = &[
    CommandSpec::help("module|help", (5, 0, 0), Group::Server, &[], &[]),
    CommandSpec {
        name: "module|list",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT),
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Would list the modules; none can be loaded here.",
        syntax: "MODULE LIST",
        reply: Shape::Array,
        tips: &["nondeterministic_output_order"],
        handler: list,
        examples: &[Example { setup: "", run: "MODULE LIST", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "module|load",
        arity: -3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING),
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Would load a module; none can be loaded here.",
        syntax: "MODULE LOAD path [arg [arg ...]]",
        reply: Shape::Status,
        handler: load,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "module|loadex",
        arity: -3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING),
        since: (7, 0, 0),
        group: Group::Server,
        summary: "Would load a module with its configuration; none can be loaded here.",
        syntax: "MODULE LOADEX path [CONFIG name value [CONFIG name value ...]] [ARGS args [args ...]]",
        reply: Shape::Status,
        handler: load,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "module|unload",
        arity: 3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING),
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Would unload a module; none can be loaded here.",
        syntax: "MODULE UNLOAD name",
        reply: Shape::Status,
        handler: unload,
        ..CommandSpec::BASE
    },
];

fn list(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Array(Vec::new()).into())
}

fn load(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Err(CommandError::Line("ERR Error loading the extension. Please check the server logs.".into()))
}

fn unload(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Err(CommandError::Line("ERR Error unloading module: no such module with that name".into()))
}
