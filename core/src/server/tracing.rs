//! Runs of scripts that can be made again, to be looked into.
//!
//! Invariant: looking changes neither the server nor what it comes from: each traced run has a copy of the state.

use std::rc::Rc;

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::scripting;
use crate::event::ClientId;
use crate::script::{Budget, Engine, Job, Milestone, RunEnd, Tracer};
use crate::state::{Plan, Program, RunStart, State, Witness};

use super::Server;

/// A script from where it began.
#[derive(Clone)]
pub struct ScriptRun {
    engine: Rc<Engine>,
    start: RunStart,
}

/// What a traced run has given.
pub struct Traced {
    pub tracer: Tracer,
    pub end: RunEnd,
    /// The server as the run left it.
    pub state: State,
}

impl Server {
    /// From now on it is noted from what scripts are run, until [`Server::witnessed_runs`].
    pub fn witness_runs(&mut self) {
        self.state.witness = Some(Witness::default());
    }

    /// The runs that counted, in order. The last one may still be under way: it is cut where the server is by now.
    pub fn witnessed_runs(&mut self) -> Vec<ScriptRun> {
        let Some(witness) = self.state.witness.take() else { return Vec::new() };
        let mut starts = witness.take();
        let running = self.state.running.as_ref().filter(|running| running.reply.is_none() && !running.wrote);
        if let (Some(running), Some(last)) = (running, starts.last_mut())
            && last.plan == running.plan
        {
            let reached = self.state.cost.instructions(self.state.now - running.plan.started_at);
            last.budget = Budget { stop_at: Some(reached.max(1)), ..Budget::default() };
        }
        let engine = &self.engine;
        starts.into_iter().map(|start| ScriptRun { engine: Rc::clone(engine), start }).collect()
    }
}

impl ScriptRun {
    /// Makes the run once more, for a job. `from`: where it is joined, at a milestone that listing this run has found.
    pub fn trace(&self, job: Job, from: Option<Milestone>) -> Traced {
        let mut tracer = Tracer::new(job, from);
        let RunStart { client, plan, budget, .. } = &self.start;
        let mut state = self.start.state.clone();
        state.journal.detailed = false;
        let (end, _) =
            scripting::run_traced(&mut state, &self.engine, *client, plan, *budget, Some(&mut tracer));
        Traced { tracer, end, state }
    }

    pub fn client(&self) -> ClientId {
        self.start.client
    }

    /// The server as it was when the script began.
    pub fn state(&self) -> &State {
        &self.start.state
    }

    pub fn plan(&self) -> &Plan {
        &self.start.plan
    }

    /// The text that lines count in: the script's, or the whole library's.
    pub fn source(&self) -> &Bytes {
        match &self.start.plan.program {
            Program::Script { source, .. } => source,
            Program::Function { library, .. } => &library.source,
        }
    }

    /// The virtual time when the script has used so many instructions.
    pub fn time_at(&self, instructions: u64) -> Micros {
        self.start.plan.started_at + self.start.state.cost.script(instructions)
    }
}
