//! The page's contents.

use leptos::prelude::*;

use crate::engine::{self, Answer, Lost, Request};

#[component]
pub(crate) fn App() -> impl IntoView {
    let result = RwSignal::new(String::new());
    leptos::task::spawn_local(async move {
        let request = Request::Lua { chunk: "return 1 + 1".to_owned() };
        result.set(match engine::answer(&request).await {
            Ok(Answer::Value { text } | Answer::Error { text }) => text,
            Err(Lost(reason)) => reason,
        });
    });
    view! {
        <main>
            <h1>"Redis Scripting Playground"</h1>
            <p>
                <code>"return 1 + 1"</code>
                " gives "
                <output>{result}</output>
            </p>
        </main>
    }
}
