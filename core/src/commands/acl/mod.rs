//! ACL: users, what they may do, and what was refused.

mod check;
mod describe;
mod log;
mod rules;
mod users;

pub(super) use check::{check, check_user, log as log_refusal, may_read_all};
pub(crate) use users::set_default_password;

use crate::profile::Version;

use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};

const OPEN: Flags = Flags::NOSCRIPT.or(Flags::LOADING).or(Flags::STALE);

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "acl",
    arity: -2,
    since: (6, 0, 0),
    group: Group::Server,
    summary: "Looks after the users.",
    syntax: "ACL",
    subcommands: ACL,
    ..CommandSpec::BASE
}];

const BASE: CommandSpec =
    CommandSpec { flags: Flags::ADMIN.or(OPEN), group: Group::Server, ..CommandSpec::BASE };

const DELUSER: CommandSpec = CommandSpec {
    name: "acl|deluser",
    arity: -3,
    since: (6, 0, 0),
    summary: "Removes users and closes their connections.",
    syntax: "ACL DELUSER username [username ...]",
    reply: Shape::Int,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: users::deluser,
    examples: &[Example { setup: "ACL SETUSER alice", run: "ACL DELUSER alice bob", shows: "(integer) 1" }],
    ..BASE
};

const SAVE: CommandSpec = CommandSpec {
    name: "acl|save",
    arity: 2,
    since: (6, 0, 0),
    summary: "Would write the users to a file; there are no files here.",
    syntax: "ACL SAVE",
    reply: Shape::Status,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: users::no_file,
    ..BASE
};

const SETUSER: CommandSpec = CommandSpec {
    name: "acl|setuser",
    arity: -3,
    since: (6, 0, 0),
    summary: "Makes or changes a user.",
    syntax: "ACL SETUSER username [rule [rule ...]]",
    reply: Shape::Status,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: users::setuser,
    examples: &[Example { setup: "", run: "ACL SETUSER alice on >secret ~user:* +@read", shows: "OK" }],
    ..BASE
};

const ACL: &[CommandSpec] = &[
    CommandSpec {
        name: "acl|cat",
        arity: -2,
        flags: OPEN,
        since: (6, 0, 0),
        summary: "Names the categories, or the commands of one.",
        syntax: "ACL CAT [category]",
        reply: Shape::Array,
        handler: users::cat,
        examples: &[Example {
            setup: "",
            run: "ACL CAT transaction",
            shows: "1) \"discard\"\n2) \"exec\"\n3) \"multi\"\n4) \"unwatch\"\n5) \"watch\"",
        }],
        ..BASE
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..DELUSER } }),
        ..DELUSER
    },
    CommandSpec {
        name: "acl|dryrun",
        arity: -4,
        since: (7, 0, 0),
        summary: "Tells whether a user may run a command, without running it.",
        syntax: "ACL DRYRUN username command [arg [arg ...]]",
        reply: Shape::OneOf(&[Shape::Status, Shape::Bulk]),
        handler: users::dryrun,
        examples: &[Example {
            setup: "ACL SETUSER alice on nopass +get ~user:*",
            run: "ACL DRYRUN alice GET other",
            shows: "\"User alice has no permissions to access the 'other' key\"",
        }],
        ..BASE
    },
    CommandSpec {
        name: "acl|genpass",
        arity: -2,
        flags: OPEN,
        since: (6, 0, 0),
        summary: "Makes up a password.",
        syntax: "ACL GENPASS [bits]",
        reply: Shape::Bulk,
        handler: users::genpass,
        ..BASE
    },
    CommandSpec {
        name: "acl|getuser",
        arity: 3,
        since: (6, 0, 0),
        summary: "Answers the rules of a user.",
        syntax: "ACL GETUSER username",
        reply: Shape::OneOf(&[Shape::Map, Shape::Nil]),
        handler: users::getuser,
        examples: &[Example { setup: "", run: "ACL GETUSER nosuch", shows: "(nil)" }],
        ..BASE
    },
    CommandSpec::help("acl|help", (6, 0, 0), Group::Server, &[], &[]),
    CommandSpec {
        name: "acl|list",
        arity: 2,
        since: (6, 0, 0),
        summary: "Answers each user as a line of rules.",
        syntax: "ACL LIST",
        reply: Shape::Array,
        handler: users::list,
        examples: &[Example {
            setup: "",
            run: "ACL LIST",
            shows: "1) \"user default on nopass sanitize-payload ~* &* +@all\"",
        }],
        ..BASE
    },
    CommandSpec {
        name: "acl|load",
        arity: 2,
        since: (6, 0, 0),
        summary: "Would read the users from a file; there are no files here.",
        syntax: "ACL LOAD",
        reply: Shape::Status,
        handler: users::no_file,
        ..BASE
    },
    CommandSpec {
        name: "acl|log",
        arity: -2,
        since: (6, 0, 0),
        summary: "Answers what was refused lately.",
        syntax: "ACL LOG [count | RESET]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Status]),
        handler: log::log,
        examples: &[Example { setup: "", run: "ACL LOG", shows: "(empty array)" }],
        ..BASE
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..SAVE } }),
        ..SAVE
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..SETUSER } }),
        ..SETUSER
    },
    CommandSpec {
        name: "acl|users",
        arity: 2,
        since: (6, 0, 0),
        summary: "Names all users.",
        syntax: "ACL USERS",
        reply: Shape::Array,
        handler: users::users,
        examples: &[Example { setup: "", run: "ACL USERS", shows: "1) \"default\"" }],
        ..BASE
    },
    CommandSpec {
        name: "acl|whoami",
        arity: 2,
        flags: OPEN,
        since: (6, 0, 0),
        summary: "Names the user of the connection.",
        syntax: "ACL WHOAMI",
        reply: Shape::Bulk,
        handler: users::whoami,
        examples: &[Example { setup: "", run: "ACL WHOAMI", shows: "\"default\"" }],
        ..BASE
    },
];
