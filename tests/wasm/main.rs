//! The engine in a real browser: what holds natively holds on WebAssembly too.
#![cfg(target_family = "wasm")]

mod deep;
mod digests;
mod libraries;
mod lua;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
