//! All families in one table. A new family is one more line.
//!
//! A command is declared as one record, and becomes two statics here: what is known of it (`FORMS`), and what runs it (`HANDLERS`). Who only
//! asks what a command is, as the lints do, links no handler, and so neither the keyspace nor Lua: in the page that is most of the engine.

use crate::Bytes;
use crate::profile::Version;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Handler};

pub(super) const FAMILIES: &[&[CommandSpec]] = &[
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
    super::lolwut::COMMANDS,
    super::modules::COMMANDS,
    super::monitor::COMMANDS,
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

/// A record in the form of some versions.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Names neither subcommands nor other forms, and its handler only by its number.
    pub(super) spec: CommandSpec,
    /// Whether it is of the container that stands before it.
    pub(super) is_subcommand: bool,
    /// The first version that no longer has this form. The forms of a record follow each other, the newest first.
    pub(super) before: Option<Version>,
}

/// All forms of all records, a container's subcommands behind it.
pub(super) static FORMS: [Form; COUNT] = known(declared());

/// What runs a record: [`CommandSpec::number`] is the place.
static HANDLERS: [Handler; COUNT] = handlers(declared());

/// The function that runs a command.
pub(super) fn handler(spec: &CommandSpec) -> Handler {
    HANDLERS[spec.number]
}

/// Every record as it is declared, with its examples: containers and subcommands alike.
pub fn all() -> impl Iterator<Item = &'static CommandSpec> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .flat_map(|spec| std::iter::once(spec).chain(spec.subcommands.iter()))
}

const COUNT: usize = walk(&mut []);

/// Runs when the core is compiled, and leaves nothing in a program.
const fn declared() -> [Form; COUNT] {
    let mut forms = [Form { spec: CommandSpec::BASE, is_subcommand: false, before: None }; COUNT];
    walk(&mut forms);
    forms
}

/// Writes down all forms as far as there is room, and counts them.
const fn walk(forms: &mut [Form]) -> usize {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut place = 0;
        while place < FAMILIES[family].len() {
            let spec = &FAMILIES[family][place];
            count = walk_forms(forms, count, spec, false);
            let mut sub = 0;
            while sub < spec.subcommands.len() {
                count = walk_forms(forms, count, &spec.subcommands[sub], true);
                sub += 1;
            }
            place += 1;
        }
        family += 1;
    }
    count
}

const fn walk_forms(forms: &mut [Form], mut count: usize, spec: &CommandSpec, is_subcommand: bool) -> usize {
    let (mut spec, mut before) = (spec, None);
    loop {
        if count < forms.len() {
            forms[count] = Form { spec: *spec, is_subcommand, before };
        }
        count += 1;
        let Some(earlier) = spec.earlier else { return count };
        (spec, before) = (&earlier.spec, Some(earlier.before));
    }
}

const fn known(mut forms: [Form; COUNT]) -> [Form; COUNT] {
    let mut number = 0;
    while number < COUNT {
        let spec = &mut forms[number].spec;
        (spec.number, spec.handler) = (number, elsewhere);
        (spec.subcommands, spec.earlier, spec.examples) = (&[], None, &[]);
        number += 1;
    }
    forms
}

const fn handlers(forms: [Form; COUNT]) -> [Handler; COUNT] {
    let mut handlers: [Handler; COUNT] = [elsewhere; COUNT];
    let mut number = 0;
    while number < COUNT {
        handlers[number] = forms[number].spec.handler;
        number += 1;
    }
    handlers
}

fn elsewhere(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    unreachable!("handlers stand in a table of their own")
}
