//! Users as rules again: what ACL GETUSER and ACL LIST show.

use std::collections::BTreeSet;

use crate::commands::spec::{CATEGORIES, CommandSpec};
use crate::commands::versions::{Records, records};
use crate::profile::Version;
use crate::state::{KeyPattern, Selector, User};

/// A user's line in ACL LIST.
pub(super) fn line(user: &User, version: Version) -> String {
    let mut words = vec!["user".to_owned(), user.name.to_text()];
    words.extend(flags(user).into_iter().map(str::to_owned));
    words.extend(user.passwords.iter().map(|hash| format!("#{}", hash.to_text())));
    words.push(selector(&user.root, version));
    words.extend(user.selectors.iter().map(|other| format!("({})", selector(other, version))));
    words.join(" ")
}

pub(super) fn flags(user: &User) -> Vec<&'static str> {
    let mut flags = vec![if user.enabled { "on" } else { "off" }];
    if user.no_password {
        flags.push("nopass");
    }
    match user.sanitize_payload {
        Some(true) => flags.push("sanitize-payload"),
        Some(false) => flags.push("skip-sanitize-payload"),
        None => {}
    }
    flags
}

fn selector(selector: &Selector, version: Version) -> String {
    let mut words = Vec::new();
    if selector.all_keys {
        words.push("~*".to_owned());
    } else {
        words.extend(selector.keys.iter().map(key));
    }
    if selector.all_channels {
        words.push("&*".to_owned());
    } else {
        words.push("resetchannels".to_owned());
        words.extend(selector.channels.iter().map(|channel| format!("&{}", channel.to_text())));
    }
    words.push(commands(selector, version));
    words.join(" ")
}

pub(super) fn keys(selector: &Selector) -> String {
    if selector.all_keys { "~*".to_owned() } else { join(selector.keys.iter().map(key)) }
}

pub(super) fn channels(selector: &Selector) -> String {
    if selector.all_channels {
        return "&*".to_owned();
    }
    join(selector.channels.iter().map(|channel| format!("&{}", channel.to_text())))
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn key(key: &KeyPattern) -> String {
    let kind = match (key.read, key.write) {
        (true, false) => "%R",
        (false, true) => "%W",
        _ => "",
    };
    format!("{kind}~{}", key.pattern.to_text())
}

pub(super) fn commands(selector: &Selector, version: Version) -> String {
    let base = if selector.future_commands { "+@all" } else { "-@all" };
    let mut words = vec![base.to_owned()];
    if version >= Version::V7_2 {
        words.extend(selector.rules.iter().cloned());
    } else {
        words.extend(reconstructed(selector, records(version)));
    }
    words.join(" ")
}

/// Before 7.2 the rules given are not kept: they are guessed from what is allowed in the end. As long as some
/// category has more commands that it gets right than wrong, the best one is named; the rest is told one by one.
fn reconstructed(selector: &Selector, records: &'static Records) -> Vec<String> {
    let all = || records.all().map(|spec| spec.name);
    let wanted: BTreeSet<&str> =
        if selector.all_commands { all().collect() } else { selector.commands.iter().copied().collect() };
    let adding = !selector.future_commands;
    let mut told: BTreeSet<&str> = if adding { BTreeSet::new() } else { all().collect() };
    let mut left = wanted.clone();
    let mut unused: Vec<&str> = CATEGORIES.to_vec();
    let mut words = Vec::new();
    while let Some(category) = best_category(&unused, &left, adding, records) {
        for spec in records.all().filter(|spec| spec.in_category(category)) {
            set(&mut told, spec, adding);
            set(&mut left, spec, !adding);
        }
        unused.retain(|name| *name != category);
        words.push(format!("{}@{category}", if adding { '+' } else { '-' }));
    }
    for command in records.commands() {
        for spec in std::iter::once(command).chain(command.subcommands) {
            let allowed = wanted.contains(spec.name);
            if allowed != told.contains(spec.name) {
                words.push(format!("{}{}", if allowed { '+' } else { '-' }, spec.name));
                set(&mut told, spec, allowed);
                spec.subcommands.iter().for_each(|sub| set(&mut told, sub, allowed));
            }
            if !allowed {
                let arguments = selector.first_arguments.get(spec.name).into_iter().flatten();
                words.extend(arguments.map(|argument| format!("+{}|{}", spec.name, argument.to_text())));
            }
        }
    }
    words
}

fn best_category<'a>(
    unused: &[&'a str],
    left: &BTreeSet<&str>,
    adding: bool,
    records: &Records,
) -> Option<&'a str> {
    let mut best: Option<(&str, usize, usize)> = None;
    for category in unused {
        let members = records.all().filter(|spec| spec.in_category(category));
        let (mut on, mut off) = (0, 0);
        for spec in members {
            *(if left.contains(spec.name) { &mut on } else { &mut off }) += 1;
        }
        let (same, different) = if adding { (on, off) } else { (off, on) };
        let better =
            best.is_none_or(|(_, fewest, most)| different < fewest || different == fewest && same > most);
        if same > different && better {
            best = Some((category, different, same));
        }
    }
    best.map(|(category, _, _)| category)
}

fn set<'a>(names: &mut BTreeSet<&'a str>, spec: &CommandSpec, on: bool)
where
    'static: 'a,
{
    if on {
        names.insert(spec.name);
    } else {
        names.remove(spec.name);
    }
}
