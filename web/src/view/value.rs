//! A value, drawn as its type is.

use leptos::prelude::*;
use playground_model::frame::{Row, Value};

use crate::strings::T;

/// Of a collection so many elements are seen without asking for the rest.
const FOLDED: usize = 6;

#[component]
pub(super) fn ValueView(row: Row) -> impl IntoView {
    let elements = match row.value {
        Value::Text(text) => return view! { <code class="value-text">{text}</code> }.into_any(),
        Value::List(items) => {
            let item = |(at, text): (usize, String)| {
                view! { <li><span class="value-index">{at.to_string()}</span><code>{text}</code></li> }
                    .into_any()
            };
            items.into_iter().enumerate().map(item).collect()
        }
        Value::Set(members) => singles(members),
        Value::Hash(pairs) | Value::Sorted(pairs) | Value::Stream(pairs) => doubles(pairs),
    };
    folded(elements, row.len).into_any()
}

fn singles(texts: Vec<String>) -> Vec<AnyView> {
    texts.into_iter().map(|text| view! { <li><code>{text}</code></li> }.into_any()).collect()
}

fn doubles(pairs: Vec<(String, String)>) -> Vec<AnyView> {
    let pair = |(left, right): (String, String)| {
        view! { <li><code class="value-left">{left}</code><code>{right}</code></li> }.into_any()
    };
    pairs.into_iter().map(pair).collect()
}

fn folded(mut elements: Vec<AnyView>, len: usize) -> impl IntoView {
    let shown = elements.len();
    let rest = elements.split_off(shown.min(FOLDED));
    let unsent = len.saturating_sub(shown);
    let rest = (!rest.is_empty()).then(|| {
        let unsent = (unsent > 0).then(|| view! { <li class="quiet">{(T.more_elements)(unsent)}</li> });
        view! {
            <details>
                <summary>{(T.more_elements)(len - FOLDED)}</summary>
                <ul class="value">{rest}{unsent}</ul>
            </details>
        }
    });
    view! { <ul class="value">{elements}</ul>{rest} }
}
