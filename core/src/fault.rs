//! Faults that tests put into the engine, to see that a test notices. In no build but that of the core's own tests.
//!
//! Each is a mutation that would break what the engine promises: that the same inputs give the same state, or that
//! nobody comes between what belongs together.

use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Breaks determinism: chance also depends on how often it was asked before, which is no part of the state.
    ChanceRemembers,
    /// Breaks atomicity: a change of a watched key goes unnoticed, so EXEC runs on what was read before it.
    WatchIsBlind,
}

thread_local! {
    static PRESENT: Cell<Option<Fault>> = const { Cell::new(None) };
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// Whether the fault is there now.
pub(crate) fn is(fault: Fault) -> bool {
    PRESENT.get() == Some(fault)
}

/// Does something with the fault in the engine.
pub(crate) fn with<T>(fault: Fault, what: impl FnOnce() -> T) -> T {
    struct Mended;
    impl Drop for Mended {
        fn drop(&mut self) {
            PRESENT.set(None);
        }
    }
    PRESENT.set(Some(fault));
    let _mended = Mended;
    what()
}

/// What chance takes from outside of the state.
pub(crate) fn from_outside() -> u64 {
    if !is(Fault::ChanceRemembers) {
        return 0;
    }
    ASKED.set(ASKED.get() + 1);
    ASKED.get()
}
