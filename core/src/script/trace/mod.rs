//! Looking into a run: the lines it passes, its calls of the server, and the Lua values at a point of it.
//!
//! Lua 5.1 can't be parked in the middle of a script, so every look is a run of its own from the script's start, with one
//! [`Job`]. It knows neither servers nor timelines: whoever owns the start state gives each run a copy of it.
//!
//! A run that is to be seen from some way on is joined at a [`Milestone`], which listing has found on the way: up to there the
//! VM is as fast as ever.
//!
//! Invariants: a traced run takes the same turns, counts the same instructions and gives the same reply as one that is not
//! traced; points are numbered from 0 and are the same in each run from the same start.

mod eval;
mod frame;
mod hook;
mod threads;

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use crate::Bytes;
use crate::lua::LuaValue;
use crate::resp::{Protocol, Reply};
use crate::state::State;

pub(super) use hook::{begin, called, is_tracing, kill_lines, returned};
use threads::Threads;

/// Calls that are told with a frame: those before it are few, the newest.
const CALLS_BEFORE_MAX: usize = 50;

/// A place where a run can be looked at: a line about to be run, or a call of the server that was just answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub kind: PointKind,
    /// From 1, in the script's or library's text, where `in_script`; else in the text of a chunk that the script loaded.
    pub line: u32,
    pub in_script: bool,
    /// How many functions are active, over all coroutines that wait for each other.
    pub depth: u32,
    /// How many calls of the server have been answered, this one included.
    pub calls: u32,
    /// VM instructions since the run began, as exact as the VM counts them.
    pub instructions: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    Line,
    Call,
}

/// One call of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// From 0.
    pub number: u32,
    pub line: u32,
    pub argv: Vec<Bytes>,
    /// What the server answered, and in which protocol.
    pub reply: Reply,
    pub protocol: Protocol,
    /// What the script got of it.
    pub value: LuaValue,
    /// `value` was raised as an error.
    pub raised: bool,
}

/// All that can be seen at a point.
#[derive(Clone, Debug)]
pub struct Frame {
    pub point: Point,
    /// The innermost function first.
    pub stack: Vec<Level>,
    /// The stack is deeper than is told.
    pub cut: bool,
    /// The newest last.
    pub calls: Vec<Rc<Call>>,
    /// The server as the script has it by then.
    pub state: Rc<State>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    pub name: String,
    pub value: LuaValue,
}

/// A function that is active.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// What its caller calls it; empty where Lua can't tell.
    pub name: String,
    pub kind: LevelKind,
    /// The line it stands at; 0 for functions of the server.
    pub line: u32,
    /// Where it was written: the lines of its text, as for a point.
    pub defined: Range<u32>,
    pub in_script: bool,
    /// It is the outermost function of a coroutine: the next level has resumed it.
    pub coroutine: bool,
    pub locals: Vec<Pair>,
    pub upvalues: Vec<Pair>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelKind {
    /// The text itself.
    Main,
    Lua,
    /// A function of the server or of Lua's libraries.
    Native,
    /// One that is gone: it ended by calling the level above.
    Tail,
}

/// Where a run is to be stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    pub line: u32,
    /// A Lua expression; the run stops where it is true. It sees what a watch expression does, but calls nothing of the server.
    pub condition: Option<Bytes>,
}

/// A place where a run can be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Milestone {
    /// How often the VM has told of whole [`HOOK_INSTRUCTIONS`](crate::limits::HOOK_INSTRUCTIONS) by then.
    turns: u64,
    /// How many points were passed before.
    seen: usize,
    /// The instruction to come begins a line: it is the next point.
    at_line: bool,
}

impl Milestone {
    /// How many points were passed before.
    pub fn seen(&self) -> usize {
        self.seen
    }
}

/// What a traced run is made for.
#[derive(Debug)]
pub enum Job {
    /// Nothing but to see how it ends.
    End,
    /// Lists points, up to a number of them.
    List { points: Vec<Point>, limit: usize },
    /// Looks at some points.
    Show { range: Range<usize>, frames: Vec<Frame> },
    /// Finds the first point within `range` where a breakpoint holds, or the `last` one.
    Find { range: Range<usize>, breakpoints: Vec<Breakpoint>, last: bool, found: Option<usize> },
    /// Evaluates expressions at a point, in the function `level` levels out of the innermost one.
    Evaluate { at: usize, level: usize, expressions: Vec<Bytes>, values: Vec<Result<LuaValue, String>> },
}

/// One traced run.
#[derive(Debug)]
pub struct Tracer {
    pub job: Job,
    /// What the script returned or, failing, raised.
    pub result: Option<LuaValue>,
    /// The point at which a KILL was first raised.
    pub killed_at: Option<usize>,
    /// Where a run from the same start can be joined, of what was listed.
    pub milestones: Vec<Milestone>,
    /// How many points have been passed.
    seen: usize,
    turns: u64,
    /// The newest milestone is of the instruction that is about to run.
    is_there: bool,
    /// Nothing is looked at before.
    asleep: Option<Milestone>,
    calls: u32,
    recent: VecDeque<Rc<Call>>,
    state: Option<(u32, Rc<State>)>,
    threads: Threads,
}

impl Tracer {
    /// `from`: where the run is joined; of a run from the same start.
    pub fn new(job: Job, from: Option<Milestone>) -> Self {
        let never = Milestone { turns: u64::MAX, seen: 0, at_line: false };
        let asleep = if matches!(job, Job::End) { Some(never) } else { from };
        Self {
            job,
            result: None,
            killed_at: None,
            milestones: Vec::new(),
            seen: 0,
            turns: 0,
            is_there: false,
            asleep,
            calls: 0,
            recent: VecDeque::new(),
            state: None,
            threads: Threads::default(),
        }
    }

    /// How many points the run has passed so far.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// Whether only the main thread has run so far. Where others run too, a run cannot be joined: those from before would not
    /// be looked at.
    pub fn is_alone(&self) -> bool {
        self.threads.is_alone()
    }

    /// Takes note that the VM would have told of a whole number of instructions here.
    fn pass_milestone(&mut self) {
        self.turns += 1;
        if matches!(self.job, Job::List { .. }) {
            self.milestones.push(Milestone { turns: self.turns, seen: self.seen, at_line: false });
            self.is_there = true;
        }
    }

    /// A line begins.
    fn begin_line(&mut self) {
        if let Some(newest) = self.milestones.last_mut().filter(|_| self.is_there) {
            newest.at_line = true;
        }
    }

    fn wants_calls(&self) -> bool {
        matches!(self.job, Job::Show { .. })
    }

    fn remember(&mut self, call: Call) {
        if self.recent.len() == CALLS_BEFORE_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(Rc::new(call));
    }
}
