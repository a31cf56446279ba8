//! All families in one table. A new family is one more line.

use super::spec::CommandSpec;
use super::{
    bitmaps, config, connection, expiry, functions, generic, hyperloglog, pubsub, scripting, server, strings,
    transactions,
};

pub const FAMILIES: &[&[CommandSpec]] = &[
    bitmaps::bits::COMMANDS,
    bitmaps::fields::COMMANDS,
    config::COMMANDS,
    connection::COMMANDS,
    expiry::COMMANDS,
    functions::COMMANDS,
    generic::COMMANDS,
    hyperloglog::COMMANDS,
    pubsub::COMMANDS,
    scripting::COMMANDS,
    server::COMMANDS,
    strings::edit::COMMANDS,
    strings::many::COMMANDS,
    strings::number::COMMANDS,
    strings::read::COMMANDS,
    strings::set::COMMANDS,
    strings::take::COMMANDS,
    transactions::COMMANDS,
];

/// Every record, containers and subcommands alike.
pub fn all() -> impl Iterator<Item = &'static CommandSpec> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands.iter()))
}
