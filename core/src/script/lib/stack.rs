//! The Lua C API as the library functions see it: one thin, copyable handle on the stack of the running call.
//!
//! Knows nothing of Redis. All `unsafe` of the library functions is in this file, `scratch.rs` and `readonly.rs`.
//!
//! Invariants every library function keeps:
//! - **Nothing with a `Drop` is alive across a call of this API.** An error is a C `longjmp` over the Rust frames (in
//!   WebAssembly an exception), so a live `Vec` would leak. Memory that grows belongs to Lua: see `Scratch`.
//! - At most `LUA_MINSTACK` (20) slots are pushed beyond the arguments, or [`Stack::reserve`] was asked first.
//! - A byte slice taken from the stack is used only while its string stays on the stack.
//! - Integers are read as an x86-64 server reads them ([`to_i64`]), never through `lua_Integer`, which has 32 bits in
//!   WebAssembly.

use std::ffi::{CStr, c_int, c_void};

use mlua::ffi;
use mlua::ffi::lua_State;

use super::{Libraries, Text};

/// A `fn(Stack) -> c_int` as Lua calls it: answers how many results it has pushed.
pub(in crate::script) type CFunction = ffi::lua_CFunction;

/// Handle on the stack of the C function that is running. Positive indices count arguments from 1, negative ones
/// count from the top.
#[derive(Clone, Copy)]
pub(in crate::script) struct Stack(*mut lua_State);

/// Turns a plain function into one that Lua can call. Only function items and closures without captures are taken.
pub(in crate::script) fn function<F: Fn(Stack) -> c_int + Copy>(_: F) -> CFunction {
    const { assert!(size_of::<F>() == 0, "a Lua function cannot capture") };
    unsafe extern "C-unwind" fn call<F: Fn(Stack) -> c_int + Copy>(state: *mut lua_State) -> c_int {
        // SAFETY: F has no size (asserted above), so any aligned pointer reads as a valid value of it.
        let function = unsafe { std::ptr::NonNull::<F>::dangling().read() };
        function(Stack(state))
    }
    call::<F>
}

// SAFETY of every block in this impl: `new`'s caller has promised a live state, the module's invariants keep indices
// within the stack, and slices and C strings handed to Lua are copied before the call returns.
#[allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, given above")]
impl Stack {
    /// # Safety
    /// `state` is a live Lua state, and it stays so while the handle is used.
    pub(in crate::script) unsafe fn new(state: *mut lua_State) -> Self {
        Self(state)
    }

    pub(super) fn state(self) -> *mut lua_State {
        self.0
    }

    // --- the stack itself ---

    pub(in crate::script) fn top(self) -> c_int {
        unsafe { ffi::lua_gettop(self.0) }
    }

    pub(in crate::script) fn set_top(self, index: c_int) {
        unsafe { ffi::lua_settop(self.0, index) }
    }

    pub(in crate::script) fn pop(self, count: c_int) {
        unsafe { ffi::lua_pop(self.0, count) }
    }

    pub(in crate::script) fn copy(self, index: c_int) {
        unsafe { ffi::lua_pushvalue(self.0, index) }
    }

    pub(in crate::script) fn remove(self, index: c_int) {
        unsafe { ffi::lua_remove(self.0, index) }
    }

    pub(in crate::script) fn insert(self, index: c_int) {
        unsafe { ffi::lua_insert(self.0, index) }
    }

    pub(in crate::script) fn replace(self, index: c_int) {
        unsafe { ffi::lua_replace(self.0, index) }
    }

    /// Whether `count` more slots can be had; a C function may use about 8,000.
    pub(in crate::script) fn reserve(self, count: c_int) -> bool {
        unsafe { ffi::lua_checkstack(self.0, count) != 0 }
    }

    /// As [`Stack::reserve`], but raises `stack overflow (WHAT)`.
    pub(in crate::script) fn check_reserve(self, count: c_int, what: &CStr) {
        if !self.reserve(count) {
            self.raise_on_full_stack(&[b"stack overflow (", what.to_bytes(), b")"]);
        }
    }

    // --- pushing ---

    pub(in crate::script) fn push_nil(self) {
        unsafe { ffi::lua_pushnil(self.0) }
    }

    pub(in crate::script) fn push_bool(self, value: bool) {
        unsafe { ffi::lua_pushboolean(self.0, value.into()) }
    }

    pub(in crate::script) fn push_number(self, value: f64) {
        unsafe { ffi::lua_pushnumber(self.0, value) }
    }

    pub(in crate::script) fn push_bytes(self, bytes: &[u8]) {
        unsafe { ffi::lua_pushlstring_(self.0, bytes.as_ptr().cast(), bytes.len()) }
    }

    pub(in crate::script) fn push_light(self, pointer: *mut c_void) {
        unsafe { ffi::lua_pushlightuserdata(self.0, pointer) }
    }

    /// Pushes a closure over the `upvalues` topmost values, which it takes.
    pub(in crate::script) fn push_closure(self, function: CFunction, upvalues: c_int) {
        unsafe { ffi::lua_pushcclosure(self.0, function, upvalues) }
    }

    pub(in crate::script) fn push_table(self, array: c_int, hash: c_int) {
        unsafe { ffi::lua_createtable(self.0, array, hash) }
    }

    /// Pushes `size` bytes of garbage-collected, uninitialised memory, aligned for any number.
    pub(super) fn push_memory(self, size: usize) -> *mut c_void {
        self.check_reserve(1, c"no room for memory");
        unsafe { ffi::lua_newuserdata(self.0, size) }
    }

    /// Pushes the name of the type of the value at `index`.
    pub(in crate::script) fn type_name(self, index: c_int) -> &'static [u8] {
        // Type names are constants of the VM.
        unsafe { CStr::from_ptr(ffi::luaL_typename(self.0, index)).to_bytes() }
    }

    // --- looking ---

    /// One of the `LUA_T…` constants.
    pub(in crate::script) fn kind(self, index: c_int) -> c_int {
        unsafe { ffi::lua_type(self.0, index) }
    }

    pub(in crate::script) fn is_nil(self, index: c_int) -> bool {
        self.kind(index) == ffi::LUA_TNIL
    }

    pub(in crate::script) fn is_none_or_nil(self, index: c_int) -> bool {
        self.kind(index) <= ffi::LUA_TNIL
    }

    pub(in crate::script) fn is_table(self, index: c_int) -> bool {
        self.kind(index) == ffi::LUA_TTABLE
    }

    /// A number, or a string that reads as one.
    pub(in crate::script) fn is_number(self, index: c_int) -> bool {
        unsafe { ffi::lua_isnumber(self.0, index) != 0 }
    }

    /// A string or a number.
    pub(in crate::script) fn is_string(self, index: c_int) -> bool {
        matches!(self.kind(index), ffi::LUA_TSTRING | ffi::LUA_TNUMBER)
    }

    pub(in crate::script) fn truth(self, index: c_int) -> bool {
        unsafe { ffi::lua_toboolean(self.0, index) != 0 }
    }

    /// The number, 0 where it is none.
    pub(in crate::script) fn number(self, index: c_int) -> f64 {
        unsafe { ffi::lua_tonumber(self.0, index) }
    }

    /// The bytes of a string; a number is turned into one *in place*. The slice lives while the value stays on the stack.
    pub(in crate::script) fn bytes<'a>(self, index: c_int) -> Option<&'a [u8]> {
        let mut length = 0;
        unsafe {
            let start = ffi::lua_tolstring(self.0, index, &mut length);
            (!start.is_null()).then(|| std::slice::from_raw_parts(start.cast(), length))
        }
    }

    pub(in crate::script) fn userdata(self, index: c_int) -> *mut c_void {
        unsafe { ffi::lua_touserdata(self.0, index) }
    }

    /// The length of a string, the border of a table.
    pub(in crate::script) fn length(self, index: c_int) -> usize {
        unsafe { ffi::lua_objlen(self.0, index) }
    }

    /// The length of the array part as C code counts it.
    pub(in crate::script) fn array_length(self, index: c_int) -> c_int {
        self.length(index) as c_int
    }

    /// `<` with metamethods.
    pub(in crate::script) fn less(self, a: c_int, b: c_int) -> bool {
        unsafe { ffi::lua_lessthan(self.0, a, b) != 0 }
    }

    // --- tables ---

    /// Replaces the key on top by its value, without metamethods.
    pub(in crate::script) fn raw_get(self, table: c_int) {
        unsafe { ffi::lua_rawget_(self.0, table) }
    }

    pub(in crate::script) fn raw_get_at(self, table: c_int, n: c_int) {
        unsafe { ffi::lua_rawgeti_(self.0, table, n) }
    }

    /// Takes value and key from the top.
    pub(in crate::script) fn raw_set(self, table: c_int) {
        unsafe { ffi::lua_rawset(self.0, table) }
    }

    pub(in crate::script) fn raw_set_at(self, table: c_int, n: c_int) {
        unsafe { ffi::lua_rawseti_(self.0, table, n) }
    }

    /// Replaces the key on top by its value, with metamethods.
    pub(in crate::script) fn get(self, table: c_int) {
        unsafe { ffi::lua_gettable_(self.0, table) }
    }

    pub(in crate::script) fn get_field(self, table: c_int, name: &CStr) {
        unsafe { ffi::lua_getfield_(self.0, table, name.as_ptr()) }
    }

    pub(in crate::script) fn set_field(self, table: c_int, name: &CStr) {
        unsafe { ffi::lua_setfield(self.0, table, name.as_ptr()) }
    }

    /// Replaces the key on top by the next key and its value; nothing is left on top at the end.
    pub(in crate::script) fn next(self, table: c_int) -> bool {
        unsafe { ffi::lua_next(self.0, table) != 0 }
    }

    /// Pushes the metatable, or nothing.
    pub(in crate::script) fn metatable(self, index: c_int) -> bool {
        unsafe { ffi::lua_getmetatable(self.0, index) != 0 }
    }

    /// Takes a table or nil from the top.
    pub(in crate::script) fn set_metatable(self, index: c_int) {
        unsafe { ffi::lua_setmetatable(self.0, index) };
    }

    /// Pushes the metatable's field, or nothing.
    pub(in crate::script) fn meta_field(self, index: c_int, name: &CStr) -> bool {
        unsafe { ffi::luaL_getmetafield_(self.0, index, name.as_ptr()) != 0 }
    }

    /// Takes the value on top into the registry and answers its reference.
    pub(in crate::script) fn take_reference(self) -> c_int {
        unsafe { ffi::luaL_ref(self.0, ffi::LUA_REGISTRYINDEX) }
    }

    /// Calls the metamethod `name` with the value and pushes its result, or nothing.
    pub(in crate::script) fn call_meta(self, index: c_int, name: &CStr) -> bool {
        unsafe { ffi::luaL_callmeta(self.0, index, name.as_ptr()) != 0 }
    }

    pub(in crate::script) fn call(self, arguments: c_int, results: c_int) {
        unsafe { ffi::lua_call(self.0, arguments, results) }
    }

    /// Calls, with as many results as there are. False: instead of function and arguments the error lies on top.
    pub(in crate::script) fn protected_call(self, arguments: c_int) -> bool {
        unsafe { ffi::lua_pcall(self.0, arguments, ffi::LUA_MULTRET, 0) == 0 }
    }

    /// Joins the `count` topmost strings.
    pub(in crate::script) fn concat(self, count: c_int) {
        unsafe { ffi::lua_concat(self.0, count) }
    }

    // --- arguments ---

    pub(in crate::script) fn check_any(self, argument: c_int) {
        unsafe { ffi::luaL_checkany(self.0, argument) }
    }

    pub(in crate::script) fn check_kind(self, argument: c_int, kind: c_int) {
        unsafe { ffi::luaL_checktype(self.0, argument, kind) }
    }

    pub(in crate::script) fn check_number(self, argument: c_int) -> f64 {
        unsafe { ffi::luaL_checknumber(self.0, argument) }
    }

    /// An integer as wide as the server's `ptrdiff_t`.
    pub(in crate::script) fn check_i64(self, argument: c_int) -> i64 {
        to_i64(self.check_number(argument))
    }

    /// A C `int`: the low 32 bits.
    pub(in crate::script) fn check_int(self, argument: c_int) -> c_int {
        self.check_i64(argument) as c_int
    }

    pub(in crate::script) fn optional_int(self, argument: c_int, default: c_int) -> c_int {
        if self.is_none_or_nil(argument) { default } else { self.check_int(argument) }
    }

    pub(in crate::script) fn optional_i64(self, argument: c_int, default: i64) -> i64 {
        if self.is_none_or_nil(argument) { default } else { self.check_i64(argument) }
    }

    pub(in crate::script) fn check_bytes<'a>(self, argument: c_int) -> &'a [u8] {
        let mut length = 0;
        unsafe {
            let start = ffi::luaL_checklstring(self.0, argument, &mut length);
            std::slice::from_raw_parts(start.cast(), length)
        }
    }

    /// The place in `options` of the argument's text; raises `invalid option 'x'`. nil or none is `default`.
    pub(in crate::script) fn check_option(
        self,
        argument: c_int,
        default: Option<&str>,
        options: &[&str],
    ) -> usize {
        let given = match default {
            Some(default) if self.is_none_or_nil(argument) => default.as_bytes(),
            _ => self.check_bytes(argument),
        };
        let given = until_nul(given);
        match options.iter().position(|option| option.as_bytes() == given) {
            Some(place) => place,
            None => self.argument_error(argument, &[b"invalid option '", given, b"'"]),
        }
    }

    // --- errors ---

    /// Raises the parts, joined, behind the position of the Lua code that called (`user_script:1: `).
    pub(in crate::script) fn raise(self, parts: &[&[u8]]) -> ! {
        if !self.reserve(parts.len() as c_int + 1) {
            self.raise_on_full_stack(parts);
        }
        unsafe { ffi::luaL_where(self.0, 1) };
        self.push_joined(parts);
        self.concat(2);
        self.raise_top()
    }

    /// Raises the parts, joined, without a position.
    pub(in crate::script) fn raise_bare(self, parts: &[&[u8]]) -> ! {
        self.push_joined(parts);
        self.raise_top()
    }

    /// As [`Stack::raise`] where not a slot is left; such messages are short.
    fn raise_on_full_stack(self, parts: &[&[u8]]) -> ! {
        let mut text = Text::default();
        for part in parts {
            text.put(part);
        }
        text.put(&[0]);
        // Nothing on the stack is needed any more, and luaL_error wants a slot.
        self.set_top(0);
        unsafe { ffi::luaL_error(self.0, c"%s".as_ptr(), text.as_slice().as_ptr()) };
        unreachable!("luaL_error never returns")
    }

    /// Raises the value on top.
    pub(in crate::script) fn raise_top(self) -> ! {
        unsafe { ffi::lua_error(self.0) }
    }

    /// Raises `bad argument #1 to 'name' (…)`; the name is the one the caller used.
    pub(in crate::script) fn argument_error(self, argument: c_int, parts: &[&[u8]]) -> ! {
        self.push_joined(parts);
        let message = self.bytes(-1).unwrap_or_default();
        // Lua ends every string with a NUL, so the bytes are a C string as they are.
        unsafe { ffi::luaL_argerror(self.0, argument, message.as_ptr().cast()) };
        unreachable!("luaL_argerror never returns")
    }

    /// Raises `bad argument #1 to 'name' (EXPECTED expected, got TYPE)`.
    pub(in crate::script) fn type_error(self, argument: c_int, expected: &CStr) -> ! {
        unsafe { ffi::luaL_typerror(self.0, argument, expected.as_ptr()) };
        unreachable!("luaL_typerror never returns")
    }

    fn push_joined(self, parts: &[&[u8]]) {
        for part in parts {
            self.push_bytes(part);
        }
        self.concat(parts.len() as c_int);
    }

    // --- what belongs to the server rather than the VM ---

    /// The first upvalue of every function that needs it: what outlives a script.
    pub(in crate::script) fn libraries(self) -> *mut Libraries {
        self.userdata(upvalue(1)).cast()
    }

    /// Counts `instructions` worth of work towards the script's budget; does not return where the script must end.
    pub(in crate::script) fn charge(self, instructions: u64) {
        // The hook needs a few slots; where there are none left, the next call does.
        if instructions == 0 || !self.reserve(4) {
            return;
        }
        // The engine keeps the library state alive and in place while the VM lives.
        let charge = unsafe { (*self.libraries()).hooks.charge };
        if !unsafe { charge(self.0, instructions) } {
            self.raise_top()
        }
    }

    /// Counts the copying of `bytes` bytes.
    pub(in crate::script) fn charge_bytes(self, bytes: usize) {
        self.charge(bytes as u64 / crate::limits::SCRIPT_BYTES_PER_INSTRUCTION);
    }

    /// `table[name] = function`, for the table on top, with the `upvalues` values that lie above it as upvalues: they
    /// are copied, not taken.
    pub(in crate::script) fn set_function(self, name: &CStr, function: CFunction, upvalues: c_int) {
        for _ in 0..upvalues {
            self.copy(-upvalues);
        }
        self.push_closure(function, upvalues);
        self.set_field(-upvalues - 2, name);
    }

    /// `table[name] = text`, for the table on top.
    pub(in crate::script) fn set_text(self, name: &CStr, text: &str) {
        self.push_bytes(text.as_bytes());
        self.set_field(-2, name);
    }
}

/// Pseudo-index of the running function's `n`-th upvalue.
pub(in crate::script) const fn upvalue(n: c_int) -> c_int {
    ffi::lua_upvalueindex(n)
}

/// `double` to a 64-bit integer as x86-64 does it: cut towards zero, everything out of range becomes the smallest one.
pub(in crate::script) fn to_i64(value: f64) -> i64 {
    // -2^63 is exact as a double; 2^63 is the first value out of range.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        value as i64
    } else {
        i64::MIN
    }
}

/// `double` to an unsigned 64-bit integer as x86-64 does it.
pub(in crate::script) fn to_u64(value: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    if value >= HALF { to_i64(value - HALF) as u64 ^ (1 << 63) } else { to_i64(value) as u64 }
}

/// The bytes as C code sees them: a NUL ends them.
pub(in crate::script) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// Decimal text of a number for an error message.
pub(in crate::script) fn decimal(number: impl Into<i64>) -> Text {
    let mut text = Text::default();
    text.put_i64(number.into());
    text
}
