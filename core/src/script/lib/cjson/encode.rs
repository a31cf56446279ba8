//! `cjson.encode`, without recursion: a table in work leaves a frame behind, and its state on the Lua stack.

use std::ffi::c_int;

use mlua::ffi::{LUA_TBOOLEAN, LUA_TLIGHTUSERDATA, LUA_TNIL, LUA_TNUMBER, LUA_TSTRING, LUA_TTABLE};

use super::super::printf::{Spec, general};
use super::super::readonly;
use super::super::scratch::Scratch;
use super::super::stack::{Stack, decimal};
use super::{CjsonConfig, InvalidNumbers, config};

/// Values between two charges, and what one costs in instructions.
const CHARGE_VALUES: u64 = 64;
const VALUE_INSTRUCTIONS: u64 = 8;

/// A table in work; it lies on the Lua stack, and for an object the current key above it.
#[derive(Clone, Copy)]
enum Frame {
    Array { next: c_int, length: c_int },
    Object { first: bool },
}

struct Encoder {
    lua: Stack,
    out: Scratch<u8>,
    frames: Scratch<Frame>,
    values: u64,
    marks: bool,
}

/// `marks`: whether a table can say that it is an array.
pub(super) fn encode(lua: Stack, marks: bool) -> c_int {
    if lua.top() != 1 {
        lua.argument_error(1, &[b"expected 1 argument"]);
    }
    let config: &CjsonConfig = config(lua);
    let mut encoder = Encoder {
        lua,
        out: Scratch::in_upvalue(lua, 3, 256),
        frames: Scratch::in_upvalue(lua, 4, 16),
        values: 0,
        marks,
    };
    encoder.value(config);
    while encoder.advance(config) {}
    encoder.out.push_string();
    encoder.out.release();
    encoder.frames.release();
    1
}

impl Encoder {
    /// Does the next piece of the innermost table; false when none is left.
    fn advance(&mut self, config: &CjsonConfig) -> bool {
        let lua = self.lua;
        match self.frames.last_mut() {
            None => return false,
            Some(Frame::Array { next, length }) if *next <= *length => {
                let index = *next;
                *next += 1;
                if index > 1 {
                    self.out.push(b',');
                }
                lua.raw_get_at(-1, index);
                self.value(config);
            }
            Some(Frame::Array { .. }) => self.close(b']'),
            Some(Frame::Object { first }) => {
                let first = std::mem::replace(first, false);
                if !lua.next(-2) {
                    // The table is on top now.
                    self.close(b'}');
                    return true;
                }
                if !first {
                    self.out.push(b',');
                }
                self.key(config);
                self.value(config);
            }
        }
        true
    }

    /// Ends the innermost table and takes it off the stack.
    fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.frames.pop();
        self.lua.pop(1);
    }

    /// Encodes the key below the value on top.
    fn key(&mut self, config: &CjsonConfig) {
        match self.lua.kind(-2) {
            LUA_TNUMBER => {
                self.out.push(b'"');
                self.number(config, -2);
                self.out.extend(b"\":");
            }
            LUA_TSTRING => {
                self.string(-2);
                self.out.push(b':');
            }
            _ => self.refuse(-2, b"table key must be a number or string"),
        }
    }

    /// Encodes the value on top and takes it off the stack; a table stays, with a frame that goes on with it.
    fn value(&mut self, config: &CjsonConfig) {
        let lua = self.lua;
        self.values += 1;
        if self.values.is_multiple_of(CHARGE_VALUES) {
            lua.charge(CHARGE_VALUES * VALUE_INSTRUCTIONS);
        }
        match lua.kind(-1) {
            LUA_TSTRING => self.string(-1),
            LUA_TNUMBER => self.number(config, -1),
            LUA_TBOOLEAN => self.out.extend(if lua.truth(-1) { b"true" } else { b"false" }),
            LUA_TNIL => self.out.extend(b"null"),
            LUA_TLIGHTUSERDATA if lua.userdata(-1).is_null() => self.out.extend(b"null"),
            LUA_TTABLE => return self.table(config),
            _ => self.refuse(-1, b"type not supported"),
        }
        lua.pop(1);
    }

    fn table(&mut self, config: &CjsonConfig) {
        let lua = self.lua;
        let depth = self.frames.len() as c_int + 1;
        if depth > config.encode_depth_max || !lua.reserve(3) {
            lua.raise(&[b"Cannot serialise, excessive nesting (", decimal(depth).as_slice(), b")"]);
        }
        // For what is looked up along the way; near the limit the spare slots of every stack do.
        lua.reserve(8);
        readonly::resolve(lua, lua.top());
        let length = self.array_length(config);
        if length > 0 || length == 0 && self.marks && is_marked_array(lua) {
            self.out.push(b'[');
            self.frames.push(Frame::Array { next: 1, length });
        } else {
            self.out.push(b'{');
            self.frames.push(Frame::Object { first: true });
            lua.push_nil();
        }
    }

    /// The highest index of the table on top if it is to be an array: not above 0 if an object.
    fn array_length(&mut self, config: &CjsonConfig) -> c_int {
        let lua = self.lua;
        let mut highest: i32 = 0;
        let mut items: i32 = 0;
        lua.push_nil();
        while lua.next(-2) {
            let key = if lua.kind(-2) == LUA_TNUMBER { lua.number(-2) } else { 0.0 };
            if !(key.floor() == key && key >= 1.0) {
                lua.pop(2);
                return -1;
            }
            if key > f64::from(highest) {
                highest = to_i32(key);
            }
            items = items.wrapping_add(1);
            lua.pop(1);
        }
        self.values += items as u64 / 4;
        let sparse = config.sparse;
        if sparse.ratio > 0 && highest > items.wrapping_mul(sparse.ratio) && highest > sparse.safe {
            if !sparse.convert {
                self.refuse(-1, b"excessively sparse array");
            }
            return -1;
        }
        highest
    }

    fn string(&mut self, index: c_int) {
        let text = self.lua.bytes(index).unwrap_or_default();
        self.out.push(b'"');
        let mut plain = 0;
        for (place, &byte) in text.iter().enumerate() {
            let escape: &[u8] = match byte {
                b'"' => b"\\\"",
                b'\\' => b"\\\\",
                b'/' => b"\\/",
                b'\x08' => b"\\b",
                b'\t' => b"\\t",
                b'\n' => b"\\n",
                b'\x0c' => b"\\f",
                b'\r' => b"\\r",
                0..=31 | 127 => b"\\u00",
                _ => continue,
            };
            self.out.extend(&text[plain..place]);
            self.out.extend(escape);
            if escape.len() == 4 {
                let digits = Spec { precision: Some(2), ..Spec::default() }.unsigned(b'x', byte.into());
                self.out.extend(digits.as_slice());
            }
            plain = place + 1;
        }
        self.out.extend(&text[plain..]);
        self.out.push(b'"');
    }

    fn number(&mut self, config: &CjsonConfig, index: c_int) {
        let number = self.lua.number(index);
        match config.encode_invalid {
            InvalidNumbers::Raise if !number.is_finite() => self.refuse(-1, b"must not be NaN or Inf"),
            InvalidNumbers::Write if number.is_nan() => self.out.extend(b"nan"),
            InvalidNumbers::Null if !number.is_finite() => self.out.extend(b"null"),
            _ => self.out.extend(general(number, config.precision as usize).as_slice()),
        }
    }

    fn refuse(&self, index: c_int, reason: &[u8]) -> ! {
        let kind = self.lua.type_name(index);
        self.lua.raise(&[b"Cannot serialise ", kind, b": ", reason])
    }
}

/// Whether the empty table on top says that it is an array: decoding can mark it so, and so can a script.
fn is_marked_array(lua: Stack) -> bool {
    if !lua.metatable(-1) {
        return false;
    }
    readonly::resolve(lua, lua.top());
    lua.push_bytes(b"__is_cjson_array");
    lua.raw_get(-2);
    let marked = lua.truth(-1);
    lua.pop(2);
    marked
}

/// `double` to a 32-bit integer as x86-64 does it.
fn to_i32(value: f64) -> i32 {
    if (-2_147_483_649.0 < value) && (value < 2_147_483_648.0) { value as i32 } else { i32::MIN }
}
