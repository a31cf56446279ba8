//! Expressions in the middle of a run: they see what the function there sees, and leave the run as it was.
//!
//! An expression runs in a coroutine of its own, since the VM calls no hook within a hook: its budget needs one.

use std::ffi::c_int;

use mlua::ffi::{self, lua_Debug, lua_State};

use crate::lua::LuaValue;

use super::super::describe::describe;
use super::super::engine::{Inner, load_text};
use super::super::raise::{push_bytes, string_at};
use super::super::run::{Budget, start_counting};

/// Instructions that an expression may take.
const INSTRUCTIONS_MAX: u64 = 1_000_000;
const VARIABLES_MAX: c_int = 260;

/// Evaluates an expression in the function of `record`. The error is Lua's message. Nothing of the run is changed but
/// what the expression itself changes in the script's tables, or in the server's state by `redis.call`.
///
/// # Safety
/// `state` is the running coroutine of the VM, `record` that of an active Lua function of `owner`, which is `state` or
/// waits for it. The run's tracer is put aside.
pub(super) unsafe fn evaluate(
    state: *mut lua_State,
    owner: *mut lua_State,
    record: &mut lua_Debug,
    expression: &[u8],
) -> Result<LuaValue, String> {
    // SAFETY: all values are pushed on and taken from a coroutine that is kept on the running stack meanwhile.
    unsafe {
        let base = ffi::lua_gettop(state);
        if ffi::lua_checkstack(state, 4) == 0 {
            return Err("the stack is full".to_owned());
        }
        let thread = ffi::lua_newthread(state);
        ffi::lua_sethook(thread, None, 0, 0);
        let result = compile(thread, expression).and_then(|()| {
            push_environment(owner, thread, record);
            ffi::lua_setfenv(thread, -2);
            guarded(thread)
        });
        ffi::lua_settop(state, base);
        result
    }
}

/// Leaves the expression as a function on the stack: a value, or else statements.
unsafe fn compile(thread: *mut lua_State, expression: &[u8]) -> Result<(), String> {
    let message = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
    // SAFETY: as for `load_text`.
    unsafe {
        let as_value = [b"return ", expression].concat();
        let first = load_text(thread, &as_value, c"=watch");
        first.or_else(|error| load_text(thread, expression, c"=watch").map_err(|_| message(error)))
    }
}

/// Pushes a table of the function's variables onto `thread`; what is not among them is looked up in its environment.
unsafe fn push_environment(owner: *mut lua_State, thread: *mut lua_State, record: &mut lua_Debug) {
    // SAFETY: the two stacks belong to one VM; every value pushed on `owner` is moved or popped.
    unsafe {
        ffi::lua_createtable(thread, 0, 8);
        ffi::lua_createtable(thread, 0, 8);
        ffi::lua_checkstack(owner, 4);
        ffi::lua_getinfo(owner, c"f".as_ptr(), record);
        for number in 1..=VARIABLES_MAX {
            let name = ffi::lua_getupvalue(owner, -1, number);
            if name.is_null() {
                break;
            }
            set_variable(owner, thread, name);
        }
        // Locals hide upvalues, and inner ones outer ones: they come last.
        for number in 1..=VARIABLES_MAX {
            let name = ffi::lua_getlocal(owner, record, number);
            if name.is_null() {
                break;
            }
            set_variable(owner, thread, name);
        }
        // The names are left as an upvalue of the look-up, behind them the environment.
        ffi::lua_getfenv(owner, -1);
        ffi::lua_xmove(owner, thread, 1);
        ffi::lua_pop(owner, 1);
        ffi::lua_pushcclosure(thread, look_up, 2);
        ffi::lua_createtable(thread, 0, 1);
        ffi::lua_insert(thread, -2);
        ffi::lua_setfield(thread, -2, c"__index".as_ptr());
        ffi::lua_setmetatable(thread, -2);
    }
}

/// Moves the value on top of `owner` into the table of variables, and its name into that of names on top of `thread`.
unsafe fn set_variable(owner: *mut lua_State, thread: *mut lua_State, name: *const std::ffi::c_char) {
    // SAFETY: the name is a C string of Lua's; neither table has a metatable yet.
    unsafe {
        let name = std::ffi::CStr::from_ptr(name).to_bytes();
        push_bytes(thread, name);
        ffi::lua_xmove(owner, thread, 1);
        ffi::lua_rawset(thread, -4);
        push_bytes(thread, name);
        ffi::lua_pushboolean(thread, 1);
        ffi::lua_rawset(thread, -3);
    }
}

/// `__index` of the variables: those that are nil stay nil, other names are looked up in the function's environment.
unsafe extern "C-unwind" fn look_up(state: *mut lua_State) -> c_int {
    // SAFETY: the upvalues are those of `push_environment`; nothing here has a destructor.
    unsafe {
        ffi::lua_settop(state, 2);
        ffi::lua_pushvalue(state, 2);
        ffi::lua_rawget(state, ffi::lua_upvalueindex(1));
        if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
            ffi::lua_pushvalue(state, 2);
            ffi::lua_gettable(state, ffi::lua_upvalueindex(2));
        } else {
            ffi::lua_pushnil(state);
        }
        1
    }
}

/// Calls the function on top of `thread` with a budget of its own, and puts back what the run keeps count of.
unsafe fn guarded(thread: *mut lua_State) -> Result<LuaValue, String> {
    // SAFETY: the engine outlives its VM; no borrow of it or of the run is alive while Lua runs.
    unsafe {
        let (kept, before) = {
            let inner = Inner::from_registry(thread);
            let Some(run) = inner.run() else { return Err("nothing runs".to_owned()) };
            let before = (run.budget, run.instructions, run.protocol, run.stopped.take(), run.killed);
            run.killed = false;
            run.budget = Budget { abort_at: Some(run.instructions + INSTRUCTIONS_MAX), ..Budget::default() };
            (inner.lib.kept.clone(), before)
        };
        start_counting(thread);
        let status = ffi::lua_pcall(thread, 0, 1, 0);
        let inner = Inner::from_registry(thread);
        inner.lib.kept = kept;
        let mut overrun = false;
        if let Some(run) = inner.run() {
            overrun = run.stopped.is_some();
            (run.budget, run.instructions, run.protocol, run.stopped, run.killed) = before;
        }
        match status {
            _ if overrun => Err(format!("it has not ended within {INSTRUCTIONS_MAX} instructions")),
            0 => Ok(describe(thread)),
            _ => Err(message(thread)),
        }
    }
}

/// The text of the error on top.
unsafe fn message(thread: *mut lua_State) -> String {
    // SAFETY: reads of the value on top; what is pushed stays on a stack that is thrown away.
    unsafe {
        if ffi::lua_type(thread, -1) == ffi::LUA_TTABLE {
            push_bytes(thread, b"err");
            ffi::lua_rawget(thread, -2);
        }
        let text = string_at(thread, -1).unwrap_or(b"an error without a text");
        String::from_utf8_lossy(text).into_owned()
    }
}
