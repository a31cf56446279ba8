//! The story as text. What is typed is kept at once and told after a short pause.
//!
//! CodeMirror (`code.rs`, `web/editor`) takes the place of a plain text area as soon as it has been fetched.

use std::time::Duration;

use crate::view::Views;
use leptos::html;
use leptos::prelude::*;
use playground_model::story::Diagnostic;

use super::code;
use super::lints::Lints;
use crate::store::store;
use crate::strings::T;

/// After the last key the story is told anew.
const PAUSE: Duration = Duration::from_millis(300);

#[component]
pub(super) fn Editor() -> impl IntoView {
    let store = store();
    let host = NodeRef::<html::Div>::new();
    let area = NodeRef::<html::Textarea>::new();
    let rich = RwSignal::new_local(None::<code::Editor>);
    let pending = StoredValue::new_local(None::<leptos::leptos_dom::helpers::TimeoutHandle>);
    let type_text = move |text: String| {
        store.draft(text);
        pending.update_value(|pending| {
            pending.take().into_iter().for_each(|handle| handle.clear());
            *pending = set_timeout_with_handle(move || store.settle_draft(), PAUSE).ok();
        });
    };
    on_cleanup(move || store.settle_draft());
    Effect::new(move |_| {
        if let Some(host) = host.get() {
            code::mount(store, host.into(), type_text, rich);
        }
    });
    code::follow(store, rich);
    let go_to = Callback::new(move |(line, column): (usize, usize)| {
        let is_rich = rich.with_untracked(|editor| {
            editor.as_ref().map(|editor| editor.go_to(line as u32, column as u32)).is_some()
        });
        if let Some(area) = area.get_untracked().filter(|_| !is_rich) {
            let offset = utf16_offset(&store.text.get_untracked(), line, column);
            let _ = area.focus();
            let _ = area.set_selection_range(offset, offset);
        }
    });
    view! {
        <div class="editor">
            <div class="code-editor" node_ref=host></div>
            <Show when=move || rich.with(Option::is_none)>
                <PlainEditor area type_text=Callback::new(type_text) />
            </Show>
        </div>
        <Diagnostics go_to />
        <Lints go_to />
    }
}

/// The editor until the better one is there, and where that does not load.
#[component]
fn PlainEditor(area: NodeRef<html::Textarea>, type_text: Callback<String>) -> impl IntoView {
    let store = store();
    let gutter = NodeRef::<html::Div>::new();
    let undo_by_key = move |event: web_sys::KeyboardEvent| {
        if !(event.ctrl_key() || event.meta_key()) || event.alt_key() {
            return;
        }
        match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
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
        <div class="plain-editor">
            <div class="gutter" node_ref=gutter aria-hidden="true">{move || numbers(store)}</div>
            <textarea
                node_ref=area
                aria-label=T.editor
                spellcheck="false"
                autocapitalize="off"
                autocomplete="off"
                wrap="off"
                prop:value=move || store.text.get().to_string()
                on:input=move |event| type_text.run(event_target_value(&event))
                on:keydown=undo_by_key
                on:scroll=follow_scroll
            ></textarea>
        </div>
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
        (1..=count).map(number).collect_views()
    })
}

/// What is wrong with the text, each mistake leading to its place.
#[component]
fn Diagnostics(go_to: Callback<(usize, usize)>) -> impl IntoView {
    let store = store();
    let item = move |diagnostic: &Diagnostic| {
        let Diagnostic { line, column, message, help } = diagnostic.clone();
        let help = (!help.is_empty()).then(|| view! { <span class="diagnostic-help">{help}</span> });
        view! {
            <li>
                <button type="button" on:click=move |_| go_to.run((line, column))>
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
            (0, differing) => view! {
                <p class="differs">
                    {(T.differences)(differing)} " "
                    <button type="button" class="quiet-button" title=T.accept_help on:click=move |_| store.accept_replies(None)>
                        {T.accept}
                    </button>
                </p>
            }
            .into_any(),
            (count, _) => {
                let kept = (store.reached() > 0).then_some(T.kept_until_fixed);
                view! { <p class="wrong"><strong>{(T.mistakes)(count)}</strong>" "{kept}</p> }.into_any()
            }
        }
    };
    view! {
        <div class="diagnostics" aria-live="polite">
            {state}
            <ul>{move || store.diagnostics.with(|diagnostics| diagnostics.iter().map(item).collect_views())}</ul>
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
