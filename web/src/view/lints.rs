//! What the lints say of the text in the editor: each finding leads to its place, and says why it matters and what is better.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::lint::{Finding, Level};

use super::prose::Remark;
use crate::store::store;
use crate::strings::T;

#[component]
pub(super) fn Lints(go_to: Callback<(usize, usize)>) -> impl IntoView {
    let store = store();
    crate::lint::follow(store);
    let item = move |found: &Finding| {
        let Finding { line, column, message, why, better, rule, level, .. } = found.clone();
        let class = format!("lint is-{}", class(level));
        view! {
            <li class=class>
                <details>
                    <summary>
                        <span class="diagnostic-place">{(T.lint_level)(level)}</span>
                        <Remark text=message />
                    </summary>
                    <Remark text=why />
                    <Remark text=better />
                    <p>
                        <button type="button" class="link" on:click=move |_| go_to.run((line, column))>
                            {(T.go_to_line)(line, column)}
                        </button>
                        " " <code class="quiet">{rule}</code>
                    </p>
                </details>
            </li>
        }
    };
    move || {
        let linted = store.linted.get();
        let is_told = store.diagnostics.with(|diagnostics| diagnostics.is_empty());
        (is_told && !linted.findings.is_empty()).then(|| {
            view! {
                <section class="lints" aria-label=T.lints>
                    <h2>{(T.lint_count)(linted.findings.len())}</h2>
                    <ul>{linted.findings.iter().map(item).collect_views()}</ul>
                    <p class="quiet">{T.lint_allow}</p>
                </section>
            }
        })
    }
}

fn class(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Hint => "hint",
    }
}
