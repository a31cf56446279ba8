//! COMMAND: the table told to clients.

mod docs;
mod getkeys;
mod info;
mod list;

use crate::Bytes;
use crate::profile::Version;
use crate::resp::Reply;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};
use super::versions::records;

const FLAGS: Flags = Flags::LOADING.or(Flags::STALE);
const CONNECTION: &[&str] = &["connection"];

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "command",
    arity: -1,
    flags: FLAGS,
    categories: CONNECTION,
    since: (2, 8, 13),
    group: Group::Server,
    summary: "Describes all commands.",
    syntax: "COMMAND",
    reply: Shape::Array,
    tips: &["nondeterministic_output_order"],
    handler: info::all,
    subcommands: SUBCOMMANDS,
    ..CommandSpec::BASE
}];

const SUBCOMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "command|count",
        arity: 2,
        summary: "Counts the commands.",
        syntax: "COMMAND COUNT",
        reply: Shape::Int,
        handler: count,
        ..BASE
    },
    CommandSpec {
        name: "command|docs",
        arity: -2,
        since: (7, 0, 0),
        summary: "Answers what is known of commands in words.",
        syntax: "COMMAND DOCS [command-name [command-name ...]]",
        reply: Shape::Map,
        tips: &["nondeterministic_output_order"],
        handler: docs::docs,
        examples: &[Example { setup: "", run: "COMMAND DOCS nosuch", shows: "(empty array)" }],
        ..BASE
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { arity: -4, ..GETKEYS } }),
        ..GETKEYS
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { arity: -4, ..GETKEYSANDFLAGS } }),
        ..GETKEYSANDFLAGS
    },
    CommandSpec::help("command|help", (5, 0, 0), Group::Server, CONNECTION, &[]),
    CommandSpec {
        name: "command|info",
        arity: -2,
        summary: "Answers the arity, flags, keys and more of commands.",
        syntax: "COMMAND INFO [command-name [command-name ...]]",
        reply: Shape::Array,
        tips: &["nondeterministic_output_order"],
        handler: info::info,
        examples: &[Example { setup: "", run: "COMMAND INFO nosuch", shows: "1) (nil)" }],
        ..BASE
    },
    CommandSpec {
        name: "command|list",
        arity: -2,
        since: (7, 0, 0),
        summary: "Names the commands, all or those that a filter lets through.",
        syntax: "COMMAND LIST [FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
        reply: Shape::Array,
        tips: &["nondeterministic_output_order"],
        handler: list::list,
        examples: &[Example {
            setup: "",
            run: "COMMAND LIST FILTERBY PATTERN config|res*",
            shows: "1) \"config|resetstat\"",
        }],
        ..BASE
    },
];

const GETKEYS: CommandSpec = CommandSpec {
    name: "command|getkeys",
    arity: -3,
    summary: "Answers the keys among the arguments of a whole command.",
    syntax: "COMMAND GETKEYS command [arg [arg ...]]",
    reply: Shape::Array,
    handler: getkeys::getkeys,
    examples: &[Example { setup: "", run: "COMMAND GETKEYS MSET a 1 b 2", shows: "1) \"a\"\n2) \"b\"" }],
    ..BASE
};

const GETKEYSANDFLAGS: CommandSpec = CommandSpec {
    name: "command|getkeysandflags",
    arity: -3,
    since: (7, 0, 0),
    summary: "Answers the keys among the arguments of a whole command, and what it does with them.",
    syntax: "COMMAND GETKEYSANDFLAGS command [arg [arg ...]]",
    reply: Shape::Array,
    handler: getkeys::getkeysandflags,
    examples: &[Example {
        setup: "",
        run: "COMMAND GETKEYSANDFLAGS GET a",
        shows: "1) 1) \"a\"\n   2) 1) RO\n      2) access",
    }],
    ..BASE
};

const BASE: CommandSpec = CommandSpec {
    flags: FLAGS,
    categories: CONNECTION,
    since: (2, 8, 13),
    group: Group::Server,
    ..CommandSpec::BASE
};

fn count(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::from(records(ctx.version()).commands().len()).into())
}
