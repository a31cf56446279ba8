//! The table of each server version: what it offers, in the form it had there.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::profile::Version;

use super::spec::CommandSpec;
use super::table::{FORMS, Form};

/// All commands of one version, sorted by name.
pub struct Records {
    commands: Vec<CommandSpec>,
    by_name: BTreeMap<&'static [u8], usize>,
}

impl Records {
    pub fn commands(&self) -> &[CommandSpec] {
        &self.commands
    }

    /// Containers and subcommands alike.
    pub fn all(&self) -> impl Iterator<Item = &CommandSpec> {
        self.commands.iter().flat_map(|spec| std::iter::once(spec).chain(spec.subcommands))
    }

    /// A top-level record by name, in any case.
    pub fn find(&self, name: &[u8]) -> Option<&CommandSpec> {
        let mut lower = [0; 32];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        self.by_name.get(&*lower).map(|index| &self.commands[*index])
    }

    /// A record by its full name, in any case: `get`, `config|get`.
    pub fn find_full(&self, name: &[u8]) -> Option<&CommandSpec> {
        let Some(bar) = name.iter().position(|&byte| byte == b'|') else { return self.find(name) };
        self.find(&name[..bar])?.subcommand(&name[bar + 1..])
    }

    fn new(version: Version) -> Self {
        let mut found: Vec<(CommandSpec, Vec<CommandSpec>)> = Vec::new();
        for forms in FORMS.chunk_by(|_, next| next.before.is_some()) {
            // Of the forms that this version still has, the oldest.
            let still = |form: &&Form| form.before.is_none_or(|before| version < before);
            match (forms.iter().rev().find(still), found.last_mut()) {
                (Some(form), Some((_, subcommands))) if form.is_subcommand => subcommands.push(form.spec),
                (Some(form), _) => found.push((form.spec, Vec::new())),
                (None, _) => {}
            }
        }
        found.retain(|(spec, _)| spec.offered_in(version));
        let whole = |(mut spec, mut subcommands): (CommandSpec, Vec<CommandSpec>)| {
            subcommands.retain(|spec| spec.offered_in(version));
            // Lives as long as the table, which is never dropped.
            spec.subcommands = Vec::leak(subcommands);
            spec
        };
        let mut commands: Vec<CommandSpec> = found.into_iter().map(whole).collect();
        commands.sort_by_key(|spec| spec.name);
        let by_name =
            commands.iter().enumerate().map(|(index, spec)| (spec.name.as_bytes(), index)).collect();
        Self { commands, by_name }
    }
}

/// The table of a version. Made once, kept for the life of the process.
pub fn records(version: Version) -> &'static Records {
    static TABLES: [OnceLock<Records>; Version::ALL.len()] = [const { OnceLock::new() }; Version::ALL.len()];
    TABLES[version as usize].get_or_init(|| Records::new(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_offers_what_it_had() {
        for (version, name, offered) in [
            (Version::V7_0, "GET", true),
            (Version::V7_0, "command|Docs", true),
            (Version::V8_2, "msetex", false),
            (Version::V8_4, "msetex", true),
        ] {
            let found = records(version).find_full(name.as_bytes()).is_some();
            assert_eq!(found, offered, "{name} in {version:?}");
        }
    }
}
