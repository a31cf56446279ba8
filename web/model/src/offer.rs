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
}
