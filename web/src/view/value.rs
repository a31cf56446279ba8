//! A value, drawn as its type is.

use leptos::prelude::*;
use playground_model::frame::{Row, Value};

use crate::strings::T;

/// Of a collection so many elements are seen without asking for the rest.
const FOLDED: usize = 6;

#[component]
pub(super) fn ValueView(row: Row) -> impl IntoView {
    let elements = match row.value {
        Value::Text(text) => return long_text(text),
        Value::List(items) => {
            let item = |(at, text): (usize, String)| {
                view! { <li><span class="value-index">{at.to_string()}</span><code>{text}</code></li> }
                    .into_any()
            };
            items.into_iter().enumerate().map(item).collect()
        }
        Value::Set(members) => singles(members),
        Value::Hash(pairs) | Value::Stream(pairs) => doubles(pairs, ""),
        Value::Sorted(pairs) => doubles(pairs, "is-score"),
    };
    folded(elements, row.len).into_any()
}

/// Of a text so many characters are seen without asking for the rest.
const FOLDED_CHARS: usize = 160;

fn long_text(text: String) -> AnyView {
    let Some((end, _)) = text.char_indices().nth(FOLDED_CHARS) else {
        return view! { <code class="value-text">{text}</code> }.into_any();
    };
    let beginning = format!("{}…", &text[..end]);
    view! {
        <details class="long-text">
            <summary><code class="value-text">{beginning}</code></summary>
            <code class="value-text">{text}</code>
        </details>
    }
    .into_any()
}

fn singles(texts: Vec<String>) -> Vec<AnyView> {
    texts.into_iter().map(|text| view! { <li><code>{text}</code></li> }.into_any()).collect()
}

/// Each pair on a line; scores of a sorted set stand in a column, so that their order is seen.
fn doubles(pairs: Vec<(String, String)>, class: &'static str) -> Vec<AnyView> {
    let pair = |(left, value): (String, String)| {
        view! { <li><code class="value-left">{left}</code><code class=class>{value}</code></li> }.into_any()
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
