//! `playground run`: scenarios on the engine.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::profile::Version;
use playground_core::timeline::{Comparison, rewrite};
use playground_report::{Outcome, Report, RunOptions};

use crate::Unusable;
use crate::files;
use crate::report;
use crate::serve::version;

#[derive(Default)]
struct Settings {
    files: Vec<String>,
    version: Option<Version>,
    update: bool,
    json: bool,
    explain: bool,
    github: bool,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let files = files::expand(&settings.files)?;
    let mut reports = Vec::with_capacity(files.len());
    for file in &files {
        let report = run_file(file, &settings)?;
        if !settings.json {
            report::print(&report);
        }
        if settings.github {
            report::annotate(&report);
        }
        reports.push(report);
    }
    let server = match settings.version {
        Some(version) => format!("the engine as Redis {}", version.full()),
        None => "the engine".to_owned(),
    };
    Ok(report::close(&reports, settings.json, &server))
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("update") => settings.update = true,
            Arg::Long("json") => settings.json = true,
            Arg::Long("explain") => settings.explain = true,
            Arg::Long("github") => settings.github = true,
            Arg::Long("redis-version") => settings.version = Some(version(&args.value()?.string()?)?),
            Arg::Value(file) => settings.files.push(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if settings.files.is_empty() {
        return Err(Unusable("run: which files? e.g. playground run examples/*.md".to_owned()));
    }
    Ok(settings)
}

pub(crate) fn read(file: &str) -> Result<String, Unusable> {
    std::fs::read_to_string(file).map_err(|error| Unusable(format!("{file}: {error}")))
}

fn run_file(file: &str, settings: &Settings) -> Result<Report, Unusable> {
    let text = read(file)?;
    let options = RunOptions { version: settings.version, explain: settings.explain, steps: settings.json };
    let report = playground_report::run(file, &text, options);
    match report.outcome {
        Outcome::Compared(comparison) if settings.update => {
            let places = update(file, &text, &comparison)?;
            Ok(Report { outcome: Outcome::Updated(places), ..report })
        }
        _ => Ok(report),
    }
}

/// Writes what came into the file; gives the number of places.
pub(crate) fn update(file: &str, text: &str, comparison: &Comparison) -> Result<usize, Unusable> {
    let updated = rewrite(text, &comparison.edits);
    if updated != text {
        std::fs::write(file, updated).map_err(|error| Unusable(format!("{file}: {error}")))?;
    }
    Ok(comparison.edits.len())
}
