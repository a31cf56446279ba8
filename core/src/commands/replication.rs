//! Master and replica. The server can be told to be a replica; its link stays down, since nothing here reaches
//! another process. A scenario's `@ replica` makes one whose link is up.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::{Reply, split_args};
use crate::state::Role;

use super::args;
use super::ctx::{CommandResult, Ctx, Outcome};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

const FOLLOW: Flags = Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::STALE).or(Flags::NO_ASYNC_LOADING);

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "failover",
        arity: -1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::STALE),
        since: (6, 2, 0),
        group: Group::Server,
        summary: "Would hand over to a replica; none is ever connected here.",
        syntax: "FAILOVER [TO host port [FORCE]] [ABORT] [TIMEOUT milliseconds]",
        reply: Shape::Status,
        handler: failover,
        examples: &[Example {
            setup: "",
            run: "FAILOVER",
            shows: "(error) ERR FAILOVER requires connected replicas.",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "psync",
        arity: -3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING).or(Flags::NO_MULTI),
        since: (2, 8, 0),
        group: Group::Server,
        summary: "Would begin replication; nothing is replicated from here.",
        syntax: "PSYNC replicationid offset",
        reply: Shape::Any,
        handler: psync,
        examples: &[Example {
            setup: "",
            run: "PSYNC ? -1",
            shows: "(error) ERR PSYNC is not offered here: the playground has no replication stream",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "replconf",
        arity: -1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE).or(Flags::ALLOW_BUSY),
        since: (3, 0, 0),
        group: Group::Server,
        summary: "Is what replicas say to their master; none can connect here.",
        syntax: "REPLCONF [option value ...]",
        reply: Shape::Status,
        handler: replconf,
        examples: &[Example { setup: "", run: "REPLCONF", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "replicaof",
        arity: 3,
        flags: FOLLOW,
        since: (5, 0, 0),
        group: Group::Server,
        summary: "Makes the server a replica, or a master again.",
        syntax: "REPLICAOF <host port | NO ONE>",
        reply: Shape::Status,
        handler: replicaof,
        examples: &[Example { setup: "", run: "REPLICAOF NO ONE", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "role",
        arity: 1,
        flags: Flags::NOSCRIPT.or(Flags::LOADING).or(Flags::STALE).or(Flags::FAST),
        categories: &["admin", "dangerous"],
        since: (2, 8, 12),
        group: Group::Server,
        summary: "Tells whether the server is a master or a replica.",
        syntax: "ROLE",
        reply: Shape::Array,
        handler: role,
        examples: &[Example {
            setup: "",
            run: "ROLE",
            shows: "1) \"master\"\n2) (integer) 0\n3) (empty array)",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "slaveof",
        arity: 3,
        flags: FOLLOW,
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Is the old name of REPLICAOF.",
        syntax: "SLAVEOF <host port | NO ONE>",
        reply: Shape::Status,
        handler: replicaof,
        examples: &[Example { setup: "", run: "SLAVEOF NO ONE", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "sync",
        arity: 1,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::NO_ASYNC_LOADING).or(Flags::NO_MULTI),
        since: (1, 0, 0),
        group: Group::Server,
        summary: "Would begin replication; nothing is replicated from here.",
        syntax: "SYNC",
        reply: Shape::Any,
        handler: no_stream,
        examples: &[Example {
            setup: "",
            run: "SYNC",
            shows: "(error) ERR SYNC is not offered here: the playground has no replication stream",
        }],
        ..CommandSpec::BASE
    },
];

fn replicaof(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.state.cluster.is_some() {
        return Err(CommandError::Line("ERR REPLICAOF not allowed in cluster mode.".into()));
    }
    if args::is(&argv[1], "no") && args::is(&argv[2], "one") {
        ctx.state.role = Role::Master;
        return Ok(Reply::OK.into());
    }
    let invalid = || CommandError::Line("ERR Invalid master port".into());
    let port = args::int(&argv[2]).ok().and_then(|port| u16::try_from(port).ok()).ok_or_else(invalid)?;
    if let Role::Replica { host, port: known, .. } = &ctx.state.role
        && *host == argv[1]
        && *known == port
    {
        return Ok(Reply::status("OK Already connected to specified master").into());
    }
    ctx.state.role = Role::Replica { host: argv[1].clone(), port, link_up: false };
    Ok(Reply::OK.into())
}

fn role(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(match &ctx.state.role {
        Role::Master => Reply::Array(vec![Reply::bulk("master"), Reply::Int(0), Reply::Array(Vec::new())]),
        Role::Replica { host, port, link_up } => Reply::Array(vec![
            Reply::bulk("slave"),
            Reply::Bulk(host.clone()),
            Reply::Int((*port).into()),
            Reply::bulk(if *link_up { "connected" } else { "connect" }),
            Reply::Int(if *link_up { 0 } else { -1 }),
        ]),
    }
    .into())
}

fn replconf(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if argv.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let version = ctx.version();
    for pair in argv[1..].chunks_exact(2) {
        let (option, value) = (&pair[0], &pair[1]);
        // These two are not answered, whoever sends them.
        if args::is(option, "ack") || args::is(option, "getack") {
            return Ok(Outcome::Silent);
        }
        check_option(version, option, value)?;
    }
    Ok(Reply::OK.into())
}

fn check_option(version: Version, option: &Bytes, value: &Bytes) -> Result<(), CommandError> {
    const IP_BYTES_MAX: usize = 255;
    let line = |text: String| Err(CommandError::Line(text.into()));
    if args::is(option, "listening-port") {
        args::int(value).map(|_| ())
    } else if args::is(option, "rdb-only") {
        match args::int(value) {
            Ok(0 | 1) => Ok(()),
            Ok(_) => line("ERR value is out of range, value must between 0 and 1".into()),
            Err(error) => Err(error),
        }
    } else if args::is(option, "ip-address") {
        if value.len() <= IP_BYTES_MAX {
            return Ok(());
        }
        let length = value.len();
        line(format!("ERR REPLCONF ip-address provided by replica instance is too long: {length} bytes"))
    } else if args::is(option, "rdb-filter-only") {
        check_filter(value)
    } else if args::is(option, "capa") || args::is(option, "rdb-channel") && version >= Version::V8_0 {
        Ok(())
    } else if args::is(option, "main-ch-client-id") && version >= Version::V8_0 {
        args::int(value)?;
        line(format!("ERR Unrecognized RDB client id: {}", value.to_word()))
    } else {
        Err(CommandError::ReplconfOption(option.to_word()))
    }
}

/// Words in a text, of which only one is known.
fn check_filter(value: &Bytes) -> Result<(), CommandError> {
    let missing = |_| CommandError::Line("ERR Missing rdb-filter-only values".into());
    let words = split_args(value).map_err(missing)?;
    match words.into_iter().find(|word| !args::is(word, "functions")) {
        None => Ok(()),
        Some(word) => Err(CommandError::RdbFilter(word.to_word())),
    }
}

fn failover(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.state.cluster.is_some() {
        let text = "ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.";
        return Err(CommandError::Line(text.into()));
    }
    let (mut target, mut abort, mut force, mut timeout) = (false, false, false, false);
    let mut rest = &argv[1..];
    while let Some((option, more)) = rest.split_first() {
        rest = more;
        match (option, more) {
            (option, [milliseconds, ..]) if args::is(option, "timeout") && !timeout => {
                if args::int(milliseconds)? <= 0 {
                    let text = "ERR FAILOVER timeout must be greater than 0";
                    return Err(CommandError::Line(text.into()));
                }
                timeout = true;
                rest = &more[1..];
            }
            (option, []) if args::is(option, "abort") && argv.len() == 2 => abort = true,
            (option, [_, port, ..]) if args::is(option, "to") && !target => {
                args::int(port)?;
                target = true;
                rest = &more[2..];
            }
            (option, _) if args::is(option, "force") && !force => force = true,
            _ => return Err(CommandError::Syntax),
        }
    }
    let text = if abort {
        "ERR No failover in progress."
    } else if ctx.state.role.is_replica() {
        "ERR FAILOVER is not valid when server is a replica."
    } else {
        "ERR FAILOVER requires connected replicas."
    };
    Err(CommandError::Line(text.into()))
}

fn psync(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let is_failover = argv.get(3).is_some_and(|word| args::is(word, "failover"));
    if is_failover && !ctx.state.role.is_replica() {
        let text = "ERR PSYNC FAILOVER can't be sent to a master.";
        return Err(CommandError::Line(text.into()));
    }
    if !ctx.state.role.link_is_down() {
        args::int(&argv[2])?;
    }
    no_stream(ctx, argv)
}

fn no_stream(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    if ctx.state.role.link_is_down() {
        let text = "NOMASTERLINK Can't SYNC while not connected with my master";
        return Err(CommandError::Line(text.into()));
    }
    Err(CommandError::NoReplicationStream(ctx.spec.name.to_ascii_uppercase()))
}
