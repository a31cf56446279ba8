//! Words that must not stand in certain files.

use super::File;

/// The engine's own start and the patch crate speak to the linker and the environment; all else is Lua's.
const UNSAFE_PLACES: [&str; 4] =
    ["core/src/script/", "lua-src/src/", "web/engine/src/start.rs", "npm/engine/src/start.rs"];

pub(super) fn mlua_in_script_only(files: &[File]) -> Vec<String> {
    let is_free =
        |path: &str| ["core/src/script/", "lua-src/", "xtask/"].iter().any(|place| path.starts_with(place));
    rust_lines(files, move |path| !is_free(path))
        .filter(|(_, _, line)| has_word(line, "mlua"))
        .map(|place| complain(place, "scripts are run by core's script alone"))
        .collect()
}

pub(super) fn core_is_closed(files: &[File]) -> Vec<String> {
    let closed = ["std::time", "std::thread", "std::net", "std::fs", "std::env", "std::process", "std::io"];
    rust_lines(files, |path| path.starts_with("core/src/"))
        .filter(|(_, _, line)| closed.iter().any(|module| has_word(line, module)))
        .map(|place| complain(place, "what comes from outside of the core comes with an Input"))
        .collect()
}

pub(super) fn unsafe_in_few_places(files: &[File]) -> Vec<String> {
    rust_lines(files, |path| {
        !UNSAFE_PLACES.iter().any(|place| path.starts_with(place)) && !path.starts_with("xtask/")
    })
    .filter(|(_, _, line)| has_word(line, "unsafe"))
    .map(|place| complain(place, "unsafe is for core/src/script and the start of the engine"))
    .collect()
}

pub(super) fn nothing_left_open(files: &[File]) -> Vec<String> {
    let open = ["#[ignore", "todo!", "unimplemented!", "dbg!"];
    let of_interest = |file: &&File| file.path.ends_with(".rs") && !file.path.starts_with("xtask/src/rules/");
    files
        .iter()
        .filter(of_interest)
        .flat_map(|file| file.numbered_lines().map(|(number, line)| (file.path.as_str(), number, line)))
        .filter(|(_, _, line)| open.iter().any(|word| line.trim_start().starts_with(word)))
        .map(|place| complain(place, "finish it, or say in an issue what is missing"))
        .collect()
}

pub(super) fn no_places(files: &[File]) -> Vec<String> {
    // Written in halves, so that this file does not name them either.
    let folders = [("/ro", "ot/"), ("/ho", "me/"), ("/Us", "ers/"), ("/wo", "rk/"), ("C:\\", "Users")];
    let hosts = [
        ("registry", ".npmjs"),
        ("\"resolved\"", ": \"http"),
        ("static.crates", ".io/"),
        ("files.python", "hosted"),
    ];
    let forbidden: Vec<String> =
        folders.iter().chain(&hosts).map(|(one, other)| format!("{one}{other}")).collect();
    files
        .iter()
        .flat_map(|file| file.numbered_lines().map(|(number, line)| (file.path.as_str(), number, line)))
        .filter(|(_, _, line)| forbidden.iter().any(|word| stands_alone(line, word)))
        .map(|place| complain(place, "other machines have other folders and other registries"))
        .collect()
}

/// Lines of product code in the Rust files that are of interest.
fn rust_lines<'a>(
    files: &'a [File],
    of_interest: impl Fn(&str) -> bool + 'a,
) -> impl Iterator<Item = (&'a str, usize, &'a str)> {
    files
        .iter()
        .filter(move |file| file.path.ends_with(".rs") && of_interest(&file.path))
        .flat_map(|file| file.product_lines().map(|(number, line)| (file.path.as_str(), number, line)))
}

fn complain((path, line, _): (&str, usize, &str), reason: &str) -> String {
    format!("{path}:{line}: {reason}")
}

/// Whether a word stands in a line, not as a part of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

/// Whether a path or host begins where the word is found, so that `web/work/` is not taken for a folder of `/`.
fn stands_alone(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-".contains(before))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{File, file};
    use super::*;

    #[track_caller]
    fn check(rule: fn(&[File]) -> Vec<String>, path: &str, text: &str, complaints: usize) {
        let found = rule(&[file(path, text)]);
        assert_eq!(found.len(), complaints, "{found:?}");
    }

    #[test]
    fn only_script_may_name_mlua() {
        check(mlua_in_script_only, "core/src/script/mod.rs", "use mlua::Lua;", 0);
        check(mlua_in_script_only, "core/src/server/mod.rs", "use mlua::Lua;", 1);
        check(mlua_in_script_only, "core/src/server/mod.rs", "// not mlua\nlet x = premluaic;", 0);
    }

    #[test]
    fn the_core_must_not_look_outside() {
        check(core_is_closed, "core/src/clock.rs", "use std::time::Duration;", 1);
        check(core_is_closed, "cli/src/main.rs", "use std::time::Duration;", 0);
    }

    #[test]
    fn unsafe_is_kept_in_few_places() {
        check(unsafe_in_few_places, "core/src/value/list.rs", "unsafe { f() }", 1);
        check(unsafe_in_few_places, "core/src/script/api.rs", "unsafe { f() }", 0);
        check(unsafe_in_few_places, "core/src/lib.rs", "#![deny(unsafe_op_in_unsafe_fn)]", 0);
    }

    #[test]
    fn open_ends_are_found_in_tests_too() {
        check(nothing_left_open, "core/src/lib.rs", "#[cfg(test)]\nmod tests {\n    #[ignore]\n}", 1);
        check(nothing_left_open, "core/src/lib.rs", "    todo!()", 1);
    }

    #[test]
    fn places_of_one_machine_are_found() {
        check(no_places, "README.md", &format!("see /{}/main", "work"), 1);
        check(no_places, "README.md", "see web/work/main and https://example.org", 0);
        check(no_places, "package-lock.json", &format!("  \"resolved\"{} \"https://x\"", ":"), 1);
    }
}
