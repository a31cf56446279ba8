//! The hook of a traced run, and what it does at a point.
//!
//! Errors jump over Rust frames (see `raise.rs`), so each hook does its work in a function that has returned before
//! anything is raised.

use std::ffi::{c_char, c_int};
use std::rc::Rc;

use mlua::ffi::{self, lua_Debug, lua_State};

use crate::Bytes;
use crate::limits::HOOK_INSTRUCTIONS;
use crate::lua::LuaValue;
use crate::resp::Reply;

use super::super::describe::describe;
use super::super::engine::Inner;
use super::super::run::{After, Run, Stop, count_whole, raise_kill, raise_stop};
use super::frame::{is_script, stack};
use super::{Breakpoint, Call, Frame, Job, Point, PointKind, Tracer, eval};

/// The length of `short_src` as Lua is built here.
const LUA_IDSIZE: usize = 60;

/// `lua_Debug` with the member that Lua's header calls private: the number of the active function in its coroutine.
#[repr(C)]
struct Record {
    event: c_int,
    names: [*const c_char; 4],
    lines: [c_int; 4],
    short_src: [c_char; LUA_IDSIZE],
    active: c_int,
}

const _: () = assert!(size_of::<Record>() == size_of::<lua_Debug>());

/// The number of the active function that a record is of: the outermost one of its coroutine has 1.
unsafe fn active(record: *const lua_Debug) -> u32 {
    // SAFETY: the two have one layout; Lua 5.1.5, which is built in, writes this member first of all.
    unsafe { (*record.cast::<Record>()).active.max(0) as u32 }
}

pub(in crate::script) fn is_tracing(run: &Run<'_>) -> bool {
    run.trace.is_some()
}

/// Starts tracing on the main thread; coroutines inherit the hook.
///
/// # Safety
/// `state` is valid, and `run` is its run.
pub(in crate::script) unsafe fn begin(state: *mut lua_State, run: &Run<'_>) {
    // SAFETY: as promised by the caller.
    unsafe {
        if run.trace.as_ref().is_some_and(|tracer| tracer.asleep.is_some()) {
            ffi::lua_sethook(state, Some(asleep_hook), ffi::LUA_MASKCOUNT, HOOK_INSTRUCTIONS as c_int);
        } else {
            look_at_all(state);
        }
    }
}

unsafe fn look_at_all(state: *mut lua_State) {
    let mask = ffi::LUA_MASKCOUNT | ffi::LUA_MASKLINE | ffi::LUA_MASKCALL;
    // SAFETY: `state` is valid.
    unsafe { ffi::lua_sethook(state, Some(trace_hook), mask, 1) };
}

/// From now on each new line of this coroutine is a point and raises a KILL again.
///
/// # Safety
/// `state` is valid, and its run has a tracer.
pub(in crate::script) unsafe fn kill_lines(state: *mut lua_State) {
    // SAFETY: as promised by the caller; nothing is raised here.
    unsafe {
        ffi::lua_sethook(state, Some(trace_killed_hook), ffi::LUA_MASKLINE, 0);
        if let Some(tracer) = Inner::from_registry(state).run().and_then(|run| run.trace.as_deref_mut()) {
            let last = tracer.seen.saturating_sub(1);
            tracer.killed_at.get_or_insert(last);
        }
    }
}

unsafe extern "C-unwind" fn trace_hook(state: *mut lua_State, record: *mut lua_Debug) {
    // SAFETY: as for the hooks of `run.rs`; `turn` owns everything and has returned before anything is raised.
    unsafe {
        match turn(state, record) {
            After::GoOn => {}
            After::Stop => raise_stop(state),
            After::Kill => raise_kill(state),
        }
    }
}

/// In a coroutine in which a KILL was raised.
unsafe extern "C-unwind" fn trace_killed_hook(state: *mut lua_State, record: *mut lua_Debug) {
    // SAFETY: as for `trace_hook`.
    unsafe {
        match turn(state, record) {
            After::Stop => raise_stop(state),
            After::GoOn | After::Kill => raise_kill(state),
        }
    }
}

/// As long as nothing is looked at: as often as in a run that is not traced.
unsafe extern "C-unwind" fn asleep_hook(state: *mut lua_State, record: *mut lua_Debug) {
    // SAFETY: as for `trace_hook`.
    unsafe {
        match wake_in_time(state, record) {
            After::GoOn => {}
            After::Stop => raise_stop(state),
            After::Kill => raise_kill(state),
        }
    }
}

unsafe fn wake_in_time(state: *mut lua_State, record: *mut lua_Debug) -> After {
    // SAFETY: as for `turn`.
    unsafe {
        let Some(run) = Inner::from_registry(state).run() else { return After::GoOn };
        let after = count_whole(state, run);
        let Some(tracer) = run.trace.as_deref_mut() else { return after };
        tracer.turns += 1;
        let Some(milestone) = tracer.asleep.filter(|milestone| milestone.turns == tracer.turns) else {
            return after;
        };
        tracer.asleep = None;
        tracer.seen = milestone.seen;
        tracer.threads.enter(state, active(record));
        look_at_all(state);
        // The VM has made up its mind not to tell of the line that may begin here.
        if milestone.at_line {
            ffi::lua_getinfo(state, c"l".as_ptr(), record);
            return line(state, &mut *record, run);
        }
        after
    }
}

unsafe fn turn(state: *mut lua_State, record: *mut lua_Debug) -> After {
    // SAFETY: `run` is set while Lua runs; Lua gives the hook a record of the active function.
    unsafe {
        let Some(run) = Inner::from_registry(state).run() else { return After::GoOn };
        let Some(tracer) = run.trace.as_deref_mut() else { return After::GoOn };
        let top = active(record);
        tracer.threads.enter(state, top);
        match (*record).event {
            ffi::LUA_HOOKCALL if top == 1 => tracer.threads.begin(),
            ffi::LUA_HOOKCOUNT if tracer.threads.count() => {
                let after = count_whole(state, run);
                if let (After::GoOn, Some(tracer)) = (&after, run.trace.as_deref_mut()) {
                    tracer.pass_milestone();
                }
                return after;
            }
            ffi::LUA_HOOKLINE => {
                tracer.begin_line();
                return line(state, &mut *record, run);
            }
            _ => {}
        }
        tracer.is_there = false;
        After::GoOn
    }
}

unsafe fn line(state: *mut lua_State, record: &mut lua_Debug, run: &mut Run<'_>) -> After {
    // SAFETY: the record is that of the active function.
    unsafe { ffi::lua_getinfo(state, c"S".as_ptr(), record) };
    let Some(tracer) = run.trace.as_deref() else { return After::GoOn };
    let point = Point {
        kind: PointKind::Line,
        line: u32::try_from(record.currentline).unwrap_or(0),
        in_script: is_script(record),
        depth: tracer.threads.depth(),
        calls: tracer.calls,
        instructions: run.instructions + tracer.threads.uncharged(),
    };
    // SAFETY: as for `turn`.
    unsafe { pass(state, point, run) }
}

/// The server has answered a call whose result, or the error to be raised, is on top of the stack. True: the run ends here.
///
/// # Safety
/// `state` runs `redis.call` or `redis.pcall` in a run with a tracer; nothing else borrows the run.
pub(in crate::script) unsafe fn called(
    state: *mut lua_State,
    argv: Vec<Bytes>,
    reply: Reply,
    raised: bool,
) -> bool {
    // SAFETY: level 0 is the function itself, 1 is whoever called it.
    unsafe {
        let Some(run) = Inner::from_registry(state).run() else { return false };
        let mut record = std::mem::zeroed::<lua_Debug>();
        let has_caller = ffi::lua_getstack(state, 1, &mut record) != 0;
        if has_caller {
            ffi::lua_getinfo(state, c"Sl".as_ptr(), &mut record);
        }
        let line = if has_caller { u32::try_from(record.currentline).unwrap_or(0) } else { 0 };
        let (instructions, protocol) = (run.instructions, run.protocol);
        let Some(tracer) = run.trace.as_deref_mut() else { return false };
        if tracer.wants_calls() {
            let value = describe(state);
            tracer.remember(Call { number: tracer.calls, line, argv, reply, protocol, value, raised });
        }
        tracer.calls += 1;
        if tracer.asleep.is_some() {
            return false;
        }
        let mut own = std::mem::zeroed::<lua_Debug>();
        ffi::lua_getstack(state, 0, &mut own);
        tracer.threads.enter(state, active(&own));
        let point = Point {
            kind: PointKind::Call,
            line,
            in_script: has_caller && is_script(&record),
            depth: tracer.threads.depth(),
            calls: tracer.calls,
            instructions: instructions + tracer.threads.uncharged(),
        };
        matches!(pass(state, point, run), After::Stop)
    }
}

/// The script has ended, and its result or error is on top.
///
/// # Safety
/// `state` is valid with a value on top.
pub(in crate::script) unsafe fn returned(state: *mut lua_State, run: &mut Run<'_>) {
    if let Some(tracer) = run.trace.as_deref_mut() {
        // SAFETY: as promised by the caller.
        tracer.result = Some(unsafe { describe(state) });
    }
}

/// Does the job at a point.
unsafe fn pass(state: *mut lua_State, point: Point, run: &mut Run<'_>) -> After {
    let Some(tracer) = run.trace.take() else { return After::GoOn };
    let number = tracer.seen;
    tracer.seen += 1;
    // SAFETY: the tracer is put aside, so that expressions are not traced.
    let goes_on = unsafe { work(state, number, point, tracer, run) };
    run.trace = Some(tracer);
    if goes_on {
        return After::GoOn;
    }
    run.stopped = Some(Stop::Seen);
    After::Stop
}

/// False where the job is done.
unsafe fn work(
    state: *mut lua_State,
    number: usize,
    point: Point,
    tracer: &mut Tracer,
    run: &mut Run<'_>,
) -> bool {
    let Tracer { job, threads, recent, state: kept, .. } = tracer;
    match job {
        Job::End => true,
        Job::List { points, limit } => {
            if points.len() == *limit {
                return false;
            }
            points.push(point);
            true
        }
        Job::Show { range, frames } => {
            if range.contains(&number) {
                // The state changes with calls only.
                let known = kept.take().filter(|(calls, _)| *calls == point.calls);
                let known = known.unwrap_or_else(|| (point.calls, Rc::new(run.caller.state().clone())));
                let seen = Rc::clone(&known.1);
                *kept = Some(known);
                // SAFETY: the coroutines wait for each other, and the hook was called in the first.
                let (stack, cut) = unsafe { stack(threads.chain()) };
                frames.push(Frame {
                    point,
                    stack,
                    cut,
                    calls: recent.iter().cloned().collect(),
                    state: seen,
                });
            }
            number + 1 < range.end
        }
        Job::Find { range, breakpoints, last, found } => {
            let is_hit = range.contains(&number) && point.in_script && point.kind == PointKind::Line;
            run.refuse_calls = true;
            // SAFETY: the tracer is put aside.
            if is_hit && unsafe { holds(state, point.line, breakpoints) } {
                *found = Some(number);
            }
            run.refuse_calls = false;
            (*last || found.is_none()) && number + 1 < range.end
        }
        Job::Evaluate { at, level, expressions, values } => {
            if number == *at {
                let threads: Vec<_> = threads.chain().collect();
                // SAFETY: the tracer is put aside.
                let results =
                    expressions.iter().map(|text| unsafe { evaluate(state, &threads, *level, text) });
                values.extend(results);
            }
            number < *at
        }
    }
}

/// As `if` takes it.
fn is_true(value: &LuaValue) -> bool {
    !matches!(value, LuaValue::Nil | LuaValue::Boolean(false))
}

/// Whether one of the breakpoints of this line holds. A condition that fails does not.
unsafe fn holds(state: *mut lua_State, line: u32, breakpoints: &[Breakpoint]) -> bool {
    breakpoints.iter().filter(|breakpoint| breakpoint.line == line).any(|breakpoint| {
        let Some(condition) = &breakpoint.condition else { return true };
        // SAFETY: as promised by the caller.
        unsafe { evaluate(state, &[state], 0, condition) }.is_ok_and(|value| is_true(&value))
    })
}

/// Evaluates an expression in the Lua function `level` levels out, or in the next Lua function behind it.
unsafe fn evaluate(
    state: *mut lua_State,
    threads: &[*mut lua_State],
    level: usize,
    expression: &[u8],
) -> Result<LuaValue, String> {
    let mut passed = 0;
    for thread in threads {
        for number in 0.. {
            // SAFETY: the record is written by lua_getstack before anything reads it.
            unsafe {
                let mut record = std::mem::zeroed::<lua_Debug>();
                if ffi::lua_getstack(*thread, number, &mut record) == 0 {
                    break;
                }
                ffi::lua_getinfo(*thread, c"S".as_ptr(), &mut record);
                let what = std::ffi::CStr::from_ptr(record.what);
                passed += 1;
                if passed > level && (what == c"main" || what == c"Lua") {
                    return eval::evaluate(state, *thread, &mut record, expression);
                }
            }
        }
    }
    Err("no Lua function is active".to_owned())
}
