//! The coroutines of a run that wait for each other, and what the VM has counted in each of them.
//!
//! The VM counts instructions in every coroutine by itself and tells of whole [`HOOK_INSTRUCTIONS`] only. A traced run is
//! told of each single one and does the same sums, so that a budget ends both at the same instruction.

use std::collections::BTreeMap;

use mlua::ffi::lua_State;

use crate::limits::HOOK_INSTRUCTIONS;

/// Coroutines by their address, of which nothing is asked but whether it is the same.
type Address = usize;

#[derive(Debug, Default)]
pub(super) struct Threads {
    /// The running coroutine is the last one, the main thread the first.
    active: Vec<Active>,
    /// Instructions since the last whole number of them, in coroutines that do not run.
    parked: BTreeMap<Address, u64>,
    /// The same, of the running one.
    pending: u64,
    /// Others than the main thread have run.
    has_others: bool,
    /// All that were run and not charged. What a coroutine leaves at its end never is.
    uncharged: u64,
}

#[derive(Clone, Copy, Debug)]
struct Active {
    address: Address,
    /// Of everything below it.
    base: u32,
    /// Its innermost function, when it was seen last.
    top: u32,
}

impl Threads {
    /// Takes note that the hook was called in a coroutine, whose innermost function has the number `top`.
    #[inline]
    pub(super) fn enter(&mut self, state: *mut lua_State, top: u32) {
        let address = state.addr();
        match self.active.last_mut() {
            Some(active) if active.address == address => active.top = top,
            _ => self.switch(address, top),
        }
    }

    fn switch(&mut self, address: Address, top: u32) {
        if let Some(old) = self.active.last() {
            self.parked.insert(old.address, self.pending);
        }
        self.pending = self.parked.remove(&address).unwrap_or(0);
        match self.active.iter().position(|active| active.address == address) {
            Some(place) => self.active.truncate(place + 1),
            // The function that resumes is seen by nobody; it is one more level.
            None => {
                self.has_others |= !self.active.is_empty();
                let base = self.active.last().map_or(0, |below| below.base + below.top + 1);
                self.active.push(Active { address, base, top });
            }
        }
        if let Some(active) = self.active.last_mut() {
            active.top = top;
        }
    }

    /// The running coroutine begins its first function: it is a new one, even where the address was used before.
    pub(super) fn begin(&mut self) {
        self.pending = 0;
    }

    /// One more instruction; true where the VM would tell of it by itself.
    #[inline]
    pub(super) fn count(&mut self) -> bool {
        self.pending += 1;
        self.uncharged += 1;
        if self.pending < HOOK_INSTRUCTIONS {
            return false;
        }
        self.pending = 0;
        self.uncharged -= HOOK_INSTRUCTIONS;
        true
    }

    pub(super) fn is_alone(&self) -> bool {
        !self.has_others
    }

    pub(super) fn depth(&self) -> u32 {
        self.active.last().map_or(0, |active| active.base + active.top)
    }

    /// Instructions that the run has not been charged with yet.
    pub(super) fn uncharged(&self) -> u64 {
        self.uncharged
    }

    /// The coroutines that wait for each other, the running one first.
    pub(super) fn chain(&self) -> impl Iterator<Item = *mut lua_State> {
        self.active.iter().rev().map(|active| std::ptr::with_exposed_provenance_mut(active.address))
    }
}
