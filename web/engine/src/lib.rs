//! The playground's core as a WebAssembly module of its own. It knows no page: strings of JSON come in and go
//! out, and the same module runs in a worker, in the page itself where a worker is refused, and in tests.
//!
//! Invariants: [`handle`] answers every string, and never by an exception. Should the instance be lost all the
//! same (a trap: the stack of WebAssembly is exhausted, or a defect of ours panics), whoever started it starts
//! another one: nothing in here outlives it.

mod message;
#[cfg(target_family = "wasm")]
mod start;

use wasm_bindgen::prelude::wasm_bindgen;

/// Answers one request; both are JSON, see [`message`] for the forms.
#[wasm_bindgen]
pub fn handle(request: &str) -> String {
    message::answer(request)
}
