//! The examples run in a browser, and where they end. Each is a test of its own, so that the browser can draw breath.

use wasm_bindgen_test::{console_log, wasm_bindgen_test};

#[path = "../shared/example.rs"]
mod example;

macro_rules! example {
    ($test:ident, $name:literal, $text:expr) => {
        #[wasm_bindgen_test]
        fn $test() {
            console_log!("{}", example::check($name, $text));
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/examples.rs"));
