//! Adds up what many test runners report, to one closing line.

use std::fmt;
use std::process::{Command, ExitCode};

use crate::shell::{self, Failure, Step};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// What did not apply here, such as a story about another version; it is told, and is no failure.
    pub(crate) skipped: u32,
}

impl Counts {
    fn add(&mut self, more: Counts) {
        self.passed += more.passed;
        self.failed += more.failed;
        self.skipped += more.skipped;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 { write!(out, ", {} skipped", self.skipped) } else { Ok(()) }
    }
}

/// The sum of all suites so far, and the names of those in which something failed.
#[derive(Default)]
pub(crate) struct Tally {
    sum: Counts,
    failed_suites: Vec<String>,
}

impl Tally {
    /// Runs a piece of work that either holds or does not: it counts as one test.
    pub(crate) fn fact(&mut self, name: &str, work: impl FnOnce() -> Result<(), Failure>) -> bool {
        let step = Step::begin(name);
        let result = work();
        if let Err(failure) = &result {
            println!("{failure}");
        }
        let passed = result.is_ok();
        self.add(step, name, Counts { passed: passed.into(), failed: (!passed).into(), skipped: 0 });
        passed
    }

    /// Runs a program that runs tests, and answers its output. `read` finds counts in a line of that, if it has any.
    ///
    /// A program that fails without naming a failed test (it did not build, it crashed) counts as one.
    pub(crate) fn suite(
        &mut self,
        name: &str,
        command: &mut Command,
        read: fn(&str) -> Option<Counts>,
    ) -> String {
        let mut output = String::new();
        let step = Step::begin(name);
        let mut counts = Counts::default();
        let result = shell::run_and_look(command, |line| {
            output += line;
            output.push('\n');
            if let Some(more) = read(line) {
                counts.add(more);
            }
        });
        if let Err(failure) = result {
            println!("{failure}");
            counts.failed = counts.failed.max(1);
        }
        self.add(step, name, counts);
        output
    }

    fn add(&mut self, step: Step, name: &str, counts: Counts) {
        step.end(&counts.to_string());
        self.sum.add(counts);
        if counts.failed > 0 {
            self.failed_suites.push(name.to_owned());
        }
    }

    /// Prints the closing line, the last one of all output.
    pub(crate) fn close(self) -> ExitCode {
        println!();
        if !self.failed_suites.is_empty() {
            println!("failed in: {}", self.failed_suites.join(", "));
        }
        println!("{}", self.sum);
        if self.sum.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// `test result: ok. 12 passed; 0 failed; …`, as Rust's test harness and wasm-bindgen's end.
pub(crate) fn rust_counts(line: &str) -> Option<Counts> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut words = counts.split(' ');
    let passed = words.next()?.parse().ok()?;
    let failed = words.nth(1)?.parse().ok()?;
    Some(Counts { passed, failed, skipped: 0 })
}

/// `ℹ pass 12` and `ℹ fail 0`, as Node's test runner ends.
pub(crate) fn node_counts(line: &str) -> Option<Counts> {
    let (what, count) = line.strip_prefix("ℹ ")?.split_once(' ')?;
    let count = count.parse().ok()?;
    match what {
        "pass" => Some(Counts { passed: count, ..Counts::default() }),
        "fail" | "cancelled" => Some(Counts { failed: count, ..Counts::default() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_test_runners_are_understood() {
        let counts = |passed, failed| Some(Counts { passed, failed, skipped: 0 });
        assert_eq!(
            rust_counts("test result: ok. 12 passed; 0 failed; 0 ignored; 0 filtered out"),
            counts(12, 0)
        );
        assert_eq!(rust_counts("test result: FAILED. 3 passed; 2 failed; 0 ignored"), counts(3, 2));
        assert_eq!(rust_counts("test a_name ... ok"), None);
        assert_eq!(node_counts("ℹ pass 7"), counts(7, 0));
        assert_eq!(node_counts("ℹ fail 1"), counts(0, 1));
        assert_eq!(node_counts("ℹ duration_ms 12.5"), None);
    }
}
