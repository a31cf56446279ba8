//! Lua 5.1 itself on WebAssembly: errors, which are exceptions there, and numbers.

use wasm_bindgen_test::wasm_bindgen_test;

#[track_caller]
fn check(chunk: &str, expected: &str) {
    let request = format!(r#"{{"type":"lua","chunk":"{chunk}"}}"#);
    assert_eq!(playground_engine::handle(&request), expected);
}

#[wasm_bindgen_test]
fn an_error_is_caught_by_pcall() {
    check("return select(2, pcall(error, 'oops'))", r#"{"type":"value","text":"String(\"oops\")"}"#);
}
