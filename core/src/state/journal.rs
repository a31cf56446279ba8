//! Collects events until whoever fed the input takes them. Not part of the state's digest.

use crate::clock::Micros;
use crate::event::{Event, EventKind};

/// Events since the last [`Journal::take`].
#[derive(Clone, Debug, Default)]
pub struct Journal {
    events: Vec<Event>,
    /// Without detail only replies, messages and closings are told; a port needs no more.
    pub detailed: bool,
}

impl Journal {
    pub fn push(&mut self, at: Micros, kind: EventKind) {
        self.events.push(Event { at, kind });
    }

    /// For events that only an onlooker needs: `kind` is not even built where nobody looks.
    pub fn detail(&mut self, at: Micros, kind: impl FnOnce() -> EventKind) {
        if self.detailed {
            self.events.push(Event { at, kind: kind() });
        }
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Forgets everything after the first `len` events: a script run that is to be repeated left them.
    pub fn truncate(&mut self, len: usize) {
        self.events.truncate(len);
    }

    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
