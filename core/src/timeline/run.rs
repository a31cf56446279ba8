//! One step on the engine: a function of the scenario and the tip of the timeline, and of nothing else.
//!
//! A step is sent one microsecond after the one before it was answered or is known to wait; where the clock was moved, exactly then.

use std::ops::Range;

use crate::Bytes;
use crate::clock::Micros;
use crate::profile::Version;
use crate::server::{ClientId, Event, EventKind, Fingerprint, Input, InputKind, Options, Server};

use super::compare::{Observed, Seen};
use super::course::{Course, Killed, Woken};
use super::mind::{Decision, Mind};
use super::scenario::{Action, Check, Clock, Scenario, Send, Step, When};
use super::track::{Outcome, Times, Tracker};

/// Sends the checks. No scenario has so many connections.
const CHECKER: ClientId = ClientId(u64::MAX);

/// The newest moment of a timeline: all that the next step depends on. A clone is cheap.
#[derive(Clone)]
pub(super) struct Tip {
    pub(super) server: Server,
    tracker: Tracker,
    /// What each client knows.
    minds: Vec<Mind>,
    /// The moment from which the next step is sent.
    clock: Micros,
    /// The clock was moved: the next step is sent exactly then.
    exact: bool,
    start: Micros,
}

/// One step as it went.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// In the log of inputs.
    pub inputs: Range<usize>,
    pub events: Vec<Event>,
    pub times: Times,
    pub wait: Option<Wait>,
    pub course: Course,
    pub observed: Observed,
    /// Earlier steps that were answered during this one. `observed.arrived` has the same replies.
    pub late: Vec<(usize, Seen)>,
    /// What reached clients during this step and answers none. `observed.arrived` has the same.
    pub messages: Vec<(usize, Seen)>,
}

/// What a step waits for when the next one is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For a key or a time, in a blocking command.
    Blocked,
    /// Its own script runs on.
    Running,
    /// The server is not free, or an earlier command of the same client is unanswered.
    Queued,
}

/// What a step did besides its own record.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) inputs: Vec<Input>,
    pub(super) record: Record,
    /// Steps that began or ended during this one, this one included.
    pub(super) marks: Vec<Mark>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    Started(usize, Micros),
    Ended(usize, Micros),
    Blocked(usize, Micros),
    Woken(usize, Woken),
    Busy(usize, Micros),
    Killed(usize, Killed),
}

impl Tip {
    /// A fresh server with all clients connected, and the inputs this took.
    ///
    /// # Errors
    /// A parameter of `@ config` that does not exist or can't have that value.
    pub(super) fn new(scenario: &Scenario, version: Version) -> Result<(Self, Vec<Input>), String> {
        let server = Self::server(scenario, version)?;
        let tracker = Tracker::new(scenario.clients.len(), version);
        let start = server.now();
        let minds = vec![Mind::default(); scenario.clients.len()];
        let mut tip = Self { server, tracker, minds, clock: start, exact: true, start };
        let mut done = Done::default();
        for client in 0..scenario.clients.len() {
            tip.connect(client, &mut done);
        }
        Ok((tip, done.inputs))
    }

    /// The server before anything has reached it.
    pub(super) fn server(scenario: &Scenario, version: Version) -> Result<Server, String> {
        let setup = &scenario.setup;
        let mut options = Options { version, cluster: setup.cluster.clone(), ..Options::default() };
        if let Some(rate) = setup.instructions_per_micro {
            options.cost.instructions_per_micro = rate;
        }
        let mut server = Server::new(options);
        for (name, value) in &setup.config {
            server.configure(name, value).map_err(|reason| format!("@ config {name} {value}: {reason}"))?;
        }
        Ok(server)
    }

    pub(super) fn step(&mut self, scenario: &Scenario, index: usize) -> Done {
        let mut done = self.perform(scenario, index);
        self.check(scenario, index, &mut done);
        done
    }

    /// A step without the checks behind it.
    pub(super) fn perform(&mut self, scenario: &Scenario, index: usize) -> Done {
        let mut done = Done::default();
        let sent = if self.exact { self.clock } else { self.clock + Micros(1) };
        match &scenario.steps[index].action {
            Action::Clock(clock) => self.move_clock(*clock, index, &mut done),
            Action::Restart { keep_data } => {
                self.happen(sent, InputKind::Restart { keep_data: *keep_data }, index, &mut done);
            }
            Action::Replicate { link_up } => {
                self.happen(sent, InputKind::Replicate { link_up: *link_up }, index, &mut done);
            }
            Action::Failover => self.happen(sent, InputKind::Failover, index, &mut done),
            Action::Send(send) => {
                let step = &scenario.steps[index];
                let unanswered = self.tracker.is_waiting(send.client);
                match self.minds[send.client].decide(step, send, unanswered) {
                    Decision::Send(argv) => self.send(send, argv, sent, index, &mut done),
                    Decision::Skip => self.skip(None, &mut done),
                    Decision::Impossible(reason) => self.skip(Some(reason), &mut done),
                }
            }
        }
        self.learn(scenario, index, &done);
        done
    }

    /// The clock moves on by itself, not as a step of the scenario.
    pub(super) fn pass(&mut self, scenario: &Scenario, span: Micros) -> Done {
        let mut done = Done::default();
        self.move_clock(Clock::Forward(span), usize::MAX, &mut done);
        self.learn(scenario, usize::MAX, &done);
        done
    }

    /// The moment from which the next step is sent.
    pub(super) fn clock(&self) -> Micros {
        self.clock
    }

    /// Whether a command of the client is unanswered.
    pub(super) fn is_waiting(&self, client: usize) -> bool {
        self.tracker.is_waiting(client)
    }

    pub(super) fn mind(&self, client: usize) -> &Mind {
        &self.minds[client]
    }

    /// Whether a step, which is the client's next, will not be sent.
    pub(super) fn will_skip(&self, step: &Step, send: &Send) -> bool {
        let mind = &self.minds[send.client];
        if !mind.is_stopped() && !step.depends() {
            return false;
        }
        !matches!(mind.clone().decide(step, send, self.is_waiting(send.client)), Decision::Send(_))
    }

    /// Puts in what the next steps depend on besides the server and the minds.
    pub(super) fn print_into(&self, print: &mut Fingerprint) {
        print.number(self.clock.0);
        print.number(u64::from(self.exact));
        self.tracker.print_into(print);
    }

    /// Nothing is sent, and no time passes.
    fn skip(&mut self, problem: Option<String>, done: &mut Done) {
        done.record.observed.reply = Some(Seen::Skipped);
        done.record.observed.problem = problem;
        done.record.times = Times { sent: self.clock, started: Some(self.clock), ended: Some(self.clock) };
    }

    /// Clients take in what they were answered during a step.
    fn learn(&mut self, scenario: &Scenario, index: usize, done: &Done) {
        let Record { late, observed, .. } = &done.record;
        let own = observed.reply.as_ref().filter(|seen| index != usize::MAX && **seen != Seen::Skipped);
        let answers = late.iter().map(|(step, seen)| (*step, seen)).chain(own.map(|seen| (index, seen)));
        for (step, seen) in answers {
            let step = &scenario.steps[step];
            if let Some(send) = step.send() {
                self.minds[send.client].learn(step, seen);
            }
        }
    }

    fn move_clock(&mut self, clock: Clock, index: usize, done: &mut Done) {
        let to = match clock {
            Clock::Forward(span) => self.clock + span,
            Clock::At(moment) => self.start + moment,
        };
        if to < self.clock {
            let since_start = self.clock - self.start;
            done.record.observed.problem = Some(format!("it is {since_start} after the start already"));
        }
        self.clock = self.clock.max(to);
        self.exact = true;
        self.apply(Input { at: self.clock, kind: InputKind::Advance }, index, done);
        done.record.times = Times { sent: self.clock, started: Some(self.clock), ended: Some(self.clock) };
    }

    /// Something happens to the server itself.
    fn happen(&mut self, at: Micros, kind: InputKind, index: usize, done: &mut Done) {
        self.exact = false;
        self.apply(Input { at, kind }, index, done);
        self.clock = at.max(self.server.now());
        done.record.times = Times { sent: at, started: Some(at), ended: Some(self.clock) };
    }

    fn send(&mut self, send: &Send, argv: Vec<Bytes>, sent: Micros, index: usize, done: &mut Done) {
        done.record.times.sent = sent;
        self.exact = false;
        self.clock = sent;
        if self.server.is_stopped() {
            done.record.observed.reply = Some(Seen::Refused);
            done.record.times.ended = Some(sent);
            return;
        }
        let id = match self.tracker.connection(send.client) {
            Some(id) => id,
            None => self.connect(send.client, done),
        };
        let busy_with = self.busy_with(send.client);
        let was_killed = self.killed_at().is_some();
        self.tracker.send(send.client, index);
        let kind = InputKind::Command { client: id, argv };
        self.apply(Input { at: sent, kind }, index, done);
        done.record.wait = self.wait_of(id);
        let started_later = done
            .marks
            .iter()
            .any(|mark| matches!(mark, Mark::Started(step, at) if *step == index && *at > sent));
        if done.record.wait == Some(Wait::Queued) || started_later {
            done.record.course.held_by = busy_with;
        }
        if let (false, Some((victim, at))) = (was_killed, self.killed_at()) {
            done.marks.push(Mark::Killed(victim, Killed { at, by: index }));
        }
        if done.record.wait.is_none() {
            self.end_silent(send.client, index, done);
        }
        if !send.pipelined {
            self.clock = sent.max(self.server.now());
        }
    }

    /// The step that a command of this client would have to wait for now, if it had to.
    fn busy_with(&self, client: usize) -> Option<usize> {
        let running = self.server.state().running.as_ref();
        self.tracker
            .last_unanswered(client)
            .or_else(|| self.tracker.under_way(running?.client))
            .or(self.tracker.last_started())
    }

    /// The step whose script has been told to end, and when.
    fn killed_at(&self) -> Option<(usize, Micros)> {
        let running = self.server.state().running.as_ref()?;
        Some((self.tracker.under_way(running.client)?, running.killed_at?))
    }

    /// A command that runs to its end without a reply is answered by the first message it brought its client, if any.
    fn end_silent(&mut self, client: usize, index: usize, done: &mut Done) {
        if self.tracker.end_silent(client) != Some(index) {
            return;
        }
        done.marks.push(Mark::Ended(index, self.server.now()));
        let Record { observed, messages, .. } = &mut done.record;
        let is_own = |(receiver, _): &(usize, Seen)| *receiver == client;
        if let Some(first) = observed.arrived.iter().position(is_own) {
            observed.reply = Some(observed.arrived.remove(first).1);
        }
        if let Some(first) = messages.iter().position(is_own) {
            messages.remove(first);
        }
    }

    fn connect(&mut self, client: usize, done: &mut Done) -> ClientId {
        let id = self.tracker.connect(client);
        self.apply(Input { at: self.clock, kind: InputKind::Connect { client: id } }, usize::MAX, done);
        id
    }

    fn apply(&mut self, input: Input, index: usize, done: &mut Done) {
        let events = self.server.apply(input.clone());
        done.inputs.push(input);
        for event in &events {
            done.marks.extend(self.mark_of(event));
            for outcome in self.tracker.follow(event) {
                match outcome {
                    Outcome::Started { step } => done.marks.push(Mark::Started(step, event.at)),
                    Outcome::Answered { client, step, seen } => {
                        done.marks.push(Mark::Ended(step, event.at));
                        if step == index {
                            done.record.observed.reply = Some(seen);
                        } else {
                            done.record.late.push((step, seen.clone()));
                            done.record.observed.arrived.push((client, seen));
                        }
                    }
                    Outcome::Received { client, seen } => {
                        done.record.messages.push((client, seen.clone()));
                        done.record.observed.arrived.push((client, seen));
                    }
                }
            }
        }
        done.record.events.extend(events);
    }

    /// What an event tells of a step's waits.
    fn mark_of(&self, event: &Event) -> Option<Mark> {
        let at = event.at;
        match event.kind {
            EventKind::Blocked { client, .. } => Some(Mark::Blocked(self.tracker.under_way(client)?, at)),
            EventKind::BusyBegan { client } => Some(Mark::Busy(self.tracker.under_way(client)?, at)),
            EventKind::Unblocked { client, by } => {
                let by = by.and_then(|by| self.tracker.last_started_by(by));
                Some(Mark::Woken(self.tracker.under_way(client)?, Woken { at, by }))
            }
            _ => None,
        }
    }

    pub(super) fn owner(&self, client: ClientId) -> Option<usize> {
        self.tracker.owner(client)
    }

    fn wait_of(&self, client: ClientId) -> Option<Wait> {
        let state = self.server.state();
        if !self.server.is_waiting(client) {
            None
        } else if state.clients.get(&client).is_some_and(|record| record.blocked.is_some()) {
            Some(Wait::Blocked)
        } else if state.running.as_ref().is_some_and(|running| running.client == client) {
            Some(Wait::Running)
        } else {
            Some(Wait::Queued)
        }
    }

    /// Checks run on a copy, so that they neither change anything nor take time.
    fn check(&self, scenario: &Scenario, index: usize, done: &mut Done) {
        let is_last = index + 1 == scenario.steps.len();
        if self.server.is_stopped() || self.server.state().running.is_some() {
            return;
        }
        for (number, check) in scenario.checks.iter().enumerate() {
            if check.when == When::Finally && !is_last {
                continue;
            }
            done.record.observed.checked.extend(self.ask(check).map(|seen| (number, seen)));
        }
    }

    /// What a check gives now, on a copy of the server.
    pub(super) fn ask(&self, check: &Check) -> Option<Seen> {
        let mut copy = self.server.clone();
        let kind = InputKind::Command { client: CHECKER, argv: check.argv.clone() };
        let events = copy.apply(Input { at: copy.now(), kind });
        events.into_iter().find_map(|event| match event.kind {
            EventKind::Replied { client: CHECKER, reply, protocol } => {
                Some(Seen::Reply(reply.as_sent(protocol, copy.state().version)))
            }
            _ => None,
        })
    }
}
