//! `load` and `loadstring`, for text alone: a precompiled chunk is read as the (wrong) text it is.
//!
//! Lua 5.1 takes anything that begins with ESC for bytecode, whose verifier is not safe. A blank put in front makes it
//! text, and changes nothing else: the lexer skips it.

use std::ffi::{c_char, c_int, c_void};

use mlua::ffi::{LUA_TFUNCTION, lua_Reader, lua_State, lua_load};

use super::stack::Stack;

const ESCAPE: u8 = 0x1b;

/// What the reader of a chunk has left to give.
struct Source {
    /// The whole text, for `loadstring`.
    text: Option<(*const u8, usize)>,
    started: bool,
    /// A piece held back behind a blank, from stack slot 3 where it came from a function.
    held: Option<(*const u8, usize)>,
}

impl Source {
    fn of_text(text: &[u8]) -> Self {
        Self { text: Some((text.as_ptr(), text.len())), started: false, held: None }
    }

    /// The piece to hand to Lua now.
    fn give(&mut self, piece: (*const u8, usize)) -> (*const u8, usize) {
        // SAFETY: a piece is a Lua string that stays on the stack while the chunk loads.
        let escaped = !self.started && piece.1 > 0 && unsafe { *piece.0 } == ESCAPE;
        self.started = true;
        if escaped {
            self.held = Some(piece);
            return (b" ".as_ptr(), 1);
        }
        piece
    }
}

pub(super) fn loadstring(lua: Stack) -> c_int {
    let text = lua.check_bytes(1);
    let name = if lua.is_none_or_nil(2) { text } else { lua.check_bytes(2) };
    // Every Lua string ends with a NUL, so its bytes are a C string.
    results(lua, compile(lua, read_text, Source::of_text(text), name.as_ptr()))
}

pub(super) fn load(lua: Stack) -> c_int {
    let name = if lua.is_none_or_nil(2) { c"=(load)".to_bytes() } else { lua.check_bytes(2) };
    lua.check_kind(1, LUA_TFUNCTION);
    // The function, maybe the name, a slot that keeps the latest piece alive, and the name that is taken: Lua 5.1 calls
    // the function while it holds the name nowhere, and a collection in there would free it (CVE-2025-49844).
    lua.set_top(3);
    lua.push_bytes(name);
    let source = Source { text: None, started: false, held: None };
    let status = compile(lua, read_pieces, source, name.as_ptr());
    lua.remove(4);
    results(lua, status)
}

/// `name` ends with a NUL.
fn compile(lua: Stack, reader: lua_Reader, mut source: Source, name: *const u8) -> c_int {
    // SAFETY: the reader gets back the Source it expects, which outlives the call and needs no drop.
    unsafe { lua_load(lua.state(), reader, (&raw mut source).cast(), name.cast::<c_char>()) }
}

/// The results of both functions: the chunk, or nil and the message.
fn results(lua: Stack, status: c_int) -> c_int {
    if status == 0 {
        return 1;
    }
    lua.push_nil();
    lua.insert(-2);
    2
}

unsafe extern "C-unwind" fn read_text(
    _: *mut lua_State,
    source: *mut c_void,
    size: *mut usize,
) -> *const c_char {
    // SAFETY: `compile` passes a Source, and Lua a place for the size.
    let (source, size) = unsafe { (&mut *source.cast::<Source>(), &mut *size) };
    let piece = match (source.held.take(), source.text.take()) {
        (Some(held), _) => held,
        (None, Some(text)) => source.give(text),
        (None, None) => (std::ptr::null(), 0),
    };
    *size = piece.1;
    piece.0.cast()
}

unsafe extern "C-unwind" fn read_pieces(
    state: *mut lua_State,
    source: *mut c_void,
    size: *mut usize,
) -> *const c_char {
    // SAFETY: as in `read_text`; the state is the one that `load` runs in, its slots 1 to 3 as `load` has left them.
    let (lua, source, size) = unsafe { (Stack::new(state), &mut *source.cast::<Source>(), &mut *size) };
    if let Some(held) = source.held.take() {
        *size = held.1;
        return held.0.cast();
    }
    lua.check_reserve(2, c"too many nested functions");
    lua.copy(1);
    lua.call(0, 1);
    if lua.is_nil(-1) {
        *size = 0;
        return std::ptr::null();
    }
    if !lua.is_string(-1) {
        lua.raise(&[b"reader function must return a string"]);
    }
    lua.replace(3);
    let piece = lua.bytes(3).unwrap_or_default();
    let piece = source.give((piece.as_ptr(), piece.len()));
    *size = piece.1;
    piece.0.cast()
}
