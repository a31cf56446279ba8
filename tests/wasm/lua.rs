//! Lua 5.1 itself on WebAssembly: errors, which are exceptions there, and numbers.

use wasm_bindgen_test::wasm_bindgen_test;

/// Runs an expression in a script and compares what it gives, as Lua itself prints it.
#[track_caller]
pub(crate) fn check(expression: &str, expected: &str) {
    let line = format!("EVAL \"return tostring(({expression}))\" 0");
    let request = serde_json::json!({ "command": { "line": line } });
    let answer = playground_engine::Desk::default().answer_text(&request.to_string());
    let answer: serde_json::Value = serde_json::from_str(&answer).expect("the engine answers JSON");
    assert_eq!(answer["reply"]["text"], format!("{expected:?}"), "{expression}");
}

#[wasm_bindgen_test]
fn errors_are_caught_and_caught_again() {
    check("select(2, pcall(error, 'oops'))", "oops");
    check("select(2, pcall(function() pcall(error, 'inner') error('outer', 0) end))", "outer");
    check("select(2, xpcall(function() error({}) end, function(e) return type(e) end))", "table");
    check("select(2, coroutine.resume(coroutine.create(function() error('inside', 0) end)))", "inside");
}

#[wasm_bindgen_test]
fn a_stack_that_overflows_is_an_error_like_any_other() {
    check("(function() local function f() return 1 + f() end return (pcall(f)) end)()", "false");
}

#[wasm_bindgen_test]
fn a_syntax_error_is_told_and_not_thrown() {
    check("loadstring('x =') == nil", "true");
}

#[wasm_bindgen_test]
fn numbers_are_printed_as_natively() {
    check("string.format('%.17g %5.1f %d %x', 0.1, 2.25, 3, 255)", "0.10000000000000001   2.2 3 ff");
    check("2^53", "9.007199254741e+15");
    check("math.floor(-3.5) .. ' ' .. 7 % -3 .. ' ' .. tostring(0/0 ~= 0/0)", "-4 -2 true");
}
