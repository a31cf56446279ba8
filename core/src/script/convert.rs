//! Lua values to replies and replies to Lua values: the conversions that surprise people most.
//! Knows neither commands nor clients. Behaviour: facts, groups `lua-to-resp` and `resp-to-lua`.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use crate::Bytes;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::value::number;

use super::raise::{push_bytes, push_error_table, set_field, string_at};
use super::run::ErrorSent;

/// Lua's own bound on the C stack (LUAI_MAXCSTACK) decides how deep a table may nest.
const STACK_LIMIT_ERROR: &str = "ERR reached lua stack limit";

/// Converts the value on top of the stack and pops it. `script` is the protocol the script chose: booleans
/// stay booleans only under `redis.setresp(3)`. Errors at any depth are added to `errors`.
///
/// # Safety
/// `state` is valid and has a value on top.
pub(crate) unsafe fn to_reply(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    // SAFETY: each branch leaves the stack as it found it but for the popped value; raw accesses never raise.
    unsafe {
        if ffi::lua_checkstack(state, 4) == 0 {
            ffi::lua_pop(state, 1);
            errors.push(ErrorSent { line: STACK_LIMIT_ERROR.into(), counted: false });
            return Reply::error(STACK_LIMIT_ERROR);
        }
        let reply = match ffi::lua_type(state, -1) {
            ffi::LUA_TSTRING => Reply::Bulk(Bytes::from(string_at(state, -1).unwrap_or_default())),
            ffi::LUA_TNUMBER => Reply::Int(number_to_integer(ffi::lua_tonumber(state, -1))),
            ffi::LUA_TBOOLEAN => boolean(ffi::lua_toboolean(state, -1) != 0, script),
            ffi::LUA_TTABLE => table_to_reply(state, script, errors),
            _ => Reply::Nil,
        };
        ffi::lua_pop(state, 1);
        reply
    }
}

fn boolean(yes: bool, script: Protocol) -> Reply {
    match (script, yes) {
        (Protocol::Resp3, yes) => Reply::Bool(yes),
        (Protocol::Resp2, true) => Reply::Int(1),
        (Protocol::Resp2, false) => Reply::Nil,
    }
}

/// Cuts towards zero. What does not fit 64 bits becomes the smallest integer, as x86's conversion has it.
pub(crate) fn number_to_integer(number: f64) -> i64 {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    if (-TWO_63..TWO_63).contains(&number) { number as i64 } else { i64::MIN }
}

/// The table on top, looked at in Redis's order: `err`, `ok`, `double`, `map`, `set`, `big_number`,
/// `verbatim_string`; anything else is an array that ends at its first nil.
unsafe fn table_to_reply(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    // SAFETY: the table stays on top; every probe pops what it pushed.
    unsafe {
        if let Some(text) = string_field(state, c"err") {
            let mut text = until_nul(text);
            // Unlike those of a status, line breaks at the end are left out.
            while let Some(b'\r' | b'\n') = text.last() {
                text.pop();
            }
            let line = one_line(text);
            errors.push(ErrorSent { line: line.clone(), counted: is_counted(state) });
            return Reply::Error(line.into());
        }
        if let Some(text) = string_field(state, c"ok") {
            return Reply::Status(one_line(until_nul(text)).into());
        }
        if let Some(number) = field(state, c"double", ffi::LUA_TNUMBER, |state| ffi::lua_tonumber(state, -1))
        {
            return Reply::Double(number);
        }
        if let Some(reply) =
            field(state, c"map", ffi::LUA_TTABLE, |state| pairs_to_map(state, script, errors))
        {
            return reply;
        }
        if let Some(reply) = field(state, c"set", ffi::LUA_TTABLE, |state| keys_to_set(state, script, errors))
        {
            return reply;
        }
        if let Some(text) = string_field(state, c"big_number") {
            return Reply::BigNumber(one_line(text).into());
        }
        if let Some(Some(reply)) = field(state, c"verbatim_string", ffi::LUA_TTABLE, |state| verbatim(state))
        {
            return reply;
        }
        array_to_reply(state, script, errors)
    }
}

/// Reads a field of the table on top, raw, where it has this type.
unsafe fn field<T>(
    state: *mut lua_State,
    name: &CStr,
    kind: c_int,
    read: impl FnOnce(*mut lua_State) -> T,
) -> Option<T> {
    // SAFETY: pushes one value and pops it again.
    unsafe {
        push_bytes(state, name.to_bytes());
        ffi::lua_rawget(state, -2);
        let found = ffi::lua_type(state, -1) == kind;
        let value = if found { Some(read(state)) } else { None };
        ffi::lua_pop(state, 1);
        value
    }
}

unsafe fn string_field(state: *mut lua_State, name: &CStr) -> Option<Vec<u8>> {
    // SAFETY: the bytes are copied before the field is popped.
    unsafe { field(state, name, ffi::LUA_TSTRING, |state| string_at(state, -1).unwrap_or_default().to_vec()) }
}

/// Whether the error table on top came from a command that failed: the statistics know of it.
///
/// # Safety
/// `state` is valid and has a table on top.
pub(crate) unsafe fn is_counted(state: *mut lua_State) -> bool {
    let read = |state| {
        // SAFETY: `field` has put the value on top.
        unsafe { ffi::lua_toboolean(state, -1) != 0 }
    };
    // SAFETY: as promised by the caller.
    unsafe { field(state, COUNTED, ffi::LUA_TBOOLEAN, read).unwrap_or(false) }
}

/// The field of an error table that says so.
pub(crate) const COUNTED: &CStr = c"ignore_error_stats_update";

unsafe fn pairs_to_map(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    let mut pairs = Vec::new();
    // SAFETY: lua_next over an unmodified table; the key is copied before it is converted.
    unsafe {
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, -2) != 0 {
            ffi::lua_pushvalue(state, -2);
            let key = to_reply(state, script, errors);
            let value = to_reply(state, script, errors);
            pairs.push((key, value));
        }
    }
    Reply::Map(pairs)
}

unsafe fn keys_to_set(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    let mut members = Vec::new();
    // SAFETY: as in `pairs_to_map`; the values are of no account.
    unsafe {
        ffi::lua_pushnil(state);
        while ffi::lua_next(state, -2) != 0 {
            ffi::lua_pop(state, 1);
            ffi::lua_pushvalue(state, -1);
            members.push(to_reply(state, script, errors));
        }
    }
    Reply::Set(members)
}

unsafe fn verbatim(state: *mut lua_State) -> Option<Reply> {
    // SAFETY: reads two fields of the table on top.
    let (text, format) = unsafe { (string_field(state, c"string")?, string_field(state, c"format")?) };
    let mut padded = [b' '; 3];
    for (to, from) in padded.iter_mut().zip(format) {
        *to = from;
    }
    Some(Reply::Verbatim { format: padded, text: text.into() })
}

unsafe fn array_to_reply(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    let mut elements = Vec::new();
    // SAFETY: raw reads; `to_reply` pops each element.
    unsafe {
        for index in 1.. {
            ffi::lua_rawgeti(state, -1, index);
            if ffi::lua_type(state, -1) == ffi::LUA_TNIL {
                ffi::lua_pop(state, 1);
                break;
            }
            elements.push(to_reply(state, script, errors));
        }
    }
    Reply::Array(elements)
}

/// Texts of one line are C strings.
pub(crate) fn until_nul(mut text: Vec<u8>) -> Vec<u8> {
    text.truncate(text.iter().position(|&byte| byte == 0).unwrap_or(text.len()));
    text
}

/// CR and LF would break the protocol: they become blanks.
pub(crate) fn one_line(mut text: Vec<u8>) -> Vec<u8> {
    for byte in &mut text {
        if matches!(byte, b'\r' | b'\n') {
            *byte = b' ';
        }
    }
    text
}

/// Pushes a reply as the script sees it under its protocol.
///
/// # Safety
/// `state` is valid.
pub(crate) unsafe fn push_reply(state: *mut lua_State, reply: &Reply, script: Protocol, version: Version) {
    // SAFETY: room for the value and a nested one is made first; replies nest only a few levels.
    unsafe {
        ffi::lua_checkstack(state, 6);
        match reply {
            Reply::Status(text) => push_single(state, c"ok", |state| push_bytes(state, text)),
            Reply::Error(text) => push_error_table(state, text),
            Reply::Int(number) => ffi::lua_pushnumber(state, *number as f64),
            Reply::Bulk(text) => push_bytes(state, text),
            Reply::Nil | Reply::NilArray => match script {
                Protocol::Resp2 => ffi::lua_pushboolean(state, 0),
                Protocol::Resp3 => ffi::lua_pushnil(state),
            },
            Reply::Attribute { reply, .. } => push_reply(state, reply, script, version),
            // The real server leaves rubbish on the stack here.
            Reply::Push(_) => ffi::lua_pushnil(state),
            Reply::Array(elements) => push_array(state, elements, script, version),
            _ if script == Protocol::Resp2 => push_degraded(state, reply, version),
            Reply::Map(pairs) => push_single(state, c"map", |state| {
                // Grown step by step, as Redis does: `pairs` shows the order that this gives.
                ffi::lua_newtable(state);
                for (key, value) in pairs {
                    push_reply(state, key, script, version);
                    push_reply(state, value, script, version);
                    ffi::lua_rawset(state, -3);
                }
            }),
            Reply::Set(members) => push_single(state, c"set", |state| {
                ffi::lua_newtable(state);
                for member in members {
                    push_reply(state, member, script, version);
                    ffi::lua_pushboolean(state, 1);
                    ffi::lua_rawset(state, -3);
                }
            }),
            Reply::Double(number) => {
                push_single(state, c"double", |state| ffi::lua_pushnumber(state, *number));
            }
            // It is read from its text, in which a small number has fewer digits.
            Reply::LongDouble(number) => push_single(state, c"double", |state| {
                let text = number::LongDouble::from(*number).to_text();
                ffi::lua_pushnumber(state, text.parse().unwrap_or(*number));
            }),
            Reply::Bool(yes) => ffi::lua_pushboolean(state, c_int::from(*yes)),
            Reply::BigNumber(text) => push_single(state, c"big_number", |state| push_bytes(state, text)),
            Reply::Verbatim { format, text } => push_single(state, c"verbatim_string", |state| {
                ffi::lua_createtable(state, 0, 2);
                push_bytes(state, text);
                set_field(state, c"string");
                push_bytes(state, format);
                set_field(state, c"format");
            }),
        }
    }
}

/// The RESP2 forms of what only RESP3 has.
unsafe fn push_degraded(state: *mut lua_State, reply: &Reply, version: Version) {
    // SAFETY: as in `push_reply`.
    unsafe {
        match reply {
            Reply::Map(pairs) => {
                ffi::lua_createtable(state, 2 * pairs.len() as c_int, 0);
                for (index, element) in pairs.iter().flat_map(|(key, value)| [key, value]).enumerate() {
                    push_reply(state, element, Protocol::Resp2, version);
                    ffi::lua_rawseti(state, -2, index as ffi::lua_Integer + 1);
                }
            }
            Reply::Set(members) => push_array(state, members, Protocol::Resp2, version),
            Reply::Double(number) => push_bytes(state, number::format_f64(*number, version).as_bytes()),
            Reply::LongDouble(number) => {
                push_bytes(state, number::LongDouble::from(*number).to_text().as_bytes());
            }
            Reply::Bool(yes) => ffi::lua_pushnumber(state, f64::from(u8::from(*yes))),
            Reply::BigNumber(text) | Reply::Verbatim { text, .. } => push_bytes(state, text),
            _ => ffi::lua_pushnil(state),
        }
    }
}

unsafe fn push_array(state: *mut lua_State, elements: &[Reply], script: Protocol, version: Version) {
    // SAFETY: as in `push_reply`.
    unsafe {
        ffi::lua_createtable(state, elements.len() as c_int, 0);
        for (index, element) in elements.iter().enumerate() {
            push_reply(state, element, script, version);
            ffi::lua_rawseti(state, -2, index as ffi::lua_Integer + 1);
        }
    }
}

/// Pushes a table with the one field `name`.
unsafe fn push_single(state: *mut lua_State, name: &CStr, push: impl FnOnce(*mut lua_State)) {
    // SAFETY: as in `push_reply`; `push` adds exactly one value.
    unsafe {
        ffi::lua_createtable(state, 0, 1);
        push(state);
        set_field(state, name);
    }
}
