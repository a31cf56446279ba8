//! The page's contents.

use leptos::prelude::*;

use crate::engine::{self, Answer, Lost, Request};

const COMMAND: &str = "EVAL 'return 1 + 1' 0";

#[component]
pub(crate) fn App() -> impl IntoView {
    let result = RwSignal::new(String::new());
    leptos::task::spawn_local(async move {
        let request = Request::Command { line: COMMAND.to_owned() };
        result.set(match engine::answer(&request).await {
            Ok(Answer::Reply { text }) => text.unwrap_or_default(),
            Ok(Answer::Error { text }) => text,
            Err(Lost(reason)) => reason,
        });
    });
    view! {
        <main>
            <h1>"Redis Scripting Playground"</h1>
            <p>
                <code>{COMMAND}</code>
                " gives "
                <output>{result}</output>
            </p>
        </main>
    }
}
