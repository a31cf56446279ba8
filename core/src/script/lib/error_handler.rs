//! `__redis__err__handler`: turns whatever a script has raised into a table `{err=…, source=…, line=…}`.
//!
//! It is the message handler that Redis runs scripts with, and scripts can call it. Behaves as the Lua function it is in
//! Redis, down to the complaint about a read-only table.

use std::ffi::{CStr, c_int};

use mlua::ffi::{lua_Debug, lua_getinfo, lua_getstack};

use super::Libraries;
use super::base::push_text;
use super::readonly;
use super::stack::{Stack, function};

/// Pushes the handler.
pub(in crate::script) fn push(lua: Stack, libraries: *mut Libraries) {
    lua.push_light(libraries.cast());
    lua.push_closure(function(error_handler), 1);
}

fn error_handler(lua: Stack) -> c_int {
    lua.set_top(1);
    if !lua.is_table(1) {
        lua.push_table(0, 3);
        lua.push_bytes(b"ERR ");
        push_text(lua, 1);
        lua.concat(2);
        lua.set_field(-2, c"err");
        lua.replace(1);
    }
    if readonly::resolve(lua, 1) {
        // The handler itself fails, and then handles that.
        lua.push_table(0, 3);
        lua.push_bytes(b"ERR err_handler_def:10: Attempt to modify a readonly table");
        lua.set_field(-2, c"err");
        lua.push_bytes(b"@err_handler_def");
        lua.set_field(-2, c"source");
        lua.push_number(10.0);
        lua.set_field(-2, c"line");
        return 1;
    }
    if let Some(place) = place_of_error(lua) {
        // SAFETY: the debug record's source is a NUL-terminated string of the VM.
        lua.push_bytes(unsafe { CStr::from_ptr(place.source) }.to_bytes());
        lua.set_field(1, c"source");
        lua.push_number(place.currentline.into());
        lua.set_field(1, c"line");
    }
    lua.set_top(1);
    1
}

/// The function that raised, or the one that called it where that was a C function.
fn place_of_error(lua: Stack) -> Option<lua_Debug> {
    let place = frame(lua, 1)?;
    // SAFETY: as above, `what` is a C string.
    if unsafe { CStr::from_ptr(place.what) } == c"C" { frame(lua, 2) } else { Some(place) }
}

fn frame(lua: Stack, level: c_int) -> Option<lua_Debug> {
    // SAFETY: Lua fills the record, all of whose fields may be zero, when there is such a level.
    unsafe {
        let mut record: lua_Debug = std::mem::zeroed();
        if lua_getstack(lua.state(), level, &mut record) == 0 {
            return None;
        }
        lua_getinfo(lua.state(), c"nSl".as_ptr(), &mut record);
        Some(record)
    }
}
