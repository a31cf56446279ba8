//! All families in one table. A new family is one more line.

use super::spec::CommandSpec;

pub const FAMILIES: &[&[CommandSpec]] = &[
    super::acl::COMMANDS,
    super::bitmaps::bits::COMMANDS,
    super::bitmaps::fields::COMMANDS,
    super::cluster::COMMANDS,
    super::client::COMMANDS,
    super::command::COMMANDS,
    super::config::COMMANDS,
    super::connection::COMMANDS,
    super::debug::COMMANDS,
    super::expiry::COMMANDS,
    super::functions::COMMANDS,
    super::generic::dump::COMMANDS,
    super::generic::object::COMMANDS,
    super::generic::place::COMMANDS,
    super::generic::presence::COMMANDS,
    super::generic::scan::COMMANDS,
    super::generic::sort::COMMANDS,
    super::generic::wait::COMMANDS,
    super::geo::places::COMMANDS,
    super::geo::radius::COMMANDS,
    super::geo::search::COMMANDS,
    super::hashes::expiry::COMMANDS,
    super::hashes::fields::COMMANDS,
    super::hashes::listing::COMMANDS,
    super::hashes::numbers::COMMANDS,
    super::hashes::ttl::COMMANDS,
    super::hashes::with_expiry::COMMANDS,
    super::hyperloglog::COMMANDS,
    super::lists::blocking::COMMANDS,
    super::lists::elements::COMMANDS,
    super::lists::ends::COMMANDS,
    super::lists::moving::COMMANDS,
    super::info::COMMANDS,
    super::memory::COMMANDS,
    super::persistence::COMMANDS,
    super::latency::COMMANDS,
    super::slowlog::COMMANDS,
    super::pubsub::COMMANDS,
    super::replication::COMMANDS,
    super::scripting::COMMANDS,
    super::server::COMMANDS,
    super::sets::algebra::COMMANDS,
    super::sets::members::COMMANDS,
    super::sets::random::COMMANDS,
    super::streams::COMMANDS,
    super::strings::edit::COMMANDS,
    super::strings::many::COMMANDS,
    super::strings::number::COMMANDS,
    super::strings::read::COMMANDS,
    super::strings::set::COMMANDS,
    super::strings::take::COMMANDS,
    super::transactions::COMMANDS,
    super::zsets::algebra::COMMANDS,
    super::zsets::blocking::COMMANDS,
    super::zsets::members::COMMANDS,
    super::zsets::pops::COMMANDS,
    super::zsets::random::COMMANDS,
    super::zsets::ranges::COMMANDS,
    super::zsets::ranks::COMMANDS,
    super::zsets::removal::COMMANDS,
];

/// Every record, containers and subcommands alike.
pub fn all() -> impl Iterator<Item = &'static CommandSpec> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands.iter()))
}
