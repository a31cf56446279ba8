//! The engine as the page sees it: a question goes out, an answer comes back, or the engine was lost over it.
//!
//! How it is started, watched and replaced is in `js/engine_host.js`.

use playground_model::message::{Answer, Request};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// A question to an engine that is there and takes longer has met something in C that does not end: what Lua itself runs is bounded.
const ANSWER_LIMIT_MS: u32 = 6_000;

#[wasm_bindgen(module = "/js/engine_host.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    async fn ask(request: &str, limit_ms: u32) -> Result<JsValue, JsValue>;

    async fn ready() -> JsValue;
}

/// Comes back when the engine is there. What a story's recording answers does not wait for it.
pub(crate) async fn arrival() {
    ready().await;
}

/// Why there is no answer. The next question goes to a new engine, which must be told everything again.
pub(crate) struct Lost(pub(crate) String);

pub(crate) async fn answer(request: &Request) -> Result<Answer, Lost> {
    let request =
        serde_json::to_string(request).expect("a request holds texts and numbers, so it can be written");
    let answer = ask(&request, ANSWER_LIMIT_MS).await.map_err(|error| Lost(format!("{error:?}")))?;
    let answer = answer.as_string().unwrap_or_default();
    serde_json::from_str(&answer).map_err(|error| Lost(format!("its answer is not understood: {error}")))
}
