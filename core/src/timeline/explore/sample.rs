//! Some orders, where there are too many for all: drawn by lot from a seed, so that the same seed draws the same ones.
//!
//! Either every step is drawn among those who can go on; or clients have priorities, which change at a few drawn steps
//! (probabilistic concurrency testing): that finds bugs that need a client to be held up for long.

use std::collections::BTreeMap;

use super::count::Count;
use super::outcome::{self, Ending};
use super::plan::Plan;
use super::world::{Actor, Key, World};
use super::{CheckReport, Outcome, Report};
use crate::state::Rng;

/// How often priorities change during one schedule.
const CHANGES: usize = 2;

pub(super) struct Sample {
    start: World,
    runs: u64,
    done: u64,
    rng: Rng,
    by_priority: bool,
    ended: bool,
    moves: usize,
    found: BTreeMap<Key, Outcome>,
}

/// Who goes first, the highest first.
struct Priorities {
    order: Vec<Actor>,
    changes: Vec<usize>,
}

impl Sample {
    pub(super) fn new(start: World, runs: u64, seed: u64, by_priority: bool) -> Self {
        Self {
            start,
            runs,
            done: 0,
            rng: Rng::seeded(seed),
            by_priority,
            ended: false,
            moves: 0,
            found: BTreeMap::new(),
        }
    }

    /// Takes about so many moves; whether that was all.
    pub(super) fn advance(&mut self, plan: &Plan, moves: usize) -> bool {
        let until = self.moves + moves;
        while self.done < self.runs && self.moves < until {
            self.run(plan);
            self.done += 1;
        }
        self.done == self.runs
    }

    /// Draws no more.
    pub(super) fn end(&mut self) {
        self.ended = self.done < self.runs;
        self.runs = self.done;
    }

    fn run(&mut self, plan: &Plan) {
        let mut world = self.start.clone();
        let mut schedule = Vec::new();
        let mut priorities = self.by_priority.then(|| self.priorities(plan));
        loop {
            let enabled = world.enabled(plan);
            if enabled.is_empty() {
                break;
            }
            let actor = match &mut priorities {
                None => enabled[self.rng.below(enabled.len())],
                Some(priorities) => priorities.choose(&enabled, schedule.len()),
            };
            world.go(plan, actor, &mut |_| ());
            world.failed |= world.failing(plan);
            schedule.push(actor);
            self.moves += 1;
        }
        let failed = world.all_failed(plan);
        let key = outcome::key(&world, plan, &failed);
        let outcome = self.found.entry(key).or_insert_with(|| Outcome {
            count: Count::ZERO,
            ending: Ending::of(&world, plan, failed),
            schedule: schedule.clone(),
        });
        outcome.count.add(&Count::ONE);
        if schedule.len() < outcome.schedule.len() {
            outcome.schedule = schedule;
        }
    }

    fn priorities(&mut self, plan: &Plan) -> Priorities {
        let mut order: Vec<Actor> = (0..plan.programs.len() as Actor).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, self.rng.below(place + 1));
        }
        let steps: usize = plan.programs.iter().map(Vec::len).sum();
        let changes = (0..CHANGES).map(|_| self.rng.below(steps)).collect();
        Priorities { order, changes }
    }

    pub(super) fn report(&self, plan: &Plan) -> Report {
        let mut outcomes: Vec<Outcome> = self.found.values().cloned().collect();
        Outcome::sort(&mut outcomes);
        let mut schedules = Count::ZERO;
        outcomes.iter().for_each(|outcome| schedules.add(&outcome.count));
        Report {
            done: self.done == self.runs,
            bound: None,
            ended: self.ended,
            sampled: true,
            schedules,
            states: 0,
            moves: self.moves,
            progress: self.done as f64 / self.runs.max(1) as f64,
            checks: CheckReport::of(plan, &outcomes),
            outcomes,
        }
    }
}

impl Priorities {
    fn choose(&mut self, enabled: &[Actor], at: usize) -> Actor {
        let first = self.order.iter().position(|actor| enabled.contains(actor));
        let place = first.expect("every actor has a priority");
        let actor = self.order[place];
        if self.changes.contains(&at) {
            self.order.remove(place);
            self.order.push(actor);
        }
        actor
    }
}
