//! `playground verify`: the same files on a real Redis, over RESP and in real time.

mod connection;
mod player;
mod target;

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::profile::Version;
use playground_core::timeline::{Diagnostic, Observed, Scenario, compare, parse_page};
use playground_report::{Outcome, Report, needed_versions};
use serde_json::{Value, json};

use crate::Unusable;
use crate::files;
use crate::report;
use crate::run::{read, update};
use player::Player;
use target::Target;

#[derive(Default)]
struct Settings {
    files: Vec<String>,
    server: Option<String>,
    spawn: Option<String>,
    update: bool,
    json: bool,
    github: bool,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let mut target = match (&settings.server, &settings.spawn) {
        (Some(address), None) => Target::running(address).map_err(Unusable)?,
        (None, Some(program)) => Target::own(program).map_err(Unusable)?,
        _ => return Err(Unusable("verify: either --server HOST:PORT or --spawn PROGRAM".to_owned())),
    };
    let files = files::expand(&settings.files)?;
    let mut reports = Vec::with_capacity(files.len());
    for file in &files {
        let report = verify_file(file, &mut target, &settings)?;
        if !settings.json {
            report::print(&report);
        }
        if settings.github {
            report::annotate(&report);
        }
        reports.push(report);
    }
    Ok(report::close(&reports, settings.json, &target.name()))
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("server") => settings.server = Some(args.value()?.string()?),
            Arg::Long("spawn") => settings.spawn = Some(args.value()?.string()?),
            Arg::Long("update") => settings.update = true,
            Arg::Long("json") => settings.json = true,
            Arg::Long("github") => settings.github = true,
            Arg::Value(file) => settings.files.push(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if settings.files.is_empty() {
        return Err(Unusable(
            "verify: which files? e.g. playground verify examples/*.md --server …".to_owned(),
        ));
    }
    Ok(settings)
}

fn verify_file(file: &str, target: &mut Target, settings: &Settings) -> Result<Report, Unusable> {
    let text = read(file)?;
    let mut reports = Vec::new();
    for timeline in parse_page(&text) {
        reports.push(verify_timeline(file, timeline, target, settings)?);
    }
    let report = playground_report::merge(file, reports);
    match report.outcome {
        Outcome::Compared(comparison) if settings.update => {
            let places = update(file, &text, &comparison)?;
            Ok(Report { outcome: Outcome::Updated(places), ..report })
        }
        _ => Ok(report),
    }
}

fn verify_timeline(
    file: &str,
    (scenario, diagnostics): (Scenario, Vec<Diagnostic>),
    target: &mut Target,
    settings: &Settings,
) -> Result<Report, Unusable> {
    if !diagnostics.is_empty() {
        return Ok(Report::new(file, Outcome::Unusable(diagnostics)));
    }
    if !scenario.setup.versions.include(target.version.number) {
        let reason = format!("{}, the server is {}", needed_versions(&scenario), target.version.full);
        return Ok(Report::new(file, Outcome::Skipped(reason)));
    }
    if let Some(reason) = target.lacks(&scenario) {
        return Ok(Report::new(file, Outcome::Skipped(reason)));
    }
    if let Err(reason) = target.prepare(&scenario.setup).map_err(Unusable)? {
        return Ok(Report::new(file, Outcome::Skipped(reason)));
    }
    let played = Player::play(&scenario, target);
    let notes = target.notes.clone();
    // A server that can't be cleaned up must not be used for the next file.
    target.clean_up().map_err(Unusable)?;
    let version = nearest_version(target.version.number);
    let observed = match played {
        Ok(observed) => observed,
        Err(reason) => return Ok(Report { notes, ..Report::new(file, Outcome::Failed(reason)) }),
    };
    let comparison = compare(&scenario, &observed, version);
    let steps = if settings.json { steps_json(&scenario, &observed, version) } else { Vec::new() };
    Ok(Report { notes, steps, ..Report::new(file, Outcome::Compared(comparison)) })
}

/// For the layout of numbers: the newest version known that is not newer than the server.
fn nearest_version(number: (u8, u8)) -> Version {
    let not_newer = Version::ALL.into_iter().rev().find(|version| version.number() <= number);
    not_newer.unwrap_or(Version::V7_0)
}

fn steps_json(scenario: &Scenario, observed: &[Observed], version: Version) -> Vec<Value> {
    let step = |(step, observed): (&playground_core::timeline::Step, &Observed)| {
        let received: Vec<Value> = observed
            .arrived
            .iter()
            .map(|(client, seen)| json!({ "client": scenario.clients[*client], "shown": seen.text(version) }))
            .collect();
        json!({
            "line": step.line,
            "step": step.text,
            "reply": observed.reply.as_ref().map(|seen| seen.text(version)),
            "received": received,
        })
    };
    scenario.steps.iter().zip(observed).map(step).collect()
}
