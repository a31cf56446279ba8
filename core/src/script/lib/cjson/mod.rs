//! `cjson` 2.1.0 as Redis has it: its table, its settings, and which function stands where.
//!
//! Every function has four upvalues: the library state, the settings it goes by (those of the server, or those of one
//! `cjson.new()`), and two places for memory while it runs.

mod decode;
mod encode;
mod number;

use std::ffi::{c_int, c_void};

use mlua::ffi::LUA_TBOOLEAN;

use super::Libraries;
use super::stack::{Stack, decimal, function, upvalue};
use crate::profile::Version;

/// The settings. Those of the server stay from script to script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CjsonConfig {
    sparse: SparseArrays,
    encode_depth_max: i32,
    decode_depth_max: i32,
    /// Significant digits of an encoded number.
    precision: i32,
    /// Without effect: how memory is kept does not show.
    keep_buffer: bool,
    encode_invalid: InvalidNumbers,
    decode_invalid: bool,
    /// Mark empty arrays when they are decoded, so that they are encoded as `[]`.
    array_metatable: bool,
}

/// What becomes of an array with more holes than elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SparseArrays {
    /// Encode it as an object rather than raise.
    convert: bool,
    /// It is sparse if its highest index is above this many times its elements; 0: never.
    ratio: i32,
    /// It is not sparse up to this index.
    safe: i32,
}

/// What becomes of NaN and infinities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvalidNumbers {
    Raise,
    Write,
    Null,
}

impl Default for CjsonConfig {
    fn default() -> Self {
        Self {
            sparse: SparseArrays { convert: false, ratio: 2, safe: 10 },
            encode_depth_max: 1000,
            decode_depth_max: 1000,
            precision: 14,
            keep_buffer: true,
            encode_invalid: InvalidNumbers::Raise,
            decode_invalid: true,
            array_metatable: false,
        }
    }
}

/// Leaves the library's table on the stack.
pub(in crate::script) fn open(
    lua: Stack,
    libraries: *mut Libraries,
    config: *mut CjsonConfig,
    version: Version,
) {
    lua.push_light(libraries.cast());
    lua.push_light(config.cast());
    build(lua, version >= Version::V8_4);
}

/// Takes library state and settings from the stack, pushes a table whose functions go by them.
fn build(lua: Stack, has_array_metatable: bool) {
    lua.push_table(0, 0);
    lua.insert(-3);
    lua.push_nil();
    lua.push_nil();
    lua.set_function(c"decode", function(decode::decode), 4);
    lua.set_function(c"encode_sparse_array", function(encode_sparse_array), 4);
    lua.set_function(c"encode_max_depth", function(encode_max_depth), 4);
    lua.set_function(c"decode_max_depth", function(decode_max_depth), 4);
    lua.set_function(c"encode_number_precision", function(encode_number_precision), 4);
    lua.set_function(c"encode_keep_buffer", function(encode_keep_buffer), 4);
    lua.set_function(c"encode_invalid_numbers", function(encode_invalid_numbers), 4);
    lua.set_function(c"decode_invalid_numbers", function(decode_invalid_numbers), 4);
    if has_array_metatable {
        lua.set_function(c"encode", function(|lua| encode::encode(lua, true)), 4);
        lua.set_function(c"decode_array_with_array_mt", function(decode_array_with_array_mt), 4);
        lua.set_function(c"new", function(|lua| new(lua, true)), 4);
    } else {
        lua.set_function(c"encode", function(|lua| encode::encode(lua, false)), 4);
        lua.set_function(c"new", function(|lua| new(lua, false)), 4);
    }
    lua.pop(4);
    lua.push_light(std::ptr::null_mut());
    lua.set_field(-2, c"null");
    lua.set_text(c"_NAME", "cjson");
    lua.set_text(c"_VERSION", "2.1.0");
}

/// `cjson.new()`: another module with settings of its own.
fn new(lua: Stack, has_array_metatable: bool) -> c_int {
    lua.copy(upvalue(1));
    let config: *mut CjsonConfig = lua.push_memory(size_of::<CjsonConfig>()).cast();
    // SAFETY: Lua's memory is fresh, large enough and aligned for it; CjsonConfig needs no drop.
    unsafe { config.write(CjsonConfig::default()) };
    build(lua, has_array_metatable);
    1
}

/// The settings of the running function.
fn config<'a>(lua: Stack) -> &'a mut CjsonConfig {
    let config: *mut c_void = lua.userdata(upvalue(2));
    // SAFETY: upvalue 2 is the server's settings, which the engine keeps in place, or Lua memory that the closure keeps
    // alive; no function calls another one while it holds the reference.
    unsafe { &mut *config.cast() }
}

fn check_count(lua: Stack, count: c_int) {
    if lua.top() > count {
        lua.argument_error(count + 1, &[b"found too many arguments"]);
    }
    lua.set_top(count);
}

/// Sets an integer from the argument, unless it is nil, and pushes its value.
fn integer_option(lua: Stack, argument: c_int, setting: &mut i32, least: i32, most: i32) {
    if !lua.is_nil(argument) {
        let value = lua.check_int(argument);
        if !(least..=most).contains(&value) {
            let (least, most) = (decimal(least), decimal(most));
            // The first argument is blamed whichever it was.
            lua.argument_error(
                1,
                &[b"expected integer between ", least.as_slice(), b" and ", most.as_slice()],
            );
        }
        *setting = value;
    }
    lua.push_number((*setting).into());
}

/// As [`integer_option`], for a boolean. Anything else but nil ends a real server; here it is an error.
fn boolean_option(lua: Stack, argument: c_int, setting: &mut bool) {
    if lua.kind(argument) == LUA_TBOOLEAN {
        *setting = lua.truth(argument);
    } else if !lua.is_nil(argument) {
        lua.check_option(argument, None, &[]);
    }
    lua.push_bool(*setting);
}

fn encode_sparse_array(lua: Stack) -> c_int {
    check_count(lua, 3);
    let sparse = &mut config(lua).sparse;
    boolean_option(lua, 1, &mut sparse.convert);
    integer_option(lua, 2, &mut sparse.ratio, 0, i32::MAX);
    integer_option(lua, 3, &mut sparse.safe, 0, i32::MAX);
    3
}

fn encode_max_depth(lua: Stack) -> c_int {
    check_count(lua, 1);
    integer_option(lua, 1, &mut config(lua).encode_depth_max, 1, i32::MAX);
    1
}

fn decode_max_depth(lua: Stack) -> c_int {
    check_count(lua, 1);
    integer_option(lua, 1, &mut config(lua).decode_depth_max, 1, i32::MAX);
    1
}

fn encode_number_precision(lua: Stack) -> c_int {
    check_count(lua, 1);
    integer_option(lua, 1, &mut config(lua).precision, 1, 14);
    1
}

fn encode_keep_buffer(lua: Stack) -> c_int {
    check_count(lua, 1);
    boolean_option(lua, 1, &mut config(lua).keep_buffer);
    1
}

fn encode_invalid_numbers(lua: Stack) -> c_int {
    check_count(lua, 1);
    let setting = &mut config(lua).encode_invalid;
    let chosen = if lua.kind(1) == LUA_TBOOLEAN {
        Some(usize::from(lua.truth(1)))
    } else {
        (!lua.is_nil(1)).then(|| lua.check_option(1, None, &["off", "on", "null"]))
    };
    match chosen {
        Some(0) => *setting = InvalidNumbers::Raise,
        Some(1) => *setting = InvalidNumbers::Write,
        Some(_) => *setting = InvalidNumbers::Null,
        None => {}
    }
    match setting {
        InvalidNumbers::Raise => lua.push_bool(false),
        InvalidNumbers::Write => lua.push_bool(true),
        InvalidNumbers::Null => lua.push_bytes(b"null"),
    }
    1
}

fn decode_invalid_numbers(lua: Stack) -> c_int {
    check_count(lua, 1);
    boolean_option(lua, 1, &mut config(lua).decode_invalid);
    1
}

fn decode_array_with_array_mt(lua: Stack) -> c_int {
    check_count(lua, 1);
    boolean_option(lua, 1, &mut config(lua).array_metatable);
    1
}

/// Pushes the metatable that marks an empty array. Scripts see it read-only.
fn push_array_metatable(lua: Stack) {
    static KEY: u8 = 0;
    let key = (&raw const KEY).cast_mut().cast();
    lua.push_light(key);
    lua.raw_get(mlua::ffi::LUA_REGISTRYINDEX);
    if lua.is_nil(-1) {
        lua.pop(1);
        lua.push_table(0, 1);
        lua.push_bool(true);
        lua.set_field(-2, c"__is_cjson_array");
        lua.copy(-1);
        super::readonly::make_readonly(lua);
        lua.pop(1);
        lua.push_light(key);
        lua.copy(-2);
        lua.raw_set(mlua::ffi::LUA_REGISTRYINDEX);
    }
}
