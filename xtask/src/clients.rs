//! The port as its users see it: recorded cases of real usage, and real client libraries.

use std::path::PathBuf;
use std::process::Command;

use crate::setup::Tools;
use crate::shell;
use crate::tally::{self, Counts, Tally};

pub(crate) fn add_to(tally: &mut Tally, tools: &Tools) {
    let built = tally.fact("the program builds", || {
        shell::run(shell::cargo().args(["build", "--quiet", "--locked", "-p", "playground-cli"]))
    });
    if !built {
        return;
    }
    tally.suite("recorded cases of real usage", &mut python(tools, "tests/cases/check.py"), counts);
    tally.suite(
        "redis-cli and Python's client libraries",
        &mut python(tools, "tests/clients/run.py"),
        counts,
    );
    let mut node = tools.command("node");
    node.args(["--test", "--test-reporter=spec"]).args(shell::files_below("tests/clients", ".test.mjs"));
    node.env("PLAYGROUND", program());
    tally.suite("Node's client libraries, queues and limiters", &mut node, tally::node_counts);
}

/// A script of Python's that starts the playground's program, which has to be built.
pub(crate) fn python(tools: &Tools, script: &str) -> Command {
    let mut command = tools.command("python3");
    // Python keeps lines back when its output is no terminal.
    command.env("PYTHONUNBUFFERED", "1").env("PLAYGROUND", program()).arg(script);
    command
}

/// The playground's program: cargo puts it where it has put us.
fn program() -> PathBuf {
    let us = std::env::current_exe().unwrap_or_else(|_| shell::root().join("target/debug/xtask"));
    us.with_file_name("playground")
}

/// `109 passed, 0 failed`, the last line of a test program.
fn counts(line: &str) -> Option<Counts> {
    let (passed, failed) = line.strip_suffix(" failed")?.split_once(" passed, ")?;
    Some(Counts { passed: passed.parse().ok()?, failed: failed.parse().ok()?, skipped: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_test_program_tells_its_counts() {
        let counted = |passed, failed| Some(Counts { passed, failed, skipped: 0 });
        assert_eq!(counts("109 passed, 1 failed"), counted(109, 1));
        assert_eq!(counts("version 8.6.3: 109 passed, 0 failed, 0 skipped, 109 cases, 9 s"), None);
    }
}
