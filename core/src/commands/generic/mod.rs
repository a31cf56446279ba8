//! Commands for keys of any type: one file for each thing that is done with them.

pub(super) mod dump;
pub(super) mod object;
mod partial_sort;
pub(super) mod place;
pub(super) mod presence;
pub(super) mod scan;
pub(super) mod sort;
pub(super) mod wait;

use super::spec::CommandSpec;

/// What most records of the family have.
const KEYSPACE: CommandSpec = CommandSpec { categories: &["keyspace"], ..CommandSpec::BASE };
