//! What can be typed: the commands as the engine's own table has them.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandHelp {
    /// As it is typed: `SET`, `CONFIG GET`.
    pub name: String,
    /// `SET key value [NX | XX] …`
    pub syntax: String,
    pub summary: String,
}

/// The command that a typed line begins with, the longest name that fits: `CONFIG GET` rather than `CONFIG`.
pub fn command_of<'a>(commands: &'a [CommandHelp], line: &str) -> Option<&'a CommandHelp> {
    let words: Vec<String> = line.split_whitespace().take(2).map(str::to_ascii_uppercase).collect();
    let both = words.join(" ");
    let by_name = |name: &str| commands.iter().find(|command| command.name == name);
    by_name(&both).or_else(|| by_name(words.first()?))
}

/// Names that a typed beginning can become.
pub fn completions<'a>(commands: &'a [CommandHelp], line: &str) -> Vec<&'a CommandHelp> {
    let begin = line.trim_start().to_uppercase();
    let fits = |command: &&CommandHelp| command.name.starts_with(&begin) && command.name != begin;
    if begin.is_empty() { Vec::new() } else { commands.iter().filter(fits).collect() }
}

/// What a typed line can become by Tab: names of commands as long as they fit, then options of the command and `words`, which
/// are keys above all. Each as a whole line.
pub fn lines(commands: &[CommandHelp], words: &[String], line: &str) -> Vec<String> {
    let typed = line.trim_start();
    let names = completions(commands, typed);
    if !names.is_empty() {
        return names.iter().map(|command| format!("{} ", command.name)).collect();
    }
    let Some(command) = command_of(commands, typed) else { return Vec::new() };
    let Some(at) = typed.rfind(' ') else { return Vec::new() };
    let (before, word) = typed.split_at(at + 1);
    let upper = word.to_uppercase();
    let is_option =
        |word: &&str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    let options =
        command.syntax.split(|mark: char| !mark.is_ascii_alphanumeric() && mark != '-').filter(is_option);
    let options = options
        .filter(|option| !word.is_empty() && option.starts_with(&upper) && !command.name.contains(option));
    let words = words.iter().map(String::as_str).filter(|known| known.starts_with(word) && *known != word);
    let mut found: Vec<String> = Vec::new();
    for word in words.chain(options) {
        let line = format!("{before}{word}");
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Vec<CommandHelp> {
        ["CONFIG", "CONFIG GET", "GET", "GETDEL"]
            .map(|name| CommandHelp { name: name.to_owned(), syntax: String::new(), summary: String::new() })
            .to_vec()
    }

    #[test]
    fn a_line_belongs_to_the_longest_name_it_begins_with() {
        let commands = commands();
        let name = |line: &str| command_of(&commands, line).map(|command| command.name.as_str());
        assert_eq!(
            ["config get x", "config", "get k", "gets"].map(name),
            [Some("CONFIG GET"), Some("CONFIG"), Some("GET"), None]
        );
        let names: Vec<_> =
            completions(&commands, "ge").iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names, ["GET", "GETDEL"]);
        assert!(completions(&commands, " ").is_empty());
    }

    #[test]
    fn a_line_is_completed_by_names_then_by_keys_and_options() {
        let help = |name: &str, syntax: &str| CommandHelp {
            name: name.to_owned(),
            syntax: syntax.to_owned(),
            summary: String::new(),
        };
        let commands =
            [help("CONFIG GET", ""), help("GET", "GET key"), help("SET", "SET key value [NX | XX] [PX ms]")];
        let words = ["lock", "list", "$release"].map(str::to_owned);
        let check =
            |line: &str, expected: &[&str]| assert_eq!(lines(&commands, &words, line), expected, "{line}");
        check("s", &["SET "]);
        check("config", &["CONFIG GET "]);
        check("get l", &["get lock", "get list"]);
        check("GET lock", &[]);
        check("GET $", &["GET $release"]);
        check("SET lock 1 n", &["SET lock 1 NX"]);
        check("SET lock 1 ", &["SET lock 1 lock", "SET lock 1 list", "SET lock 1 $release"]);
        check("nothing l", &[]);
        check("", &[]);
    }
}
