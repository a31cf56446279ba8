//! Scenarios: stories of several clients on a virtual clock, read from Markdown, run, compared and rewritten.
//!
//! The grammar is in docs/scenario-format.md.

mod compare;
mod course;
mod diagnostic;
mod document;
pub mod explore;
mod history;
mod line;
mod logic;
mod mind;
mod orders;
mod parse;
mod recording;
mod rewrite;
mod run;
mod scenario;
#[cfg(test)]
mod tests;
mod track;

#[cfg(test)]
mod memory_tests;

pub use compare::{Comparison, Difference, Edit, Observed, Seen, compare};
pub use course::{Course, Killed, Woken};
pub use diagnostic::Diagnostic;
pub use document::{Fence, FenceKind, fences};
pub use history::Timeline;
pub use logic::{Comparator, Condition, Operand, Order, Term, Test};
pub use mind::{Decision, Mind};
pub use parse::{parse, parse_page};
pub use recording::{End, Ending, Recording};
pub use rewrite::rewrite;
pub use run::{Record, Wait};
pub use scenario::{
    Action, Block, Check, Choice, Clock, Expect, Expected, Hole, Late, Meta, Part, Predict, Scenario, Script,
    Send, Setup, Step, Versions, When,
};
pub use track::Times;
