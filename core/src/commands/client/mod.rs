//! CLIENT: the connections as clients see them.

mod identity;
mod kill;
mod list;
mod pause;
mod tracking;

pub(super) use identity::checked_name;
pub(super) use list::{describe_other as describe, memory};
pub(crate) use tracking::{
    end_caching, flush_broadcasts, forget_tracking, invalidate, invalidate_all, remember, remember_declared,
};

use crate::profile::Version;

use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};

const ADMIN: Flags = Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE);
const CONNECTION: &[&str] = &["connection"];

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "client",
    arity: -2,
    since: (2, 4, 0),
    group: Group::Connection,
    summary: "Looks after the connections.",
    syntax: "CLIENT",
    subcommands: CLIENT,
    ..CommandSpec::BASE
}];

const BASE: CommandSpec = CommandSpec {
    flags: Flags::NOSCRIPT.or(Flags::LOADING).or(Flags::STALE),
    categories: CONNECTION,
    group: Group::Connection,
    ..CommandSpec::BASE
};

const SETNAME: CommandSpec = CommandSpec {
    name: "client|setname",
    arity: 3,
    since: (2, 6, 9),
    summary: "Names the connection.",
    syntax: "CLIENT SETNAME connection-name",
    reply: Shape::Status,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: identity::setname,
    examples: &[Example { setup: "", run: "CLIENT SETNAME alice", shows: "OK" }],
    ..BASE
};

const CLIENT: &[CommandSpec] = &[
    CommandSpec {
        name: "client|caching",
        arity: 3,
        since: (6, 0, 0),
        summary: "Says whether the keys of the next command are tracked.",
        syntax: "CLIENT CACHING <YES | NO>",
        reply: Shape::Status,
        handler: tracking::caching,
        examples: &[Example { setup: "CLIENT TRACKING ON OPTIN", run: "CLIENT CACHING YES", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|getname",
        arity: 2,
        since: (2, 6, 9),
        summary: "Answers the name of the connection.",
        syntax: "CLIENT GETNAME",
        reply: Shape::BulkOrNil,
        handler: identity::getname,
        examples: &[Example { setup: "CLIENT SETNAME alice", run: "CLIENT GETNAME", shows: "\"alice\"" }],
        ..BASE
    },
    CommandSpec {
        name: "client|getredir",
        arity: 2,
        since: (6, 0, 0),
        summary: "Answers to whom invalidation messages are redirected.",
        syntax: "CLIENT GETREDIR",
        reply: Shape::Int,
        handler: tracking::getredir,
        examples: &[Example { setup: "", run: "CLIENT GETREDIR", shows: "(integer) -1" }],
        ..BASE
    },
    CommandSpec::help("client|help", (5, 0, 0), Group::Connection, &["connection"], &[]),
    CommandSpec {
        name: "client|id",
        arity: 2,
        since: (5, 0, 0),
        summary: "Answers the number of the connection.",
        syntax: "CLIENT ID",
        reply: Shape::Int,
        handler: identity::id,
        examples: &[Example { setup: "", run: "CLIENT ID", shows: "(integer) 1" }],
        ..BASE
    },
    CommandSpec {
        name: "client|info",
        arity: 2,
        since: (6, 2, 0),
        summary: "Describes the connection.",
        syntax: "CLIENT INFO",
        reply: Shape::Any,
        tips: &["nondeterministic_output"],
        handler: list::info,
        ..BASE
    },
    CommandSpec {
        name: "client|kill",
        arity: -3,
        flags: ADMIN,
        since: (2, 4, 0),
        summary: "Closes connections.",
        syntax: "CLIENT KILL <ip:port | <[ID client-id] | [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] | [USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] | [MAXAGE seconds]>...>",
        reply: Shape::OneOf(&[Shape::Status, Shape::Int]),
        handler: kill::kill,
        examples: &[Example { setup: "", run: "CLIENT KILL ID 9", shows: "(integer) 0" }],
        ..BASE
    },
    CommandSpec {
        name: "client|list",
        arity: -2,
        flags: ADMIN,
        since: (2, 4, 0),
        summary: "Describes all connections.",
        syntax: "CLIENT LIST [TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
        reply: Shape::Any,
        tips: &["nondeterministic_output"],
        handler: list::list,
        ..BASE
    },
    CommandSpec {
        name: "client|no-evict",
        arity: 3,
        flags: ADMIN,
        since: (7, 0, 0),
        summary: "Keeps the connection when clients are evicted for memory.",
        syntax: "CLIENT NO-EVICT <ON | OFF>",
        reply: Shape::Status,
        handler: identity::no_evict,
        examples: &[Example { setup: "", run: "CLIENT NO-EVICT ON", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|no-touch",
        arity: 3,
        since: (7, 2, 0),
        summary: "Lets the commands of the connection leave the keys' access times alone.",
        syntax: "CLIENT NO-TOUCH <ON | OFF>",
        reply: Shape::Status,
        handler: identity::no_touch,
        examples: &[Example { setup: "", run: "CLIENT NO-TOUCH ON", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|pause",
        arity: -3,
        flags: ADMIN,
        since: (3, 0, 0),
        summary: "Makes clients wait before their commands run.",
        syntax: "CLIENT PAUSE timeout [WRITE | ALL]",
        reply: Shape::Status,
        handler: pause::pause,
        examples: &[Example { setup: "", run: "CLIENT PAUSE 100 WRITE", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|reply",
        arity: 3,
        since: (3, 2, 0),
        summary: "Stops replies, for good or for one command.",
        syntax: "CLIENT REPLY <ON | OFF | SKIP>",
        reply: Shape::Status,
        handler: identity::reply,
        examples: &[Example { setup: "", run: "CLIENT REPLY ON", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|setinfo",
        arity: 4,
        since: (7, 2, 0),
        summary: "Notes which library the connection uses.",
        syntax: "CLIENT SETINFO <LIB-NAME libname | LIB-VER libver>",
        reply: Shape::Status,
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        handler: identity::setinfo,
        examples: &[Example { setup: "", run: "CLIENT SETINFO LIB-NAME mylib", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..SETNAME } }),
        ..SETNAME
    },
    CommandSpec {
        name: "client|tracking",
        arity: -3,
        since: (6, 0, 0),
        summary: "Tells the connection when keys that it has read are changed.",
        syntax: "CLIENT TRACKING <ON | OFF> [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
        reply: Shape::Status,
        handler: tracking::tracking,
        examples: &[Example { setup: "", run: "CLIENT TRACKING ON", shows: "OK" }],
        ..BASE
    },
    CommandSpec {
        name: "client|trackinginfo",
        arity: 2,
        since: (6, 2, 0),
        summary: "Answers how the connection tracks keys.",
        syntax: "CLIENT TRACKINGINFO",
        reply: Shape::Map,
        handler: tracking::trackinginfo,
        examples: &[Example {
            setup: "",
            run: "CLIENT TRACKINGINFO",
            shows: "1) \"flags\"\n2) 1) \"off\"\n3) \"redirect\"\n4) (integer) -1\n5) \"prefixes\"\n6) (empty array)",
        }],
        ..BASE
    },
    CommandSpec {
        name: "client|unblock",
        arity: -3,
        flags: ADMIN,
        since: (5, 0, 0),
        summary: "Ends the waiting of another connection.",
        syntax: "CLIENT UNBLOCK client-id [TIMEOUT | ERROR]",
        reply: Shape::Int,
        handler: pause::unblock,
        examples: &[Example { setup: "", run: "CLIENT UNBLOCK 9", shows: "(integer) 0" }],
        ..BASE
    },
    CommandSpec {
        name: "client|unpause",
        arity: 2,
        flags: ADMIN,
        since: (6, 2, 0),
        summary: "Lets paused clients go on.",
        syntax: "CLIENT UNPAUSE",
        reply: Shape::Status,
        handler: pause::unpause,
        examples: &[Example { setup: "", run: "CLIENT UNPAUSE", shows: "OK" }],
        ..BASE
    },
];
