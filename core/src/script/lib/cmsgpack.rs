//! `cmsgpack` 0.4.0: MessagePack, both ways, without recursion when reading.

use std::ffi::c_int;

use mlua::ffi::{LUA_TBOOLEAN, LUA_TNUMBER, LUA_TSTRING, LUA_TTABLE};

use super::Libraries;
use super::readonly;
use super::scratch::Scratch;
use super::stack::{Stack, decimal, function, to_i64};

/// A table this deep is packed as nil.
const NESTING_MAX: usize = 16;
/// Values between two charges, and what one costs in instructions.
const CHARGE_VALUES: u64 = 64;
const VALUE_INSTRUCTIONS: u64 = 4;

/// Leaves the library's table on the stack. The second upvalue is a place for memory while a function runs.
pub(in crate::script) fn open(lua: Stack, libraries: *mut Libraries) {
    lua.push_table(0, 0);
    lua.push_light(libraries.cast());
    lua.push_nil();
    lua.set_function(c"pack", function(pack), 2);
    lua.set_function(c"unpack", function(unpack), 2);
    lua.set_function(c"unpack_one", function(unpack_one), 2);
    lua.set_function(c"unpack_limit", function(unpack_limit), 2);
    lua.pop(2);
    lua.set_text(c"_NAME", "cmsgpack");
    lua.set_text(c"_VERSION", "lua-cmsgpack 0.4.0");
    lua.set_text(c"_COPYRIGHT", "Copyright (C) 2012, Salvatore Sanfilippo");
    lua.set_text(c"_DESCRIPTION", "MessagePack C implementation for Lua");
}

fn pack(lua: Stack) -> c_int {
    let count = lua.top();
    if count == 0 {
        lua.argument_error(0, &[b"MessagePack pack needs input."]);
    }
    if !lua.reserve(count) {
        lua.argument_error(0, &[b"Too many arguments for MessagePack pack."]);
    }
    let mut packer = Packer { lua, out: Scratch::in_upvalue(lua, 2, 128), values: 0 };
    for argument in 1..=count {
        lua.copy(argument);
        packer.value(0);
    }
    packer.out.push_string();
    packer.out.release();
    1
}

struct Packer {
    lua: Stack,
    out: Scratch<u8>,
    values: u64,
}

impl Packer {
    /// Packs the value on top and takes it off the stack. Recurses [`NESTING_MAX`] deep at most.
    fn value(&mut self, depth: usize) {
        let lua = self.lua;
        self.values += 1;
        if self.values.is_multiple_of(CHARGE_VALUES) {
            lua.charge(CHARGE_VALUES * VALUE_INSTRUCTIONS);
        }
        match lua.kind(-1) {
            LUA_TSTRING => {
                let text = lua.bytes(-1).unwrap_or_default();
                self.text_head(text.len());
                self.out.extend(text);
            }
            LUA_TBOOLEAN => self.out.push(if lua.truth(-1) { 0xc3 } else { 0xc2 }),
            LUA_TNUMBER => self.number(lua.number(-1)),
            LUA_TTABLE if depth < NESTING_MAX => self.table(depth),
            _ => self.out.push(0xc0),
        }
        lua.pop(1);
    }

    fn number(&mut self, number: f64) {
        let integer = to_i64(number);
        if !number.is_infinite() && integer as f64 == number {
            return self.integer(integer);
        }
        let short = number as f32;
        if f64::from(short) == number {
            self.out.push(0xca);
            self.out.extend(&short.to_be_bytes());
        } else {
            self.out.push(0xcb);
            self.out.extend(&number.to_be_bytes());
        }
    }

    /// In the shortest form.
    fn integer(&mut self, number: i64) {
        let bytes = number.to_be_bytes();
        let (head, width) = match number {
            -32..=0x7f => return self.out.push(number as u8),
            0x80..=0xff => (0xcc, 1),
            0x100..=0xffff => (0xcd, 2),
            0x1_0000..=0xffff_ffff => (0xce, 4),
            0x1_0000_0000.. => (0xcf, 8),
            -0x80..=-33 => (0xd0, 1),
            -0x8000..=-0x81 => (0xd1, 2),
            -0x8000_0000..=-0x8001 => (0xd2, 4),
            _ => (0xd3, 8),
        };
        self.out.push(head);
        self.out.extend(&bytes[8 - width..]);
    }

    fn text_head(&mut self, length: usize) {
        match length {
            0..=31 => self.out.push(0xa0 | length as u8),
            32..=0xff => self.out.extend(&[0xd9, length as u8]),
            _ => self.head(0xda, length),
        }
    }

    /// A length in 16 bits behind `short`, or in 32 bits behind the code after it.
    fn head(&mut self, short: u8, length: usize) {
        if length <= 0xffff {
            self.out.push(short);
            self.out.extend(&(length as u16).to_be_bytes());
        } else {
            self.out.push(short + 1);
            self.out.extend(&(length as u32).to_be_bytes());
        }
    }

    fn table(&mut self, depth: usize) {
        let lua = self.lua;
        lua.check_reserve(8, c"in function mp_encode_lua_type");
        readonly::resolve(lua, lua.top());
        let (count, is_array) = count_entries(lua);
        self.values += count as u64 / 4;
        if is_array {
            match count {
                0..=15 => self.out.push(0x90 | count as u8),
                _ => self.head(0xdc, count),
            }
            for index in 1..=count as c_int {
                lua.raw_get_at(-1, index);
                self.value(depth + 1);
            }
            return;
        }
        match count {
            0..=15 => self.out.push(0x80 | count as u8),
            _ => self.head(0xde, count),
        }
        lua.push_nil();
        while lua.next(-2) {
            lua.copy(-2);
            self.value(depth + 1);
            self.value(depth + 1);
        }
    }
}

/// How many entries the table on top has, and whether they are numbered from 1 on without a hole.
fn count_entries(lua: Stack) -> (usize, bool) {
    let mut count: usize = 0;
    let mut highest = 0.0;
    let mut is_array = true;
    lua.push_nil();
    while lua.next(-2) {
        lua.pop(1);
        count += 1;
        let key = lua.number(-1);
        let is_index =
            lua.kind(-1) == LUA_TNUMBER && key > 0.0 && key.floor() == key && key <= f64::from(i32::MAX);
        is_array &= is_index;
        highest = key.max(highest);
    }
    (count, is_array && highest == count as f64)
}

fn unpack(lua: Stack) -> c_int {
    unpack_from(lua, 0, 0)
}

fn unpack_one(lua: Stack) -> c_int {
    let offset = lua.optional_i64(2, 0);
    lua.set_top(lua.top().min(1));
    unpack_from(lua, 1, offset)
}

fn unpack_limit(lua: Stack) -> c_int {
    let limit = lua.check_i64(2);
    let offset = lua.optional_i64(3, 0);
    lua.set_top(1);
    unpack_from(lua, limit, offset)
}

/// Pushes up to `limit` values from `offset` on. Limit and offset 0 mean everything, and then the offset to go on from is
/// not among the results.
fn unpack_from(lua: Stack, limit: i64, offset: i64) -> c_int {
    let text = lua.check_bytes(1);
    let length = text.len() as i64;
    let shown = |number: i64| decimal(number as i32);
    if offset < 0 || limit < 0 {
        // The limit shown is really the length, in the servers too.
        lua.raise(&[
            b"Invalid request to unpack with offset of ",
            shown(offset).as_slice(),
            b" and limit of ",
            shown(length).as_slice(),
            b".",
        ]);
    }
    if offset > length {
        lua.raise(&[
            b"Start offset ",
            shown(offset).as_slice(),
            b" greater than input length ",
            shown(length).as_slice(),
            b".",
        ]);
    }
    let everything = limit == 0 && offset == 0;
    let limit = if everything { i64::from(i32::MAX) } else { limit };
    let rest = &text[offset as usize..];
    lua.charge_bytes(rest.len());
    let mut unpacker = Unpacker { lua, rest, frames: Scratch::in_upvalue(lua, 2, 16), values: 0 };
    let mut count = 0;
    while !unpacker.rest.is_empty() && count < limit {
        unpacker.value();
        count += 1;
    }
    let left = unpacker.rest.len();
    unpacker.frames.release();
    if everything {
        return count as c_int;
    }
    lua.check_reserve(1, c"in function mp_unpack_full");
    lua.push_number(if left == 0 { -1.0 } else { (text.len() - left) as f64 });
    lua.insert(2);
    count as c_int + 1
}

/// A container in work. It lies on the Lua stack; above it the index of the coming element, or the key of the coming value.
#[derive(Clone, Copy)]
enum Frame {
    /// `index` is the element being read, 0 before the first.
    Array {
        left: u32,
        index: u32,
    },
    Map {
        left: u32,
        due: Due,
    },
}

/// What is being read of a map.
#[derive(Clone, Copy)]
enum Due {
    Nothing,
    Key,
    Value,
}

struct Unpacker<'a> {
    lua: Stack,
    rest: &'a [u8],
    frames: Scratch<Frame>,
    values: u64,
}

impl<'a> Unpacker<'a> {
    /// Pushes one value.
    fn value(&mut self) {
        loop {
            self.values += 1;
            if self.values.is_multiple_of(CHARGE_VALUES) {
                self.lua.charge(CHARGE_VALUES * VALUE_INSTRUCTIONS);
            }
            let hint = c"too many return values at once; use unpack_one or unpack_limit instead.";
            self.lua.check_reserve(1, hint);
            self.item();
            if !self.store() {
                return;
            }
        }
    }

    /// Stores what lies on top in its container, and containers that end with it in theirs; false when none is left.
    fn store(&mut self) -> bool {
        let lua = self.lua;
        while let Some(frame) = self.frames.last_mut() {
            match frame {
                Frame::Array { left, index } => {
                    if *index > 0 {
                        lua.raw_set(-3);
                    }
                    if *left > 0 {
                        *left -= 1;
                        *index += 1;
                        lua.push_number((*index).into());
                        return true;
                    }
                }
                Frame::Map { due: due @ Due::Key, .. } => {
                    *due = Due::Value;
                    return true;
                }
                Frame::Map { left, due } => {
                    if matches!(due, Due::Value) {
                        lua.raw_set(-3);
                    }
                    if *left > 0 {
                        *left -= 1;
                        *due = Due::Key;
                        return true;
                    }
                }
            }
            self.frames.pop();
        }
        false
    }

    /// Pushes a plain value, or a container that begins.
    fn item(&mut self) {
        let lua = self.lua;
        let [head] = self.take();
        match head {
            0x00..=0x7f | 0xe0..=0xff => lua.push_number((head as i8).into()),
            0x80..=0x8f => self.map((head & 0x0f).into()),
            0x90..=0x9f => self.array((head & 0x0f).into()),
            0xa0..=0xbf => self.text((head & 0x1f).into()),
            0xc0 => lua.push_nil(),
            0xc2 => lua.push_bool(false),
            0xc3 => lua.push_bool(true),
            0xca => lua.push_number(f32::from_be_bytes(self.take()).into()),
            0xcb => lua.push_number(f64::from_be_bytes(self.take())),
            0xcc => lua.push_number(u8::from_be_bytes(self.take()).into()),
            0xcd => lua.push_number(u16::from_be_bytes(self.take()).into()),
            0xce => lua.push_number(u32::from_be_bytes(self.take()).into()),
            // Signed or not, the servers read 64 bits as signed.
            0xcf | 0xd3 => lua.push_number(i64::from_be_bytes(self.take()) as f64),
            0xd0 => lua.push_number(i8::from_be_bytes(self.take()).into()),
            0xd1 => lua.push_number(i16::from_be_bytes(self.take()).into()),
            0xd2 => lua.push_number(i32::from_be_bytes(self.take()).into()),
            0xd9 => {
                let length = u8::from_be_bytes(self.take());
                self.text(length.into());
            }
            0xda => {
                let length = u16::from_be_bytes(self.take());
                self.text(length.into());
            }
            0xdb => {
                let length = u32::from_be_bytes(self.take());
                self.text(length);
            }
            0xdc => {
                let length = u16::from_be_bytes(self.take());
                self.array(length.into());
            }
            0xdd => {
                let length = u32::from_be_bytes(self.take());
                self.array(length);
            }
            0xde => {
                let length = u16::from_be_bytes(self.take());
                self.map(length.into());
            }
            0xdf => {
                let length = u32::from_be_bytes(self.take());
                self.map(length);
            }
            0xc1 | 0xc4..=0xc9 | 0xd4..=0xd8 => lua.raise(&[b"Bad data format in input."]),
        }
    }

    fn array(&mut self, left: u32) {
        self.lua.push_table(0, 0);
        self.lua.check_reserve(1, c"in function mp_decode_to_lua_array");
        self.frames.push(Frame::Array { left, index: 0 });
    }

    fn map(&mut self, left: u32) {
        self.lua.push_table(0, 0);
        self.frames.push(Frame::Map { left, due: Due::Nothing });
    }

    fn text(&mut self, length: u32) {
        let text = self.take_slice(length as usize);
        self.lua.push_bytes(text);
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take_slice(N));
        bytes
    }

    fn take_slice(&mut self, length: usize) -> &'a [u8] {
        match self.rest.split_at_checked(length) {
            Some((taken, rest)) => {
                self.rest = rest;
                taken
            }
            None => self.lua.raise(&[b"Missing bytes in input."]),
        }
    }
}
