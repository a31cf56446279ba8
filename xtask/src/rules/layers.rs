//! The layers of the core. A module may use those of its own layer and of the layers below.

use super::File;

/// From the lowest layer to the highest. A new module of the core must be put into one.
const LAYERS: [&[&str]; 8] = [
    &["bytes", "clock", "digest", "fault", "limits", "profile", "rng"],
    // Replies carry numbers in the form that values give them.
    &["error", "event", "lua", "resp", "value"],
    &["keyspace"],
    &["state", "script"],
    &["commands"],
    &["server"],
    &["timeline"],
    &["explain", "export"],
];

pub(super) fn arrows(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        // The facade may name everything.
        let Some(path) = file.in_core().filter(|path| *path != "lib.rs") else { continue };
        let module = path.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = layer(module) else {
            complaints.push(format!("{}: put the module {module:?} into a layer, in {}", file.path, file!()));
            continue;
        };
        let depth = depth(path);
        let code: Vec<(usize, &str)> = file.product_lines().collect();
        for (used, line) in used_modules(&code, depth) {
            if layer(&used).is_some_and(|layer| layer > own) {
                complaints
                    .push(format!("{}:{line}: {module} must not know {used}, which is above it", file.path));
            }
        }
    }
    complaints
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// How many `super::` lead from a file's module to the crate's root.
fn depth(path: &str) -> usize {
    let folders = path.matches('/').count();
    if path.ends_with("/mod.rs") { folders } else { folders + 1 }
}

/// The modules of the crate's root that are named, each with its line.
///
/// Reads text, not syntax: a path in a string would be taken for code, which no file needs.
fn used_modules(code: &[(usize, &str)], depth: usize) -> Vec<(String, usize)> {
    let text: String = code.iter().flat_map(|(_, line)| [line, "\n"]).collect();
    let to_root = "super::".repeat(depth);
    let mut used = Vec::new();
    for prefix in ["crate::", to_root.as_str()] {
        for (start, _) in text.match_indices(prefix) {
            let goes_on =
                text[..start].ends_with(|before: char| before.is_alphanumeric() || "_:".contains(before));
            let line = code[text[..start].matches('\n').count()].0;
            if !goes_on {
                used.extend(first_names(&text[start + prefix.len()..]).into_iter().map(|name| (name, line)));
            }
        }
    }
    used
}

/// `a::b` names `a`; `{a::{b, c}, d}` names `a` and `d`.
fn first_names(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![first_name(path)];
    };
    let mut names = Vec::new();
    let mut nesting = 0;
    let mut item_begins = true;
    for (at, character) in group.char_indices() {
        match character {
            '{' => nesting += 1,
            '}' if nesting == 0 => break,
            '}' => nesting -= 1,
            ',' if nesting == 0 => item_begins = true,
            _ if item_begins && !character.is_whitespace() => {
                names.push(first_name(&group[at..]));
                item_begins = false;
            }
            _ => {}
        }
    }
    names
}

fn first_name(path: &str) -> String {
    path.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, complaints: usize) {
        let found = arrows(&[file(path, text)]);
        assert_eq!(found.len(), complaints, "{found:?}");
    }

    #[test]
    fn a_module_may_use_what_is_below_it_or_beside_it() {
        check("core/src/commands/string.rs", "use crate::{Bytes, keyspace::{Db, Key}, script};", 0);
        check("core/src/script/mod.rs", "use crate::state::State;", 0);
        check("core/src/lib.rs", "pub use crate::server::Server;", 0);
    }

    #[test]
    fn a_module_must_not_use_what_is_above_it() {
        check("core/src/keyspace/db.rs", "use crate::server::Server;", 1);
        check("core/src/keyspace/db.rs", "fn f(a: crate::commands::A) {}", 1);
        check(
            "core/src/keyspace/db.rs",
            "use crate::{\n    Bytes,\n    server::{Event, Input},\n    script,\n};",
            2,
        );
        check("core/src/keyspace/db.rs", "use super::super::server::Server;", 1);
        check("core/src/keyspace/mod.rs", "use super::server::Server;", 1);
        check("core/src/keyspace/db.rs", "use super::server::Server;", 0);
    }

    #[test]
    fn tests_and_comments_may_name_anything() {
        check(
            "core/src/keyspace/db.rs",
            "/// As crate::server.\n#[cfg(test)]\nuse crate::server::Server;",
            0,
        );
        check("core/src/keyspace/tests.rs", "use crate::server::Server;", 0);
    }

    #[test]
    fn a_module_without_a_layer_is_named() {
        check("core/src/novelty.rs", "", 1);
    }
}
