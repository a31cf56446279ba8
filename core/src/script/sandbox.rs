//! The global environments, as each version has them: one for scripts, two for libraries (while they load, and while
//! their functions run).
//!
//! The VM must be made with the libraries `table`, `string` and `math`; base and coroutines are always there.
//!
//! Invariants: scripts see proxies of all tables (`lib::readonly`); only the engine reaches the real globals.

use std::ffi::{CStr, c_int, c_void};

use mlua::ffi::{self, LUA_GLOBALSINDEX, LUA_REGISTRYINDEX, lua_State};

use crate::Bytes;
use crate::profile::Version;

use super::api::{self, Audience};
use super::engine::{Inner, push_list};
use super::lib::stack::Stack;
use super::lib::{self, CjsonConfig, Libraries, readonly};

/// Registry references.
#[derive(Debug, Default)]
pub(crate) struct Environments {
    /// The real globals of scripts, and the proxy that scripts see.
    script_globals: c_int,
    script: c_int,
    /// What a library's code has for life as its environment: an empty table in front of one of the next two.
    library: c_int,
    load_globals: c_int,
    call_globals: c_int,
    /// The metatable whose `__index` says which.
    switch: c_int,
}

/// Makes a fresh VM's globals into Redis's.
///
/// # Safety
/// `state` is a fresh VM with base, table, string and math, `inner` outlives it.
pub(crate) unsafe fn build(state: *mut lua_State, inner: *mut Inner) -> Environments {
    // SAFETY: promised by the caller.
    let (lua, version) = unsafe { (Stack::new(state), (*inner).version) };
    // SAFETY: only addresses are taken, which are fixed.
    let (libraries, script_cjson, function_cjson) = unsafe {
        let kept = &raw mut (*inner).lib.kept;
        (&raw mut (*inner).lib, &raw mut (*kept).script_cjson, &raw mut (*kept).function_cjson)
    };
    // SAFETY: pushes one table each.
    let push_redis = |audience| unsafe { api::push_redis(state, inner, version, audience) };
    complete_stock(lua, libraries, version);
    let mut environments = Environments::default();

    push_globals(lua, libraries, version, script_cjson, || push_redis(Audience::Script));
    lib::error_handler::push(lua, libraries);
    lua.set_field(-2, c"__redis__err__handler");
    lua.copy(-1);
    environments.script_globals = lua.take_reference();
    readonly::make_readonly(lua);
    environments.script = lua.take_reference();

    push_globals(lua, libraries, version, function_cjson, || push_redis(Audience::Function));
    environments.call_globals = lua.take_reference();

    lua.push_table(0, 1);
    push_redis(Audience::Load);
    readonly::make_strict(lua);
    readonly::make_readonly(lua);
    lua.set_field(-2, c"redis");
    readonly::make_strict(lua);
    environments.load_globals = lua.take_reference();

    lua.push_table(0, 0);
    readonly::push_metatable(lua);
    lua.copy(-1);
    environments.switch = lua.take_reference();
    lua.set_metatable(-2);
    readonly::make_readonly(lua);
    environments.library = lua.take_reference();
    // SAFETY: plain table writes.
    unsafe { environments.leave_load(state) };
    environments
}

impl Environments {
    /// All of them.
    pub(crate) fn references(&self) -> impl Iterator<Item = c_int> + use<> {
        let globals = [self.script_globals, self.load_globals, self.call_globals];
        globals.into_iter().chain([self.script, self.library, self.switch])
    }

    /// Gives the function on top the scripts' environment.
    ///
    /// # Safety
    /// A Lua function is on top of `state`; so for the following.
    pub(crate) unsafe fn use_for_script(&self, state: *mut lua_State) {
        // SAFETY: as promised by the caller.
        unsafe { set_environment(state, self.script) };
    }

    pub(crate) unsafe fn use_for_library(&self, state: *mut lua_State) {
        // SAFETY: as promised by the caller.
        unsafe { set_environment(state, self.library) };
    }

    /// Before a script runs: what it loads has the same environment.
    ///
    /// # Safety
    /// `state` is this VM's main state; so for the following.
    pub(crate) unsafe fn enter_script(&self, state: *mut lua_State) {
        // SAFETY: one value is pushed and taken.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.script.into());
            ffi::lua_replace(state, LUA_GLOBALSINDEX);
        }
    }

    /// Before a library's code runs.
    pub(crate) unsafe fn enter_library(&self, state: *mut lua_State) {
        // SAFETY: one value is pushed and taken.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.library.into());
            ffi::lua_replace(state, LUA_GLOBALSINDEX);
        }
    }

    /// From here on a library's code sees what there is while it loads.
    pub(crate) unsafe fn enter_load(&self, state: *mut lua_State) {
        // SAFETY: plain table writes.
        unsafe { self.switch_to(state, self.load_globals) };
    }

    pub(crate) unsafe fn leave_load(&self, state: *mut lua_State) {
        // SAFETY: plain table writes.
        unsafe { self.switch_to(state, self.call_globals) };
    }

    unsafe fn switch_to(&self, state: *mut lua_State, globals: c_int) {
        // SAFETY: both references are tables without a __newindex.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.switch.into());
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, globals.into());
            ffi::lua_setfield(state, -2, c"__index".as_ptr());
            ffi::lua_pop(state, 1);
        }
    }

    /// Sets the globals KEYS and ARGV for the next script.
    ///
    /// # Safety
    /// `state` belongs to this VM.
    pub(crate) unsafe fn set_keys_and_argv(&self, state: *mut lua_State, keys: &[Bytes], args: &[Bytes]) {
        // SAFETY: writes to the real globals, which have no __newindex.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.script_globals.into());
            push_list(state, keys);
            ffi::lua_setfield(state, -2, c"KEYS".as_ptr());
            push_list(state, args);
            ffi::lua_setfield(state, -2, c"ARGV".as_ptr());
            ffi::lua_pop(state, 1);
        }
    }
}

unsafe fn set_environment(state: *mut lua_State, environment: c_int) {
    // SAFETY: a function is on top; the table is taken by lua_setfenv.
    unsafe {
        ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, environment.into());
        ffi::lua_setfenv(state, -2);
    }
}

/// What the servers put into their globals, in their order, which `pairs(_G)` shows. Names that a script does not find are
/// refused there only after they have taken a place in the table, and so they do here.
const GLOBALS: [&CStr; 39] = [
    c"_G",
    c"assert",
    c"collectgarbage",
    c"dofile",
    c"error",
    c"gcinfo",
    c"getfenv",
    c"getmetatable",
    c"loadfile",
    c"load",
    c"loadstring",
    c"next",
    c"pcall",
    c"print",
    c"rawequal",
    c"rawget",
    c"rawset",
    c"select",
    c"setfenv",
    c"setmetatable",
    c"tonumber",
    c"tostring",
    c"type",
    c"unpack",
    c"xpcall",
    c"_VERSION",
    c"ipairs",
    c"pairs",
    c"newproxy",
    c"coroutine",
    c"table",
    c"string",
    c"math",
    c"debug",
    c"os",
    c"cjson",
    c"struct",
    c"cmsgpack",
    c"bit",
];

/// Whether getfenv, setfenv and newproxy are there, and the metatable of strings can be written: the patch releases that
/// stand for these versions are older than the hardening.
fn is_unhardened(version: Version) -> bool {
    matches!(version, Version::V7_2 | Version::V7_4 | Version::V8_0)
}

/// Brings the VM's own globals, from which the environments are filled, to what both share.
fn complete_stock(lua: Stack, libraries: *mut Libraries, version: Version) {
    lua.copy(LUA_GLOBALSINDEX);
    lib::base::open(lua, libraries);
    lua.get_field(-1, c"table");
    lib::tables::open(lua, libraries);
    lua.pop(1);
    lua.get_field(-1, c"string");
    lib::strings::open(lua, libraries);
    protect_string_metatable(lua, version);
    lua.pop(1);
    lua.get_field(-1, c"math");
    lib::random::open(lua, libraries);
    lua.pop(1);
    lib::os::open(lua, libraries);
    lua.set_field(-2, c"os");
    lib::structs::open(lua, libraries);
    lua.set_field(-2, c"struct");
    lib::cmsgpack::open(lua, libraries);
    lua.set_field(-2, c"cmsgpack");
    lib::bit::open(lua);
    lua.set_field(-2, c"bit");
    lua.pop(1);
}

/// The `string` table is on top, and stays. Methods of strings find their functions without a detour; scripts are shown a
/// metatable like the real one.
fn protect_string_metatable(lua: Stack, version: Version) {
    let library = lua.top();
    lua.push_bytes(b"");
    if !lua.metatable(-1) {
        return lua.set_top(library);
    }
    let metatable = lua.top();
    if is_unhardened(version) {
        lua.push_light(strings_key());
        lua.copy(library);
        readonly::make_readonly(lua);
        lua.copy(-1);
        lua.set_field(metatable, c"__index");
        lua.raw_set(LUA_REGISTRYINDEX);
    } else {
        lua.push_table(0, 1);
        lua.copy(library);
        readonly::make_readonly(lua);
        lua.set_field(-2, c"__index");
        readonly::make_readonly(lua);
        readonly::show_as(lua, metatable, lua.top());
    }
    lua.set_top(library);
}

static STRINGS: u8 = 0;

/// Where the registry keeps what strings find their methods in.
fn strings_key() -> *mut c_void {
    (&raw const STRINGS).cast_mut().cast()
}

/// Undoes what scripts have done to the metatable of strings where it is open to them.
pub(super) fn mend_strings(lua: Stack) {
    let top = lua.top();
    lua.push_bytes(b"");
    if lua.metatable(-1) {
        let metatable = lua.top();
        lua.push_nil();
        while lua.next(metatable) {
            lua.pop(1);
            lua.copy(-1);
            lua.push_nil();
            lua.raw_set(metatable);
        }
        lua.push_light(strings_key());
        lua.raw_get(LUA_REGISTRYINDEX);
        lua.set_field(metatable, c"__index");
        lua.push_nil();
        lua.set_metatable(metatable);
    }
    lua.set_top(top);
}

/// Pushes a real globals table; its `_G` is its proxy.
fn push_globals(
    lua: Stack,
    libraries: *mut Libraries,
    version: Version,
    cjson: *mut CjsonConfig,
    push_redis: impl FnOnce(),
) {
    lua.push_table(0, 2);
    readonly::make_strict(lua);
    for name in GLOBALS {
        match name.to_bytes() {
            b"_G" => {
                lua.copy(-1);
                readonly::make_readonly(lua);
            }
            b"dofile" | b"loadfile" | b"print" => lua.push_nil(),
            b"getfenv" | b"setfenv" | b"newproxy" if !is_unhardened(version) => lua.push_nil(),
            // It is there until the servers have got what they need of it.
            b"debug" => lua.push_bool(true),
            // Before 7.4 it is not opened at all.
            b"os" if version < Version::V7_4 => continue,
            b"cjson" => lib::cjson::open(lua, libraries, cjson, version),
            _ => lua.get_field(LUA_GLOBALSINDEX, name),
        }
        set_global(lua, name);
    }
    push_redis();
    set_global(lua, c"redis");
    lua.push_nil();
    set_global(lua, c"debug");
}

/// Takes a value and sets it in the table below, a library as its proxy.
fn set_global(lua: Stack, name: &CStr) {
    if lua.is_table(-1) {
        readonly::make_readonly(lua);
    }
    lua.set_field(-2, name);
}
