//! Commands about the connection itself.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::state::{Client, ReplyMode};
use crate::value::{number, sha256};

use super::args;
use super::ctx::{CommandResult, Ctx, Origin};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

const FREE: Flags = Flags::NOSCRIPT
    .or(Flags::LOADING)
    .or(Flags::STALE)
    .or(Flags::FAST)
    .or(Flags::NO_AUTH)
    .or(Flags::ALLOW_BUSY);

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "auth",
        arity: -2,
        flags: FREE,
        categories: &["connection"],
        since: (1, 0, 0),
        group: Group::Connection,
        summary: "Authenticates the connection.",
        syntax: "AUTH [username] password",
        reply: Shape::Status,
        handler: auth,
        examples: &[Example {
            setup: "",
            run: "AUTH secret",
            shows: "(error) ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "echo",
        arity: 2,
        flags: Flags::LOADING.or(Flags::STALE).or(Flags::FAST),
        categories: &["connection"],
        since: (1, 0, 0),
        group: Group::Connection,
        summary: "Answers its argument.",
        syntax: "ECHO message",
        reply: Shape::Bulk,
        handler: echo,
        examples: &[Example { setup: "", run: "ECHO hello", shows: "\"hello\"" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "hello",
        arity: -1,
        flags: FREE,
        categories: &["connection"],
        since: (6, 0, 0),
        group: Group::Connection,
        summary: "Chooses the protocol version and describes the server.",
        syntax: "HELLO [protover [AUTH username password] [SETNAME clientname]]",
        reply: Shape::Map,
        handler: hello,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "ping",
        arity: -1,
        flags: Flags::FAST,
        categories: &["connection"],
        since: (1, 0, 0),
        group: Group::Connection,
        summary: "Answers PONG, or its argument.",
        syntax: "PING [message]",
        reply: Shape::OneOf(&[Shape::Status, Shape::Bulk]),
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: ping,
        examples: &[Example { setup: "", run: "PING", shows: "PONG" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "quit",
        arity: -1,
        flags: FREE,
        categories: &["connection"],
        since: (1, 0, 0),
        group: Group::Connection,
        summary: "Closes the connection.",
        syntax: "QUIT",
        reply: Shape::Status,
        handler: quit,
        examples: &[Example { setup: "", run: "QUIT", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "reset",
        arity: 1,
        flags: FREE,
        categories: &["connection"],
        since: (6, 2, 0),
        group: Group::Connection,
        summary: "Puts the connection back into the state of a new one.",
        syntax: "RESET",
        reply: Shape::Status,
        handler: reset,
        examples: &[Example { setup: "", run: "RESET", shows: "RESET" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "select",
        arity: 2,
        flags: Flags::LOADING.or(Flags::STALE).or(Flags::FAST),
        categories: &["connection"],
        since: (1, 0, 0),
        group: Group::Connection,
        summary: "Chooses the database of the connection.",
        syntax: "SELECT index",
        reply: Shape::Status,
        handler: select,
        examples: &[Example { setup: "", run: "SELECT 16", shows: "(error) ERR DB index is out of range" }],
        ..CommandSpec::BASE
    },
];

fn ping(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if argv.len() > 2 {
        return Err(CommandError::WrongArity("ping".into()));
    }
    let subscriber = ctx.protocol == Protocol::Resp2
        && ctx.client().subscriptions() + ctx.client().shard_channels.len() > 0;
    let text = argv.get(1).cloned();
    Ok(match text {
        _ if subscriber => Reply::bulks([Bytes::from("pong"), text.unwrap_or_default()]),
        Some(text) => Reply::Bulk(text),
        None => Reply::status("PONG"),
    }
    .into())
}

fn echo(_: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::Bulk(argv[1].clone()).into())
}

fn quit(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    ctx.client_mut().closing = true;
    Ok(Reply::OK.into())
}

fn select(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let index = args::int32(&argv[1])?;
    let databases = ctx.state.dbs.len() as i64;
    if ctx.state.cluster.is_some() && index != 0 {
        return Err(CommandError::Line("ERR SELECT is not allowed in cluster mode".into()));
    }
    if !(0..databases).contains(&index) {
        return Err(CommandError::Line("ERR DB index is out of range".into()));
    }
    ctx.db = index as usize;
    if ctx.origin != Origin::Script {
        ctx.client_mut().db = index as usize;
    }
    Ok(Reply::OK.into())
}

fn reset(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    super::transactions::discard(ctx.state, ctx.client);
    super::pubsub::unsubscribe_all(ctx.state, ctx.client);
    super::client::forget_tracking(ctx.state, ctx.client);
    let id = ctx.client;
    ctx.state.monitors.retain(|listener| *listener != id);
    let now = ctx.state.now;
    let authenticated = ctx.state.acl.default_user().is_open();
    let client = ctx.client_mut();
    let fresh = Client::new(client.id, now);
    *client = Client {
        authenticated,
        connected_at: client.connected_at,
        // RESET undoes OFF, but a skipped reply is skipped.
        reply_mode: if client.reply_mode == ReplyMode::SkipThis {
            ReplyMode::SkipThis
        } else {
            ReplyMode::On
        },
        commands_processed: client.commands_processed,
        last_command: client.last_command,
        ..fresh
    };
    ctx.db = 0;
    Ok(Reply::status("RESET").into())
}

fn auth(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if argv.len() > 3 {
        return Err(CommandError::Syntax);
    }
    let password = argv.last().expect("the arity was checked");
    let user = if argv.len() == 3 { argv[1].clone() } else { Bytes::from("default") };
    authenticate(ctx, argv.len() == 3, &user, password)?;
    Ok(Reply::OK.into())
}

fn authenticate(
    ctx: &mut Ctx<'_>,
    names_user: bool,
    user: &Bytes,
    password: &Bytes,
) -> Result<(), CommandError> {
    if !names_user && ctx.state.acl.default_user().no_password {
        return Err(CommandError::Line(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
                .into(),
        ));
    }
    let hash = sha256::hex(password);
    let fits = ctx.state.acl.user(user).is_some_and(|user| {
        user.enabled && (user.no_password || user.passwords.iter().any(|known| *known == hash.as_str()))
    });
    if !fits {
        let (client, object) = (ctx.client, Bytes::from(ctx.spec.name.to_ascii_uppercase()));
        let context = if ctx.origin == Origin::Exec { "multi" } else { "toplevel" };
        super::acl::log_refusal(ctx.state, client, "auth", context, object, user.clone());
        return Err(CommandError::Line(
            "WRONGPASS invalid username-password pair or user is disabled.".into(),
        ));
    }
    let client = ctx.client_mut();
    client.authenticated = true;
    client.user = user.clone();
    Ok(())
}

fn hello(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let mut protocol = ctx.client().protocol;
    let mut options = args::Cursor::new(&argv[1..]);
    if let Some(text) = options.peek() {
        let number = number::parse_i64(text).ok_or_else(|| {
            CommandError::Line("ERR Protocol version is not an integer or out of range".into())
        })?;
        protocol = match number {
            2 => Protocol::Resp2,
            3 => Protocol::Resp3,
            _ => return Err(CommandError::Line("NOPROTO unsupported protocol version".into())),
        };
        options.next()?;
    }
    let (mut credentials, mut name) = (None, None);
    while let Some(word) = options.peek() {
        let left = options.remaining().len() - 1;
        if args::is(word, "auth") && left >= 2 {
            options.next()?;
            credentials = Some((options.next()?.clone(), options.next()?.clone()));
        } else if args::is(word, "setname") && left >= 1 {
            options.next()?;
            name = Some(super::client::checked_name(options.next()?, ctx.version())?);
        } else {
            return Err(CommandError::HelloOption(word.to_word()));
        }
    }
    if let Some((user, password)) = credentials {
        authenticate(ctx, true, &user, &password)?;
    }
    if !ctx.client().authenticated && !ctx.state.acl.default_user().is_open() {
        let proto = if ctx.version() < Version::V7_2 { "" } else { "<proto> " };
        let line = format!(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO {proto}AUTH <user> \
             <pass> option can be used to authenticate the client and select the RESP protocol version at the same time"
        );
        return Err(CommandError::Line(line.into()));
    }
    let client = ctx.client_mut();
    client.protocol = protocol;
    if let Some(name) = name {
        client.name = name;
    }
    ctx.protocol = protocol;
    Ok(describe_server(ctx).into())
}

fn describe_server(ctx: &Ctx<'_>) -> Reply {
    let mode = if ctx.state.cluster.is_some() { "cluster" } else { "standalone" };
    let protocol = if ctx.protocol == Protocol::Resp3 { 3 } else { 2 };
    Reply::Map(vec![
        (Reply::bulk("server"), Reply::bulk("redis")),
        (Reply::bulk("version"), Reply::bulk(ctx.version().full())),
        (Reply::bulk("proto"), Reply::Int(protocol)),
        (Reply::bulk("id"), Reply::Int(ctx.client.0 as i64)),
        (Reply::bulk("mode"), Reply::bulk(mode)),
        (Reply::bulk("role"), Reply::bulk("master")),
        (Reply::bulk("modules"), Reply::Array(Vec::new())),
    ])
}
