//! `playground lint`: what goes wrong in scripts and stories.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_lint::ALL;
use playground_report::{Linted, lint};
use serde_json::{Value, json};

use crate::Unusable;
use crate::output::say;
use crate::run::read;

pub(crate) fn run(mut args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let (mut files, mut as_json, mut strict) = (Vec::new(), false, true);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("json") => as_json = true,
            Arg::Long("no-hints") => strict = false,
            Arg::Long("rules") => {
                ALL.iter().for_each(|rule| say!("{:<26} {:<8} {}", rule.id, rule.level.name(), rule.finds));
                return Ok(ExitCode::SUCCESS);
            }
            Arg::Value(file) => files.push(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if files.is_empty() {
        return Err(Unusable(
            "lint: which files? e.g. playground lint scripts/*.lua stories/*.md".to_owned(),
        ));
    }
    let mut all = Vec::with_capacity(files.len());
    for file in &files {
        let mut linted = lint(file, &read(file)?);
        if !strict {
            linted.drop_hints();
        }
        if !as_json {
            print(&linted);
        }
        all.push(linted);
    }
    if as_json {
        let files: Vec<Value> = all.iter().map(Linted::json).collect();
        say!("{:#}", json!({ "files": files }));
    } else {
        let count: usize = all.iter().map(|linted| linted.findings.len()).sum();
        say!("{count} findings in {} files", all.len());
    }
    Ok(exit_code(&all))
}

fn exit_code(all: &[Linted]) -> ExitCode {
    if all.iter().any(|linted| linted.unusable) {
        ExitCode::from(2)
    } else if all.iter().any(|linted| !linted.findings.is_empty()) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

fn print(linted: &Linted) {
    for (line, column, message) in &linted.mistakes {
        say!("{}:{line}:{column}: {message}", linted.file);
    }
    for finding in &linted.findings {
        say!("{}:{finding}", linted.file);
        say!("    {}", finding.rule.better);
    }
}
