//! Raising Lua errors from Rust.
//!
//! Invariant: `lua_error` jumps over Rust frames without running destructors (longjmp natively, an exception
//! in WebAssembly). So every C function is an outer shim that owns nothing with a destructor and an inner
//! function that returns `Result<c_int, Raise>`; the shim raises after the inner one has returned.
//! Lua's allocator never fails here (no memory limit is set on it), so plain pushes do not raise.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use super::convert::COUNTED;

/// An error to raise.
pub(crate) enum Raise {
    /// A table `{err = text}`, the form that Redis's own API raises.
    Table(Vec<u8>),
    /// As `Table`, from a command that failed, which was counted then.
    Counted(Vec<u8>),
}

/// Pushes the error and raises it; for the end of a shim.
///
/// # Safety
/// `state` is a valid state inside a protected call, and no value with a destructor lives in the frames that
/// are jumped over.
pub(crate) unsafe fn finish(state: *mut lua_State, result: Result<c_int, Raise>) -> c_int {
    match result {
        Ok(count) => count,
        Err(raise) => {
            // SAFETY: the error value is on the stack and `raise` has been consumed by then.
            unsafe {
                push(state, raise);
                ffi::lua_error(state)
            }
        }
    }
}

/// Pushes the error.
///
/// # Safety
/// `state` is valid with three free slots.
pub(crate) unsafe fn push(state: *mut lua_State, raise: Raise) {
    // SAFETY: the caller promises a valid state; C functions have LUA_MINSTACK free slots.
    unsafe {
        match raise {
            Raise::Table(text) => push_error_table(state, &text),
            Raise::Counted(text) => push_counted_error(state, &text),
        }
    }
}

/// Pushes `{err = text}`.
///
/// # Safety
/// `state` is valid with two free slots.
pub(crate) unsafe fn push_error_table(state: *mut lua_State, text: &[u8]) {
    // SAFETY: as promised by the caller.
    unsafe {
        ffi::lua_createtable(state, 0, 1);
        push_bytes(state, text);
        set_field(state, c"err");
    }
}

/// Pushes the table of a command's error, with the mark that the statistics know of it.
///
/// # Safety
/// `state` is valid with three free slots.
pub(crate) unsafe fn push_counted_error(state: *mut lua_State, text: &[u8]) {
    // SAFETY: as promised by the caller.
    unsafe {
        push_error_table(state, text);
        ffi::lua_pushboolean(state, 1);
        set_field(state, COUNTED);
    }
}

/// Pushes a Lua string of these bytes.
///
/// # Safety
/// `state` is valid with a free slot.
pub(crate) unsafe fn push_bytes(state: *mut lua_State, bytes: &[u8]) {
    // SAFETY: pointer and length belong to `bytes`; Lua copies them.
    unsafe { ffi::lua_pushlstring(state, bytes.as_ptr().cast(), bytes.len()) };
}

/// The bytes of the string at `index`; None for anything else (numbers are not converted).
///
/// # Safety
/// `state` is valid; the slice lives only while the value stays on the stack.
pub(crate) unsafe fn string_at<'a>(state: *mut lua_State, index: c_int) -> Option<&'a [u8]> {
    // SAFETY: lua_tolstring gives a pointer that is valid while the string is reachable.
    unsafe {
        if ffi::lua_type(state, index) != ffi::LUA_TSTRING {
            return None;
        }
        let mut len = 0;
        let text = ffi::lua_tolstring(state, index, &mut len);
        Some(std::slice::from_raw_parts(text.cast(), len))
    }
}

/// Pops the value on top into the field `name` of the table below it, raw.
///
/// # Safety
/// `state` is valid, a table stands at -2, and there is a free slot.
pub(crate) unsafe fn set_field(state: *mut lua_State, name: &CStr) {
    // SAFETY: as promised by the caller.
    unsafe {
        push_bytes(state, name.to_bytes());
        ffi::lua_insert(state, -2);
        ffi::lua_rawset(state, -3);
    }
}
