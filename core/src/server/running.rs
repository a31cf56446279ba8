//! A script that goes on past the busy threshold.
//!
//! Lua 5.1 can't be parked in the middle, so the script is run again from its start with the budget that the
//! time of the next input allows. As long as it has not written, that has no effect on the state; looking ahead
//! ("probing") doubles its reach each time, so that many inputs cost no more than a few runs.

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::scripting::{self, Probe, Progress};
use crate::commands::{Outcome, transactions};
use crate::event::{ClientId, EventKind};
use crate::resp::Reply;
use crate::script::{Budget, RunEnd};
use crate::state::Running;

use super::Server;

impl Server {
    /// A script has reached the threshold. One that wrote before it could not be stopped any more: its effects are
    /// in the state, and its reply, where it ends at all, comes when its time is over.
    pub(super) fn begin_running(&mut self, client: ClientId, argv: &[Bytes], progress: Progress) {
        let Progress { plan, exec, wrote, instructions, reply } = progress;
        let ends_at = reply.is_some().then_some(instructions);
        self.state.running = Some(Running {
            client,
            argv: argv.to_vec(),
            plan,
            exec,
            busy: false,
            wrote,
            runs_past: instructions,
            writes_at: None,
            ends_at,
            reply,
            killed_at: None,
        });
    }

    /// When the running script does the next thing that others notice, as far as is known.
    pub(super) fn running_due(&self) -> Option<Micros> {
        let running = self.state.running.as_ref()?;
        let started = running.plan.started_at;
        let threshold = (!running.busy).then(|| started + self.state.busy_threshold());
        let end = running.ends_at.map(|count| started + self.state.cost.script(count));
        // The victim of a KILL goes as soon as time moves on.
        let killed = running.killed_at.filter(|_| running.reply.is_none()).map(|at| at + Micros(1));
        [threshold, end, killed].into_iter().flatten().min()
    }

    /// Does what is due now.
    pub(super) fn pass_running(&mut self) {
        let now = self.state.now;
        let threshold = self.state.busy_threshold();
        let Some(running) = self.state.running.as_mut() else { return };
        let started = running.plan.started_at;
        if !running.busy && started + threshold <= now {
            let client = running.client;
            running.busy = true;
            self.state.journal.detail(now, || EventKind::BusyBegan { client });
            return;
        }
        if running.killed_at.is_some_and(|at| at < now) && running.reply.is_none() {
            self.kill_running();
        }
        let Some(running) = self.state.running.as_ref() else { return };
        let end = running.ends_at.map(|count| started + self.state.cost.script(count));
        if end.is_some_and(|end| end <= now) {
            self.finish_running();
        }
    }

    /// Learns how the script goes on until now: has it written, has it ended?
    pub(super) fn learn_until_now(&mut self) {
        self.learn_until(self.state.now);
    }

    pub(super) fn learn_until(&mut self, to: Micros) {
        // What it would have done later, the victim of a KILL does no more.
        if self.state.running.as_ref().is_some_and(|running| running.killed_at.is_some()) {
            return;
        }
        loop {
            let Some(running) = self.state.running.as_ref() else { return };
            let reach = self.state.cost.instructions(to - running.plan.started_at);
            let settled = running.wrote || running.ends_at.is_some() || running.writes_at.is_some();
            if settled || running.runs_past >= reach.min(self.state.endless_at()) {
                break;
            }
            let until = reach.max(2 * running.runs_past).min(self.state.endless_at());
            let (client, plan) = (running.client, running.plan.clone());
            let found = scripting::probe(&mut self.state, &self.engine, client, &plan, until);
            let Some(running) = self.state.running.as_mut() else { return };
            match found {
                Probe::Ends(count) => running.ends_at = Some(count),
                Probe::Writes(count) => running.writes_at = Some(count),
                Probe::RunsPast(count) => running.runs_past = count.max(until),
            }
        }
        let Some(running) = self.state.running.as_ref() else { return };
        let reach = self.state.cost.instructions(to - running.plan.started_at);
        if !running.wrote && running.writes_at.is_some_and(|count| count <= reach) {
            self.run_out(Budget::default());
        }
    }

    /// Makes the run that counts. Its effects are in the state from here on, where nobody can see them before its end.
    fn run_out(&mut self, budget: Budget) {
        let Some(running) = self.state.running.as_ref() else { return };
        let (client, plan) = (running.client, running.plan.clone());
        let (end, wrote) = scripting::run_again(&mut self.state, &self.engine, client, &plan, budget);
        let Some(running) = self.state.running.as_mut() else { return };
        running.wrote = wrote;
        match end {
            RunEnd::Finished { reply, instructions, .. } => {
                running.ends_at = Some(instructions);
                running.reply = Some(reply);
            }
            RunEnd::Crashed => {
                self.state.saved.is_final = true;
                self.state.stopping = true;
            }
            RunEnd::Stopped { .. } => {
                running.ends_at = None;
                running.writes_at.get_or_insert(0);
            }
        }
    }

    /// The script is killed where it stands.
    fn kill_running(&mut self) {
        let now = self.state.now;
        let Some(running) = self.state.running.as_ref() else { return };
        let at = self.state.cost.instructions(now - running.plan.started_at).min(self.state.endless_at());
        self.run_out(Budget { kill_at: Some(at.max(1)), ..Budget::default() });
        // The run is counted in steps of the hook: it may have gone a little past the moment of the KILL.
        if let Some(running) = self.state.running.as_mut() {
            let late = running
                .ends_at
                .is_some_and(|count| count > at && count - at <= crate::limits::HOOK_INSTRUCTIONS);
            if late {
                running.ends_at = Some(at);
            }
        }
    }

    fn finish_running(&mut self) {
        if self.state.running.as_ref().is_some_and(|running| running.reply.is_none()) {
            self.run_out(Budget::default());
        }
        let Some(running) = self.state.running.take() else { return };
        let now = self.state.now;
        let Running { client, argv, exec, reply, ends_at, .. } = running;
        let instructions = ends_at.unwrap_or_default();
        self.state.journal.detail(now, || EventKind::ScriptEnded { client, instructions });
        let reply = reply.unwrap_or(Reply::Nil);
        (self.state.spent, self.state.slept) = (0, Micros(0));
        self.state.executing = Some(client);
        let outcome = match exec {
            None => Outcome::Reply(reply),
            Some(mut progress) => {
                progress.add([reply]);
                transactions::go_on(&mut self.state, &self.engine, client, progress)
            }
        };
        if self.state.clients.contains_key(&client) {
            self.conclude(client, &argv, now, outcome);
        }
    }
}
