//! The active functions of a run with their variables.

use std::ffi::{CStr, c_char, c_int};

use mlua::ffi::{self, lua_Debug, lua_State};

use super::super::describe::describe;
use super::{Level, LevelKind, Pair};

/// Functions of a stack that are told, from the innermost one.
const LEVELS_MAX: usize = 40;
/// Variables of one function: Lua's own bound on locals is 200, on upvalues 60.
const VARIABLES_MAX: c_int = 260;

/// The stack over the coroutines that wait for each other, the running one first; and whether it is deeper than is told.
///
/// # Safety
/// The states are coroutines of one VM, the first is the running one, and all are as they were when the hook was called.
pub(super) unsafe fn stack(threads: impl Iterator<Item = *mut lua_State>) -> (Vec<Level>, bool) {
    let mut levels = Vec::new();
    let mut threads = threads.peekable();
    while let Some(state) = threads.next() {
        for number in 0.. {
            // SAFETY: the record is written by lua_getstack before anything reads it.
            let record = unsafe {
                let mut record = std::mem::zeroed::<lua_Debug>();
                if ffi::lua_getstack(state, number, &mut record) == 0 {
                    break;
                }
                record
            };
            if levels.len() == LEVELS_MAX {
                return (levels, true);
            }
            // SAFETY: the record is that of an active function of this state.
            levels.push(unsafe { level(state, record) });
        }
        if let Some(last) = levels.last_mut().filter(|_| threads.peek().is_some()) {
            last.coroutine = true;
        }
    }
    (levels, false)
}

unsafe fn level(state: *mut lua_State, mut record: lua_Debug) -> Level {
    // SAFETY: the record belongs to an active function; pushed values are popped.
    unsafe {
        ffi::lua_getinfo(state, c"nSl".as_ptr(), &mut record);
        let kind = match text(record.what).as_str() {
            "main" => LevelKind::Main,
            "Lua" => LevelKind::Lua,
            "tail" => LevelKind::Tail,
            _ => LevelKind::Native,
        };
        let line = |number: c_int| u32::try_from(number).unwrap_or(0);
        let is_lua = matches!(kind, LevelKind::Main | LevelKind::Lua);
        Level {
            name: text(record.name),
            kind,
            line: line(record.currentline),
            defined: line(record.linedefined)..line(record.lastlinedefined).saturating_add(1),
            in_script: is_script(&record),
            coroutine: false,
            locals: if is_lua { locals(state, &record) } else { Vec::new() },
            upvalues: if is_lua { upvalues(state, &mut record) } else { Vec::new() },
        }
    }
}

/// Whether a function was written in the script or library itself. The record must hold its source.
pub(super) fn is_script(record: &lua_Debug) -> bool {
    if record.source.is_null() {
        return false;
    }
    // SAFETY: Lua's chunk names end with a NUL and live as long as the function.
    let source = unsafe { CStr::from_ptr(record.source) };
    source == c"@user_script" || source == c"@user_function"
}

unsafe fn locals(state: *mut lua_State, record: &lua_Debug) -> Vec<Pair> {
    let mut found = Vec::new();
    for number in 1..=VARIABLES_MAX {
        // SAFETY: a local that is there is pushed, told and popped.
        unsafe {
            let name = ffi::lua_getlocal(state, record, number);
            if name.is_null() {
                break;
            }
            let name = text(name);
            // `(*temporary)`, `(for index)` and their like have no name that a script could use.
            if !name.starts_with('(') {
                found.push(Pair { name, value: describe(state) });
            }
            ffi::lua_pop(state, 1);
        }
    }
    found
}

unsafe fn upvalues(state: *mut lua_State, record: &mut lua_Debug) -> Vec<Pair> {
    let mut found = Vec::new();
    // SAFETY: the function is pushed by "f"; each of its upvalues is told and popped, and the function last.
    unsafe {
        ffi::lua_getinfo(state, c"f".as_ptr(), record);
        for number in 1..=VARIABLES_MAX {
            let name = ffi::lua_getupvalue(state, -1, number);
            if name.is_null() {
                break;
            }
            found.push(Pair { name: text(name), value: describe(state) });
            ffi::lua_pop(state, 1);
        }
        ffi::lua_pop(state, 1);
    }
    found
}

/// A name that Lua keeps; empty where there is none.
unsafe fn text(name: *const c_char) -> String {
    if name.is_null() {
        return String::new();
    }
    // SAFETY: Lua's names end with a NUL.
    unsafe { CStr::from_ptr(name).to_string_lossy().into_owned() }
}
