//! Sets.

pub(super) mod algebra;
pub(super) mod members;
pub(super) mod random;

use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const SET: CommandSpec = CommandSpec { categories: &["set"], group: Group::Set, ..CommandSpec::BASE };
