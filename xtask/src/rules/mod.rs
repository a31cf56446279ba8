//! The rules of the house that neither rustc nor clippy can check, each as a function from files to complaints.

mod layers;
mod words;

use std::fs;
use std::process::Command;

use crate::shell::{self, Failure, root};

/// A file of the project: its path from the root, with slashes, and its text.
pub(crate) struct File {
    path: String,
    text: String,
}

impl File {
    /// Numbered lines of a Rust file that are code of the product: not the tests at its end, no comments.
    fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let is_test_file = self.path.ends_with("/tests.rs") || self.path.contains("/tests/");
        self.numbered_lines()
            .take_while(move |(_, line)| !is_test_file && line.trim() != "#[cfg(test)]")
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn numbered_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The path below `core/src/` of a source file of the core.
    fn in_core(&self) -> Option<&str> {
        self.path.strip_prefix("core/src/").filter(|path| path.ends_with(".rs"))
    }
}

pub(crate) struct Rule {
    pub(crate) name: &'static str,
    complaints: fn(&[File]) -> Vec<String>,
}

pub(crate) const RULES: [Rule; 6] = [
    Rule { name: "in the core, arrows point from user to used", complaints: layers::arrows },
    Rule { name: "only core's script knows mlua", complaints: words::mlua_in_script_only },
    Rule { name: "the core knows no clock, thread, network or file", complaints: words::core_is_closed },
    Rule {
        name: "unsafe stands where Lua or the linker ask for it",
        complaints: words::unsafe_in_few_places,
    },
    Rule { name: "no test is ignored and nothing is left to do", complaints: words::nothing_left_open },
    Rule { name: "no file names a registry's host or a folder of a machine", complaints: words::no_places },
];

impl Rule {
    /// # Errors
    /// With a line for each place that breaks the rule.
    pub(crate) fn check(&self, files: &[File]) -> Result<(), Failure> {
        let complaints = (self.complaints)(files);
        if complaints.is_empty() { Ok(()) } else { Err(Failure::new(complaints.join("\n"))) }
    }
}

/// All text files that git has or would take.
///
/// # Errors
/// Where git cannot list them.
pub(crate) fn files() -> Result<Vec<File>, Failure> {
    let list = shell::output(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root()),
    )
    .ok_or_else(|| Failure::new("git cannot list the project's files"))?;
    let read = |path: &str| {
        // A file that is gone from the folder, or is no text, is of no account here.
        let text = fs::read_to_string(root().join(path)).ok()?;
        Some(File { path: path.to_owned(), text })
    };
    Ok(list.lines().filter_map(read).collect())
}

/// Source files longer than this, tests not counted, are named as a hint; it is no rule.
const LINES_HINT: usize = 500;

/// The longest source files, and the middle one, for those who want to keep files short.
pub(crate) fn lengths(files: &[File]) -> String {
    let mut lengths: Vec<(usize, &str)> = files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .map(|file| (file.product_lines().count(), file.path.as_str()))
        .filter(|(length, _)| *length > 0)
        .collect();
    lengths.sort_unstable();
    let median = lengths.get(lengths.len() / 2).map_or(0, |(length, _)| *length);
    let mut text =
        format!("{} source files, half of them up to {median} lines long without tests", lengths.len());
    for (length, path) in lengths.iter().rev().take_while(|(length, _)| *length > LINES_HINT) {
        text += &format!("\n  {length} lines: {path}");
    }
    text
}

#[cfg(test)]
fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}
