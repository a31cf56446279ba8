//! The reference of notes and lints is made from the same data as they are.
//!
//! With UPDATE_DOCS=1 it is written anew.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use playground_core::explain::kinds;
use playground_lint::{ALL, Level};

const HEAD: &str = "\
# Notes and lints

This page is generated from the notes and rules themselves: `UPDATE_DOCS=1 cargo test -p playground-tests reference` writes it.

**Notes** say why a step of a story ended as it did. They are derived from what happened, never from texts, and name the
clients and steps that have part in it. `playground run --explain FILE…` prints them, the page shows them with their step.

**Lints** look at scripts before they run: `playground lint FILE…` for `.lua` files and scenarios, with `--json` for programs; in the page they are
said below the editor while one writes.
The exit code is 0 if nothing was found, 1 if something was, 2 if a file could not be read. A line is let off by a comment at its
end or on the line above, `-- lint: allow RULE`; in a scenario by a remark in front of the step, `# lint: allow RULE`.
Several rules are separated by commas, and a reason may follow behind `--`. A rule knows one script at a time; it does not run it.
";

fn reference() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Notes\n");
    for (family, kinds) in kinds() {
        write!(page, "\n### {family}\n").expect("a string can be written to");
        for kind in kinds {
            let lesson = kind.example.trim_end_matches(".md");
            write!(
                page,
                "\n#### {}\n\n`{}`\n\n{}\n\n*What to do:* {}\n\n[Redis documentation]({}), lesson [{lesson}](../examples/{})\n",
                kind.title, kind.id, kind.why, kind.advice, kind.docs, kind.example
            )
            .expect("a string can be written to");
        }
    }
    page.push_str("\n## Lints\n\nErrors go wrong or lose something, warnings go wrong under some circumstances, hints could be better.\n");
    for level in [Level::Error, Level::Warning, Level::Hint] {
        for rule in ALL.iter().filter(|rule| rule.level == level) {
            write!(
                page,
                "\n### {} ({})\n\n{}\n\n*Why it matters:* {}\n\n*Better:* {}\n\n*Limits:* {}\n",
                rule.id,
                level.name(),
                rule.finds,
                rule.why,
                rule.better,
                rule.limits
            )
            .expect("a string can be written to");
        }
    }
    page
}

#[test]
fn the_reference_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/notes-and-lints.md");
    let page = reference();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).expect("the folder of documents can be written to");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/notes-and-lints.md is stale: UPDATE_DOCS=1 cargo test -p playground-tests reference"
    );
}
