//! `os`: `os.clock` alone, and that since Redis 7.4.

use std::ffi::c_int;

use super::Libraries;
use super::stack::{Stack, function};

/// Leaves the library's table on the stack.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_table(0, 1);
    lua.push_light(libraries.cast());
    lua.set_function(c"clock", function(clock), 1);
    lua.pop(1);
}

/// Seconds of processor time, to the microsecond.
fn clock(lua: Stack) -> c_int {
    // SAFETY: the engine keeps the library state in place while the VM lives; the hook only reads the engine's counters.
    let micros = unsafe { ((*lua.libraries()).hooks.cpu_micros)(lua.state()) };
    lua.push_number(micros as f64 / 1e6);
    1
}
