//! Collects events until whoever fed the input takes them. Not part of the state's digest.

use crate::clock::Micros;
use crate::event::{ClientId, Event, EventKind};
use crate::resp::Reply;

/// Events since the last [`Journal::take`].
#[derive(Clone, Debug, Default)]
pub struct Journal {
    events: Vec<Event>,
    /// Messages for clients whose command runs.
    held: Vec<Held>,
    /// Without detail only replies, messages and closings are told; a port needs no more.
    pub detailed: bool,
}

/// A message for a client whose command runs.
#[derive(Clone, Debug)]
pub struct Held {
    pub client: ClientId,
    pub message: Reply,
    pub place: Place,
}

/// Where a message stands that comes up while a command of the same client runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In front of the answer; inside a transaction, of the command's own.
    Before,
    /// Behind the answer of the command's own inside a transaction.
    Between,
    /// Behind the answer; inside a transaction, behind that of EXEC.
    Behind,
}

/// A place in the journal.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    events: usize,
    held: usize,
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

    /// Keeps a message for the client whose command runs until its place by the reply is known.
    pub fn hold(&mut self, held: Held) {
        self.held.push(held);
    }

    /// Takes the messages for a client that stand in that place.
    pub fn take_held(&mut self, client: ClientId, place: Place) -> Vec<Reply> {
        if self.held.is_empty() {
            return Vec::new();
        }
        let (own, others): (Vec<Held>, Vec<Held>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| held.client == client && held.place == place);
        self.held = others;
        own.into_iter().map(|held| held.message).collect()
    }

    pub fn mark(&self) -> Mark {
        Mark { events: self.events.len(), held: self.held.len() }
    }

    /// Forgets everything after the mark: a script run that is to be repeated left it.
    pub fn back_to(&mut self, mark: Mark) {
        self.events.truncate(mark.events);
        self.held.truncate(mark.held);
    }

    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
