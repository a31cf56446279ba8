//! Waiting for replicas and for the disk. There is neither, so only time ends a wait.

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx, Outcome};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, Shape};
use crate::commands::waiting::millis_from_now;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Blocked, BlockedOn, Param};

const WAIT: CommandSpec = CommandSpec {
    name: "wait",
    arity: 3,
    flags: Flags::BLOCKING,
    categories: &["connection"],
    since: (3, 0, 0),
    summary: "Waits until replicas have the client's writes, or a time is over.",
    syntax: "WAIT numreplicas timeout",
    reply: Shape::Int,
    tips: &["request_policy:all_shards", "response_policy:agg_min"],
    handler: wait,
    examples: &[Example { setup: "", run: "WAIT 0 100", shows: "(integer) 0" }],
    ..CommandSpec::BASE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: Flags::NOSCRIPT, ..WAIT },
        }),
        ..WAIT
    },
    CommandSpec {
        name: "waitaof",
        arity: 4,
        since: (7, 2, 0),
        summary: "Waits until the client's writes are on disks, or a time is over.",
        syntax: "WAITAOF numlocal numreplicas timeout",
        reply: Shape::Array,
        handler: waitaof,
        examples: &[Example { setup: "", run: "WAITAOF 0 0 100", shows: "1) (integer) 0\n2) (integer) 0" }],
        ..WAIT
    },
];

/// Blocks for the time, unless nothing has to be waited for or waiting is not possible.
fn wait_for(ctx: &Ctx<'_>, argv: &[Bytes], satisfied: bool, millis: u64, reply: Reply) -> CommandResult {
    if satisfied || ctx.deny_blocking() {
        return Ok(reply.into());
    }
    let since = ctx.state.now;
    Ok(Outcome::Block(Box::new(Blocked {
        argv: argv.to_vec(),
        on: BlockedOn::Time,
        deadline: (millis > 0).then(|| since + Micros::from_millis(millis)),
        retry_at: None,
        timeout_reply: reply,
        since,
    })))
}

fn check_role(ctx: &Ctx<'_>, command: &'static str, history: &'static str) -> Result<(), CommandError> {
    if ctx.state.role.is_replica() { Err(CommandError::NotOnReplica { command, history }) } else { Ok(()) }
}

fn wait(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    const HISTORY: &str =
        "since Redis 4.0 if a replica is configured to be writable (which is not the default) ";
    check_role(ctx, "WAIT", HISTORY)?;
    let replicas = args::int(&argv[1])?;
    let millis = millis_from_now(ctx, &argv[2])?;
    wait_for(ctx, argv, replicas <= 0, millis, Reply::Int(0))
}

fn waitaof(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let local = args::int(&argv[1])?;
    if !(0..=1).contains(&local) {
        return Err(CommandError::Line("ERR value is out of range, value must between 0 and 1".into()));
    }
    let replicas = args::int(&argv[2]).ok().filter(|replicas| *replicas >= 0);
    let replicas =
        replicas.ok_or(CommandError::Line("ERR value is out of range, must be positive".into()))?;
    let millis = millis_from_now(ctx, &argv[3])?;
    check_role(ctx, "WAITAOF", "")?;
    const APPENDONLY: Param = Param::named("appendonly");
    if local > 0 && !ctx.state.config.bool(APPENDONLY) {
        return Err(CommandError::Line(
            "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.".into(),
        ));
    }
    // With appendonly every write counts as on disk at once.
    let on_disk = i64::from(ctx.state.config.bool(APPENDONLY));
    let reply = Reply::Array(vec![Reply::Int(on_disk), Reply::Int(0)]);
    wait_for(ctx, argv, replicas == 0, millis, reply)
}
