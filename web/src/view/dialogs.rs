//! What opens over the page: the choice of stories, and the keys.

use leptos::html;
use leptos::prelude::*;
use playground_model::place::Place;

use super::{Dialogs, icons};
use crate::examples::{self, Example};
use crate::store::store;
use crate::strings::T;
use crate::work;

/// A modal dialog that is open as long as its signal says so.
#[component]
fn Modal(open: RwSignal<bool>, title: &'static str, children: ChildrenFn) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let (Some(dialog), is_open) = (dialog.get(), open.get()) else { return };
        if is_open && !dialog.open() {
            let _ = dialog.show_modal();
        } else if !is_open && dialog.open() {
            dialog.close();
        }
    });
    // A click beside the dialog hits the dialog element itself.
    let close_beside = move |event: web_sys::MouseEvent| {
        let target = event.target().map(wasm_bindgen::JsValue::from);
        if target == dialog.get_untracked().map(wasm_bindgen::JsValue::from) {
            open.set(false);
        }
    };
    view! {
        <dialog node_ref=dialog class="modal" aria-label=title on:close=move |_| open.set(false) on:click=close_beside>
            <div class="modal-box">
                <header class="modal-head">
                    <h2>{title}</h2>
                    <button type="button" class="tool" title=T.close on:click=move |_| open.set(false)>
                        <icons::Cross />
                        <span class="visually-hidden">{T.close}</span>
                    </button>
                </header>
                <Show when=move || open.get()>{children()}</Show>
            </div>
        </dialog>
    }
}

#[component]
pub(super) fn Stories() -> impl IntoView {
    let open = expect_context::<Dialogs>().stories;
    view! { <Modal open title=T.choose_story><StoryList /></Modal> }
}

#[component]
fn StoryList() -> impl IntoView {
    let sought = RwSignal::new(String::new());
    let found = move || {
        let sought = sought.get().to_lowercase();
        let words: Vec<&str> = sought.split_whitespace().collect();
        let is_meant = |example: &&Example| {
            let text =
                [example.course, example.title, example.summary, example.words, &example.tags.join(" ")]
                    .join(" ")
                    .to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        examples::ALL.iter().filter(is_meant).collect::<Vec<_>>()
    };
    let entries = move || {
        let found = found();
        if found.is_empty() && !examples::ALL.is_empty() {
            return view! { <p class="empty">{T.no_story_found}</p> }.into_any();
        }
        let entries = found.into_iter().map(|example| view! { <StoryEntry example /> }).collect_view();
        view! { <ol class="stories">{entries}</ol> }.into_any()
    };
    view! {
        <input
            type="search"
            class="search"
            placeholder=T.find_story
            aria-label=T.find_story
            on:input=move |event| sought.set(event_target_value(&event))
        />
        {entries}
        <ul class="stories">
            <BlankEntry />
        </ul>
    }
}

#[component]
fn StoryEntry(example: &'static Example) -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    let is_current = move || store.example.with(|name| name.as_deref() == Some(example.name));
    let tags = example.tags.iter().map(|tag| view! { <span class="tag">{*tag}</span> }).collect_view();
    view! {
        <li>
            <button
                type="button"
                aria-current=move || is_current().then_some("true")
                on:click=move |_| {
                    open.set(false);
                    work::open(store, Place { example: Some(example.name.to_owned()), position: None });
                }
            >
                <span class="story-title">{example.title}</span>
                <span class="story-summary">{example.summary}</span>
                <span class="tags">{tags}</span>
            </button>
        </li>
    }
}

#[component]
fn BlankEntry() -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    view! {
        <li>
            <button
                type="button"
                on:click=move |_| {
                    open.set(false);
                    work::open(store, Place::default());
                }
            >
                <span class="story-title">{T.own_story}</span>
                <span class="story-summary">{T.blank_summary}</span>
            </button>
        </li>
    }
}

#[component]
pub(super) fn Help() -> impl IntoView {
    let open = expect_context::<Dialogs>().help;
    let list = |pairs: &'static [(&'static str, &'static str)], class: &'static str| {
        let pair = |(key, text): &(&'static str, &'static str)| {
            view! { <div><dt><kbd>{*key}</kbd></dt><dd>{*text}</dd></div> }
        };
        view! { <dl class=class>{pairs.iter().map(pair).collect_view()}</dl> }
    };
    view! {
        <Modal open title=T.help_title>
            {list(T.help, "help-list")}
            {list(T.help_notes, "help-list")}
        </Modal>
    }
}
