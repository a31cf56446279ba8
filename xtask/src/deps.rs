//! `cargo xtask deps`: what the crates and packages we depend on ask of us: licences, double versions, unused ones, advisories.
//!
//! The first three need no network. Advisories are asked for where `cargo deny` is installed and npm's registry answers;
//! where they can't be had, that is said, and is no failure.

use std::collections::BTreeMap;
use std::process::Command;

use crate::setup::{self, Tools};
use crate::shell::{self, Failure};
use crate::tally::Tally;

/// Licences that ask for no more than to be named, and MPL, which asks for changes of its own files only: we make none.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that come in several versions, and who is why; none of them is ours to choose.
const DOUBLE: [(&str, &str); 7] = [
    ("convert_case", "leptos and its macros"),
    ("hashbrown", "indexmap, of which full_moon's macros want an old one"),
    ("indexmap", "full_moon's macros"),
    ("lua-src", "our patch builds upon the other: see lua-src/src/lib.rs"),
    ("syn", "macros of three generations"),
    ("thiserror", "leptos's parts"),
    ("thiserror-impl", "as thiserror"),
];

pub(crate) fn run() -> Tally {
    let mut tally = Tally::default();
    add_to(&mut tally);
    tally.fact("no dependency is unused", || unused(&setup::machete()?));
    println!("\nadvisories, where they can be asked for:");
    crates_advisories();
    npm_advisories();
    tally
}

/// What takes a second and no tool.
pub(crate) fn add_to(tally: &mut Tally) {
    tally.fact("licences are among those that ask for little", || complain(licences(&tree("{p}|{l}")?)));
    tally.fact("no crate comes twice without a reason", || {
        complain(doubles(&tree("{p}")?, &DOUBLE.map(|(name, _)| name)))
    });
}

/// Every crate in a build for any machine, as a line each.
fn tree(format: &str) -> Result<String, Failure> {
    let mut cargo = shell::cargo();
    cargo.args(["tree", "--locked", "--workspace", "--target", "all", "--edges", "normal,build,dev"]);
    cargo.args(["--prefix", "none", "--format", format]);
    shell::output(&mut cargo).ok_or_else(|| Failure::new("cargo tree fails; run it to see why"))
}

fn complain(complaints: Vec<String>) -> Result<(), Failure> {
    if complaints.is_empty() { Ok(()) } else { Err(Failure::new(complaints.join("\n"))) }
}

/// Lines `name version|licence`; ` (*)` behind a line says that its dependencies stand elsewhere.
fn licences(lines: &str) -> Vec<String> {
    let mut complaints: Vec<String> = lines
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter_map(|line| line.split_once('|'))
        .filter(|(_, licence)| !is_fine(licence))
        .map(|(package, licence)| format!("{package}: {licence:?} has to be looked at"))
        .collect();
    complaints.sort();
    complaints.dedup();
    complaints
}

/// Of alternatives one is enough, of what holds together each must be fine. Nothing nests deeper than `(A OR B) AND C`.
fn is_fine(licence: &str) -> bool {
    let all_fine =
        |all: &str| all.split(" AND ").all(|one| LICENCES.contains(&one.trim().trim_end_matches('+')));
    if let Some((first, rest)) = licence.strip_prefix('(').and_then(|inner| inner.split_once(") AND ")) {
        return is_fine(first) && is_fine(rest);
    }
    licence.replace('/', " OR ").split(" OR ").any(all_fine)
}

fn doubles(lines: &str, known: &[&str]) -> Vec<String> {
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in lines.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { continue };
        let of_name = versions.entry(name).or_default();
        if !of_name.contains(&version) {
            of_name.push(version);
        }
    }
    let is_double = |(name, versions): &(&str, Vec<&str>)| versions.len() > 1 && !known.contains(name);
    let complaint = |(name, versions): (&str, Vec<&str>)| format!("{name}: {}", versions.join(", "));
    versions.into_iter().filter(is_double).map(complaint).collect()
}

fn unused(tools: &Tools) -> Result<(), Failure> {
    shell::run(&mut tools.command("cargo-machete"))
}

fn crates_advisories() {
    let has_deny = shell::output(Command::new("cargo-deny").arg("--version")).is_some();
    if !has_deny {
        println!("crates: not asked: `cargo install cargo-deny` brings what asks");
    } else if shell::run(shell::cargo().args(["deny", "check", "advisories"])).is_err() {
        println!("crates: see above; where the list of advisories can't be fetched, nothing is known");
    }
}

fn npm_advisories() {
    if shell::run(Command::new("npm").arg("audit").current_dir(shell::root())).is_err() {
        println!("npm: see above; where the registry does not answer, nothing is known");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_fine_where_one_choice_is() {
        for fine in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(GPL-3.0 OR MIT) AND Unicode-3.0", "MPL-2.0+"]
        {
            assert!(is_fine(fine), "{fine}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND SSPL-1.0", "LGPL-2.1+"] {
            assert!(!is_fine(bad), "{bad}");
        }
        assert_eq!(licences("a v1|MIT (*)\nb v2|SSPL-1.0\nb v2|SSPL-1.0 (*)").len(), 1);
    }

    #[test]
    fn a_second_version_is_named() {
        let lines = "a v1.0.0\na v2.0.0\na v2.0.0 (*)\nb v1.0.0 (/x)\nc v1\nc v2";
        assert_eq!(doubles(lines, &["c"]), ["a: v1.0.0, v2.0.0"]);
    }
}
