//! Every order in which the clients of a story can act, and what comes of it.

use playground_core::profile::Version;
use playground_core::timeline::explore::{ClientEnding, Explorer, KeyEnding, Options, Outcome, Report};
use playground_core::timeline::{Diagnostic, Scenario, When, parse};
use serde_json::{Value, json};

use crate::played::needed_versions;
use crate::report::diagnostic_json;

/// Commands between two looks at what is asked for.
const SLICE: usize = 100_000;

/// How to explore.
#[derive(Clone, Debug, Default)]
pub struct ExploreOptions {
    /// Its `part` is chosen for each part in turn.
    pub options: Options,
    /// Whether the clock's steps change their places too; None: as the story says.
    pub clock_free: Option<bool>,
    /// The version to explore as, where the story does not name its own.
    pub version: Option<Version>,
}

/// What became of a story.
pub enum Explored {
    /// The parts, one after the other.
    Done(Vec<(Explorer, Report)>),
    Skipped(String),
    Failed(String),
    Unusable(Vec<Diagnostic>),
}

/// Explores a story, one part after the other.
pub fn explore(text: &str, asked: &ExploreOptions) -> Explored {
    let (scenario, diagnostics) = parse(text);
    if !diagnostics.is_empty() {
        return Explored::Unusable(diagnostics);
    }
    let Some(version) = scenario.setup.versions.choose(asked.version) else {
        return Explored::Skipped(needed_versions(&scenario));
    };
    let mut parts = Vec::new();
    for mut part in scenario.parts() {
        part.clock_free = asked.clock_free.unwrap_or(part.clock_free);
        let options = Options { part: Some(part), ..asked.options.clone() };
        let mut explorer = match Explorer::new(scenario.clone(), version, &options) {
            Ok(explorer) => explorer,
            Err(reason) => return Explored::Failed(reason),
        };
        while !explorer.advance(SLICE) {}
        let report = explorer.report();
        parts.push((explorer, report));
    }
    Explored::Done(parts)
}

impl Explored {
    /// Whether a check fails in some order.
    pub fn fails(&self) -> bool {
        matches!(self, Self::Done(parts) if parts.iter().any(|(_, report)| fails(report)))
    }

    pub fn json(&self, file: &str) -> Value {
        match self {
            Self::Unusable(diagnostics) => {
                let diagnostics: Vec<Value> = diagnostics.iter().map(diagnostic_json).collect();
                json!({ "file": file, "state": "unusable", "diagnostics": diagnostics })
            }
            Self::Skipped(reason) => json!({ "file": file, "state": "skipped", "reason": reason }),
            Self::Failed(reason) => json!({ "file": file, "state": "failed", "reason": reason }),
            Self::Done(parts) => {
                let state = if self.fails() { "fails" } else { "ok" };
                let parts: Vec<Value> =
                    parts.iter().map(|(explorer, report)| part_json(explorer, report)).collect();
                json!({ "file": file, "state": state, "parts": parts })
            }
        }
    }
}

/// Whether a check fails in some order of a part.
pub fn fails(report: &Report) -> bool {
    report.checks.iter().any(|check| !check.failing.is_zero())
}

/// Of the first step that may change its place.
pub fn first_line(explorer: &Explorer) -> Option<usize> {
    explorer.scenario().steps.get(explorer.steps().start).map(|step| step.line)
}

/// A check as it stands in the story.
pub fn check_text(scenario: &Scenario, check: usize) -> String {
    let check = &scenario.checks[check];
    let when = match check.when {
        When::Finally => "finally",
        When::Always => "always",
    };
    format!("@ {when} {}", check.text)
}

/// Who acts, one after the other; `@` is the clock.
pub fn schedule_text(scenario: &Scenario, outcome: &Outcome) -> String {
    let name = |actor: &u16| scenario.clients.get(usize::from(*actor)).map_or("@", String::as_str);
    outcome.schedule.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn part_json(explorer: &Explorer, report: &Report) -> Value {
    let checks = report.checks.iter().map(|check| {
        json!({
            "check": check_text(explorer.scenario(), check.check),
            "line": explorer.scenario().checks[check.check].line,
            "failing": check.failing.to_string(),
        })
    });
    let outcomes = report.outcomes.iter().map(|outcome| outcome_json(explorer, report, outcome));
    json!({
        "line": first_line(explorer),
        "schedules": report.schedules.to_string(),
        "sampled": report.sampled,
        "states": report.states,
        "bound": report.bound,
        "checks": checks.collect::<Vec<_>>(),
        "outcomes": outcomes.collect::<Vec<_>>(),
    })
}

/// Counts are texts, for they may be larger than a number of JSON can be.
fn outcome_json(explorer: &Explorer, report: &Report, outcome: &Outcome) -> Value {
    let scenario = explorer.scenario();
    let ending = &outcome.ending;
    let key = |key: &KeyEnding| json!({ "db": key.db, "key": key.key, "value": key.value, "expires_in_ms": key.expires_in });
    let client = |(name, client): (&String, &ClientEnding)| {
        json!({
            "client": name,
            "reply": client.reply.as_ref().map(|seen| seen.text(explorer.version())),
            "waits": client.waits,
            "undone": client.undone,
        })
    };
    json!({
        "count": outcome.count.to_string(),
        "share": outcome.count.share_of(&report.schedules),
        "keys": ending.keys.iter().map(key).collect::<Vec<_>>(),
        "clients": scenario.clients.iter().zip(&ending.clients).map(client).collect::<Vec<_>>(),
        "fails": ending.failed.iter().map(|check| check_text(scenario, *check)).collect::<Vec<_>>(),
        "schedule": schedule_text(scenario, outcome),
        "witness": explorer.witness(&outcome.schedule),
    })
}
