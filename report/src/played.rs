//! A file's scenarios on the engine, each expected reply compared.

use std::collections::{BTreeMap, BTreeSet};

use playground_core::clock::Micros;
use playground_core::explain::{Conversion, Explained, Note, explain};
use playground_core::profile::Version;
use playground_core::timeline::{Diagnostic, Record, Scenario, Seen, Step, Timeline, Wait, parse_page};
use serde_json::{Value, json};

use crate::report::{self, Outcome, Report};

/// How to run, and what to tell of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// The version to run as, where the scenario does not name its own.
    pub version: Option<Version>,
    /// Say why steps ended as they did.
    pub explain: bool,
    /// Tell of each step in [`Report::steps`], not in [`Report::explanations`].
    pub steps: bool,
}

/// Runs all timelines of a page. `file` is only told.
pub fn run(file: &str, text: &str, options: RunOptions) -> Report {
    let page = parse_page(text).into_iter();
    report::merge(file, page.map(|timeline| run_timeline(file, timeline, options)).collect())
}

/// Says which versions a scenario is about, where that is the reason not to run it.
pub fn needed_versions(scenario: &Scenario) -> String {
    let versions = scenario.setup.versions;
    let part =
        |sign: &str, number: Option<(u8, u8)>| number.map(|(major, minor)| format!("{sign} {major}.{minor}"));
    let parts: Vec<String> =
        [part(">=", versions.at_least), part("<", versions.below)].into_iter().flatten().collect();
    format!("needs Redis {}", parts.join(" and "))
}

fn run_timeline(
    file: &str,
    (scenario, diagnostics): (Scenario, Vec<Diagnostic>),
    options: RunOptions,
) -> Report {
    if !diagnostics.is_empty() {
        return Report::new(file, Outcome::Unusable(diagnostics));
    }
    let Some(version) = scenario.setup.versions.choose(options.version) else {
        return Report::new(file, Outcome::Skipped(needed_versions(&scenario)));
    };
    let run = if options.explain {
        explain(scenario, version)
    } else {
        Timeline::run(scenario, version).map(|timeline| (timeline, Vec::new()))
    };
    let (timeline, explained) = match run {
        Ok(run) => run,
        Err(reason) => return Report::new(file, Outcome::Failed(reason)),
    };
    let comparison = timeline.compare();
    let steps = if options.steps { steps_json(&timeline, &explained) } else { Vec::new() };
    let explanations =
        if options.explain && !options.steps { told(&timeline, &explained) } else { Vec::new() };
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
