//! A story that is being told: its steps are run one by one, and every position that was reached can be looked at.

use std::collections::BTreeMap;

use playground_core::clock::Micros;
use playground_core::explain::Explainer;
use playground_core::profile::Version;
use playground_core::server::Server;
use playground_core::timeline::{self, Action, Clock, Scenario, Timeline};
use playground_model::debug::Recording;
use playground_model::frame::Frame;
use playground_model::message::{Ran, ReplyViews};
use playground_model::step::Difference as Shown;
use playground_model::story::Diagnostic;

use crate::follow::{self, Follower};
use crate::look::Looker;
use crate::trace::Debugger;
use crate::{read, views};

/// For so many positions the server is kept as it was: a clone is cheap, and looking back then takes no running.
const SERVERS_MAX: usize = 2_000;
/// A state of which a first look leaves no key out is sent with its step, for as many steps.
const SMALL_STEPS_MAX: usize = 400;
/// Of more milestones every other one is dropped: each remembers every key that was written until then.
const MILESTONES_MAX: usize = 16;

pub(crate) struct Session {
    text: String,
    timeline: Timeline,
    follower: Follower,
    explainer: Explainer,
    start: Micros,
    /// By position.
    servers: Vec<Server>,
    /// By position: where a story with the same begin can be gone on with.
    milestones: BTreeMap<usize, Milestone>,
    /// There is one before every so many steps.
    spacing: usize,
    /// Earlier steps that are to be told with the next one, as the story was gone back to a milestone.
    untold: Vec<usize>,
    debugger: Option<Debugger>,
}

/// What the next steps are told by, besides the timeline.
struct Milestone {
    explainer: Explainer,
    follower: follow::Memory,
}

impl Session {
    /// `spoilt`: steps that are not to be carried out.
    ///
    /// # Errors
    /// What is wrong with the text; nothing can be run then.
    pub(crate) fn new(text: String, spoilt: &[usize]) -> Result<Self, Vec<Diagnostic>> {
        let (mut scenario, diagnostics) = timeline::parse(&text);
        if !diagnostics.is_empty() {
            return Err(diagnostics.iter().map(read::diagnostic).collect());
        }
        for index in spoilt {
            let Some(step) = scenario.steps.get_mut(*index) else { continue };
            step.action = Action::Clock(Clock::Forward(Micros(0)));
            step.expected = None;
            step.late.clear();
        }
        let version = scenario.setup.versions.choose(None).ok_or_else(|| {
            let message = "no version of the server that is offered is within `@ redis`".to_owned();
            vec![Diagnostic { line: 1, column: 1, message, help: String::new() }]
        })?;
        let timeline = Timeline::new(scenario.clone(), version)
            .map_err(|message| vec![read::bad_setup(&text, &scenario, message)])?;
        let server = timeline.before_first();
        let start = server.now();
        let follower = Follower::new(start, version, spoilt);
        let explainer = Explainer::default();
        Ok(Self {
            text,
            timeline,
            follower,
            explainer,
            start,
            servers: vec![server],
            milestones: BTreeMap::new(),
            spacing: 8,
            untold: Vec::new(),
            debugger: None,
        })
    }

    /// Goes on with another text where it begins with the steps that were run, or some of them: from the last milestone before the
    /// first one that is new. `known`: so many steps at most. Gives how many are kept; None where it is another story.
    pub(crate) fn turn_to(&mut self, text: &str, known: usize) -> Option<usize> {
        let (scenario, diagnostics) = timeline::parse(text);
        if !diagnostics.is_empty() || self.follower.has_spoilt() {
            return None;
        }
        let shared = self.scenario().shared_steps(&scenario).min(self.timeline.records().len()).min(known);
        let (kept, milestone) = self.milestones.range(..=shared).next_back()?;
        let kept = *kept;
        self.untold = self.follower.go_back_to(kept, &milestone.follower);
        self.explainer = milestone.explainer.clone();
        self.timeline.turn_to(scenario, kept);
        self.milestones.split_off(&(kept + 1));
        self.servers.truncate(kept + 1);
        self.debugger = None;
        self.text = text.to_owned();
        Some(kept)
    }

    /// How many leases there are so far.
    pub(crate) fn leases(&self) -> usize {
        self.follower.leases().len()
    }

    fn mark_milestone(&mut self) {
        let reached = self.timeline.records().len();
        if reached == 0 || !reached.is_multiple_of(self.spacing) {
            return;
        }
        let milestone = || Milestone { explainer: self.explainer.clone(), follower: self.follower.memory() };
        self.milestones.entry(reached).or_insert_with(milestone);
        if self.milestones.len() > MILESTONES_MAX {
            self.spacing *= 2;
            self.milestones.retain(|position, _| position.is_multiple_of(self.spacing));
        }
    }

    pub(crate) fn version(&self) -> Version {
        self.timeline.version()
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn scenario(&self) -> &Scenario {
        self.timeline.scenario()
    }

    /// Carries out the next step; None if there is none.
    pub(crate) fn run(&mut self) -> Option<Ran> {
        self.mark_milestone();
        let before = self.last_server();
        let step = self.timeline.advance()?;
        let after = self.timeline.at(step);
        let mut ran = self.follower.follow(&self.timeline, step, &before, &after);
        for untold in std::mem::take(&mut self.untold) {
            self.follower.tell_again(untold, &mut ran);
        }
        let explained = self.explainer.follow(&self.timeline, step, &before, &after);
        self.follower.add_notes(step, explained, &mut ran);
        if self.servers.len() < SERVERS_MAX {
            self.servers.push(after);
        }
        if step < SMALL_STEPS_MAX {
            ran.frame = self.look(step + 1, Frame::ROWS).filter(|frame| frame.keys_total <= Frame::ROWS);
        }
        ran.done = step + 1 == self.scenario().steps.len();
        if ran.done {
            self.tell_differences(&mut ran);
        }
        Some(ran)
    }

    fn last_server(&self) -> Server {
        match self.timeline.records().len() {
            reached if reached < self.servers.len() => self.servers[reached].clone(),
            reached => self.timeline.at(reached - 1),
        }
    }

    /// The state at a position with its first keys, as many as `rows`.
    pub(crate) fn look(&self, position: usize, rows: usize) -> Option<Frame> {
        if position > self.timeline.records().len() {
            return None;
        }
        let kept = self.servers.get(position);
        let server = kept.cloned().unwrap_or_else(|| self.timeline.at(position - 1));
        let now_us = self.follower.clock_us(position);
        let (timeline, start, leases) = (&self.timeline, self.start, self.follower.leases());
        let mut runs = self.follower.runs(position);
        // One that has not written yet is told of when it counts.
        let under_way = server.state().running.as_ref().filter(|running| !running.wrote);
        let under_way = under_way.map(|running| running.name().to_text());
        if let Some(name) = &under_way {
            *runs.entry(name).or_default() += 1;
        }
        Some(Looker { timeline, server: &server, start, leases, runs, rows }.frame(position, now_us))
    }

    /// Opens a recording; None where the step has run no such script.
    pub(crate) fn record(&mut self, step: usize, run: usize) -> Option<Recording> {
        let mut runs = self.timeline.script_runs(step);
        let count = runs.len();
        if run >= count {
            return None;
        }
        let debugger = Debugger::new(runs.swap_remove(run), self.start, self.timeline.version());
        let recording = Recording { step, run, runs: count, ..debugger.describe() };
        self.debugger = Some(debugger);
        Some(recording)
    }

    pub(crate) fn debugger(&mut self) -> Option<&mut Debugger> {
        self.debugger.as_mut()
    }

    /// The reply to a step in other forms; None where there was none.
    pub(crate) fn views(&self, step: usize, during: usize) -> Option<ReplyViews> {
        views::views(&self.timeline, step, during)
    }

    /// The text with every reply as it came, or only that of one line, counted from 1.
    pub(crate) fn accept(&self, line: Option<usize>) -> String {
        let mut edits = self.timeline.compare().edits;
        edits.retain(|edit| line.is_none_or(|line| edit.lines.start + 1 == line));
        timeline::rewrite(&self.text, &edits)
    }

    /// Which steps have brought something else than the text says.
    fn tell_differences(&mut self, ran: &mut Ran) {
        let steps = &self.timeline.scenario().steps;
        for difference in self.timeline.compare().differences {
            // A problem with the step itself is told by its record.
            if difference.line == steps[difference.during].line {
                continue;
            }
            let timeline::Difference { line, during, check, expected, got, .. } = difference;
            self.follower.add_difference(during, Shown { line, check, expected, got }, ran);
        }
    }
}
