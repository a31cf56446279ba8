//! Why: notes on the steps of a story, derived from events and states and never from prose.
//!
//! An [`Explainer`] follows a run step by step and remembers who did what to which key, which scripts came and went, who
//! holds which lock. A detector sees one step with that memory and writes notes; it changes nothing. An error is known by
//! its code, its first word, which is part of the protocol.
//!
//! A new note: a [`Kind`] beside its detector, the kind in the family's list, two scenarios in tests/native/notes.

mod catalogue;
mod cluster;
mod conversion;
mod keys;
mod ledger;
mod locks;
mod memory;
mod moment;
mod note;
mod scripts;
mod server;
mod transactions;
mod values;
mod waiting;

pub use catalogue::kinds;
pub use conversion::{Conversion, Line, Piece, Rule};
pub use note::{Kind, Note};

use crate::profile::Version;
use crate::server::Server;
use crate::timeline::{Scenario, Timeline};

use ledger::Ledger;
use moment::{Moment, Sequence};

/// Follows a run and explains it.
#[derive(Clone, Debug, Default)]
pub struct Explainer {
    sequence: Sequence,
    ledger: Ledger,
}

/// What there is to say about one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explained {
    pub notes: Vec<Note>,
    /// How the values of scripts became replies, each with the step that sent the script.
    pub conversions: Vec<(usize, Conversion)>,
}

impl Explainer {
    /// Takes in the step that was run last. `before` and `after`: the server around it.
    pub fn follow(&mut self, timeline: &Timeline, step: usize, before: &Server, after: &Server) -> Explained {
        let moment = Moment::new(timeline, step, (before, after), &self.ledger, &mut self.sequence);
        let mut notes = Vec::new();
        for detect in catalogue::DETECTORS {
            detect(&moment, &mut notes);
        }
        let conversions = moment.returns.iter().map(|returned| (returned.step, returned.conversion()));
        let conversions = conversions.collect();
        let news = moment.news();
        self.ledger.absorb(news);
        Explained { notes, conversions }
    }
}

/// Runs a scenario and explains each of its steps.
///
/// # Errors
/// As [`Timeline::new`].
pub fn explain(scenario: Scenario, version: Version) -> Result<(Timeline, Vec<Explained>), String> {
    let mut timeline = Timeline::new(scenario, version)?;
    let mut explainer = Explainer::default();
    let mut explained = Vec::new();
    let mut before = timeline.before_first();
    while let Some(step) = timeline.advance() {
        let after = timeline.at(step);
        explained.push(explainer.follow(&timeline, step, &before, &after));
        before = after;
    }
    Ok((timeline, explained))
}
