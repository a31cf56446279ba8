//! One moment of one order: the server, what the clients know, and who has done what. And what may come next.
//!
//! A client that waits for a reply has no next step until it is answered, save in a pipeline. Where nobody can go on
//! and somebody waits for a moment, time passes up to it. What a client skips it skips at once: that is no choice.

use crate::clock::Micros;
use crate::server::Fingerprint;

use super::super::compare::{Seen, is_as_expected};
use super::super::run::{Done, Tip};
use super::Replies;
use super::plan::Plan;

/// How long a script may be waited for when nobody can do anything else. A script that takes longer counts as endless.
const SCRIPT_PATIENCE: Micros = Micros(30_000_000);
/// Moments that may pass without anybody being answered.
const IDLE_MOMENTS_MAX: usize = 64;

/// Steps of a world are named by their actor: each has its own order.
pub(super) type Actor = u16;

pub(super) type Key = [u8; 20];

#[derive(Clone)]
pub(super) struct World {
    pub(super) tip: Tip,
    /// By actor: how many of its steps are done or skipped.
    pub(super) places: Vec<u32>,
    /// `@ always` checks that have failed, by their place in the plan's list.
    pub(super) failed: u64,
    /// What each client has received so far; empty unless all replies count.
    heard: Vec<Key>,
}

/// What one move did besides changing the world, in the order in which it happened.
pub(super) enum Happened<'a> {
    Step { index: usize, done: &'a Done },
    Skipped { index: usize },
    Passed { span: Micros },
}

impl World {
    /// The world after the steps that stay as they are.
    pub(super) fn new(mut tip: Tip, plan: &Plan) -> Self {
        for index in 0..plan.from {
            tip.step(&plan.scenario, index);
        }
        Self::anew(tip, plan, &mut |_| ())
    }

    /// As [`World::new`], behind the steps that stay.
    pub(super) fn anew(tip: Tip, plan: &Plan, tell: &mut impl FnMut(Happened<'_>)) -> Self {
        let heard = match plan.replies {
            Replies::All => vec![[0; 20]; plan.scenario.clients.len()],
            Replies::Last | Replies::None => Vec::new(),
        };
        let mut world = Self { tip, places: vec![0; plan.programs.len()], failed: 0, heard };
        world.settle(plan, tell);
        world.failed |= world.failing(plan);
        world
    }

    /// How far all actors are together; every move adds to it.
    pub(super) fn progress(&self) -> usize {
        self.places.iter().map(|place| *place as usize).sum()
    }

    /// Who can do its next step now.
    pub(super) fn enabled(&self, plan: &Plan) -> Vec<Actor> {
        let clock = plan.clock();
        let pinned = plan.step(clock, self.place(clock)).filter(|_| !plan.clock_free).map(|(index, _)| index);
        let mut enabled: Vec<Actor> = Vec::with_capacity(plan.programs.len());
        for client in 0..clock {
            if self.can_send(plan, client, pinned) {
                enabled.push(client as Actor);
            }
        }
        let clock_is_next = plan.step(clock, self.place(clock)).is_some();
        if clock_is_next && (plan.clock_free || enabled.is_empty()) {
            enabled.push(clock as Actor);
        }
        enabled
    }

    fn place(&self, actor: usize) -> usize {
        self.places[actor] as usize
    }

    /// `pinned`: a step of the clock that must come before those below it.
    fn can_send(&self, plan: &Plan, client: usize, pinned: Option<usize>) -> bool {
        let place = self.place(client);
        let Some((index, step)) = plan.step(client, place) else { return false };
        if pinned.is_some_and(|pinned| pinned < index) {
            return false;
        }
        !self.tip.is_waiting(client) || (!step.depends() && self.is_in_pipeline(plan, client))
    }

    /// Whether the client's last step was sent without waiting for the reply.
    fn is_in_pipeline(&self, plan: &Plan, client: usize) -> bool {
        let before = self.place(client).checked_sub(1).and_then(|place| plan.step(client, place));
        before.and_then(|(_, step)| step.send()).is_some_and(|send| send.pipelined)
    }

    /// The actor does its next step, and all follows that is no choice.
    pub(super) fn go(&mut self, plan: &Plan, actor: Actor, tell: &mut impl FnMut(Happened<'_>)) {
        let actor = usize::from(actor);
        let Some((index, _)) = plan.step(actor, self.place(actor)) else { return };
        let done = self.tip.perform(&plan.scenario, index);
        self.hear(plan, index, &done);
        self.places[actor] += 1;
        tell(Happened::Step { index, done: &done });
        self.settle(plan, tell);
    }

    fn settle(&mut self, plan: &Plan, tell: &mut impl FnMut(Happened<'_>)) {
        for _ in 0..IDLE_MOMENTS_MAX {
            self.skip(plan, tell);
            if !self.enabled(plan).is_empty() {
                return;
            }
            let Some(span) = self.until_somebody_goes_on(plan) else { return };
            let done = self.tip.pass(&plan.scenario, span);
            self.hear(plan, usize::MAX, &done);
            tell(Happened::Passed { span });
        }
    }

    fn skip(&mut self, plan: &Plan, tell: &mut impl FnMut(Happened<'_>)) {
        for client in 0..plan.clock() {
            while let Some((index, step)) = plan.step(client, self.place(client)) {
                let can_decide = !self.tip.is_waiting(client) || self.tip.mind(client).is_stopped();
                let send = step.send().filter(|send| can_decide && self.tip.will_skip(step, send));
                if send.is_none() {
                    break;
                }
                self.tip.perform(&plan.scenario, index);
                self.places[client] += 1;
                tell(Happened::Skipped { index });
            }
        }
    }

    /// How long it is until a wait ends by itself, where somebody has more to do after it.
    fn until_somebody_goes_on(&self, plan: &Plan) -> Option<Micros> {
        let has_more = |client: usize| plan.step(client, self.place(client)).is_some();
        if !(0..plan.clock()).any(|client| has_more(client) && self.tip.is_waiting(client)) {
            return None;
        }
        let (server, state) = (&self.tip.server, self.tip.server.state());
        let now = server.now();
        let at = match &state.running {
            Some(running) => {
                let ran = now - running.plan.started_at;
                let guess = now + ran.max(Micros(1_000));
                server.next_due().filter(|at| *at > now).or(Some(guess)).filter(|_| ran < SCRIPT_PATIENCE)
            }
            None => {
                let deadline = state.waiting.next_deadline().map(|(at, _)| at);
                [deadline, state.pause.map(|pause| pause.until)].into_iter().flatten().min()
            }
        };
        // The clock stands where the last step was sent, which is not after the server's.
        at.map(|at| (at - self.tip.clock()).max(Micros(1)))
    }

    fn hear(&mut self, plan: &Plan, index: usize, done: &Done) {
        if self.heard.is_empty() {
            return;
        }
        let observed = &done.record.observed;
        let own = plan.scenario.steps.get(index).and_then(|step| step.send()).map(|send| send.client);
        let own = own.zip(observed.reply.as_ref());
        for (client, seen) in observed.arrived.iter().map(|(client, seen)| (*client, seen)).chain(own) {
            let mut print = Fingerprint::default();
            print.bytes(&self.heard[client]);
            print.debug(seen);
            self.heard[client] = print.finish();
        }
    }

    /// The `@ always` checks that fail now, as bits. While the server is not free none can be asked.
    pub(super) fn failing(&self, plan: &Plan) -> u64 {
        if plan.always.is_empty() || self.tip.server.is_stopped() || self.tip.server.state().running.is_some()
        {
            return 0;
        }
        let numbered = plan.always.iter().enumerate();
        numbered
            .filter(|(_, check)| self.fails(plan, **check))
            .fold(0, |bits, (place, _)| bits | 1 << place.min(63))
    }

    /// Every check that has failed once this is the end, by number.
    pub(super) fn all_failed(&self, plan: &Plan) -> Vec<usize> {
        let always = plan.always.iter().enumerate();
        let always = always.filter(|(place, _)| self.failed & 1 << (*place).min(63) != 0);
        let mut failed: Vec<usize> =
            always.map(|(_, check)| *check).chain(self.failing_finally(plan)).collect();
        failed.sort_unstable();
        failed
    }

    fn failing_finally(&self, plan: &Plan) -> Vec<usize> {
        if self.tip.server.is_stopped() || self.tip.server.state().running.is_some() {
            return Vec::new();
        }
        plan.finally.iter().copied().filter(|check| self.fails(plan, *check)).collect()
    }

    fn fails(&self, plan: &Plan, number: usize) -> bool {
        let check = &plan.scenario.checks[number];
        let version = self.tip.server.state().version;
        let Some(expected) = &check.expected else { return false };
        self.tip.ask(check).is_some_and(|seen: Seen| !is_as_expected(&expected.what, &seen, version))
    }

    /// Worlds with the same key have the same future, the failed checks aside.
    pub(super) fn key(&self, plan: &Plan) -> Key {
        let mut print = Fingerprint::default();
        self.places.iter().for_each(|place| print.number(u64::from(*place)));
        self.tip.print_into(&mut print);
        for client in 0..plan.clock() {
            let uses = plan.uses(client, self.place(client));
            self.tip.mind(client).print_into(uses.newest, &uses.names, &mut print);
        }
        self.heard.iter().for_each(|heard| print.bytes(heard));
        if plan.thorough {
            self.tip.server.all_into(&mut print);
        } else {
            self.tip.server.essence_into(&mut print);
        }
        print.finish()
    }

    pub(super) fn heard(&self) -> &[Key] {
        &self.heard
    }
}
