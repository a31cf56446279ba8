//! The playground's core as a WebAssembly module of its own. It knows no page: strings of JSON come in and go
//! out, and the same module runs in a worker, in the page itself where a worker is refused, and in tests.
//!
//! Invariants: every message is answered, and never by an exception. Should the instance be lost all the same (a
//! trap: the stack of WebAssembly is exhausted, or a defect of ours panics), whoever started it starts another
//! one: nothing in here outlives it.

mod session;
#[cfg(target_family = "wasm")]
mod start;

use std::cell::RefCell;

pub use session::Session;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// [`Session::answer`] for JavaScript, which has one session in an instance.
///
/// The string is made here and not by wasm-bindgen's glue: that would free its copy after a trap too, and the
/// complaint that the module is terminated would hide what happened.
#[wasm_bindgen]
pub fn handle(request: &str) -> JsValue {
    SESSION.with_borrow_mut(|session| JsValue::from_str(&session.answer(request)))
}
