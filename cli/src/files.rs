//! Which files are meant: files by name, folders with all Markdown below them, and patterns where no shell has expanded them.

use std::path::Path;

use crate::Unusable;

/// What Markdown files are called.
const ENDINGS: [&str; 3] = ["md", "markdown", "mdx"];

/// The files in the order of the arguments, those of a folder or a pattern by name, each once.
pub(crate) fn expand(args: &[String]) -> Result<Vec<String>, Unusable> {
    let mut files = Vec::new();
    for arg in args {
        let path = Path::new(arg);
        let found = if path.is_dir() {
            let is_markdown = |file: &str| {
                let ending = Path::new(file).extension().and_then(|ending| ending.to_str());
                ending.is_some_and(|ending| ENDINGS.contains(&ending))
            };
            below(path).into_iter().filter(|file| is_markdown(file)).collect()
        } else if arg.contains('*') && !path.exists() {
            // What stands before the first component with a star is where to look.
            let fixed: Vec<&str> = arg.split('/').take_while(|part| !part.contains('*')).collect();
            let root = if fixed.is_empty() { ".".to_owned() } else { format!("{}/", fixed.join("/")) };
            let pattern: Vec<&str> = arg.split('/').filter(|part| *part != ".").collect();
            let is_meant = |file: &String| {
                let parts: Vec<&str> = file.split('/').filter(|part| *part != ".").collect();
                matches(&pattern, &parts)
            };
            below(Path::new(&root)).into_iter().filter(is_meant).collect()
        } else {
            vec![arg.clone()]
        };
        if found.is_empty() {
            return Err(Unusable(format!("{arg}: no file is meant by this")));
        }
        files.extend(found);
    }
    let mut known = std::collections::BTreeSet::new();
    files.retain(|file| known.insert(file.clone()));
    Ok(files)
}

/// All files below a folder, by name. What is hidden or was built by tools is no text of the project.
fn below(folder: &Path) -> Vec<String> {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with('.') || name == "node_modules" || name == "target" {
            continue;
        }
        if path.is_dir() {
            files.extend(below(&path));
        } else {
            files.push(path.to_string_lossy().into_owned());
        }
    }
    files
}

/// `**` stands for any number of folders, `*` for any part of a name.
fn matches(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            matches(rest, path) || path.split_first().is_some_and(|(_, path)| matches(pattern, path))
        }
        ([first, rest @ ..], [name, path @ ..]) => name_matches(first, name) && matches(rest, path),
        _ => false,
    }
}

fn name_matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            (0..=name.len()).filter(|at| name.is_char_boundary(*at)).any(|at| name_matches(rest, &name[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_means_what_it_means_to_a_shell() {
        let check = |pattern: &str, path: &str, expected: bool| {
            let split = |text: &'static str| text.split('/').collect::<Vec<_>>();
            let (pattern, path) = (pattern.to_owned().leak(), path.to_owned().leak());
            assert_eq!(matches(&split(pattern), &split(path)), expected, "{pattern} {path}");
        };
        check("docs/**/*.md", "docs/a.md", true);
        check("docs/**/*.md", "docs/a/b/c.md", true);
        check("docs/**/*.md", "docs/a.txt", false);
        check("docs/*.md", "docs/a/b.md", false);
        check("*/a*c.md", "docs/abc.md", true);
        check("*/a*c.md", "docs/ab.md", false);
        check("**", "docs/ab.md", true);
    }
}
