//! `cargo xtask check`: the quick loop. It needs a compiler, and nothing of [`crate::setup`].

use crate::rules;
use crate::shell;
use crate::tally::{self, Tally};

/// What others may use. The page has no readers of its documentation, and its dependencies take long.
const DOCUMENTED: [&str; 3] = ["playground-core", "playground-lint", "playground-report"];

pub(crate) fn run() -> Tally {
    let mut tally = Tally::default();
    add_to(&mut tally);
    tally
}

/// The quickest first.
pub(crate) fn add_to(tally: &mut Tally) {
    tally.fact("format", || shell::run(shell::cargo().args(["fmt", "--all", "--check"])));
    check_rules(tally);
    tally.fact("clippy", || {
        let mut clippy = shell::cargo();
        clippy.args([
            "clippy",
            "--quiet",
            "--locked",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]);
        shell::run(&mut clippy)
    });
    tally.fact("rustdoc has no complaint", || {
        let mut doc = shell::cargo();
        doc.args(["doc", "--quiet", "--locked", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        for package in DOCUMENTED {
            doc.args(["-p", package]);
        }
        shell::run(&mut doc)
    });
    let mut test = shell::cargo();
    test.args(["test", "--quiet", "--locked", "--workspace"]);
    tally.suite("native tests", &mut test, tally::rust_counts);
}

fn check_rules(tally: &mut Tally) {
    let files = match rules::files() {
        Ok(files) => files,
        Err(failure) => {
            tally.fact("architecture rules", || Err(failure));
            return;
        }
    };
    for rule in &rules::RULES {
        tally.fact(rule.name, || rule.check(&files));
    }
    println!("{}", rules::lengths(&files));
}
