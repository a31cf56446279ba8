//! The examples as tests: all are run on the engine, and played to a real Redis.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::shell;
use crate::tally::{Counts, Tally};

/// May name the program of a further Redis, newer than Debian's, for the stories that need one.
const OTHER_REDIS: &str = "PLAYGROUND_OTHER_REDIS";

pub(crate) fn add_to(tally: &mut Tally) {
    tally.suite("examples on the engine", &mut playground(&["run"]), counts);
    // A server of its own for each example: none finds what another one left.
    tally.suite(
        "examples on Debian's Redis",
        &mut playground(&["verify", "--spawn", "redis-server"]),
        counts,
    );
    if let Ok(program) = env::var(OTHER_REDIS) {
        tally.suite("examples on another Redis", &mut playground(&["verify", "--spawn", &program]), counts);
    }
}

fn playground(words: &[&str]) -> Command {
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--locked", "-p", "playground-cli", "--"]).args(words).args(examples());
    command
}

fn examples() -> Vec<PathBuf> {
    shell::files_below("examples", ".md")
}

/// `ok        examples/01-lock-stolen.md  12 replies`: a line for each file, which begins with what became of it.
fn counts(line: &str) -> Option<Counts> {
    let mut words = line.split_whitespace();
    let state = words.next()?;
    if !words.next()?.ends_with(".md") {
        return None;
    }
    match state {
        "ok" => Some(Counts { passed: 1, ..Counts::default() }),
        "DIFFERS" | "FAILED" | "UNUSABLE" => Some(Counts { failed: 1, ..Counts::default() }),
        "skipped" => Some(Counts { skipped: 1, ..Counts::default() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_file_is_read_from_its_line() {
        let counted = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        assert_eq!(counts("ok        examples/01-lock.md  12 replies"), counted(1, 0, 0));
        assert_eq!(counts("DIFFERS   examples/01-lock.md  1 difference"), counted(0, 1, 0));
        assert_eq!(counts("skipped   examples/05-delex.md  it is about Redis >= 8.4"), counted(0, 0, 1));
        assert_eq!(counts("          note: restarted"), None);
        assert_eq!(counts("examples/01-lock.md:12: A, GET lock"), None);
    }
}
