//! CONFIG.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Param, Stats};

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};

const FLAGS: Flags = Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE);

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "config",
    arity: -2,
    since: (2, 0, 0),
    group: Group::Server,
    summary: "Reads and changes the configuration.",
    syntax: "CONFIG subcommand",
    subcommands: CONFIG,
    ..CommandSpec::BASE
}];

const RESETSTAT: CommandSpec = CommandSpec {
    name: "config|resetstat",
    arity: 2,
    flags: FLAGS,
    since: (2, 0, 0),
    group: Group::Server,
    summary: "Sets the counters of INFO to zero.",
    syntax: "CONFIG RESETSTAT",
    reply: Shape::Status,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: config_resetstat,
    examples: &[Example { setup: "", run: "CONFIG RESETSTAT", shows: "OK" }],
    ..CommandSpec::BASE
};

const REWRITE: CommandSpec = CommandSpec {
    name: "config|rewrite",
    arity: 2,
    flags: FLAGS,
    since: (2, 8, 0),
    group: Group::Server,
    summary: "Would write the configuration to its file; there are no files here.",
    syntax: "CONFIG REWRITE",
    reply: Shape::Status,
    tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
    handler: config_rewrite,
    examples: &[Example {
        setup: "",
        run: "CONFIG REWRITE",
        shows: "(error) ERR The server is running without a config file",
    }],
    ..CommandSpec::BASE
};

const CONFIG: &[CommandSpec] = &[
    CommandSpec {
        name: "config|get",
        arity: -3,
        flags: FLAGS,
        since: (2, 0, 0),
        group: Group::Server,
        summary: "Answers the parameters that match.",
        syntax: "CONFIG GET parameter [parameter ...]",
        reply: Shape::Map,
        handler: config_get,
        examples: &[Example { setup: "", run: "CONFIG GET maxmemory", shows: "1) \"maxmemory\"\n2) \"0\"" }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("config|help", (5, 0, 0), Group::Server, &[], &[]),
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..RESETSTAT } }),
        ..RESETSTAT
    },
    CommandSpec {
        earlier: Some(&Earlier { before: Version::V7_2, spec: CommandSpec { tips: &[], ..REWRITE } }),
        ..REWRITE
    },
    CommandSpec {
        name: "config|set",
        arity: -4,
        flags: FLAGS,
        since: (2, 0, 0),
        group: Group::Server,
        summary: "Changes parameters, all or none.",
        syntax: "CONFIG SET parameter value [parameter value ...]",
        reply: Shape::Status,
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        handler: config_set,
        examples: &[Example { setup: "", run: "CONFIG SET maxmemory 100mb", shows: "OK" }],
        ..CommandSpec::BASE
    },
];

fn config_get(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = ctx.state.config.matching(&argv[2..], ctx.version());
    let pairs = found.into_iter().map(|(name, value)| (Reply::Bulk(name), Reply::Bulk(value)));
    Ok(Reply::Map(pairs.collect()).into())
}

fn config_set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if !argv.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let version = ctx.version();
    let (mut asked, mut names) = (Vec::<(Param, &Bytes)>::new(), Vec::new());
    for pair in argv[2..].chunks_exact(2) {
        let [name, value] = pair else { unreachable!("chunks of two") };
        let param = Param::find(name, version).ok_or_else(|| CommandError::ConfigUnknown(name.to_word()))?;
        let refuse = |reason: &str| Err(refusal(name, reason));
        if param.spec().immutable {
            return refuse("can't set immutable config");
        }
        if param.spec().protected {
            return refuse("can't set protected config");
        }
        if names.iter().any(|known: &&Bytes| known.eq_ignore_ascii_case(name)) {
            return refuse("duplicate parameter");
        }
        asked.push((param, value));
        names.push(name);
    }
    let mut config = ctx.state.config.clone();
    for ((param, value), name) in asked.iter().zip(names) {
        let name = Bytes::from(name.to_ascii_lowercase());
        config.set(*param, value, version).map_err(|reason| refusal(&name, &reason))?;
    }
    ctx.state.config = config;
    if asked.iter().any(|(param, _)| *param == Param::REQUIREPASS) {
        let password = ctx.state.config.text(Param::REQUIREPASS);
        super::acl::set_default_password(ctx.state, &password);
    }
    Ok(Reply::OK.into())
}

fn refusal(name: &Bytes, reason: &str) -> CommandError {
    CommandError::ConfigSet { parameter: name.to_word(), reason: reason.to_owned() }
}

fn config_rewrite(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Err(CommandError::Line("ERR The server is running without a config file".into()))
}

fn config_resetstat(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    ctx.state.stats = Stats::default();
    Ok(Reply::OK.into())
}
