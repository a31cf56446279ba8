//! Read-only tables on a stock Lua 5.1: real Redis has patched its Lua for them.
//!
//! A read-only table is seen through its *proxy*: an empty table whose metatable finds everything in the real table
//! (`__index`) and refuses every write (`__newindex`). Scripts hold proxies only; `base.rs` and `tables.rs` replace the
//! functions that look at tables without metamethods, so that nobody sees the difference.
//!
//! Invariants: a proxy stays empty; its metatable is never handed to a script; a real table has one proxy.

use std::ffi::{c_int, c_void};

use mlua::ffi::LUA_REGISTRYINDEX;

use super::stack::{Stack, function};

/// What both a write by a script and a refused call of a C function say.
const REFUSED: &[u8] = b"Attempt to modify a readonly table";

static KEYS: [u8; 2] = [0; 2];

/// In a proxy's metatable: the real table. No script can make this key.
fn real_key() -> *mut c_void {
    (&raw const KEYS[0]).cast_mut().cast()
}

/// In the registry: a table that leads from real tables to their proxies.
fn proxies_key() -> *mut c_void {
    (&raw const KEYS[1]).cast_mut().cast()
}

/// Replaces the table on top by its proxy; a proxy stays what it is.
pub(in crate::script) fn make_readonly(lua: Stack) {
    let table = lua.top();
    if is_proxy(lua, table) {
        return;
    }
    if visible(lua, table) {
        return lua.replace(table);
    }
    lua.push_table(0, 0);
    lua.push_table(0, 3);
    lua.push_light(real_key());
    lua.copy(table);
    lua.raw_set(-3);
    lua.copy(table);
    lua.set_field(-2, c"__index");
    lua.set_function(c"__newindex", function(refuse), 0);
    lua.set_metatable(-2);
    show_as(lua, table, -1);
    lua.replace(table);
}

/// From now on `getmetatable` shows the table at `shown` where it finds the one at `table` (an absolute index).
pub(in crate::script) fn show_as(lua: Stack, table: c_int, shown: c_int) {
    lua.copy(shown);
    lua.push_light(proxies_key());
    lua.raw_get(LUA_REGISTRYINDEX);
    if lua.is_nil(-1) {
        lua.pop(1);
        lua.push_table(0, 16);
        lua.push_light(proxies_key());
        lua.copy(-2);
        lua.raw_set(LUA_REGISTRYINDEX);
    }
    lua.insert(-2);
    lua.copy(table);
    lua.insert(-2);
    lua.raw_set(-3);
    lua.pop(1);
}

/// Pushes what scripts are shown instead of the value at `index` (absolute), or nothing.
pub(super) fn visible(lua: Stack, index: c_int) -> bool {
    lua.push_light(proxies_key());
    lua.raw_get(LUA_REGISTRYINDEX);
    if lua.is_table(-1) {
        lua.copy(index);
        lua.raw_get(-2);
        lua.remove(-2);
        if !lua.is_nil(-1) {
            return true;
        }
    }
    lua.pop(1);
    false
}

/// Puts the real table in the place of a proxy at `index` (absolute); answers whether it was one. Cheap for any table
/// without a metatable.
pub(in crate::script) fn resolve(lua: Stack, index: c_int) -> bool {
    let proxy = is_proxy_pushing(lua, index);
    if proxy {
        lua.replace(index);
    }
    proxy
}

/// Raises where the table at `index` is a proxy. Without position, as the server's C functions do.
pub(super) fn check_writable(lua: Stack, index: c_int) {
    if is_proxy(lua, index) {
        lua.raise_bare(&[REFUSED]);
    }
}

fn is_proxy(lua: Stack, index: c_int) -> bool {
    let proxy = is_proxy_pushing(lua, index);
    if proxy {
        lua.pop(1);
    }
    proxy
}

/// Pushes the real table behind a proxy, or nothing.
fn is_proxy_pushing(lua: Stack, index: c_int) -> bool {
    if !lua.metatable(index) {
        return false;
    }
    lua.push_light(real_key());
    lua.raw_get(-2);
    lua.remove(-2);
    let proxy = lua.is_table(-1);
    if !proxy {
        lua.pop(1);
    }
    proxy
}

/// `__newindex` of every proxy.
fn refuse(lua: Stack) -> c_int {
    lua.raise(&[REFUSED])
}

/// Gives the table on top a metatable that raises for every name it does not have: the globals, and the `redis` table
/// while a library loads.
pub(in crate::script) fn make_strict(lua: Stack) {
    push_metatable(lua);
    lua.set_function(c"__index", function(nonexistent), 0);
    lua.set_metatable(-2);
}

/// Pushes a new metatable that scripts are shown read-only.
pub(in crate::script) fn push_metatable(lua: Stack) {
    lua.push_table(0, 1);
    lua.copy(-1);
    make_readonly(lua);
    lua.pop(1);
}

/// Scripts can get hold of this function, so that it must stand any arguments.
fn nonexistent(lua: Stack) -> c_int {
    if lua.top() != 2 {
        lua.raise(&[b"Wrong number of arguments to luaProtectedTableError"]);
    }
    if !lua.is_string(2) {
        lua.raise(&[b"Second argument to luaProtectedTableError must be a string or number"]);
    }
    let name = super::stack::until_nul(lua.bytes(2).unwrap_or_default());
    lua.raise(&[b"Script attempted to access nonexistent global variable '", name, b"'"])
}
