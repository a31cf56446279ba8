//! The playground's core as a WebAssembly module of its own. It knows no page: strings of JSON come in and go
//! out, and the same module runs in a worker, in the page itself where a worker is refused, and in tests.
//!
//! Invariants: every message is answered, and never by an exception. Should the instance be lost all the same (a
//! trap: the stack of WebAssembly is exhausted, or a defect of ours panics), whoever started it starts another
//! one: nothing in here outlives it.

mod aside;
mod desk;
mod edit;
mod explore;
mod follow;
mod give;
mod look;
mod notes;
mod offer;
mod print;
mod read;
mod session;
#[cfg(target_family = "wasm")]
mod start;
mod trace;
mod views;

use std::cell::RefCell;

pub use desk::Desk;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

/// [`Desk::answer_text`] for JavaScript, which has one desk in an instance.
///
/// The string is made here and not by wasm-bindgen's glue: that would free its copy after a trap too, and the
/// complaint that the module is terminated would hide what happened.
#[wasm_bindgen]
pub fn handle(request: &str) -> JsValue {
    DESK.with_borrow_mut(|desk| JsValue::from_str(&desk.answer_text(request)))
}
