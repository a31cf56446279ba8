//! Every order in which the clients of a story can act, and what comes of each.
//!
//! Clients keep their own order. The clock, with all that happens to the server itself, is one more actor: pinned, it acts
//! where it stands in the text, when nobody can do anything written above; free, it may act at any moment.
//!
//! Orders that lead to the same state are followed together (`graph`), so their number does not matter, only that of the
//! states. Nothing is timed here and nothing runs by itself: whoever asks calls [`Explorer::advance`] until it is done, and
//! may ask for a [`Report`] at any time, or drop it.

mod count;
mod graph;
mod outcome;
mod plan;
mod sample;
#[cfg(test)]
mod tests;
mod witness;
mod world;

pub use count::Count;
pub use outcome::{ClientEnding, Ending, KeyEnding};

use crate::profile::Version;

use super::run::Tip;
use super::scenario::{Part, Scenario};
use graph::Graph;
use plan::Plan;
use sample::Sample;
use world::World;

/// States that are kept apart unless [`Options::states_max`] says otherwise: some hundred megabytes at most.
pub const STATES_MAX: usize = 200_000;

/// What to explore, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which steps may change their place; None: the first of the scenario's [parts](Scenario::parts).
    pub part: Option<Part>,
    pub replies: Replies,
    /// Where to give up counting.
    pub states_max: usize,
    pub method: Method,
}

impl Default for Options {
    fn default() -> Self {
        Self { part: None, replies: Replies::default(), states_max: STATES_MAX, method: Method::default() }
    }
}

/// Which replies tell outcomes apart, besides the data, the checks that failed, and who waits for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replies {
    None,
    /// What each client was answered last: what it believes in the end.
    #[default]
    Last,
    /// All that each client has received.
    All,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Every order, counted exactly.
    #[default]
    All,
    /// So many orders, drawn by lot.
    Sample { runs: u64, seed: u64 },
    /// So many orders, in which clients have drawn priorities that change now and then.
    Priorities { runs: u64, seed: u64 },
}

/// What is known so far.
#[derive(Clone, Debug)]
pub struct Report {
    pub done: bool,
    /// It ended at this number of states: outcomes and counts are not complete.
    pub bound: Option<usize>,
    /// It was ended before everything was known.
    pub ended: bool,
    /// Orders were drawn: counts are how often one was.
    pub sampled: bool,
    /// All orders that have ended.
    pub schedules: Count,
    /// States that were kept apart; 0 for a sample.
    pub states: usize,
    /// Commands that were run.
    pub moves: usize,
    /// From 0 to 1, about.
    pub progress: f64,
    /// Those in which a check failed first, then the most frequent ones.
    pub outcomes: Vec<Outcome>,
    pub checks: Vec<CheckReport>,
}

/// A way to end, and the orders that do.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Orders with this outcome.
    pub count: Count,
    pub ending: Ending,
    /// One of the shortest of them: who acts, one after the other. Clients by number, behind them the clock.
    pub schedule: Vec<u16>,
}

/// One check with an expected reply.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// In [`Scenario::checks`].
    pub check: usize,
    /// Orders in which it failed at least once.
    pub failing: Count,
}

/// An exploration under way.
pub struct Explorer {
    plan: Plan,
    version: Version,
    /// Before the first step.
    tip: Tip,
    search: Search,
}

enum Search {
    Graph(Graph),
    Sample(Box<Sample>),
}

impl Explorer {
    /// # Errors
    /// A parameter of `@ config` that does not exist or can't have that value.
    pub fn new(scenario: Scenario, version: Version, options: &Options) -> Result<Self, String> {
        let (tip, _) = Tip::new(&scenario, version)?;
        let part = options.part.clone().unwrap_or_else(|| scenario.part_at(0).1);
        let plan = Plan::new(scenario, part, options.replies);
        let world = World::new(tip.clone(), &plan);
        let search = match options.method {
            Method::All => Search::Graph(Graph::new(world, &plan, options.states_max.max(1))),
            Method::Sample { runs, seed } => Search::Sample(Box::new(Sample::new(world, runs, seed, false))),
            Method::Priorities { runs, seed } => {
                Search::Sample(Box::new(Sample::new(world, runs, seed, true)))
            }
        };
        Ok(Self { plan, version, tip, search })
    }

    /// Runs about so many commands; whether everything is known then.
    pub fn advance(&mut self, moves: usize) -> bool {
        match &mut self.search {
            Search::Graph(graph) => graph.advance(&self.plan, moves),
            Search::Sample(sample) => sample.advance(&self.plan, moves),
        }
    }

    /// Gives up: what is known stays, and the memory for what is not is free.
    pub fn end(&mut self) {
        match &mut self.search {
            Search::Graph(graph) => graph.end(),
            Search::Sample(sample) => sample.end(),
        }
    }

    pub fn report(&self) -> Report {
        match &self.search {
            Search::Graph(graph) => graph.report(&self.plan),
            Search::Sample(sample) => sample.report(&self.plan),
        }
    }

    /// The steps that may change their place.
    pub fn steps(&self) -> std::ops::Range<usize> {
        self.plan.from..self.plan.to
    }

    pub fn scenario(&self) -> &Scenario {
        &self.plan.scenario
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// A schedule as a scenario of its own: Markdown with the steps in that order and the replies they get.
    pub fn witness(&self, schedule: &[u16]) -> String {
        witness::text(&self.plan, self.tip.clone(), self.version, schedule)
    }
}

impl Outcome {
    fn sort(outcomes: &mut [Self]) {
        // Large counts differ in their length first.
        let size = |outcome: &Self| {
            let digits = outcome.count.to_string();
            (digits.len(), digits)
        };
        outcomes.sort_by_cached_key(|outcome| {
            (outcome.ending.failed.is_empty(), std::cmp::Reverse(size(outcome)), outcome.schedule.clone())
        });
    }
}

impl CheckReport {
    fn of(plan: &Plan, outcomes: &[Outcome]) -> Vec<Self> {
        let checks = plan.always.iter().chain(&plan.finally);
        let mut reports: Vec<Self> = checks
            .map(|check| {
                let mut failing = Count::ZERO;
                let failed = outcomes.iter().filter(|outcome| outcome.ending.failed.contains(check));
                failed.for_each(|outcome| failing.add(&outcome.count));
                Self { check: *check, failing }
            })
            .collect();
        reports.sort_by_key(|report| report.check);
        reports
    }
}
