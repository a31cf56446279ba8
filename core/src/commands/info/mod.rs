//! INFO: what the server tells of itself, section by section.
//!
//! Figures of a machine that is not there (buffers, threads, forks) are told as those of an idle one.

mod activity;
mod machine;
mod usage;

use crate::Bytes;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::State;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "info",
    arity: -1,
    flags: Flags::LOADING.or(Flags::STALE),
    categories: &["dangerous"],
    since: (1, 0, 0),
    group: Group::Server,
    summary: "Answers figures about the server.",
    syntax: "INFO [section [section ...]]",
    reply: Shape::Any,
    tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
    handler: info,
    examples: &[Example {
        setup: "SET k v",
        run: "INFO cluster",
        shows: "\"# Cluster\\r\\ncluster_enabled:0\\r\\n\"",
    }],
    ..CommandSpec::BASE
}];

/// One section.
struct Section {
    /// As it is asked for, in lower case.
    name: &'static str,
    title: &'static str,
    since: Version,
    /// It is told without being asked for.
    by_default: bool,
    write: fn(&State, &mut Lines),
}

const SECTIONS: &[Section] = &[
    section("server", "Server", true, machine::server),
    section("clients", "Clients", true, usage::clients),
    section("memory", "Memory", true, usage::memory),
    section("persistence", "Persistence", true, machine::persistence),
    Section { since: Version::V8_0, ..section("threads", "Threads", true, machine::threads) },
    section("stats", "Stats", true, activity::stats),
    section("replication", "Replication", true, machine::replication),
    section("cpu", "CPU", true, machine::cpu),
    section("modules", "Modules", true, |_, _| {}),
    section("commandstats", "Commandstats", false, activity::commandstats),
    section("errorstats", "Errorstats", true, activity::errorstats),
    section("latencystats", "Latencystats", false, activity::latencystats),
    section("cluster", "Cluster", true, machine::cluster),
    section("keyspace", "Keyspace", true, usage::keyspace),
    Section { since: Version::V8_0, ..section("keysizes", "Keysizes", true, usage::keysizes) },
];

const fn section(
    name: &'static str,
    title: &'static str,
    by_default: bool,
    write: fn(&State, &mut Lines),
) -> Section {
    Section { name, title, since: Version::V7_0, by_default, write }
}

/// Lines of the form `name:value`.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        use std::fmt::Write;
        write!(self.0, "{name}:{value}\r\n").expect("a String takes everything");
    }

    /// Figures that are zero here, always.
    fn zeros(&mut self, names: &[&str]) {
        names.iter().for_each(|name| self.add(name, 0));
    }
}

fn info(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(Reply::Verbatim { format: *b"txt", text: text(ctx.state, &argv[1..]).into() }.into())
}

fn text(state: &State, asked: &[Bytes]) -> String {
    let asks = |word: &str| asked.iter().any(|asked| asked.eq_ignore_ascii_case(word.as_bytes()));
    let everything = asks("all") || asks("everything");
    let defaults = asked.is_empty() || asks("default");
    let mut text = String::new();
    for section in SECTIONS.iter().filter(|section| state.version >= section.since) {
        if !(everything || defaults && section.by_default || asks(section.name)) {
            continue;
        }
        let mut lines = Lines::default();
        (section.write)(state, &mut lines);
        if !text.is_empty() {
            text.push_str("\r\n");
        }
        text.push_str(&format!("# {}\r\n{}", section.title, lines.0));
    }
    text
}
