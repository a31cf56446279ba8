//! More than a hundred scripts as people write them, with what is found in each.
//!
//! `tests/lint/expected.txt` is read by people: a finding that is not right has to be a known limit of its rule. With
//! UPDATE_EXPECTED=1 it is written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use playground_lint::{ALL, lint_scenario, lint_script};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/lint")
}

/// Name and text of each file of a folder, by name.
fn files(of: &str) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder().join(of)).expect("the folder is part of the project");
    let file = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.expect("a folder can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, fs::read_to_string(&path).expect("a script is text"))
    };
    entries.map(file).collect()
}

/// One line for each finding, and one for each file without any.
fn found() -> String {
    let mut report = String::new();
    let mut add = |name: &str, findings: Vec<playground_lint::Finding>| {
        if findings.is_empty() {
            writeln!(report, "{name} -").expect("a string can be written to");
        }
        for finding in findings {
            writeln!(report, "{name}:{} {}", finding.line, finding.rule.id)
                .expect("a string can be written to");
        }
    };
    for (name, text) in files("scripts") {
        add(&name, lint_script(&text).unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}")));
    }
    for (name, text) in files("stories") {
        let linted = lint_scenario(&text).unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"));
        assert_eq!(linted.unread, [], "{name}");
        add(&name, linted.findings);
    }
    report
}

#[test]
fn what_is_found_in_each_script_is_what_was_written_down() {
    let found = found();
    let path = folder().join("expected.txt");
    if env::var_os("UPDATE_EXPECTED").is_some() {
        fs::write(&path, &found).expect("the folder can be written to");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differing: Vec<String> = diff(&expected, &found);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

fn diff(expected: &str, found: &str) -> Vec<String> {
    let (old, new): (BTreeSet<&str>, BTreeSet<&str>) = (expected.lines().collect(), found.lines().collect());
    let gone = old.difference(&new).map(|line| format!("no longer: {line}"));
    gone.chain(new.difference(&old).map(|line| format!("new: {line}"))).collect()
}

/// Findings that are not right, each with the limit of its rule that says so.
#[test]
fn what_is_found_wrongly_is_a_known_limit() {
    let found = found();
    let limits = fs::read_to_string(folder().join("limits.txt")).expect("the limits are part of the project");
    for line in limits.lines().filter(|line| !line.is_empty()) {
        let (finding, limit) = line.split_once(" | ").expect("a finding and its limit");
        assert!(found.lines().any(|line| line == finding), "no longer found: {finding}");
        let rule = ALL.iter().find(|rule| finding.ends_with(rule.id)).expect("a rule");
        assert!(rule.limits.contains(limit), "{finding}: its rule does not say {limit:?}");
    }
}

#[test]
fn there_are_scripts_enough_and_each_rule_has_one_that_breaks_it() {
    assert!(files("scripts").len() >= 80);
    let found = found();
    for rule in ALL {
        assert!(found.lines().any(|line| line.ends_with(&format!(" {}", rule.id))), "{}", rule.id);
        assert!(!rule.limits.is_empty() && !rule.better.is_empty() && !rule.why.is_empty(), "{}", rule.id);
    }
    let clean = found.lines().filter(|line| line.ends_with(" -")).count();
    assert!(clean >= 25, "rules must not complain about everything: {clean}");
}

#[test]
fn what_is_no_lua_is_a_mistake_with_its_place() {
    let mistakes = lint_script("local x = 1\nif x then\nreturn x").expect_err("the end is missing");
    assert_eq!(mistakes[0].line, 3, "{mistakes:?}");
    assert!(lint_script(&"(".repeat(100_000)).is_err());
    assert!(lint_script(&format!("return {}1", "not ".repeat(100_000))).is_err());
}

#[test]
fn columns_count_characters_and_a_shebang_keeps_its_line() {
    let found = lint_script("#!lua flags=no-writes\nlocal s = 'ä' x = 1\nreturn 1").expect("it is Lua");
    let places: Vec<(&str, usize, usize, usize)> = found
        .iter()
        .map(|finding| (finding.rule.id, finding.line, finding.column, finding.end_column))
        .collect();
    assert_eq!(places, [("global-variable", 2, 15, 16)]);
}
