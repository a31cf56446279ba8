//! `playground run`: scenarios on the engine.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::clock::Micros;
use playground_core::explain::{Conversion, Explained, Note, explain};
use playground_core::profile::Version;
use playground_core::timeline::{
    Comparison, Diagnostic, Record, Scenario, Seen, Step, Timeline, Wait, parse_page, rewrite,
};
use serde_json::{Value, json};

use crate::Unusable;
use crate::files;
use crate::report::{self, Outcome, Report};
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
            report.print();
        }
        if settings.github {
            report.annotate();
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

/// Says which versions a scenario is about, where that is the reason not to run it.
pub(crate) fn needed_versions(scenario: &Scenario) -> String {
    let versions = scenario.setup.versions;
    let part =
        |sign: &str, number: Option<(u8, u8)>| number.map(|(major, minor)| format!("{sign} {major}.{minor}"));
    let parts: Vec<String> =
        [part(">=", versions.at_least), part("<", versions.below)].into_iter().flatten().collect();
    format!("needs Redis {}", parts.join(" and "))
}

fn run_file(file: &str, settings: &Settings) -> Result<Report, Unusable> {
    let text = read(file)?;
    let page = parse_page(&text).into_iter();
    let report = report::merge(file, page.map(|timeline| run_timeline(file, timeline, settings)).collect());
    match report.outcome {
        Outcome::Compared(comparison) if settings.update => {
            let places = update(file, &text, &comparison)?;
            Ok(Report { outcome: Outcome::Updated(places), ..report })
        }
        _ => Ok(report),
    }
}

fn run_timeline(
    file: &str,
    (scenario, diagnostics): (Scenario, Vec<Diagnostic>),
    settings: &Settings,
) -> Report {
    if !diagnostics.is_empty() {
        return Report::new(file, Outcome::Unusable(diagnostics));
    }
    let Some(version) = scenario.setup.versions.choose(settings.version) else {
        return Report::new(file, Outcome::Skipped(needed_versions(&scenario)));
    };
    let run = if settings.explain {
        explain(scenario, version)
    } else {
        Timeline::run(scenario, version).map(|timeline| (timeline, Vec::new()))
    };
    let (timeline, explained) = match run {
        Ok(run) => run,
        Err(reason) => return Report::new(file, Outcome::Failed(reason)),
    };
    let comparison = timeline.compare();
    let steps = if settings.json { steps_json(&timeline, &explained) } else { Vec::new() };
    let explanations =
        if settings.explain && !settings.json { told(&timeline, &explained) } else { Vec::new() };
    Report { steps, explanations, ..Report::new(file, Outcome::Compared(comparison)) }
}

/// Each note with the step it is about, and what became of the values that scripts returned.
fn told(timeline: &Timeline, explained: &[Explained]) -> Vec<String> {
    let by_step = ByStep::new(explained);
    let mut lines = Vec::new();
    // The rule behind a kind of note is told once.
    let mut known = BTreeSet::new();
    for (index, step) in timeline.scenario().steps.iter().enumerate() {
        let notes = by_step.notes(index);
        let losing = |conversion: &&&Conversion| conversion.lines.iter().any(|line| line.rule.loses());
        let conversions = by_step.conversions.get(&index).into_iter().flatten().filter(losing);
        if notes.is_empty() {
            continue;
        }
        lines.push(format!("step {}, line {}: {}", index + 1, step.line, step.text));
        for note in notes {
            lines.push(format!("    {}  [{}]", note.kind.title, note.kind.id));
            lines.push(format!("      {}", note.what));
            if known.insert(note.kind.id) {
                lines.push(format!("      Why: {}", note.kind.why));
                lines.push(format!("      Do:  {}", note.kind.advice));
                lines.push(format!("      See: {}, examples/{}", note.kind.docs, note.kind.example));
            }
        }
        for conversion in conversions {
            lines.extend(conversion.text().lines().map(|line| format!("      | {line}")));
        }
    }
    lines
}

/// What was explained, by the step that it is about.
#[derive(Default)]
struct ByStep<'a> {
    notes: BTreeMap<usize, Vec<&'a Note>>,
    conversions: BTreeMap<usize, Vec<&'a Conversion>>,
}

impl<'a> ByStep<'a> {
    fn new(explained: &'a [Explained]) -> Self {
        let mut by_step = Self::default();
        for of_step in explained {
            for note in &of_step.notes {
                by_step.notes.entry(note.step).or_default().push(note);
            }
            for (step, conversion) in &of_step.conversions {
                by_step.conversions.entry(*step).or_default().push(conversion);
            }
        }
        by_step
    }

    fn notes(&self, step: usize) -> &[&'a Note] {
        self.notes.get(&step).map(Vec::as_slice).unwrap_or_default()
    }
}

fn notes_json(notes: &[&Note]) -> Vec<Value> {
    notes
        .iter()
        .map(|note| {
            json!({
                "id": note.kind.id,
                "title": note.kind.title,
                "what": note.what,
                "why": note.kind.why,
                "advice": note.kind.advice,
                "docs": note.kind.docs,
                "example": note.kind.example,
                "steps": note.mentions.iter().map(|step| step + 1).collect::<Vec<_>>(),
            })
        })
        .collect()
}

/// Writes what came into the file; gives the number of places.
pub(crate) fn update(file: &str, text: &str, comparison: &Comparison) -> Result<usize, Unusable> {
    let updated = rewrite(text, &comparison.edits);
    if updated != text {
        std::fs::write(file, updated).map_err(|error| Unusable(format!("{file}: {error}")))?;
    }
    Ok(comparison.edits.len())
}

fn steps_json(timeline: &Timeline, explained: &[Explained]) -> Vec<Value> {
    let start = timeline.before_first().now();
    let by_step = ByStep::new(explained);
    let steps = timeline.scenario().steps.iter().zip(timeline.records()).enumerate();
    let step = |(index, (step, record)): (usize, (&Step, &Record))| {
        let mut object = step_json(timeline, step.line, &step.text, record, start);
        if !explained.is_empty() {
            object["explained"] = notes_json(by_step.notes(index)).into();
        }
        object
    };
    steps.map(step).collect()
}

/// Moments are microseconds since the start.
fn step_json(timeline: &Timeline, line: usize, text: &str, record: &Record, start: Micros) -> Value {
    let since_start = |at: Micros| (at - start).0;
    let shown = |seen: &Seen| seen.text(timeline.version());
    let wait = record.wait.map(|wait| match wait {
        Wait::Blocked => "blocked",
        Wait::Running => "running",
        Wait::Queued => "queued",
    });
    let clients = &timeline.scenario().clients;
    let received: Vec<Value> = record
        .observed
        .arrived
        .iter()
        .map(|(client, seen)| json!({ "client": clients[*client], "shown": shown(seen) }))
        .collect();
    json!({
        "line": line,
        "step": text,
        "sent": since_start(record.times.sent),
        "started": record.times.started.map(since_start),
        "ended": record.times.ended.map(since_start),
        "waits": wait,
        "reply": record.observed.reply.as_ref().map(shown),
        "received": received,
    })
}
