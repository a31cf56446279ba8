//! Looking a command up, and running it: the one way for clients, transactions and scripts alike.

use crate::Bytes;
use crate::bytes::word;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

use super::ctx::{Ctx, Origin, Outcome};
use super::spec::CommandSpec;
use super::table::handler;
use super::versions::records;

/// The record of a command with its arguments; for a container command the subcommand's.
pub fn lookup(version: Version, argv: &[Bytes]) -> Result<&'static CommandSpec, CommandError> {
    let name = argv.first().map(Bytes::as_slice).unwrap_or_default();
    let Some(spec) = records(version).find(name) else { return Err(unknown_command(version, argv)) };
    if !spec.is_container() {
        return Ok(spec);
    }
    let Some(second) = argv.get(1) else {
        // COMMAND is the one that can also stand alone.
        if spec.arity_fits(1) {
            return Ok(spec);
        }
        return Err(CommandError::WrongArity(spec.name.into()));
    };
    spec.subcommand(second).ok_or_else(|| CommandError::UnknownSubcommand {
        subcommand: shorten(second, 128),
        container: spec.name.to_ascii_uppercase(),
    })
}

/// The record of the container command that stands alone where it takes a subcommand: what is counted as refused then.
pub(super) fn container(version: Version, argv: &[Bytes]) -> Option<&'static CommandSpec> {
    match argv {
        [name] => records(version).find(name),
        _ => None,
    }
}

/// A top-level record of the newest version by name, in any case.
pub fn find(name: &[u8]) -> Option<&'static CommandSpec> {
    records(Version::default()).find(name)
}

fn unknown_command(version: Version, argv: &[Bytes]) -> CommandError {
    let mut args = String::new();
    for argument in argv.iter().skip(1) {
        let len = args.chars().count();
        if len >= 128 {
            break;
        }
        args.push_str(&format!("'{}' ", shorten(argument, 128 - len)));
    }
    let name = argv.first().map(|name| shorten(name, 128)).unwrap_or_default();
    CommandError::UnknownCommand { name, args, always_list_args: version < Version::V8_4 }
}

/// At most `max` bytes of a client's text.
fn shorten(text: &[u8], max: usize) -> String {
    word(&text[..text.len().min(max)])
}

/// Runs a command whose arity fits and that nothing forbids; counts it.
pub fn call(ctx: &mut Ctx<'_>, spec: &'static CommandSpec, argv: &[Bytes]) -> Outcome {
    ctx.spec = spec;
    if super::monitor::tells_early(spec) {
        super::monitor::feed(ctx, spec, argv);
    }
    let (spent, slept) = (ctx.state.spent, ctx.state.slept);
    let result = handler(spec)(ctx, argv);
    // An error in a script's reply is no error of the handler: scripts count their own.
    let failed = result.is_err();
    let outcome = result.unwrap_or_else(|error| Outcome::Reply(error.into()));
    if ctx.origin != Origin::Script {
        super::client::remember(ctx.state, ctx.client, spec, argv);
    }
    if !super::monitor::tells_early(spec) {
        super::monitor::feed(ctx, spec, argv);
    }
    let work = ctx.state.cost.script(ctx.state.spent - spent) + (ctx.state.slept - slept);
    let micros = (ctx.state.cost.command + work).0;
    let stats = &mut ctx.state.stats;
    if failed && let Outcome::Reply(Reply::Error(line)) = &outcome {
        stats.count_error(line);
    }
    let command = stats.command(spec.name);
    command.calls += 1;
    command.micros += micros;
    command.failed += u64::from(failed);
    stats.commands_processed += 1;
    if !matches!(outcome, Outcome::Block(_) | Outcome::Running(_)) {
        super::slowlog::note(ctx.state, ctx.client, spec, argv, micros);
        super::latency::note(ctx.state, spec, micros);
    }
    outcome
}
