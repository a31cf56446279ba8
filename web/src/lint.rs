//! What the lints say of the text, asked as long as it is written. `js/linter_host.js` has how the module is fetched.

use std::sync::Arc;

use leptos::prelude::*;
use playground_model::lint::Linted;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::store::Store;

#[wasm_bindgen(module = "/js/linter_host.js")]
extern "C" {
    async fn lint(text: &str) -> JsValue;
}

/// Asks whenever the story has changed, until its owner goes. Stories with mistakes keep what was said last.
pub(crate) fn follow(store: Store) {
    Effect::new(move |_| {
        store.story.track();
        if store.diagnostics.with(|diagnostics| !diagnostics.is_empty()) {
            return;
        }
        let text = store.text.get_untracked();
        leptos::task::spawn_local(async move {
            let answer = lint(&text).await.as_string().unwrap_or_default();
            let linted = serde_json::from_str::<Linted>(&answer).unwrap_or_default();
            // An older text's answer may come after its time.
            if store.text.with_untracked(|now| Arc::ptr_eq(now, &text)) {
                store.linted.set(Arc::new(linted));
            }
        });
    });
}
