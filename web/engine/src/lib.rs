//! The playground's core as a WebAssembly module of its own. It knows no page: strings of JSON come in and go
//! out, and the same module runs in a worker, in the page itself where a worker is refused, and in tests.
//!
//! Invariants: [`answer`] answers every string, and never by an exception. Should the instance be lost all the
//! same (a trap: the stack of WebAssembly is exhausted, or a defect of ours panics), whoever started it starts
//! another one: nothing in here outlives it.

mod message;
#[cfg(target_family = "wasm")]
mod start;

pub use message::answer;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// [`answer`] for JavaScript.
///
/// The string is made here and not by wasm-bindgen's glue: that would free its copy after a trap too, and the
/// complaint that the module is terminated would hide what happened.
#[wasm_bindgen]
pub fn handle(request: &str) -> JsValue {
    JsValue::from_str(&answer(request))
}
