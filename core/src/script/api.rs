//! The `redis` table that scripts see. Error texts: facts, groups `redis-api`, `call-args`, `call-error`.

use std::ffi::{CStr, c_int};

use mlua::ffi::{self, lua_State};

use crate::Bytes;
use crate::limits::CALL_INSTRUCTIONS;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::state::Sha1;
use crate::value::number;

use super::convert::{one_line, push_reply};
use super::engine::Inner;
use super::raise::{Raise, finish, push, push_bytes, push_error_table, set_field, string_at};
use super::run::{AclCheckError, Stop, raise_stop};
use super::trace;

/// A C function of the table; the engine is its first upvalue.
type CFunction = unsafe extern "C-unwind" fn(*mut lua_State) -> c_int;

/// For whom a table is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Script,
    /// A library's top level while FUNCTION LOAD runs it.
    Load,
    /// A library's functions while FCALL runs them.
    Function,
}

/// Pushes the `redis` table for this audience.
///
/// # Safety
/// `state` is valid and `inner` outlives it.
pub(crate) unsafe fn push_redis(
    state: *mut lua_State,
    inner: *mut Inner,
    version: Version,
    audience: Audience,
) {
    // SAFETY: every push is matched by a set_field.
    unsafe {
        // In the servers' order, which `pairs(redis)` shows.
        ffi::lua_createtable(state, 0, 0);
        if audience == Audience::Load {
            function(state, inner, c"register_function", super::functions::register_function);
        } else {
            function(state, inner, c"call", call);
            function(state, inner, c"pcall", pcall);
        }
        function(state, inner, c"log", log);
        for (name, level) in [(c"LOG_DEBUG", 0), (c"LOG_VERBOSE", 1), (c"LOG_NOTICE", 2), (c"LOG_WARNING", 3)]
        {
            set_number(state, name, level);
        }
        let (major, minor, patch) = version.triple();
        set_number(state, c"REDIS_VERSION_NUM", (major << 16) | (minor << 8) | patch);
        push_bytes(state, version.full().as_bytes());
        set_field(state, c"REDIS_VERSION");
        if audience == Audience::Load {
            return;
        }
        for (name, body) in COMMON {
            function(state, inner, name, *body);
        }
        for (name, flag) in REPLICATION {
            set_number(state, name, *flag);
        }
        function(state, inner, c"acl_check_cmd", acl_check_cmd);
        if audience == Audience::Script {
            function(state, inner, c"breakpoint", breakpoint);
            function(state, inner, c"debug", debug);
            function(state, inner, c"replicate_commands", replicate_commands);
        }
    }
}

const REPLICATION: &[(&CStr, i32)] =
    &[(c"REPL_NONE", 0), (c"REPL_AOF", 1), (c"REPL_SLAVE", 2), (c"REPL_REPLICA", 2), (c"REPL_ALL", 3)];

const COMMON: &[(&CStr, CFunction)] = &[
    (c"setresp", setresp),
    (c"sha1hex", sha1hex),
    (c"error_reply", error_reply),
    (c"status_reply", status_reply),
    (c"set_repl", set_repl),
];

unsafe fn set_number(state: *mut lua_State, name: &CStr, number: i32) {
    // SAFETY: the table is on top.
    unsafe {
        ffi::lua_pushnumber(state, f64::from(number));
        set_field(state, name);
    }
}

unsafe fn function(state: *mut lua_State, inner: *mut Inner, name: &CStr, body: CFunction) {
    // SAFETY: the table is on top; the closure takes the pushed upvalue.
    unsafe {
        ffi::lua_pushlightuserdata(state, inner.cast());
        ffi::lua_pushcclosure(state, body, 1);
        set_field(state, name);
    }
}

unsafe extern "C-unwind" fn call(state: *mut lua_State) -> c_int {
    // SAFETY: `call_command` owns everything and has returned before anything is raised.
    unsafe {
        match call_command(state, true) {
            Ok(Called::Replied) => 1,
            Ok(Called::Refused) => ffi::lua_error(state),
            Ok(Called::Stopped) => raise_stop(state),
            Err(raise) => finish(state, Err(raise)),
        }
    }
}

unsafe extern "C-unwind" fn pcall(state: *mut lua_State) -> c_int {
    // SAFETY: as in `call`.
    unsafe {
        match call_command(state, false) {
            Ok(Called::Replied | Called::Refused) => 1,
            Ok(Called::Stopped) => raise_stop(state),
            Err(raise) => {
                push(state, raise);
                1
            }
        }
    }
}

enum Called {
    /// The reply is on the stack.
    Replied,
    /// The error is on the stack.
    Refused,
    Stopped,
}

/// `raise`: whoever calls this raises an error that comes back.
unsafe fn call_command(state: *mut lua_State, raise: bool) -> Result<Called, Raise> {
    // SAFETY: the upvalue is the engine; the reply is pushed after the borrow of the run has ended.
    unsafe {
        let inner = Inner::from_upvalue(state);
        let version = inner.version;
        let argv = arguments(state, version)?;
        let Some(run) = inner.run() else {
            return Err(Raise::Table(b"ERR redis.call outside of a run".to_vec()));
        };
        if run.refuse_calls {
            return Err(Raise::Table(b"ERR a condition calls no command".to_vec()));
        }
        run.instructions += CALL_INSTRUCTIONS;
        let (protocol, elapsed) = (run.protocol, run.instructions);
        let told = trace::is_tracing(run).then(|| argv.clone());
        let Some(reply) = run.caller.call(argv, protocol, elapsed) else {
            run.stopped = Some(Stop::Write);
            return Ok(Called::Stopped);
        };
        let is_error = reply.is_error();
        let told = told.map(|argv| (argv, reply.clone()));
        match reply {
            Reply::Error(text) => push(state, Raise::Counted(one_line(text.into_owned()))),
            reply => push_reply(state, &reply, protocol, version),
        }
        if let Some((argv, reply)) = told
            && trace::called(state, argv, reply, is_error && raise)
        {
            return Ok(Called::Stopped);
        }
        Ok(if is_error { Called::Refused } else { Called::Replied })
    }
}

/// The arguments as a command's: strings and numbers only.
unsafe fn arguments(state: *mut lua_State, version: Version) -> Result<Vec<Bytes>, Raise> {
    // SAFETY: reads the function's own arguments.
    unsafe {
        let count = ffi::lua_gettop(state);
        if count == 0 {
            let text = b"ERR Please specify at least one argument for this redis lib call";
            return Err(Raise::Table(text.to_vec()));
        }
        let mut argv = Vec::with_capacity(count as usize);
        for index in 1..=count {
            argv.push(argument(state, index, version).ok_or_else(|| {
                Raise::Table(b"ERR Lua redis lib command arguments must be strings or integers".to_vec())
            })?);
        }
        Ok(argv)
    }
}

unsafe fn argument(state: *mut lua_State, index: c_int, version: Version) -> Option<Bytes> {
    // SAFETY: index is within the arguments.
    unsafe {
        match ffi::lua_type(state, index) {
            ffi::LUA_TSTRING => string_at(state, index).map(Bytes::from),
            ffi::LUA_TNUMBER => Some(number_text(ffi::lua_tonumber(state, index), version).into()),
            _ => None,
        }
    }
}

/// A number as an argument: whole ones as integers, others by the version's way with doubles.
fn number_text(number: f64, version: Version) -> String {
    if number.is_nan() {
        return number::nan_text(number).into();
    }
    const WHOLE_BELOW: f64 = 9_223_372_036_854_775_808.0;
    if version >= Version::V7_2 && number.trunc() == number && number.abs() < WHOLE_BELOW {
        (number as i64).to_string()
    } else {
        number::format_f64(number, version)
    }
}

unsafe extern "C-unwind" fn error_reply(state: *mut lua_State) -> c_int {
    // SAFETY: the text is dropped before anything could raise; nothing raises here.
    unsafe { single_field_reply(state, c"err", error_text) }
}

/// The text is taken as a C string: a NUL ends it. A leading `-` is dropped once, and so are line breaks at both ends; a text
/// without a blank gets the code ERR.
fn error_text(text: &[u8]) -> Vec<u8> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut text = text.strip_prefix(b"-").unwrap_or(text);
    while let [b'\r' | b'\n', rest @ ..] | [rest @ .., b'\r' | b'\n'] = text {
        text = rest;
    }
    if text.contains(&b' ') { text.to_vec() } else { [b"ERR ", text].concat() }
}

unsafe extern "C-unwind" fn status_reply(state: *mut lua_State) -> c_int {
    // SAFETY: as in `error_reply`.
    unsafe { single_field_reply(state, c"ok", <[u8]>::to_vec) }
}

unsafe fn single_field_reply(state: *mut lua_State, field: &CStr, text: fn(&[u8]) -> Vec<u8>) -> c_int {
    // SAFETY: one argument is read, one table pushed.
    unsafe {
        let given = if ffi::lua_gettop(state) == 1 { string_at(state, 1) } else { None };
        let Some(given) = given else {
            push_error_table(state, b"ERR wrong number or type of arguments");
            return 1;
        };
        let text = text(given);
        ffi::lua_createtable(state, 0, 1);
        push_bytes(state, &text);
        set_field(state, field);
        1
    }
}

unsafe extern "C-unwind" fn sha1hex(state: *mut lua_State) -> c_int {
    // SAFETY: the inner part has returned before anything is raised.
    unsafe { finish(state, sha1hex_inner(state)) }
}

unsafe fn sha1hex_inner(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: reads the argument; numbers are turned into their text in place, as tostring would.
    unsafe {
        if ffi::lua_gettop(state) != 1 {
            return Err(Raise::Table(b"ERR wrong number of arguments".to_vec()));
        }
        if ffi::lua_type(state, 1) == ffi::LUA_TNUMBER {
            ffi::lua_tolstring(state, 1, std::ptr::null_mut());
        }
        let sha = Sha1::of(string_at(state, 1).unwrap_or_default());
        push_bytes(state, sha.as_bytes());
        Ok(1)
    }
}

unsafe extern "C-unwind" fn setresp(state: *mut lua_State) -> c_int {
    // SAFETY: as in `sha1hex`.
    unsafe { finish(state, setresp_inner(state)) }
}

unsafe fn setresp_inner(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: reads the argument.
    unsafe {
        if ffi::lua_gettop(state) != 1 {
            return Err(Raise::Table(b"ERR redis.setresp() requires one argument.".to_vec()));
        }
        let protocol = match ffi::lua_tonumber(state, 1).trunc() {
            2.0 => Protocol::Resp2,
            3.0 => Protocol::Resp3,
            _ => return Err(Raise::Table(b"ERR RESP version must be 2 or 3.".to_vec())),
        };
        if let Some(run) = Inner::from_upvalue(state).run() {
            run.protocol = protocol;
        }
        Ok(0)
    }
}

unsafe extern "C-unwind" fn set_repl(state: *mut lua_State) -> c_int {
    // SAFETY: as in `sha1hex`.
    unsafe { finish(state, set_repl_inner(state)) }
}

/// Checked as in Redis and then of no effect: there is no replication stream to choose for.
unsafe fn set_repl_inner(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: reads the argument.
    unsafe {
        if ffi::lua_gettop(state) != 1 {
            let count = if Inner::from_upvalue(state).version >= Version::V7_2 {
                "one argument"
            } else {
                "two arguments"
            };
            return Err(Raise::Table(format!("ERR redis.set_repl() requires {count}.").into_bytes()));
        }
        let flags = ffi::lua_tonumber(state, 1) as i64;
        if flags & !3 != 0 {
            let text = b"ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.";
            return Err(Raise::Table(text.to_vec()));
        }
        Ok(0)
    }
}

unsafe extern "C-unwind" fn log(state: *mut lua_State) -> c_int {
    // SAFETY: as in `sha1hex`.
    unsafe { finish(state, log_inner(state)) }
}

unsafe fn log_inner(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: reads the arguments; lua_tolstring turns numbers into text in place.
    unsafe {
        let count = ffi::lua_gettop(state);
        if count < 2 {
            return Err(Raise::Table(b"ERR redis.log() requires two arguments or more.".to_vec()));
        }
        // A text that reads as a number is one, as everywhere in Lua.
        if ffi::lua_isnumber(state, 1) == 0 {
            return Err(Raise::Table(b"ERR First argument must be a number (log level).".to_vec()));
        }
        let level = ffi::lua_tonumber(state, 1);
        let inner = Inner::from_upvalue(state);
        if !(0.0..4.0).contains(&level) {
            let word = if inner.version >= Version::V7_2 { "log" } else { "debug" };
            return Err(Raise::Table(format!("ERR Invalid {word} level.").into_bytes()));
        }
        let mut parts = Vec::new();
        for index in 2..=count {
            if ffi::lua_type(state, index) == ffi::LUA_TNUMBER {
                ffi::lua_tolstring(state, index, std::ptr::null_mut());
            }
            parts.extend(string_at(state, index).map(<[u8]>::to_vec));
        }
        if let Some(run) = inner.run() {
            run.caller.log(level as u8, parts.join(&b' ').into());
        }
        Ok(0)
    }
}

unsafe extern "C-unwind" fn acl_check_cmd(state: *mut lua_State) -> c_int {
    // SAFETY: as in `sha1hex`.
    unsafe { finish(state, acl_check_inner(state)) }
}

unsafe fn acl_check_inner(state: *mut lua_State) -> Result<c_int, Raise> {
    // SAFETY: as in `call_command`.
    unsafe {
        let inner = Inner::from_upvalue(state);
        let argv = arguments(state, inner.version)?;
        let allowed = match inner.run() {
            Some(run) => run.caller.acl_check(&argv),
            None => Ok(true),
        };
        match allowed {
            Ok(yes) => {
                ffi::lua_pushboolean(state, c_int::from(yes));
                Ok(1)
            }
            Err(AclCheckError::WrongArity) => {
                Err(Raise::Table(b"ERR Wrong number of args for redis.acl_check_cmd()".to_vec()))
            }
            Err(AclCheckError::UnknownCommand) => {
                Err(Raise::Table(b"ERR Invalid command passed to redis.acl_check_cmd()".to_vec()))
            }
        }
    }
}

unsafe extern "C-unwind" fn replicate_commands(state: *mut lua_State) -> c_int {
    // SAFETY: pushes one value.
    unsafe { ffi::lua_pushboolean(state, 1) };
    1
}

/// Outside of Redis's own debugger there is nothing to stop.
unsafe extern "C-unwind" fn breakpoint(state: *mut lua_State) -> c_int {
    // SAFETY: pushes one value.
    unsafe { ffi::lua_pushboolean(state, 0) };
    1
}

unsafe extern "C-unwind" fn debug(_: *mut lua_State) -> c_int {
    0
}
