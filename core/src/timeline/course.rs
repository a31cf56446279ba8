//! What a step waited for, and who ended its wait. Times of sending, starting and answering are in [`super::Times`].

use crate::clock::Micros;

/// The waits of one step. Steps are told by their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// When it was sent it could not start: this step kept the server at work, or its own client waited for this one's reply.
    /// CLIENT PAUSE names none.
    pub held_by: Option<usize>,
    /// Its command began to wait for keys or for a time.
    pub blocked: Option<Micros>,
    /// That wait was over.
    pub woken: Option<Woken>,
    /// Its script passed the busy threshold: from here on others are answered BUSY, before they just waited.
    pub busy: Option<Micros>,
    /// SCRIPT KILL or FUNCTION KILL was accepted against its script.
    pub killed: Option<Killed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Woken {
    pub at: Micros,
    /// The step that wrote the key; None where time ran out.
    pub by: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killed {
    pub at: Micros,
    pub by: usize,
}

impl Course {
    /// As it was known at a moment, and by the steps before one.
    pub(super) fn forget_after(&mut self, now: Micros, step: usize) {
        self.blocked = self.blocked.filter(|at| *at <= now);
        self.busy = self.busy.filter(|at| *at <= now);
        self.woken = self.woken.filter(|woken| woken.at <= now && woken.by.is_none_or(|by| by < step));
        self.killed = self.killed.filter(|killed| killed.by < step);
    }
}
