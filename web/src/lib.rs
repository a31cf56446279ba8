//! The playground's page. It knows the engine by its messages alone, which go to a module of its own; what is drawn
//! is derived from the answers.

#![allow(unreachable_pub, reason = "the component macro of Leptos makes items public by itself")]

mod browser;
mod debug;
mod engine;
mod examples;
mod keys;
mod lint;
mod measure;
mod past;
mod play;
mod standing;
mod store;
mod strings;
mod tell;
mod theme;
mod view;
mod work;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(start)]
fn start() {
    leptos::mount::mount_to_body(view::App);
}
