//! The global environments: one for scripts, one for function libraries.

use std::ffi::c_int;

use mlua::ffi::{self, lua_State};

use crate::Bytes;

use super::api::{self, Audience};
use super::engine::{Inner, error_handler, push_list};
use super::raise::set_field;

/// Registry references of the environments.
#[derive(Debug, Default)]
pub(crate) struct Environments {
    script: c_int,
    library: c_int,
    redis_for_load: c_int,
    redis_for_call: c_int,
}

/// Makes a fresh VM's globals into Redis's.
///
/// # Safety
/// `state` is a fresh VM with base, table, string and math, `inner` outlives it.
pub(crate) unsafe fn build(state: *mut lua_State, inner: *mut Inner) -> Environments {
    // SAFETY: every push is consumed.
    unsafe {
        let version = (*inner).version;
        ffi::lua_pushvalue(state, ffi::LUA_GLOBALSINDEX);
        for name in
            [c"print", c"dofile", c"loadfile", c"newproxy", c"getfenv", c"setfenv", c"require", c"module"]
        {
            ffi::lua_pushnil(state);
            set_field(state, name);
        }
        ffi::lua_pushcfunction(state, api::protected_call);
        set_field(state, c"pcall");
        ffi::lua_pushcfunction(state, error_handler);
        set_field(state, c"__redis__err__handler");
        api::push_redis(state, inner, version, Audience::Script);
        set_field(state, c"redis");
        let script = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        ffi::lua_newtable(state);
        ffi::lua_newtable(state);
        ffi::lua_pushvalue(state, ffi::LUA_GLOBALSINDEX);
        set_field(state, c"__index");
        ffi::lua_setmetatable(state, -2);
        let library = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        api::push_redis(state, inner, version, Audience::Load);
        let redis_for_load = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        api::push_redis(state, inner, version, Audience::Function);
        let redis_for_call = ffi::luaL_ref(state, ffi::LUA_REGISTRYINDEX);
        Environments { script, library, redis_for_load, redis_for_call }
    }
}

impl Environments {
    /// Gives the function on top the scripts' environment.
    ///
    /// # Safety
    /// A Lua function is on top of `state`; so for the following.
    pub(crate) unsafe fn use_for_script(&self, state: *mut lua_State) {
        // SAFETY: as promised by the caller.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.script.into());
            ffi::lua_setfenv(state, -2);
        }
    }

    pub(crate) unsafe fn use_for_library(&self, state: *mut lua_State) {
        // SAFETY: as promised by the caller.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.library.into());
            ffi::lua_setfenv(state, -2);
        }
    }

    pub(crate) unsafe fn enter_load(&self, state: *mut lua_State) {
        // SAFETY: plain table writes.
        unsafe { self.set_library_redis(state, self.redis_for_load) };
    }

    pub(crate) unsafe fn leave_load(&self, state: *mut lua_State) {
        // SAFETY: plain table writes.
        unsafe { self.set_library_redis(state, self.redis_for_call) };
    }

    unsafe fn set_library_redis(&self, state: *mut lua_State, redis: c_int) {
        // SAFETY: both references are tables.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.library.into());
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, redis.into());
            set_field(state, c"redis");
            ffi::lua_pop(state, 1);
        }
    }

    /// Sets the globals KEYS and ARGV for the next script.
    pub(crate) unsafe fn set_keys_and_argv(&self, state: *mut lua_State, keys: &[Bytes], args: &[Bytes]) {
        // SAFETY: raw writes to the real globals.
        unsafe {
            ffi::lua_rawgeti(state, ffi::LUA_REGISTRYINDEX, self.script.into());
            push_list(state, keys);
            set_field(state, c"KEYS");
            push_list(state, args);
            set_field(state, c"ARGV");
            ffi::lua_pop(state, 1);
        }
    }
}
