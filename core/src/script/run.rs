//! One run of a script or function: what it may use up, what it has done, and who answers its `redis.call`.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use crate::Bytes;
use crate::limits::HOOK_INSTRUCTIONS;
use crate::lua::LuaValue;
use crate::resp::{Protocol, Reply};
use crate::state::State;

use super::engine::Inner;
use super::raise::push_error_table;
use super::trace::{self, Tracer};

/// Why `redis.acl_check_cmd` has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AclCheckError {
    UnknownCommand,
    /// Told from 8.4 on; before, a command that is not whole is allowed.
    WrongArity,
}

/// The server as a script sees it.
pub trait Caller {
    /// Runs a command for `redis.call` and `redis.pcall`. With `before_write_only` a command that writes is not
    /// run: None. `elapsed` is the number of instructions the script has used so far.
    fn call(&mut self, argv: Vec<Bytes>, protocol: Protocol, elapsed: u64) -> Option<Reply>;

    /// Whether the script has run a write command: from then on it can't be killed.
    fn has_written(&self) -> bool;

    /// The server as it is by now, for whoever looks into the run.
    fn state(&self) -> &State;

    /// Processor time that the server has spent so far, in microseconds, `elapsed` instructions into the script: `os.clock`.
    fn cpu_micros(&self, elapsed: u64) -> u64;

    /// `redis.log`; levels are 0 debug, 1 verbose, 2 notice, 3 warning.
    fn log(&mut self, level: u8, text: Bytes);

    /// Whether [`Caller::returned`] is of use to anybody.
    fn wants_value(&self) -> bool {
        false
    }

    /// The script has ended without an error and hands back this.
    fn returned(&mut self, _: LuaValue, _: Protocol) {}

    /// `redis.acl_check_cmd`; an error where the command is not known.
    fn acl_check(&mut self, argv: &[Bytes]) -> Result<bool, AclCheckError>;
}

/// How far a run may go, in Lua VM instructions since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Stop here, unless the script has written by then.
    pub stop_at: Option<u64>,
    /// SCRIPT KILL arrives here: an error is raised that one `pcall` can catch, and again on every new line.
    pub kill_at: Option<u64>,
    /// Stop before the first command that writes.
    pub stop_before_write: bool,
    /// Stop here in any case: what FUNCTION LOAD's time limit is made of.
    pub abort_at: Option<u64>,
    /// Past this the script is taken as one that never ends.
    pub endless_at: Option<u64>,
}

/// Why a run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `stop_at` was reached.
    Budget,
    /// A write command was about to run under `stop_before_write`.
    Write,
    /// `endless_at` was reached.
    Endless,
    Aborted,
    /// Whoever looked into the run has seen enough.
    Seen,
}

/// An error in a script's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorSent {
    pub line: Vec<u8>,
    /// A command that the script called has failed with it, and that was counted then.
    pub counted: bool,
}

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    Finished {
        reply: Reply,
        instructions: u64,
        /// The errors in the reply, at any depth.
        errors: Vec<ErrorSent>,
    },
    /// The script raised what the servers before 8.0 fail to take: their process ends.
    Crashed,
    /// Whatever the script did since has to be undone or forgotten by the caller.
    Stopped { why: Stop, instructions: u64 },
}

/// The state of the run that is under way.
pub(crate) struct Run<'a> {
    pub caller: &'a mut dyn Caller,
    pub budget: Budget,
    pub instructions: u64,
    /// What the script chose with `redis.setresp`.
    pub protocol: Protocol,
    pub stopped: Option<Stop>,
    pub killed: bool,
    /// Looks into the run.
    pub trace: Option<&'a mut Tracer>,
    /// A condition is evaluated, which must not change anything.
    pub refuse_calls: bool,
}

impl<'a> Run<'a> {
    pub(crate) fn new(caller: &'a mut dyn Caller, budget: Budget) -> Self {
        Self {
            caller,
            budget,
            instructions: 0,
            protocol: Protocol::Resp2,
            stopped: None,
            killed: false,
            trace: None,
            refuse_calls: false,
        }
    }

    /// Looks at the budget after another `steps` instructions.
    fn advance(&mut self, steps: u64) -> After {
        self.instructions += steps;
        let reached = |limit: Option<u64>| limit.is_some_and(|limit| self.instructions >= limit);
        let stop = if reached(self.budget.abort_at) {
            Some(Stop::Aborted)
        } else if reached(self.budget.stop_at) && !self.caller.has_written() {
            Some(Stop::Budget)
        } else if reached(self.budget.endless_at) && !reached(self.budget.kill_at) {
            // A script that counts as endless can still be killed.
            Some(Stop::Endless)
        } else {
            None
        };
        self.stopped = self.stopped.or(stop);
        if self.stopped.is_some() {
            After::Stop
        } else if reached(self.budget.kill_at) {
            After::Kill
        } else {
            After::GoOn
        }
    }
}

/// How a run goes on after its budget was looked at.
pub(super) enum After {
    GoOn,
    Stop,
    Kill,
}

/// What SCRIPT KILL and FUNCTION KILL leave in the victim's reply.
const KILLED: &[u8] = b"ERR Script killed by user with SCRIPT KILL...";

/// Starts counting on the main thread; coroutines inherit the hook from whoever creates them.
///
/// # Safety
/// `state` is valid.
pub(crate) unsafe fn start_counting(state: *mut lua_State) {
    // SAFETY: as promised by the caller.
    unsafe { ffi::lua_sethook(state, Some(count_hook), ffi::LUA_MASKCOUNT, HOOK_INSTRUCTIONS as c_int) };
}

/// Runs every [`HOOK_INSTRUCTIONS`] in each Lua thread.
unsafe extern "C-unwind" fn count_hook(state: *mut lua_State, _: *mut ffi::lua_Debug) {
    // SAFETY: the engine outlives its Lua state and `run` is set while Lua runs; nothing here has a destructor.
    unsafe {
        let Some(run) = Inner::from_registry(state).run() else { return };
        match count_whole(state, run) {
            After::GoOn => {}
            After::Stop => raise_stop(state),
            After::Kill => raise_kill(state),
        }
    }
}

/// Takes in another [`HOOK_INSTRUCTIONS`] of this thread. Raises nothing.
///
/// # Safety
/// `state` is a coroutine of the VM that `run` runs on.
pub(super) unsafe fn count_whole(state: *mut lua_State, run: &mut Run<'_>) -> After {
    // A stopped run is looked at on every instruction, which counts nothing.
    let steps = if run.stopped.is_some() || run.killed { 0 } else { HOOK_INSTRUCTIONS };
    let after = run.advance(steps);
    if matches!(after, After::Kill) {
        // SAFETY: as promised by the caller.
        unsafe { kill_lines(state, run) };
    }
    after
}

/// From now on each new line raises again: one pcall survives, a loop around it does not.
unsafe fn kill_lines(state: *mut lua_State, run: &mut Run<'_>) {
    run.killed = true;
    // SAFETY: sets a hook of this thread.
    unsafe {
        if trace::is_tracing(run) {
            trace::kill_lines(state);
        } else {
            ffi::lua_sethook(state, Some(kill_hook), ffi::LUA_MASKLINE, 0);
        }
    }
}

/// Counts work that C functions do and the hook does not see. False: the run must end, and the error value that is to
/// be raised is on the stack.
///
/// # Safety
/// `state` is valid with three free slots.
pub(crate) unsafe fn charge(state: *mut lua_State, instructions: u64) -> bool {
    // SAFETY: as in `count_hook`.
    unsafe {
        let Some(run) = Inner::from_registry(state).run() else { return true };
        match run.advance(instructions) {
            After::GoOn => true,
            After::Stop => {
                ffi::lua_sethook(state, Some(count_hook), ffi::LUA_MASKCOUNT, 1);
                ffi::lua_pushnil(state);
                false
            }
            After::Kill => {
                kill_lines(state, run);
                push_error_table(state, KILLED);
                false
            }
        }
    }
}

/// Processor time as `os.clock` tells it, in microseconds: the script's own work so far.
///
/// # Safety
/// `state` is valid with one free slot.
pub(crate) unsafe fn cpu_micros(state: *mut lua_State) -> u64 {
    // SAFETY: as in `count_hook`.
    unsafe { Inner::from_registry(state).run().map_or(0, |run| run.caller.cpu_micros(run.instructions)) }
}

unsafe extern "C-unwind" fn kill_hook(state: *mut lua_State, _: *mut ffi::lua_Debug) {
    // SAFETY: as in `count_hook`.
    unsafe { raise_kill(state) };
}

/// Raises what a KILL leaves in the victim's reply.
///
/// # Safety
/// As for [`raise_stop`].
pub(super) unsafe fn raise_kill(state: *mut lua_State) {
    // SAFETY: hooks have LUA_MINSTACK free slots.
    unsafe {
        push_error_table(state, KILLED);
        ffi::lua_error(state);
    }
}

/// Ends a run for good: the hook comes back on every single instruction, so that no `pcall` gets further.
///
/// # Safety
/// `state` is valid and no value with a destructor lives in the frames that are jumped over.
pub(crate) unsafe fn raise_stop(state: *mut lua_State) -> ! {
    // SAFETY: as promised by the caller.
    unsafe {
        ffi::lua_sethook(state, Some(count_hook), ffi::LUA_MASKCOUNT, 1);
        ffi::lua_pushnil(state);
        ffi::lua_error(state)
    }
}
