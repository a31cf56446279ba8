//! A script that has reached the busy threshold and goes on.

use std::cell::RefCell;
use std::rc::Rc;

use crate::Bytes;
use crate::clock::Micros;
use crate::event::ClientId;
use crate::limits::SCRIPT_INSTRUCTIONS_MAX;
use crate::resp::Reply;
use crate::script::Budget;

use super::{Library, ScriptFlags, Sha1, State};

/// All it takes to run a script again from its start: the state it started from is the present one, as long
/// as it has not written.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The full name of the command that runs it, which is counted as failed where the reply has an error.
    pub command: &'static str,
    pub program: Program,
    pub keys: Vec<Bytes>,
    pub args: Vec<Bytes>,
    pub flags: ScriptFlags,
    pub read_only: bool,
    /// In cluster mode: whether the script may use slots of several keys.
    pub cross_slot: bool,
    pub db: usize,
    pub started_at: Micros,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    Script { sha: Sha1, source: Bytes },
    Function { library: Rc<Library>, name: Bytes },
}

impl Program {
    /// The function's name; for scripts their SHA1.
    pub fn name(&self) -> Bytes {
        match self {
            Self::Script { sha, .. } => Bytes::from(sha.as_bytes()),
            Self::Function { name, .. } => name.clone(),
        }
    }

    /// The same, of a library that has just been loaded.
    pub(super) fn reloaded(&self) -> Self {
        match self {
            Self::Script { .. } => self.clone(),
            Self::Function { library, name } => {
                Self::Function { library: library.reloaded(), name: name.clone() }
            }
        }
    }
}

/// Where EXEC stands while one of its commands, a script, runs on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecProgress {
    /// What the commands so far answered; in 7.0 also messages that came in between.
    pub replies: Vec<Reply>,
    /// How many commands have run.
    pub count: usize,
    pub rest: Vec<Vec<Bytes>>,
}

impl ExecProgress {
    pub fn new(queue: Vec<Vec<Bytes>>) -> Self {
        Self { replies: Vec::new(), count: 0, rest: queue }
    }

    /// Adds what one command answered.
    pub fn add(&mut self, replies: impl IntoIterator<Item = Reply>) {
        self.replies.extend(replies);
        self.count += 1;
    }
}

/// The script under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    pub client: ClientId,
    pub argv: Vec<Bytes>,
    pub plan: Plan,
    pub exec: Option<ExecProgress>,
    /// Past the threshold: other clients are answered BUSY.
    pub busy: bool,
    /// The script has run a write command; its effects are in the state already, where nobody can see them.
    pub wrote: bool,
    /// It is known to still run after this many instructions.
    pub runs_past: u64,
    /// Where it first writes, once known; it does nothing of note before.
    pub writes_at: Option<u64>,
    /// Where it ends, once known; None as long as it is not, or if it never does.
    pub ends_at: Option<u64>,
    /// The reply that is given at its end, if the run has been made.
    pub reply: Option<Reply>,
    pub killed_at: Option<Micros>,
}

impl Running {
    pub fn is_function(&self) -> bool {
        matches!(self.plan.program, Program::Function { .. })
    }

    /// The function's name; for scripts their SHA1.
    pub fn name(&self) -> Bytes {
        self.plan.program.name()
    }
}

/// Notes from what each script was run, so that the run can be made again to be looked into. Shared by the copies of a
/// state; not part of its digest.
#[derive(Clone, Debug, Default)]
pub struct Witness(Rc<RefCell<Vec<RunStart>>>);

/// All that a run of a script depends on, but for the Lua VM.
#[derive(Clone, Debug)]
pub struct RunStart {
    pub state: State,
    pub client: ClientId,
    pub plan: Plan,
    pub budget: Budget,
}

impl Witness {
    /// A script begins.
    pub fn begin(&self, start: RunStart) {
        self.0.borrow_mut().push(start);
    }

    /// The script that began last is run anew, and this run counts.
    pub fn again(&self, start: RunStart) {
        let mut starts = self.0.borrow_mut();
        starts.pop();
        starts.push(start);
    }

    pub fn take(&self) -> Vec<RunStart> {
        self.0.take()
    }
}

/// What virtual time commands and scripts take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    pub command: Micros,
    /// Lua VM instructions per microsecond; at least 1.
    pub instructions_per_micro: u64,
    /// Past this many instructions a script counts as one that never ends: it stays in progress until it is killed. Later where the
    /// busy threshold is: see [`State::endless_at`].
    pub instructions_max: u64,
}

impl Default for Cost {
    fn default() -> Self {
        Self { command: Micros(1), instructions_per_micro: 10, instructions_max: SCRIPT_INSTRUCTIONS_MAX }
    }
}

impl Cost {
    /// For a server that real clients talk to: the clock is theirs. Lua takes not much less than a real machine does, as clients
    /// have real timeouts; what is missing is room for running a script again whenever somebody looks.
    pub const REAL_TIME: Self =
        Self { command: Micros(0), instructions_per_micro: 100, instructions_max: SCRIPT_INSTRUCTIONS_MAX };

    /// The time that so many instructions take.
    pub fn script(&self, instructions: u64) -> Micros {
        Micros(instructions / self.instructions_per_micro)
    }

    /// The instructions that fit in a span.
    pub fn instructions(&self, span: Micros) -> u64 {
        span.0.saturating_mul(self.instructions_per_micro)
    }
}
