//! What running, exploring and linting a file found: as values, and as the JSON that `playground … --json` and the npm
//! package give.
//!
//! Knows texts, not files: whoever calls it reads and prints. Nothing here fails; what can't be used is an outcome too.
//! Moments and spans in the JSON are microseconds unless their name ends in `_ms`; lines and columns count from 1.

mod explored;
mod linted;
mod played;
mod report;

pub use explored::{ExploreOptions, Explored, check_text, explore, fails, first_line, schedule_text};
pub use linted::{Linted, lint};
pub use played::{RunOptions, needed_versions, run};
pub use report::{Outcome, Report, diagnostic_json, merge};
