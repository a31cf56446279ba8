//! What must happen once when the module is loaded, before any message.

use wasm_bindgen::prelude::wasm_bindgen;

unsafe extern "C" {
    /// Made by the linker: runs the constructors of the C library below Lua.
    fn __wasm_call_ctors();
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn console_error(text: &str);
}

#[wasm_bindgen(start)]
fn start() {
    // SAFETY: takes and gives nothing, and the module's start runs once per instance, before all other code.
    // That it is called by name also keeps the linker from running constructors around every export.
    unsafe { __wasm_call_ctors() };
    // A panic ends the instance by a trap that carries no text, so the text is written before.
    std::panic::set_hook(Box::new(|panic| console_error(&panic.to_string())));
}
