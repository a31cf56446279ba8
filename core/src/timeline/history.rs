//! A scenario that is being run: the log of inputs, what came of each step, and the way back to any of them.
//!
//! The log is the truth. Snapshots are a cache: going back is the nearest one and the steps from there again.

use std::collections::BTreeMap;

use crate::clock::Micros;
use crate::profile::Version;
use crate::server::{ClientId, Input, ScriptRun, Server};

use super::compare::{Comparison, Observed, compare};
use super::run::{Mark, Record, Tip};
use super::scenario::{Action, Scenario, Step};

/// A snapshot is kept before every so many steps: clones are cheap, and so few steps are soon run again.
const STEPS_PER_SNAPSHOT: usize = 16;
/// A step that kept the server at work for longer is not run again to go back behind it.
const QUICK_STEP: Micros = Micros(1_000);

/// The run of a scenario, up to some step.
pub struct Timeline {
    scenario: Scenario,
    version: Version,
    inputs: Vec<Input>,
    records: Vec<Record>,
    /// By the step before which each was taken.
    snapshots: BTreeMap<usize, Tip>,
    tip: Tip,
}

impl Timeline {
    /// A fresh server with the scenario's clients connected; no step has been run.
    ///
    /// # Errors
    /// A parameter of `@ config` that does not exist or can't have that value.
    pub fn new(scenario: Scenario, version: Version) -> Result<Self, String> {
        let (tip, inputs) = Tip::new(&scenario, version)?;
        Ok(Self { scenario, version, inputs, records: Vec::new(), snapshots: BTreeMap::new(), tip })
    }

    /// Runs the whole scenario.
    ///
    /// # Errors
    /// As [`Timeline::new`].
    pub fn run(scenario: Scenario, version: Version) -> Result<Self, String> {
        let mut timeline = Self::new(scenario, version)?;
        while timeline.advance().is_some() {}
        Ok(timeline)
    }

    /// Runs the next step and gives its number; None if there is none.
    pub fn advance(&mut self) -> Option<usize> {
        let index = self.records.len();
        if index == self.scenario.steps.len() {
            return None;
        }
        if self.needs_snapshot(index) {
            self.snapshots.insert(index, self.tip.clone());
        }
        let first_input = self.inputs.len();
        let done = self.tip.step(&self.scenario, index);
        self.inputs.extend(done.inputs);
        let inputs = first_input..self.inputs.len();
        self.records.push(Record { inputs, ..done.record });
        for mark in done.marks {
            match mark {
                Mark::Started(step, at) => self.records[step].times.started = Some(at),
                Mark::Ended(step, at) => self.records[step].times.ended = Some(at),
                Mark::Blocked(step, at) => self.records[step].course.blocked = Some(at),
                Mark::Woken(step, woken) => self.records[step].course.woken = Some(woken),
                Mark::Busy(step, at) => self.records[step].course.busy = Some(at),
                Mark::Killed(step, killed) => self.records[step].course.killed = Some(killed),
            }
        }
        Some(index)
    }

    fn needs_snapshot(&self, index: usize) -> bool {
        let Some((last, _)) = self.snapshots.last_key_value() else { return true };
        let was_quick = self.records.last().is_some_and(|record| {
            let end = record.events.last().map_or(record.times.sent, |event| event.at);
            end.saturating_sub(record.times.sent) <= QUICK_STEP
        });
        index - last >= STEPS_PER_SNAPSHOT || !was_quick || self.tip.server.state().running.is_some()
    }

    /// Adds a step behind the last one, whoever typed it, and runs up to it.
    pub fn append(&mut self, step: Step) {
        if let Action::Send(send) = &step.action {
            debug_assert!(
                send.client < self.scenario.clients.len(),
                "a step is sent by a client of the scenario"
            );
        }
        self.scenario.steps.push(step);
        while self.advance().is_some() {}
    }

    /// The server after a step.
    pub fn at(&self, step: usize) -> Server {
        if step + 1 == self.records.len() {
            return self.tip.server.clone();
        }
        self.tip_before(step + 1).server
    }

    /// The server before the first step, its clients connected.
    pub fn before_first(&self) -> Server {
        self.tip_before(0).server
    }

    /// Forgets a step and all after it: they can then be run again, or others in their place.
    pub fn truncate(&mut self, step: usize) {
        if step >= self.records.len() {
            return;
        }
        self.tip = self.tip_before(step);
        self.inputs.truncate(self.records[step].inputs.start);
        self.records.truncate(step);
        self.snapshots.retain(|before, _| *before < step);
        for record in &mut self.records {
            record.course.forget_after(self.tip.server.now(), step);
            let is_later = |at: &Micros| *at > self.tip.server.now();
            record.times.started = record.times.started.filter(|at| !is_later(at));
            record.times.ended = record.times.ended.filter(|at| !is_later(at));
        }
    }

    /// Goes on with another scenario from a step on; all steps before it must run alike in both ([`Scenario::shared_steps`]).
    pub fn turn_to(&mut self, scenario: Scenario, step: usize) {
        debug_assert!(step <= self.scenario.shared_steps(&scenario), "what has been run is the same in both");
        self.truncate(step);
        self.scenario = scenario;
    }

    fn tip_before(&self, step: usize) -> Tip {
        let Some((first, snapshot)) = self.snapshots.range(..=step).next_back() else {
            return self.tip.clone();
        };
        let mut tip = snapshot.clone();
        for index in *first..step.min(self.records.len()) {
            tip.step(&self.scenario, index);
        }
        tip
    }

    /// The runs of scripts that a step made, in order: one for EVAL and FCALL, any number for EXEC, none for most. One that went
    /// on for many steps is given as it ended, or as it stands at the end of the timeline.
    pub fn script_runs(&self, step: usize) -> Vec<ScriptRun> {
        let Some(record) = self.records.get(step) else { return Vec::new() };
        let (Some(started), Action::Send(send)) = (record.times.started, &self.scenario.steps[step].action)
        else {
            return Vec::new();
        };
        let until = record.times.ended.unwrap_or(Micros(u64::MAX));
        let mut server = self.tip_before(step).server;
        server.witness_runs();
        let mut inputs = self.inputs[record.inputs.start..].iter();
        while server.now() < until
            && let Some(input) = inputs.next()
        {
            server.apply(input.clone());
        }
        let is_own = |run: &ScriptRun| {
            self.client_of(run.client()) == Some(send.client)
                && (started..until).contains(&run.plan().started_at)
        };
        server.witnessed_runs().into_iter().filter(is_own).collect()
    }

    /// Which of the scenario's clients a connection belongs to, or belonged to.
    pub fn client_of(&self, connection: ClientId) -> Option<usize> {
        self.tip.owner(connection)
    }

    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    pub fn version(&self) -> Version {
        self.version
    }

    /// Everything that reached the server, the connecting of the clients included.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The steps that have been run.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// A server that has been given the log of inputs anew: it must be the same as the one that was lived with.
    ///
    /// # Errors
    /// As [`Timeline::new`].
    pub fn replay(&self) -> Result<Server, String> {
        let mut server = Tip::server(&self.scenario, self.version)?;
        for input in &self.inputs {
            server.apply(input.clone());
        }
        Ok(server)
    }

    /// What was expected against what came.
    pub fn compare(&self) -> Comparison {
        let observed: Vec<Observed> = self.records.iter().map(|record| record.observed.clone()).collect();
        compare(&self.scenario, &observed, self.version)
    }
}
