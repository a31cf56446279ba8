//! The story as text. What is typed is kept at once and told after a short pause.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use playground_model::story::Diagnostic;

use crate::store::store;
use crate::strings::T;

/// After the last key the story is told anew.
const PAUSE: Duration = Duration::from_millis(300);

#[component]
pub(super) fn Editor() -> impl IntoView {
    let store = store();
    let area = NodeRef::<html::Textarea>::new();
    let gutter = NodeRef::<html::Div>::new();
    let pending = StoredValue::new_local(None::<leptos::leptos_dom::helpers::TimeoutHandle>);
    let type_text = move |event| {
        store.draft(event_target_value(&event));
        pending.update_value(|pending| {
            pending.take().into_iter().for_each(|handle| handle.clear());
            *pending = set_timeout_with_handle(move || store.settle_draft(), PAUSE).ok();
        });
    };
    on_cleanup(move || store.settle_draft());
    let undo_by_key = move |event: web_sys::KeyboardEvent| {
        if !(event.ctrl_key() || event.meta_key()) || event.alt_key() {
            return;
        }
        match (event.key().to_lowercase().as_str(), event.shift_key()) {
            ("z", false) => store.undo(),
            ("z", true) | ("y", false) => store.redo(),
            _ => return,
        }
        event.prevent_default();
    };
    let follow_scroll = move |_| {
        if let (Some(area), Some(gutter)) = (area.get_untracked(), gutter.get_untracked()) {
            gutter.set_scroll_top(area.scroll_top());
        }
    };
    view! {
        <div class="editor">
            <div class="gutter" node_ref=gutter aria-hidden="true">{move || numbers(store)}</div>
            <textarea
                node_ref=area
                aria-label=T.editor
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                prop:value=move || store.text.get().to_string()
                on:input=type_text
                on:keydown=undo_by_key
                on:scroll=follow_scroll
            ></textarea>
        </div>
        <Diagnostics area />
    }
}

/// The lines' numbers; those with a mistake, and the one of the present step, stand out.
fn numbers(store: crate::store::Store) -> impl IntoView {
    let count = store.text.with(|text| text.split('\n').count());
    let present = store.position.get().checked_sub(1);
    let present =
        present.and_then(|step| store.story.with(|story| story.lines.get(step).map(|line| line.line)));
    store.diagnostics.with(|diagnostics| {
        let number = |number: usize| {
            let class = if diagnostics.iter().any(|diagnostic| diagnostic.line == number) {
                "is-wrong"
            } else if present == Some(number) && diagnostics.is_empty() {
                "is-current"
            } else {
                ""
            };
            view! { <span class=class>{number}</span> }
        };
        (1..=count).map(number).collect_view()
    })
}

/// What is wrong with the text, each mistake leading to its place.
#[component]
fn Diagnostics(area: NodeRef<html::Textarea>) -> impl IntoView {
    let store = store();
    let go_to = move |line: usize, column: usize| {
        let Some(area) = area.get_untracked() else { return };
        let text = store.text.get_untracked();
        let offset = utf16_offset(&text, line, column);
        let _ = area.focus();
        let _ = area.set_selection_range(offset, offset);
    };
    let item = move |diagnostic: &Diagnostic| {
        let Diagnostic { line, column, message, help } = diagnostic.clone();
        let help = (!help.is_empty()).then(|| view! { <span class="diagnostic-help">{help}</span> });
        view! {
            <li>
                <button type="button" on:click=move |_| go_to(line, column)>
                    <span class="diagnostic-place">{(T.go_to_line)(line, column)}</span>
                    <span>{message}</span>
                    {help}
                </button>
            </li>
        }
    };
    let differing =
        move || store.steps.with(|steps| steps.iter().map(|step| step.differences.len()).sum::<usize>());
    let state = move || {
        let count = store.diagnostics.with(|diagnostics| diagnostics.len());
        let differing = differing();
        match (count, differing) {
            (0, 0) => view! { <p class="quiet">{T.no_mistakes}</p> }.into_any(),
            (0, differing) => view! { <p class="differs">{(T.differences)(differing)}</p> }.into_any(),
            (count, _) => {
                let kept = store.story.with(|story| !story.lines.is_empty()).then_some(T.kept_until_fixed);
                view! { <p class="wrong"><strong>{(T.mistakes)(count)}</strong>" "{kept}</p> }.into_any()
            }
        }
    };
    view! {
        <div class="diagnostics" aria-live="polite">
            {state}
            <ul>{move || store.diagnostics.with(|diagnostics| diagnostics.iter().map(item).collect_view())}</ul>
        </div>
    }
}

/// Where a place is for the browser, which counts UTF-16 units. Line and column count from 1.
fn utf16_offset(text: &str, line: usize, column: usize) -> u32 {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(line - 1).map(|line| line.encode_utf16().count()).sum();
    let within =
        lines.next().unwrap_or_default().chars().take(column - 1).map(char::len_utf16).sum::<usize>();
    u32::try_from(before + within).unwrap_or(u32::MAX)
}
