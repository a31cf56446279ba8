//! An exploration under way, in slices so short that other requests are answered in between.

use playground_core::timeline::When;
use playground_core::timeline::explore::{ClientEnding, Ending, Explorer, Method, Options, Report};
use playground_core::timeline::{self};
use playground_model::explore::{self as told, CheckResult, Explored, Outcome};
use playground_model::message::Answer;

use crate::print::shortened;

/// Commands of one slice: some tens of milliseconds.
const SLICE: usize = 1_500;
/// States that are kept apart: a page has less room than a program.
const STATES_MAX: usize = 60_000;
/// Orders that are drawn where not all are asked for.
const DRAWN: u64 = 1_000;
/// Outcomes that are told of.
const OUTCOMES_MAX: usize = 100;
const TEXT_CHARS_MAX: usize = 200;

pub(crate) struct Exploration {
    explorer: Explorer,
    /// Which part of the story, from 0, and of how many.
    part: (usize, usize),
    /// As it was told last: outcomes are asked for by their place in it.
    report: Report,
}

impl Exploration {
    /// # Errors
    /// Why the story can't be run, for a person.
    pub(crate) fn new(text: &str, plan: told::Plan) -> Result<Self, String> {
        let (scenario, diagnostics) = timeline::parse(text);
        if let Some(diagnostic) = diagnostics.first() {
            return Err(diagnostic.to_string());
        }
        let version =
            scenario.setup.versions.choose(None).ok_or("no server version is offered for this story")?;
        let (runs, seed) = (DRAWN, plan.seed);
        let (place, mut part) = scenario.part_at(plan.position);
        let parts = scenario.parts().len();
        if plan.from_here {
            part.steps.start = plan.position.clamp(part.steps.start, part.steps.end);
        }
        part.clock_free |= plan.clock_free;
        let options = Options {
            part: Some(part),
            states_max: STATES_MAX,
            method: match plan.method {
                told::Method::All => Method::All,
                told::Method::Lot => Method::Sample { runs, seed },
                told::Method::Priority => Method::Priorities { runs, seed },
            },
            ..Options::default()
        };
        let explorer = Explorer::new(scenario, version, &options)?;
        let report = explorer.report();
        Ok(Self { explorer, part: (place, parts), report })
    }

    pub(crate) fn go_on(&mut self) -> Answer {
        self.explorer.advance(SLICE);
        self.report = self.explorer.report();
        self.told()
    }

    pub(crate) fn end(&mut self) -> Answer {
        self.explorer.end();
        self.report = self.explorer.report();
        self.told()
    }

    pub(crate) fn witness(&self, outcome: usize) -> Answer {
        match self.report.outcomes.get(outcome) {
            Some(outcome) => Answer::Text { text: self.explorer.witness(&outcome.schedule) },
            None => Answer::Error { text: format!("there is no outcome {outcome}") },
        }
    }

    fn told(&self) -> Answer {
        let report = &self.report;
        let outcomes = report.outcomes.iter().take(OUTCOMES_MAX).map(|outcome| Outcome {
            orders: outcome.count.to_string(),
            share: thousandths(outcome.count.share_of(&report.schedules)),
            data: data(&outcome.ending),
            replies: outcome.ending.clients.iter().map(|client| self.reply(client)).collect(),
            waiting: waiting(&outcome.ending),
            fails: self.fails(&outcome.ending),
            schedule: outcome.schedule.iter().map(|actor| self.client(*actor)).collect(),
        });
        Answer::Explored(Box::new(Explored {
            part: self.part.0 + 1,
            parts: self.part.1,
            done: report.done,
            bound: report.bound,
            ended: report.ended,
            sampled: report.sampled,
            orders: report.schedules.to_string(),
            states: report.states,
            progress: thousandths(report.progress),
            checks: self.checks(),
            outcomes: outcomes.collect(),
            outcomes_total: report.outcomes.len(),
        }))
    }

    fn checks(&self) -> Vec<CheckResult> {
        let checks = self.report.checks.iter().map(|result| {
            let check = &self.explorer.scenario().checks[result.check];
            let when = match check.when {
                When::Finally => "finally",
                When::Always => "always",
            };
            CheckResult {
                text: format!("@ {when} {}", check.text),
                expected: check.expected.as_ref().map(|expected| expected.text.clone()).unwrap_or_default(),
                failing: (!result.failing.is_zero()).then(|| result.failing.to_string()),
            }
        });
        checks.collect()
    }

    fn fails(&self, ending: &Ending) -> Vec<usize> {
        let places = ending
            .failed
            .iter()
            .filter_map(|failed| self.report.checks.iter().position(|result| result.check == *failed));
        places.collect()
    }

    fn reply(&self, client: &ClientEnding) -> String {
        let text = client.reply.as_ref().map(|seen| seen.text(self.explorer.version())).unwrap_or_default();
        shortened(text, TEXT_CHARS_MAX)
    }

    fn client(&self, actor: u16) -> Option<usize> {
        Some(usize::from(actor)).filter(|client| *client < self.explorer.scenario().clients.len())
    }
}

fn waiting(ending: &Ending) -> Vec<usize> {
    let waiting = ending.clients.iter().enumerate().filter(|(_, client)| client.waits);
    waiting.map(|(client, _)| client).collect()
}

fn data(ending: &Ending) -> Vec<String> {
    let keys = ending.keys.iter().map(|key| {
        let db = if key.db == 0 { String::new() } else { format!("db {}: ", key.db) };
        let expiry = key.expires_in.map_or_else(String::new, |ms| format!(" ({ms} ms)"));
        shortened(format!("{db}{} = {}{expiry}", key.key, key.value), TEXT_CHARS_MAX)
    });
    keys.collect()
}

/// Of a share from 0 to 1.
fn thousandths(share: f64) -> u32 {
    (share * 1000.0).round() as u32
}
