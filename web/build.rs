//! Lists the examples for the page's menu: what the front matter of each file says. The texts themselves are files
//! beside the page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../examples");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    let mut examples: Vec<(u32, String)> = files.iter().filter_map(|file| example(file)).collect();
    examples.sort_by_key(|(order, _)| *order);
    let mut code = String::from("&[\n");
    for (_, example) in examples {
        code += &example;
    }
    code += "]\n";
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("examples.rs");
    fs::write(out, code).expect("cargo's folder for output can be written to");
}

/// Where the example stands in the menu, and its entry there. A file without a title is no example.
fn example(file: &Path) -> Option<(u32, String)> {
    let name = file.file_stem()?.to_str()?;
    let text = fs::read_to_string(file).ok()?;
    let front = text.strip_prefix("---\n")?.split_once("\n---\n")?.0;
    let value = |key: &str| {
        let line = front.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        line.unwrap_or_default().trim().trim_matches('"').to_owned()
    };
    let title = Some(value("title")).filter(|title| !title.is_empty())?;
    let (summary, tags, course) = (value("summary"), value("tags"), value("course"));
    let words = words_of(&text);
    let tags: Vec<&str> =
        tags.trim_matches(['[', ']']).split(',').map(str::trim).filter(|tag| !tag.is_empty()).collect();
    let mut entry = String::new();
    writeln!(
        entry,
        "    Example {{ name: {name:?}, course: {course:?}, title: {title:?}, summary: {summary:?}, tags: &{tags:?}, \
         words: {words:?} }},"
    )
    .expect("a string can be written to");
    Some((value("order").parse().unwrap_or(u32::MAX), entry))
}

/// The commands that the steps send and the codes of the errors that they meet, for the search.
fn words_of(text: &str) -> String {
    let mut words = BTreeSet::new();
    for line in text.lines() {
        let code = line.split_once("(error) ").and_then(|(_, error)| error.split(' ').next());
        words.extend(code.filter(|code| *code != "ERR"));
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let sent = line.split_once("> ").filter(|(client, _)| is_name(client.trim_end_matches('>')));
        words.extend(sent.and_then(|(_, command)| command.split(' ').next()));
    }
    words.into_iter().collect::<Vec<_>>().join(" ")
}
