//! `playground lint`: what goes wrong in scripts and stories.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_lint::{ALL, Finding, Level, lint_scenario, lint_script};
use serde_json::{Value, json};

use crate::Unusable;
use crate::run::read;

/// One file that has been looked at.
struct Linted {
    file: String,
    findings: Vec<Finding>,
    /// Places that could not be read, and why.
    mistakes: Vec<(usize, usize, String)>,
    /// Nothing of the file could be looked at.
    unusable: bool,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let (mut files, mut as_json, mut strict) = (Vec::new(), false, true);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("json") => as_json = true,
            Arg::Long("no-hints") => strict = false,
            Arg::Long("rules") => {
                ALL.iter()
                    .for_each(|rule| println!("{:<26} {:<8} {}", rule.id, rule.level.name(), rule.finds));
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
        let mut linted = lint_file(file, &read(file)?);
        linted.findings.retain(|finding| strict || finding.rule.level != Level::Hint);
        if !as_json {
            print(&linted);
        }
        all.push(linted);
    }
    if as_json {
        let files: Vec<Value> = all.iter().map(to_json).collect();
        println!("{:#}", json!({ "files": files }));
    } else {
        let count: usize = all.iter().map(|linted| linted.findings.len()).sum();
        println!("{count} findings in {} files", all.len());
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

fn lint_file(file: &str, text: &str) -> Linted {
    let file = file.to_owned();
    if file.ends_with(".lua") {
        return match lint_script(text) {
            Ok(findings) => Linted { file, findings, mistakes: Vec::new(), unusable: false },
            Err(mistakes) => {
                let mistakes =
                    mistakes.into_iter().map(|mistake| (mistake.line, mistake.column, mistake.message));
                Linted { file, findings: Vec::new(), mistakes: mistakes.collect(), unusable: true }
            }
        };
    }
    match lint_scenario(text) {
        Ok(linted) => {
            let mistakes =
                linted.unread.into_iter().map(|(line, message)| (line, 1, format!("no Lua: {message}")));
            Linted { file, findings: linted.findings, mistakes: mistakes.collect(), unusable: false }
        }
        Err(mistakes) => {
            let mistakes =
                mistakes.into_iter().map(|mistake| (mistake.line, mistake.column, mistake.message));
            Linted { file, findings: Vec::new(), mistakes: mistakes.collect(), unusable: true }
        }
    }
}

fn print(linted: &Linted) {
    for (line, column, message) in &linted.mistakes {
        println!("{}:{line}:{column}: {message}", linted.file);
    }
    for finding in &linted.findings {
        println!("{}:{finding}", linted.file);
        println!("    {}", finding.rule.better);
    }
}

fn to_json(linted: &Linted) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "rule": finding.rule.id,
            "level": finding.rule.level.name(),
            "line": finding.line,
            "column": finding.column,
            "end_line": finding.end_line,
            "end_column": finding.end_column,
            "message": finding.message,
            "why": finding.rule.why,
            "better": finding.rule.better,
        })
    };
    let mistake = |(line, column, message): &(usize, usize, String)| json!({ "line": line, "column": column, "message": message });
    json!({
        "file": linted.file,
        "findings": linted.findings.iter().map(finding).collect::<Vec<_>>(),
        "mistakes": linted.mistakes.iter().map(mistake).collect::<Vec<_>>(),
    })
}
