//! Growing memory for library functions that Lua itself owns and frees: a byte buffer or a stack of small values.
//!
//! Invariant: a `Scratch` has no `Drop`. Its memory is a userdata in one slot of the Lua stack, so an error that jumps
//! over the Rust frame leaves nothing behind, and calls can nest as they like.

use std::ffi::c_int;

use super::stack::Stack;
use crate::limits::SCRIPT_STRING_BYTES_MAX;

/// `T` is plain data of at most 8 bytes' alignment.
pub(in crate::script) struct Scratch<T: Copy> {
    lua: Stack,
    /// Where the userdata is: an absolute index or an upvalue.
    slot: c_int,
    start: *mut T,
    length: usize,
    capacity: usize,
}

impl<T: Copy> Scratch<T> {
    /// Pushes the memory on the stack, where it must stay as long as it is used.
    pub(in crate::script) fn new(lua: Stack, capacity: usize) -> Self {
        const { assert!(align_of::<T>() <= 8 && size_of::<T>() > 0) };
        let start = lua.push_memory(capacity * size_of::<T>()).cast();
        Self { lua, slot: lua.top(), start, length: 0, capacity }
    }

    /// Keeps the memory in an upvalue of the running function instead, so that it takes no slot of the stack. For functions
    /// that never call back into Lua: an inner call would take the memory away.
    pub(in crate::script) fn in_upvalue(lua: Stack, upvalue: c_int, capacity: usize) -> Self {
        let scratch = Self::new(lua, capacity);
        let slot = super::stack::upvalue(upvalue);
        lua.replace(slot);
        Self { slot, ..scratch }
    }

    /// Lets go of memory that an upvalue holds.
    pub(in crate::script) fn release(self) {
        // On a full stack it is let go of by the next call.
        if self.lua.reserve(1) {
            self.lua.push_nil();
            self.lua.replace(self.slot);
        }
    }

    pub(in crate::script) fn clear(&mut self) {
        self.length = 0;
    }

    pub(in crate::script) fn as_slice(&self) -> &[T] {
        // SAFETY: the first `length` values were written, and the userdata at `slot` keeps the memory alive.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }

    pub(in crate::script) fn len(&self) -> usize {
        self.length
    }

    pub(in crate::script) fn push(&mut self, value: T) {
        self.extend(&[value]);
    }

    pub(in crate::script) fn pop(&mut self) -> Option<T> {
        self.length = self.length.checked_sub(1)?;
        // SAFETY: the place was within the written part until now.
        Some(unsafe { self.start.add(self.length).read() })
    }

    pub(in crate::script) fn last_mut(&mut self) -> Option<&mut T> {
        let last = self.length.checked_sub(1)?;
        // SAFETY: `last` is within the written part, and `self` is borrowed exclusively.
        Some(unsafe { &mut *self.start.add(last) })
    }

    /// Raises `resulting string too large` past [`SCRIPT_STRING_BYTES_MAX`].
    pub(in crate::script) fn extend(&mut self, values: &[T]) {
        let length = self.length + values.len();
        if length > self.capacity {
            self.grow(length);
        }
        // SAFETY: there is room for `length` values, and Lua's memory never overlaps the buffer's unwritten part.
        unsafe { self.start.add(self.length).copy_from_nonoverlapping(values.as_ptr(), values.len()) };
        self.length = length;
    }

    /// Appends `values` `count` times.
    pub(in crate::script) fn extend_repeated(&mut self, values: &[T], count: usize) {
        let total = values.len().saturating_mul(count);
        if total == 0 {
            return;
        }
        let first = self.length;
        if first.saturating_add(total) > self.capacity {
            self.grow(first.saturating_add(total));
        }
        self.extend(values);
        // Each turn doubles what is there.
        while self.length - first < total {
            let done = self.length - first;
            let more = done.min(total - done);
            // SAFETY: `done` values are written from `first` on, and there is room for `total`.
            unsafe { self.start.add(first + done).copy_from_nonoverlapping(self.start.add(first), more) };
            self.length += more;
        }
    }

    fn grow(&mut self, length: usize) {
        let most = SCRIPT_STRING_BYTES_MAX / size_of::<T>();
        if length > most {
            self.lua.raise(&[b"resulting string too large"]);
        }
        // Never more room than may be filled, or the bound would be looked at too late.
        let capacity = length.max(self.capacity * 2).min(most);
        let start: *mut T = self.lua.push_memory(capacity * size_of::<T>()).cast();
        // SAFETY: both are live and apart; the new one is the larger.
        unsafe { start.copy_from_nonoverlapping(self.start, self.length) };
        self.lua.replace(self.slot);
        self.start = start;
        self.capacity = capacity;
    }
}

impl Scratch<u8> {
    /// Pushes the bytes as a Lua string and counts the work.
    pub(in crate::script) fn push_string(&self) {
        self.lua.charge_bytes(self.length);
        self.lua.push_bytes(self.as_slice());
    }
}
