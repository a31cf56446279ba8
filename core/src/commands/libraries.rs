//! Function libraries in the VM: loading them, and bringing their Lua values to where a state has them.
//!
//! Invariant: what a function finds in its library's Lua values depends on the state alone, wherever the VM has been since.

use crate::Bytes;
use crate::event::ClientId;
use crate::script::{Engine, Registration, RunEnd, body_of};
use crate::state::{Library, Memory, Plan, Program, RunStart, State};

use super::script_caller::ScriptCaller;
use super::scripting;

/// Runs a library's top level. The error is what stands behind `ERR Error registering functions: `, or the compiler's.
///
/// # Errors
/// What the client is told.
pub(super) fn load(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    source: &Bytes,
    memory: &Memory,
) -> Result<Registration, Vec<u8>> {
    let mut caller = ScriptCaller {
        started_at: state.now,
        now: state.now.unix_millis(),
        engine,
        client,
        db: 0,
        read_only: true,
        stop_before_write: false,
        wrote: false,
        keys: &[],
        allow_oom: true,
        slot: None,
        cross_slot: true,
        state,
    };
    let (name, lua) = memory.loaded();
    engine.load_library(&name, body_of(source), lua, &mut caller)
}

/// Before a function is called: brings the library's Lua values to where they are in this state.
pub(super) fn recall(state: &State, engine: &Engine, client: ClientId, library: &Library) {
    let memory = &library.memory;
    if engine.has_library(memory.name()) {
        return;
    }
    let (mut name, _) = memory.loaded();
    let none = imbl::Vector::new();
    let calls = memory.calls().unwrap_or(&none);
    let known = calls.iter().rposition(|call| engine.has_library(&call.after));
    if let Some(index) = known {
        name = calls[index].after;
    } else if !engine.has_library(&name) {
        // It was loaded before, so it can be.
        let _ = load(&mut state.clone(), engine, client, &library.source, memory);
    }
    for call in calls.iter().skip(known.map_or(0, |index| index + 1)) {
        let RunStart { state, client, plan, budget } = &call.start;
        let _ = scripting::run_in(&mut state.clone(), engine, *client, plan, Some(&name), *budget, None);
        let _ = engine.library_changed(&name);
        engine.library_moved(&name, call.after);
        name = call.after;
    }
}

/// Behind a call: remembers it where it has changed the library's Lua values. `start`: from where it was made, if it counts.
pub(super) fn settle(state: &mut State, engine: &Engine, plan: &Plan, start: Option<RunStart>, end: &RunEnd) {
    let Program::Function { library, .. } = &plan.program else { return };
    let memory = &library.memory;
    let Some(reach) = engine.library_changed(memory.name()) else { return };
    let counts = matches!(end, RunEnd::Finished { .. });
    match start.filter(|_| counts).and_then(|start| state.functions.remember(start, reach)) {
        Some(after) => engine.library_moved(memory.name(), after),
        None if memory.calls().is_some() => engine.forget_library(memory.name()),
        // There is no way back to it: better one that was called once too often.
        None => {}
    }
}
