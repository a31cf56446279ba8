//! Function libraries inside the VM: running a library's top level and keeping its callbacks.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use crate::Bytes;
use crate::limits::FUNCTION_LOAD_MS;
use crate::state::{Function, ScriptFlags, Sha1};

use super::engine::{Inner, load_text, protected};
use super::raise::{Raise, finish, push_bytes, string_at};
use super::reach::{self, Reach, Sealed};
use super::run::{Budget, Caller, Run};

/// Instructions that a millisecond of FUNCTION LOAD's time limit stands for.
const LOAD_INSTRUCTIONS_PER_MS: u64 = 10_000;

/// What a library has registered.
#[derive(Clone, Debug, Default)]
pub struct Registration {
    pub functions: Vec<Function>,
    callbacks: Vec<c_int>,
}

/// A library in the VM: each function's callback as a registry reference, and what they reach as it was seen last.
#[derive(Debug)]
pub(crate) struct LoadedLibrary {
    callbacks: Vec<(Bytes, c_int)>,
    reach: Reach,
}

impl LoadedLibrary {
    pub(crate) fn callback(&self, name: &[u8]) -> Option<c_int> {
        self.callbacks
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, reference)| *reference)
    }

    fn references(&self) -> impl Iterator<Item = c_int> {
        self.callbacks.iter().map(|(_, reference)| *reference)
    }

    /// Looks at what the functions reach. The fingerprint of it where it may have changed since it was looked at last.
    ///
    /// # Safety
    /// `inner` is valid and idle, and this is a library of its.
    pub(crate) unsafe fn look(&mut self, state: *mut lua_State, sealed: &Sealed) -> Option<u64> {
        // SAFETY: as promised by the caller.
        let now = unsafe { reach::reach(state, self.references(), sealed) };
        let before = std::mem::replace(&mut self.reach, now);
        (!now.is_same(&before)).then_some(now.content)
    }

    /// Lets the VM forget the library.
    ///
    /// # Safety
    /// As for [`LoadedLibrary::look`].
    pub(crate) unsafe fn release(&self, state: *mut lua_State) {
        for reference in self.references() {
            // SAFETY: the references were made by luaL_ref.
            unsafe { ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, reference) };
        }
    }
}

/// Runs a library's top level and keeps its callbacks under `memory`.
///
/// # Safety
/// `inner` is valid and idle.
pub(crate) unsafe fn load(
    inner: *mut Inner,
    memory: &Sha1,
    body: &[u8],
    caller: &mut dyn Caller,
) -> Result<Registration, Vec<u8>> {
    // SAFETY: the stack is balanced; Lua code runs only inside `protected`.
    unsafe {
        let state = (*inner).state();
        load_text(state, body, c"@user_function")
            .map_err(|text| [b"ERR Error compiling function: ", &*text].concat())?;
        (*inner).environments().use_for_library(state);
        (*inner).registration = Some(Registration::default());
        let budget =
            Budget { abort_at: Some(FUNCTION_LOAD_MS * LOAD_INSTRUCTIONS_PER_MS), ..Budget::default() };
        let mut run = Run::new(caller, budget);
        (*inner).environments().enter_library(state);
        (*inner).environments().enter_load(state);
        let status = protected(inner, 0, &mut run);
        (*inner).environments().leave_load(state);
        let registration = (*inner).registration.take().unwrap_or_default();
        let failure = if run.stopped.is_some() {
            Some(b"ERR FUNCTION LOAD timeout".to_vec())
        } else if status != 0 {
            Some(error_text(state))
        } else {
            None
        };
        ffi::lua_settop(state, 0);
        if let Some(text) = failure {
            for reference in registration.callbacks {
                ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, reference);
            }
            return Err([b"ERR Error registering functions: ", &*text].concat());
        }
        let names = registration.functions.iter().map(|function| function.name.clone());
        let callbacks = names.zip(registration.callbacks.iter().copied()).collect();
        let reach = reach::reach(state, registration.callbacks.iter().copied(), (*inner).sealed());
        (*inner).keep_library(*memory, LoadedLibrary { callbacks, reach });
        Ok(registration)
    }
}

unsafe fn error_text(state: *mut lua_State) -> Vec<u8> {
    // SAFETY: the error value is on top.
    unsafe {
        if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
            push_bytes(state, b"err");
            ffi::lua_rawget(state, -2);
        }
        super::convert::one_line(string_at(state, -1).unwrap_or(b"ERR unknown error").to_vec())
    }
}

/// `redis.register_function(name, callback)` or `redis.register_function{…}`.
pub(crate) unsafe extern "C-unwind" fn register_function(state: *mut lua_State) -> c_int {
    // SAFETY: the inner part has returned before anything is raised.
    unsafe { finish(state, register(state)) }
}

fn refuse<T>(text: &str) -> Result<T, Raise> {
    Err(Raise::Table(format!("ERR {text}").into_bytes()))
}

unsafe fn register(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: reads the arguments; the callback is stored as a registry reference.
    unsafe {
        let inner = Inner::from_upvalue(state);
        let count = ffi::lua_gettop(state);
        if count == 0 || count > 2 {
            return refuse("wrong number of arguments to redis.register_function");
        }
        let (function, callback) = if count == 1 { named_arguments(state)? } else { plain_arguments(state)? };
        let valid_name = !function.name.is_empty()
            && function.name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !valid_name {
            ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, callback);
            return refuse(
                "Library names can only contain letters, numbers, or underscores(_) and must be at least one character long",
            );
        }
        let Some(registration) = inner.registration.as_mut() else {
            return refuse("redis.register_function can only be called on FUNCTION LOAD command");
        };
        if registration.functions.iter().any(|known| known.name.eq_ignore_ascii_case(&function.name)) {
            ffi::luaL_unref(state, ffi::LUA_REGISTRYINDEX, callback);
            return refuse("Function already exists in the library");
        }
        registration.functions.push(function);
        registration.callbacks.push(callback);
        Ok(0)
    }
}

unsafe fn plain_arguments(state: *mut lua_State) -> Result<(Function, c_int), Raise> {
    // SAFETY: two arguments are on the stack.
    unsafe {
        let Some(name) = text_at(state, 1) else {
            return refuse("first argument to redis.register_function must be a string");
        };
        if ffi::lua_type(state, 2) != ffi::LUA_TFUNCTION {
            return refuse("second argument to redis.register_function must be a function");
        }
        ffi::lua_pushvalue(state, 2);
        let callback = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        Ok((Function { name, description: None, flags: ScriptFlags::default() }, callback))
    }
}

unsafe fn named_arguments(state: *mut lua_State) -> Result<(Function, c_int), Raise> {
    // SAFETY: walks over the table at 1 without changing it.
    unsafe {
        if ffi::lua_type(state, 1) != ffi::LUA_TTABLE {
            return refuse(
                "calling redis.register_function with a single argument is only applicable to Lua table (representing named arguments).",
            );
        }
        let (mut name, mut description, mut flags) = (None, None, ScriptFlags::default());
        let mut has_callback = false;
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, 1) != 0 {
            let Some(key) = string_at(state, -2) else {
                return refuse("named argument key given to redis.register_function is not a string");
            };
            if key.eq_ignore_ascii_case(b"function_name") {
                let Some(text) = text_at(state, -1) else {
                    return refuse(
                        "function_name argument given to redis.register_function must be a string",
                    );
                };
                name = Some(text);
            } else if key.eq_ignore_ascii_case(b"description") {
                let Some(text) = text_at(state, -1) else {
                    return refuse("description argument given to redis.register_function must be a string");
                };
                description = Some(text);
            } else if key.eq_ignore_ascii_case(b"callback") {
                if ffi::lua_type(state, -1) != ffi::LUA_TFUNCTION {
                    return refuse("callback argument given to redis.register_function must be a function");
                }
                has_callback = true;
            } else if key.eq_ignore_ascii_case(b"flags") {
                if ffi::lua_type(state, -1) != ffi::LUA_TTABLE {
                    return refuse(
                        "flags argument to redis.register_function must be a table representing function flags",
                    );
                }
                flags = read_flags(state)?;
            } else {
                return refuse("unknown argument given to redis.register_function");
            }
            ffi::lua_pop(state, 1);
        }
        let Some(name) = name else {
            return refuse("redis.register_function must get a function name argument");
        };
        if !has_callback {
            return refuse("redis.register_function must get a callback argument");
        }
        let callback = reference_to_field(state, c"callback");
        Ok((Function { name, description, flags }, callback))
    }
}

/// The field of the table at 1 whose name is this in any case, as a registry reference.
unsafe fn reference_to_field(state: *mut lua_State, name: &CStr) -> c_int {
    // SAFETY: walks over the table at 1.
    unsafe {
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, 1) != 0 {
            if string_at(state, -2).is_some_and(|key| key.eq_ignore_ascii_case(name.to_bytes())) {
                return ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
            }
            ffi::lua_pop(state, 1);
        }
        ffi::LUA_NOREF
    }
}

/// The flags in the array part of the table on top, up to its first nil.
unsafe fn read_flags(state: *mut lua_State) -> Result<ScriptFlags, Raise> {
    let mut flags = ScriptFlags::default();
    // SAFETY: raw reads of the table on top.
    unsafe {
        for index in 1.. {
            ffi::lua_rawgeti(state, -1, index);
            let kind = ffi::lua_type(state, -1);
            // In any case here, other than in a script's shebang.
            let known = string_at(state, -1).is_some_and(|name| flags.set(&name.to_ascii_lowercase()));
            ffi::lua_pop(state, 1);
            if kind == ffi::LUA_TNIL {
                break;
            }
            if !known {
                return refuse("unknown flag given");
            }
        }
    }
    Ok(flags)
}

/// A string or number as text, without changing the value on the stack (a key that lua_next needs).
unsafe fn text_at(state: *mut lua_State, index: c_int) -> Option<Bytes> {
    // SAFETY: a copy is converted, so that the original keeps its type.
    unsafe {
        if !matches!(ffi::lua_type(state, index), ffi::LUA_TSTRING | ffi::LUA_TNUMBER) {
            return None;
        }
        ffi::lua_pushvalue(state, index);
        ffi::lua_tolstring(state, -1, std::ptr::null_mut());
        let text = string_at(state, -1).map(Bytes::from);
        ffi::lua_pop(state, 1);
        text
    }
}
