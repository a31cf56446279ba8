//! Lua values to replies and replies to Lua values: the conversions that surprise people most.
//! Knows neither commands nor clients. Behaviour: facts, groups `lua-to-resp` and `resp-to-lua`.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use crate::Bytes;
use crate::limits::REPLY_VALUES_MAX;
use crate::profile::Version;
use crate::resp::{Kind, Nest, Protocol, Reply};
use crate::value::number;

use super::raise::{push_bytes, push_error_table, set_field, string_at};
use super::run::ErrorSent;

/// Lua's own bound on the C stack (LUAI_MAXCSTACK) decides how deep a table may nest.
const STACK_LIMIT_ERROR: &str = "ERR reached lua stack limit";

const TOO_LARGE_ERROR: &str = "ERR the reply of the script is too large for this playground";

/// Converts the value on top of the stack and pops it. `script` is the protocol the script chose: booleans
/// stay booleans only under `redis.setresp(3)`. Errors at any depth are added to `errors`.
///
/// Takes as many of Lua's stack slots per level as Redis does, which decides how deep tables may nest, and none of the
/// stack of the machine.
///
/// # Safety
/// `state` is valid and has a value on top.
pub(crate) unsafe fn to_reply(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Reply {
    let mut nest = Nest::default();
    let mut levels: Vec<Level> = Vec::new();
    let mut values = 0;
    // SAFETY: there is a value on top whenever `begin` is called; it is popped, by then or at its level's end.
    unsafe {
        let floor = ffi::lua_gettop(state) - 1;
        loop {
            values += 1;
            if values > REPLY_VALUES_MAX {
                ffi::lua_settop(state, floor);
                errors.push(ErrorSent { line: TOO_LARGE_ERROR.into(), counted: false });
                return Reply::error(TOO_LARGE_ERROR);
            }
            let mut done = match begin(state, script, errors) {
                Begun::Leaf(reply) => {
                    ffi::lua_pop(state, 1);
                    nest.leaf(reply)
                }
                Begun::Level(level) => {
                    nest.open(level.kind());
                    levels.push(level);
                    None
                }
            };
            loop {
                if let Some(reply) = done {
                    return reply;
                }
                if levels.last_mut().is_some_and(|level| level.push_next(state)) {
                    break;
                }
                levels.pop();
                done = nest.close();
            }
        }
    }
}

/// What a value is, as far as it can be told without those in it.
enum Begun {
    Leaf(Reply),
    Level(Level),
}

/// A table that is being converted, and how far that is. It stays on the stack meanwhile, a map or set above the
/// table that has it in a field.
enum Level {
    /// The index of the element that was last.
    Array(c_int),
    /// Keys and values take turns: whether the value of the key on the stack is next.
    Map {
        value_is_next: bool,
    },
    Set,
}

impl Level {
    fn kind(&self) -> Kind {
        match self {
            Self::Array(_) => Kind::Array,
            Self::Map { .. } => Kind::Map,
            Self::Set => Kind::Set,
        }
    }

    /// Pushes the next element and says so, or pops the table.
    unsafe fn push_next(&mut self, state: *mut lua_State) -> bool {
        // SAFETY: lua_next over an unmodified table; keys are copied before they are converted.
        unsafe {
            match self {
                Self::Array(index) => {
                    *index += 1;
                    ffi::lua_rawgeti(state, -1, (*index).into());
                    let is_there = ffi::lua_type(state, -1) != ffi::LUA_TNIL;
                    if !is_there {
                        ffi::lua_pop(state, 2);
                    }
                    is_there
                }
                Self::Map { value_is_next: value_is_next @ true } => {
                    *value_is_next = false;
                    true
                }
                Self::Map { .. } | Self::Set if ffi::lua_next(state, -2) == 0 => {
                    ffi::lua_pop(state, 2);
                    false
                }
                Self::Map { value_is_next } => {
                    *value_is_next = true;
                    ffi::lua_pushvalue(state, -2);
                    true
                }
                Self::Set => {
                    ffi::lua_pop(state, 1);
                    ffi::lua_pushvalue(state, -1);
                    true
                }
            }
        }
    }
}

/// Looks at the value on top. It stays there; a map or set is pushed above it, and nil as the key to begin with.
unsafe fn begin(state: *mut lua_State, script: Protocol, errors: &mut Vec<ErrorSent>) -> Begun {
    // SAFETY: raw accesses never raise; room is made first.
    let reply = unsafe {
        if ffi::lua_checkstack(state, 4) == 0 {
            errors.push(ErrorSent { line: STACK_LIMIT_ERROR.into(), counted: false });
            return Begun::Leaf(Reply::error(STACK_LIMIT_ERROR));
        }
        match ffi::lua_type(state, -1) {
            ffi::LUA_TSTRING => Reply::Bulk(Bytes::from(string_at(state, -1).unwrap_or_default())),
            ffi::LUA_TNUMBER => Reply::Int(number_to_integer(ffi::lua_tonumber(state, -1))),
            ffi::LUA_TBOOLEAN => boolean(ffi::lua_toboolean(state, -1) != 0, script),
            ffi::LUA_TTABLE => return begin_table(state, errors),
            _ => Reply::Nil,
        }
    };
    Begun::Leaf(reply)
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
unsafe fn begin_table(state: *mut lua_State, errors: &mut Vec<ErrorSent>) -> Begun {
    // SAFETY: the table stays; every probe pops what it pushed.
    unsafe {
        if let Some(text) = string_field(state, c"err") {
            let mut text = until_nul(text);
            // Unlike those of a status, line breaks at the end are left out.
            while let Some(b'\r' | b'\n') = text.last() {
                text.pop();
            }
            let line = one_line(text);
            errors.push(ErrorSent { line: line.clone(), counted: is_counted(state) });
            return Begun::Leaf(Reply::Error(line.into()));
        }
        if let Some(text) = string_field(state, c"ok") {
            return Begun::Leaf(Reply::Status(one_line(until_nul(text)).into()));
        }
        if let Some(number) = field(state, c"double", ffi::LUA_TNUMBER, |state| ffi::lua_tonumber(state, -1))
        {
            return Begun::Leaf(Reply::Double(number));
        }
        for (name, level) in [(c"map", Level::Map { value_is_next: false }), (c"set", Level::Set)] {
            push_bytes(state, name.to_bytes());
            ffi::lua_rawget(state, -2);
            if ffi::lua_type(state, -1) == ffi::LUA_TTABLE {
                ffi::lua_pushnil(state);
                return Begun::Level(level);
            }
            ffi::lua_pop(state, 1);
        }
        if let Some(text) = string_field(state, c"big_number") {
            return Begun::Leaf(Reply::BigNumber(one_line(text).into()));
        }
        if let Some(Some(reply)) = field(state, c"verbatim_string", ffi::LUA_TTABLE, |state| verbatim(state))
        {
            return Begun::Leaf(reply);
        }
        Begun::Level(Level::Array(0))
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

unsafe fn verbatim(state: *mut lua_State) -> Option<Reply> {
    // SAFETY: reads two fields of the table on top.
    let (text, format) = unsafe { (string_field(state, c"string")?, string_field(state, c"format")?) };
    let mut padded = [b' '; 3];
    for (to, from) in padded.iter_mut().zip(format) {
        *to = from;
    }
    Some(Reply::Verbatim { format: padded, text: text.into() })
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
            Reply::Attribute { reply, .. } | Reply::Fixed { reply, .. } => {
                push_reply(state, reply, script, version)
            }
            // The real server leaves rubbish on the stack here.
            Reply::Push(_) => ffi::lua_pushnil(state),
            // No command that a script may call nests deep.
            Reply::Deep(_) => ffi::lua_pushnil(state),
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

#[cfg(test)]
mod tests {
    use crate::Bytes;
    use crate::profile::Version;
    use crate::resp::{Protocol, Reply, encode};
    use crate::server::{ClientId, EventKind, Input, InputKind, Options, Server};

    fn reply_of(script: &str) -> Reply {
        let mut server = Server::new(Options::default());
        let argv = ["EVAL", script, "0"].into_iter().map(Bytes::from).collect();
        let kind = InputKind::Command { client: ClientId(1), argv };
        let events = server.apply(Input { at: server.now(), kind });
        let replies = events.into_iter().filter_map(|event| match event.kind {
            EventKind::Replied { reply, .. } => Some(reply),
            _ => None,
        });
        replies.last().expect("a script that ends is answered")
    }

    /// How many bytes 7.0.15 and 8.2.3 sent, how many levels of one or two elements those opened, and how they ended.
    #[track_caller]
    fn check(script: &str, protocol: Protocol, len: usize, [one, two, maps, sets]: [usize; 4], end: &str) {
        let mut bytes = Vec::new();
        encode(&reply_of(script), protocol, Version::V8_2, &mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        let counts = ["*1\r", "*2\r", "%1\r", "~1\r"].map(|mark| text.matches(mark).count());
        assert_eq!((text.len(), counts), (len, [one, two, maps, sets]), "{script}");
        assert!(text.ends_with(end), "{script}");
    }

    #[test]
    fn tables_nest_as_deep_as_on_a_server() {
        let limit = "-ERR reached lua stack limit\r\n";
        for protocol in [Protocol::Resp2, Protocol::Resp3] {
            check("local a={} a[1]=a return a", protocol, 32_010, [7_995, 0, 0, 0], limit);
            check("local a={} for i=1,9000 do a={a} end return a", protocol, 32_010, [7_995, 0, 0, 0], limit);
            let beside = "-ERR reached lua stack limit\r\n:2\r\n";
            check("local a={} a[1]=a return {1,a,2}", protocol, 32_018, [7_994, 0, 0, 0], beside);
        }
        let map = "local a={} a.map={x=a} return a";
        check(map, Protocol::Resp2, 29_368, [0, 2_665, 0, 0], limit);
        check(map, Protocol::Resp3, 29_368, [0, 0, 2_665, 0], limit);
        let key = "local a={} a.map={} a.map[a]=1 return a";
        check(key, Protocol::Resp2, 16_048, [0, 1_999, 0, 0], "\r\n:1\r\n:1\r\n");
        check(key, Protocol::Resp3, 16_048, [0, 0, 1_999, 0], "\r\n:1\r\n:1\r\n");
        let set = "local a={} a.set={} a.set[a]=1 return a";
        check(set, Protocol::Resp2, 10_690, [2_665, 0, 0, 0], limit);
        check(set, Protocol::Resp3, 10_690, [0, 0, 0, 2_665], limit);
        let mixed = "local a={} a.map={x={a}} return {1,{2,a},3}";
        check(mixed, Protocol::Resp3, 30_054, [1_998, 1, 1_999, 0], "-ERR reached lua stack limit\r\n:3\r\n");
    }

    #[test]
    fn a_reply_without_end_is_an_error() {
        let error = Reply::error(super::TOO_LARGE_ERROR);
        assert_eq!(reply_of("local a={} a[1]=a a[2]=a return a"), error);
    }
}
