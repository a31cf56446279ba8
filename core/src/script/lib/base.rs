//! The base library, where Redis's differs from Lua's own, where it must see through read-only tables, and where it would
//! show what differs from machine to machine (addresses, the garbage collector's state).

use std::ffi::c_int;

use mlua::ffi::{
    LUA_GCCOLLECT, LUA_REGISTRYINDEX, LUA_TBOOLEAN, LUA_TLIGHTUSERDATA, LUA_TNIL, LUA_TNUMBER, LUA_TSTRING,
    LUA_TTABLE, lua_gc,
};

use super::matcher::is_space;
use super::printf::{Spec, Text};
use super::readonly;
use super::stack::{Stack, function, until_nul};
use super::{Libraries, load};

/// What `collectgarbage('count')` answers, in kibibytes: what a fresh real server shows. The VM's true figure depends on the
/// machine and on earlier scripts.
const COLLECTOR_COUNT_KIB: f64 = 34.251953125;
/// Kibibytes that a cycle of `collectgarbage('step')` takes on a fresh real server.
const COLLECTOR_CYCLE_KIB: i64 = 42;
/// What a full collection is charged with, in instructions.
const COLLECTION_INSTRUCTIONS: u64 = 2_000;

static ADDRESSES: u8 = 0;

/// Replaces functions of the globals table on top.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_light(libraries.cast());
    lua.set_function(c"collectgarbage", function(collectgarbage), 1);
    lua.set_function(c"gcinfo", function(gcinfo), 1);
    lua.set_function(c"getmetatable", function(getmetatable), 1);
    lua.set_function(c"setmetatable", function(setmetatable), 1);
    lua.set_function(c"pcall", function(pcall), 1);
    lua.set_function(c"rawget", function(rawget), 1);
    lua.set_function(c"rawset", function(rawset), 1);
    lua.set_function(c"tonumber", function(tonumber), 1);
    lua.set_function(c"tostring", function(tostring), 1);
    lua.set_function(c"load", function(load::load), 1);
    lua.set_function(c"loadstring", function(load::loadstring), 1);
    lua.pop(1);
    open_iterators(lua);
}

/// `pairs` answers a `next` of its own, which is not the global one.
fn open_iterators(lua: Stack) {
    lua.set_function(c"next", function(next), 0);
    lua.set_function(c"unpack", function(unpack), 0);
    lua.push_closure(function(next), 0);
    lua.push_closure(function(pairs), 1);
    lua.set_field(-2, c"pairs");
}

fn next(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    lua.set_top(2);
    readonly::resolve(lua, 1);
    if lua.next(1) {
        return 2;
    }
    lua.push_nil();
    1
}

/// Counts in 64 bits. Lua's own counts in a C `int` and lets it overflow, which compilers take as leave to drop the check
/// behind it: then a range of over 2^31 writes past the stack (CVE-2025-46817).
fn unpack(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    readonly::resolve(lua, 1);
    let first = lua.optional_int(2, 1);
    let last = if lua.is_none_or_nil(3) { lua.array_length(1) } else { lua.check_int(3) };
    let count = (i64::from(last) - i64::from(first) + 1).max(0);
    match c_int::try_from(count) {
        Ok(count) if lua.reserve(count) => {
            (0..count).for_each(|index| lua.raw_get_at(1, first + index));
            count
        }
        _ => lua.raise(&[b"too many results to unpack"]),
    }
}

fn pairs(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    lua.copy(super::stack::upvalue(1));
    lua.copy(1);
    lua.push_nil();
    3
}

/// Redis's own: of an error table comes out its `err`, or that and the table.
fn pcall(lua: Stack) -> c_int {
    if lua.top() == 0 {
        // The servers then call what they have put on the stack themselves.
        lua.push_bool(false);
        lua.push_bytes(b"attempt to call a boolean value");
        return 2;
    }
    let done = lua.protected_call(lua.top() - 1);
    if !done && lua.is_table(-1) {
        lua.get_field(-1, c"err");
        if lua.is_string(-1) {
            lua.replace(-2);
        }
    }
    lua.check_reserve(1, c"too many results");
    lua.push_bool(done);
    lua.insert(1);
    lua.top()
}

fn rawget(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    lua.check_any(2);
    lua.set_top(2);
    readonly::resolve(lua, 1);
    lua.raw_get(1);
    1
}

fn rawset(lua: Stack) -> c_int {
    lua.check_kind(1, LUA_TTABLE);
    lua.check_any(2);
    lua.check_any(3);
    lua.set_top(3);
    readonly::check_writable(lua, 1);
    lua.raw_set(1);
    1
}

fn getmetatable(lua: Stack) -> c_int {
    lua.check_any(1);
    if lua.is_table(1) {
        readonly::resolve(lua, 1);
    }
    if !lua.metatable(1) {
        lua.push_nil();
        return 1;
    }
    if !lua.meta_field(1, c"__metatable") {
        readonly::visible(lua, lua.top());
    }
    1
}

fn setmetatable(lua: Stack) -> c_int {
    let kind = lua.kind(2);
    lua.check_kind(1, LUA_TTABLE);
    if kind != LUA_TNIL && kind != LUA_TTABLE {
        lua.argument_error(2, &[b"nil or table expected"]);
    }
    if lua.meta_field(1, c"__metatable") {
        lua.raise(&[b"cannot change a protected metatable"]);
    }
    lua.set_top(2);
    readonly::check_writable(lua, 1);
    if kind == LUA_TTABLE {
        readonly::resolve(lua, 2);
    }
    lua.set_metatable(1);
    1
}

/// Any base but 10 goes by the server's 64-bit `strtoul`.
fn tonumber(lua: Stack) -> c_int {
    let base = lua.optional_int(2, 10);
    let number = if base == 10 {
        lua.check_any(1);
        lua.is_number(1).then(|| lua.number(1))
    } else {
        let text = until_nul(lua.check_bytes(1));
        if !(2..=36).contains(&base) {
            lua.argument_error(2, &[b"base out of range"]);
        }
        parse_unsigned(text, base as u32).map(|number| number as f64)
    };
    match number {
        Some(number) => lua.push_number(number),
        None => lua.push_nil(),
    }
    1
}

/// C's `strtoul` with nothing but blanks behind the number: a minus sign wraps around, too much becomes the maximum.
fn parse_unsigned(text: &[u8], base: u32) -> Option<u64> {
    let text = skip_blanks(text);
    let (negative, mut digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if base == 16
        && let [b'0', b'x' | b'X', next, ..] = digits
        && next.is_ascii_hexdigit()
    {
        digits = &digits[2..];
    }
    let value = |byte: &u8| char::from(*byte).to_digit(base);
    let count = digits.iter().take_while(|byte| value(byte).is_some()).count();
    if count == 0 || !skip_blanks(&digits[count..]).is_empty() {
        return None;
    }
    let number = digits[..count]
        .iter()
        .filter_map(value)
        .try_fold(0u64, |number, digit| number.checked_mul(base.into())?.checked_add(digit.into()));
    Some(match number {
        Some(number) if negative => number.wrapping_neg(),
        Some(number) => number,
        None => u64::MAX,
    })
}

fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| is_space(**byte)).count();
    &text[blanks..]
}

fn tostring(lua: Stack) -> c_int {
    lua.check_any(1);
    push_text(lua, 1);
    1
}

/// Pushes what `tostring` answers for the value at `index` (absolute).
pub(super) fn push_text(lua: Stack, index: c_int) {
    if lua.call_meta(index, c"__tostring") {
        return;
    }
    match lua.kind(index) {
        LUA_TNUMBER => {
            lua.copy(index);
            // Reading a number's bytes turns it into a string in place.
            lua.bytes(-1);
        }
        LUA_TSTRING => lua.copy(index),
        LUA_TNIL => lua.push_bytes(b"nil"),
        LUA_TBOOLEAN => lua.push_bytes(if lua.truth(index) { b"true" } else { b"false" }),
        LUA_TLIGHTUSERDATA => lua.push_bytes(b"userdata: (nil)"),
        _ => push_address(lua, index),
    }
}

/// An object's address must not differ from run to run: objects are numbered in the order in which a script asks.
fn push_address(lua: Stack, index: c_int) {
    lua.push_light((&raw const ADDRESSES).cast_mut().cast());
    lua.raw_get(LUA_REGISTRYINDEX);
    if lua.is_nil(-1) {
        lua.pop(1);
        forget_addresses(lua);
        lua.push_light((&raw const ADDRESSES).cast_mut().cast());
        lua.raw_get(LUA_REGISTRYINDEX);
    }
    lua.copy(index);
    lua.raw_get(-2);
    if lua.is_nil(-1) {
        lua.pop(1);
        // SAFETY: the engine keeps the library state in place while the VM lives; nothing else borrows it now.
        let number = unsafe {
            let libraries = lua.libraries();
            (*libraries).addresses += 1;
            (*libraries).addresses
        };
        lua.copy(index);
        lua.push_number(number as f64);
        lua.raw_set(-3);
        lua.push_number(number as f64);
    }
    // What a 64-bit server's addresses look like.
    let address = 0x7f5c_1a40_0000 + lua.number(-1) as u64 * 0x40;
    let digits: Text = Spec { alternate: true, ..Spec::default() }.unsigned(b'x', address);
    lua.push_bytes(lua.type_name(index));
    lua.push_bytes(b": ");
    lua.push_bytes(digits.as_slice());
    lua.concat(3);
    lua.replace(-3);
    lua.pop(1);
}

/// Forgets the numbers of [`push_address`].
pub(super) fn forget_addresses(lua: Stack) {
    lua.push_light((&raw const ADDRESSES).cast_mut().cast());
    lua.push_table(0, 0);
    lua.push_table(0, 1);
    lua.set_text(c"__mode", "k");
    lua.set_metatable(-2);
    lua.raw_set(LUA_REGISTRYINDEX);
}

fn gcinfo(lua: Stack) -> c_int {
    lua.push_number(COLLECTOR_COUNT_KIB.trunc());
    1
}

fn collectgarbage(lua: Stack) -> c_int {
    const OPTIONS: [&str; 7] = ["stop", "restart", "collect", "count", "step", "setpause", "setstepmul"];
    let option = OPTIONS[lua.check_option(1, Some("collect"), &OPTIONS)];
    let argument = lua.optional_int(2, 0);
    // SAFETY: the engine keeps the library state in place while the VM lives; nothing else borrows it here.
    let collector = unsafe { &mut (*lua.libraries()).kept.collector };
    let result = match option {
        "count" => COLLECTOR_COUNT_KIB,
        "setpause" => std::mem::replace(&mut collector.pause, argument).into(),
        "setstepmul" => std::mem::replace(&mut collector.step_multiplier, argument).into(),
        "step" => {
            collector.stepped += i64::from(argument) + 1;
            let done = collector.stepped >= COLLECTOR_CYCLE_KIB;
            if done {
                collector.stepped = 0;
            }
            lua.push_bool(done);
            return 1;
        }
        "collect" => {
            collector.stepped = 0;
            lua.charge(COLLECTION_INSTRUCTIONS);
            // SAFETY: a plain call of the C API; it makes weak tables let go, which scripts may count on.
            unsafe { lua_gc(lua.state(), LUA_GCCOLLECT, 0) };
            0.0
        }
        _ => 0.0,
    };
    lua.push_number(result);
    1
}
