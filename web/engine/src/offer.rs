//! The command table, as help for whoever types.

use playground_core::commands::{self, CommandSpec};
use playground_core::profile::Version;
use playground_model::offer::CommandHelp;

/// By name, those that the version has.
pub(crate) fn commands(version: Version) -> Vec<CommandHelp> {
    let is_there = |spec: &&'static CommandSpec| {
        let (major, minor, patch) = spec.since;
        (i32::from(major), i32::from(minor), i32::from(patch)) <= version.triple()
    };
    let help = |spec: &CommandSpec| CommandHelp {
        name: spec.name.to_uppercase().replace('|', " "),
        syntax: spec.syntax.to_owned(),
        summary: spec.summary.to_owned(),
    };
    let mut commands: Vec<CommandHelp> = commands::all().filter(is_there).map(help).collect();
    commands.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    commands
}
