//! COMPAT.md is made from the command table and from two lists of reasons beside this file.
//!
//! With UPDATE_DOCS=1 it is written anew; `cargo xtask compat` does that.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use playground_core::commands::{CommandSpec, Group, records};
use playground_core::profile::Version;

const HEAD: &str = "\
# Compatibility

This page is generated from the command table: `cargo xtask compat` writes it.

The engine answers as Redis 7.0, 7.2, 7.4, 8.0, 8.2, 8.4 or 8.6, whichever is chosen; 8.6 is the default. Not all of them were measured alike:

| version | held against |
| --- | --- |
| 7.0, 8.2 | recordings of 7.0.15 and 8.2.3, byte for byte, and live servers: random sequences of every family, the recorded facts in other words (8.2), COMMAND INFO of each command |
| 7.4, 8.6 | recordings of 7.4.1 and 8.6.3, byte for byte: scripting, transactions and functions, and what scripts see of other commands |
| 7.2, 8.0, 8.4 | nothing: no server of theirs was at hand. They answer as the measured version before or after them, whichever the release notes of a change name; a command is there from the release that its record tells |

`tests/parity/known_diffs.tsv` names each recorded reply that differs, with its reason.

What holds for all commands:

- Time is virtual in stories and real on the port. INFO, SLOWLOG and LATENCY tell of the time that the engine counts.
- Large hashes, sets and the keyspace have an order of their own where the real server's depends on a random seed.
- Memory is estimated from the values, not measured.
- Nothing is written to a disk, and nothing reaches another process.
";

/// What a client is told of a command that is not offered.
const NOT_OFFERED: &str = "\
A command that is not offered is an unknown one, as it is for a server that does not have it: `ERR unknown command 'VADD', with args
beginning with: …`, for a subcommand `ERR unknown subcommand 'SYNCSLOTS'. Try CLUSTER HELP.`, in a script `ERR Unknown Redis command called
from script`. COMMAND INFO answers nil for it, and COMMAND COUNT does not count it.
";

fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn not_offered() -> impl Iterator<Item = Vec<&'static str>> {
    lines(include_str!("compat/not_offered.tsv"))
}

fn differences() -> BTreeMap<&'static str, &'static str> {
    lines(include_str!("compat/differences.tsv")).map(|parts| (parts[0], parts[1])).collect()
}

fn shown(name: &str) -> String {
    name.replace('|', " ").to_ascii_uppercase()
}

/// The versions that have a command, as far as they are not all.
fn versions(name: &str) -> &'static str {
    let first =
        Version::ALL.into_iter().find(|version| records(*version).find_full(name.as_bytes()).is_some());
    first.filter(|first| *first != Version::V7_0).map_or("", |first| {
        let full = first.full();
        &full[..full.rfind('.').expect("a full version has three numbers")]
    })
}

fn row(spec: &CommandSpec, differences: &BTreeMap<&str, &str>, page: &mut String) {
    let (major, minor, patch) = spec.since;
    let difference = differences
        .get(spec.name)
        .or_else(|| differences.get("*|help").filter(|_| spec.name.ends_with("|help")));
    writeln!(
        page,
        "| {} | {major}.{minor}.{patch} | {} | {} |",
        shown(spec.name),
        versions(spec.name),
        difference.unwrap_or(&"")
    )
    .expect("a string can be written to");
}

fn compat() -> String {
    let newest = records(Version::default());
    let differences = differences();
    let mut groups: BTreeMap<&str, Vec<&CommandSpec>> = BTreeMap::new();
    for spec in newest.all() {
        groups.entry(Group::name(spec.group)).or_default().push(spec);
    }
    let mut page = HEAD.to_owned();
    page.push_str("\n## Offered\n\n| version | commands | with subcommands |\n| --- | --- | --- |\n");
    for version in Version::ALL {
        let table = records(version);
        writeln!(page, "| {} | {} | {} |", version.full(), table.commands().len(), table.all().count())
            .expect("a string can be written to");
    }
    page.push_str(
        "\n*Since* is the release of Redis that brought a command; *from* is the first version offered here that has it, where not all do.\n",
    );
    for (group, mut specs) in groups {
        specs.sort_by_key(|spec| spec.name);
        write!(
            page,
            "\n### {group}\n\n| command | since | from | what differs |\n| --- | --- | --- | --- |\n"
        )
        .expect("a string can be written to");
        specs.into_iter().for_each(|spec| row(spec, &differences, &mut page));
    }
    write!(page, "\n## Not offered\n\n{NOT_OFFERED}\n| commands | from | why |\n| --- | --- | --- |\n")
        .expect("a string can be written to");
    for parts in not_offered() {
        writeln!(page, "| {} | {} | {} |", parts[0], parts[1], parts[2]).expect("a string can be written to");
    }
    page
}

#[test]
fn the_page_on_compatibility_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../COMPAT.md");
    let page = compat();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).expect("the folder of documents can be written to");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "COMPAT.md is stale: cargo xtask compat");
}

#[test]
fn what_is_said_to_be_missing_is_missing_and_what_differs_is_offered() {
    let newest = records(Version::default());
    for parts in not_offered() {
        // Names of one word stand behind blanks, those of two behind commas.
        let mark = if parts[0].starts_with("CLUSTER ") { ", " } else { " " };
        for name in parts[0].split(mark) {
            let name = name.replace(' ', "|");
            assert!(
                newest.find_full(name.as_bytes()).is_none(),
                "{name} is offered, not_offered.tsv says it is not"
            );
        }
    }
    for name in differences().into_keys().filter(|name| !name.starts_with('*')) {
        assert!(
            newest.find_full(name.as_bytes()).is_some(),
            "{name} is not offered, differences.tsv says it is"
        );
    }
}
