//! The command table, as help for whoever types.

use playground_core::commands::{CommandSpec, records};
use playground_core::profile::Version;
use playground_model::offer::CommandHelp;

/// By name, those that the version has.
pub(crate) fn commands(version: Version) -> Vec<CommandHelp> {
    let help = |spec: &CommandSpec| CommandHelp {
        name: spec.name.to_uppercase().replace('|', " "),
        syntax: spec.syntax.to_owned(),
        summary: spec.summary.to_owned(),
    };
    let mut commands: Vec<CommandHelp> = records(version).all().map(help).collect();
    commands.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    commands
}
