//! What the page shows, as plain data, and all of the page's thinking that needs no browser.
//!
//! Two WebAssembly modules share it: the engine fills these records, the page draws them. It knows neither Redis's
//! core nor Leptos. Moments are microseconds of the virtual clock since the story began; steps count from 0, and a
//! *position* `n` is the moment after `n` steps, so position 0 is the one before the first step.

pub mod debug;
pub mod explore;
pub mod frame;
pub mod history;
pub mod layout;
pub mod lint;
pub mod markdown;
pub mod message;
pub mod note;
pub mod offer;
pub mod own;
pub mod place;
pub mod rails;
pub mod rows;
pub mod share;
pub mod span;
pub mod step;
pub mod story;
