//! The machine: inputs go in, events come out, and nothing else changes the state.

mod event;
mod input;

pub use event::{Event, EventKind, KeyChange};
pub use input::{ClientId, Input, InputKind};
