//! CONFIG.

use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::{Param, Stats};

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

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
    let found = ctx.state.config.matching(&argv[2..]);
    let pairs = found.into_iter().map(|(name, value)| (Reply::Bulk(name), Reply::Bulk(value)));
    Ok(Reply::Map(pairs.collect()).into())
}

fn config_set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if !argv.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    let mut config = ctx.state.config.clone();
    let mut seen = Vec::new();
    for pair in argv[2..].chunks_exact(2) {
        let [name, value] = pair else { unreachable!("chunks of two") };
        let param = Param::find(name).ok_or_else(|| CommandError::ConfigUnknown(name.to_text()))?;
        let refuse =
            |reason: &str| CommandError::ConfigSet { parameter: name.to_text(), reason: reason.to_owned() };
        if param.spec().immutable {
            return Err(refuse("can't set immutable config"));
        }
        if seen.contains(&param) {
            return Err(refuse("duplicate parameter"));
        }
        seen.push(param);
        config.set(param, value).map_err(|reason| refuse(&reason))?;
    }
    ctx.state.config = config;
    if seen.contains(&Param::REQUIREPASS) {
        let password = ctx.state.config.text(Param::REQUIREPASS);
        super::acl::set_default_password(ctx.state, &password);
    }
    Ok(Reply::OK.into())
}

fn config_resetstat(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    ctx.state.stats = Stats::default();
    Ok(Reply::OK.into())
}
