//! What opens over the page: the choice of stories, and the keys.

use crate::view::Views;
use leptos::html;
use leptos::prelude::*;
use playground_model::own;
use playground_model::place::Place;

use super::{Dialogs, icons};
use crate::examples::{self, Example};
use crate::store::store;
use crate::strings::T;
use crate::work::Kept;
use crate::{browser, work};

/// A modal dialog that is open as long as its signal says so.
#[component]
pub(super) fn Modal(open: RwSignal<bool>, title: &'static str, children: ChildrenFn) -> impl IntoView {
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
        let sought = browser::lowercase(&sought.get());
        let words: Vec<&str> = sought.split_whitespace().collect();
        let is_meant = |example: &&Example| {
            let text =
                [example.course, example.title, example.summary, example.words, &example.tags.join(" ")]
                    .join(" ");
            let text = browser::lowercase(&text);
            words.iter().all(|word| text.contains(word))
        };
        examples::ALL.iter().filter(is_meant).collect::<Vec<_>>()
    };
    let entries = move || {
        let found = found();
        if found.is_empty() && !examples::ALL.is_empty() {
            return view! { <p class="empty">{T.no_story_found}</p> }.into_any();
        }
        // Lessons stand in the order of the course, so those of a chapter are beside each other.
        let chapter = |lessons: &[&'static Example]| {
            let entries = lessons.iter().map(|example| view! { <StoryEntry example /> }).collect_views();
            view! { <h3 class="stories-title">{lessons[0].course}</h3><ol class="stories">{entries}</ol> }
                .into_any()
        };
        found.chunk_by(|one, other| one.course == other.course).map(chapter).collect_views().into_any()
    };
    view! {
        <input
            type="search"
            class="search"
            placeholder=T.find_story
            aria-label=T.find_story
            on:input=move |event| sought.set(event_target_value(&event))
        />
        <BeginRow />
        <OwnEntries sought />
        {entries}
    }
}

/// Ways to a story of one's own.
#[component]
fn BeginRow() -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    view! {
        <details class="begin-row">
            <summary>{T.own_story}</summary>
            <button
                type="button"
                class="quiet-button"
                on:click=move |_| {
                    open.set(false);
                    work::open(store, Place::default());
                }
            >
                {T.new_story}
            </button>
            <Begin />
        </details>
    }
}

/// The stories that this browser keeps. One that was thrown away can be taken back as long as the list is open.
#[component]
fn OwnEntries(sought: RwSignal<String>) -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    let kept = RwSignal::new(work::own_stories());
    let gone = RwSignal::new(Vec::<String>::new());
    let throw = move |id: String| {
        work::forget_own(&id);
        gone.update(|gone| gone.push(id));
    };
    let take_back = move |story: &Kept| {
        work::restore_own(story);
        gone.update(|gone| gone.retain(|id| *id != story.id));
    };
    let entry = move |story: Kept| {
        let (id, title) = (story.id.clone(), story.title.clone());
        let is_current = store.own.with(|own| own.as_deref() == Some(story.id.as_str()));
        if gone.with(|gone| gone.contains(&story.id)) {
            let text = (T.thrown_away)(&title);
            return view! {
                <li class="thrown">
                    <span>{text}</span>
                    <button type="button" class="quiet-button" on:click=move |_| take_back(&story)>{T.take_back}</button>
                </li>
            }
            .into_any();
        }
        let thrown = id.clone();
        let name = (T.throw_away)(&title);
        let title_of_bin = name.clone();
        view! {
            <li class="own-entry">
                <button
                    type="button"
                    aria-current=is_current.then_some("true")
                    on:click=move |_| {
                        open.set(false);
                        let own = Some(id.clone());
                        work::open(store, Place { own, ..Place::default() });
                    }
                >
                    <span class="story-title">{title}</span>
                </button>
                // The one that is open would be kept again by the next key.
                {(!is_current).then(|| view! {
                    <button type="button" class="tool" title=title_of_bin on:click=move |_| throw(thrown.clone())>
                        <icons::Bin />
                        <span class="visually-hidden">{name}</span>
                    </button>
                })}
            </li>
        }
        .into_any()
    };
    move || {
        let sought = browser::lowercase(&sought.get());
        let found = kept.get().into_iter().filter(|story| browser::lowercase(&story.text).contains(&sought));
        let found = found.map(entry).collect_views();
        (!found.is_empty()).then(|| {
            view! {
                <h3 class="stories-title">{T.own_stories}</h3>
                <ul class="stories">{found}</ul>
            }
        })
    }
}

/// Ways to begin with something that is there already: a file, or a script.
#[component]
pub(super) fn Begin() -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    let script = RwSignal::new(String::new());
    let take = move |text: String| {
        open.set(false);
        let story = if own::is_script(&text) { own::story_of_script(&text) } else { text };
        work::open_text(store, story, 0);
    };
    let pick = move |_| {
        leptos::task::spawn_local(async move {
            browser::pick_text().await.into_iter().for_each(take);
        });
    };
    view! {
        <textarea
            class="paste"
            rows="4"
            aria-label=T.begin_with_script
            placeholder=T.paste_hint
            spellcheck="false"
            prop:value=script
            on:input=move |event| script.set(event_target_value(&event))
        ></textarea>
        <div class="begin">
            <button
                type="button"
                class="next"
                disabled=move || script.with(|script| script.trim().is_empty())
                on:click=move |_| take(script.get_untracked())
            >
                {T.make_story}
            </button>
            <button type="button" class="quiet-button" on:click=pick>{T.open_file}</button>
        </div>
    }
}

#[component]
fn StoryEntry(example: &'static Example) -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().stories;
    let is_current = move || store.example.with(|name| name.as_deref() == Some(example.name));
    let tags = example.tags.iter().map(|tag| view! { <span class="tag">{*tag}</span> }).collect_views();
    view! {
        <li>
            <button
                type="button"
                aria-current=move || is_current().then_some("true")
                on:click=move |_| {
                    open.set(false);
                    work::open(store, Place { example: Some(example.name.to_owned()), ..Place::default() });
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
pub(super) fn Help() -> impl IntoView {
    let open = expect_context::<Dialogs>().help;
    let list = |pairs: &'static [(&'static str, &'static str)], class: &'static str| {
        let pair = |(key, text): &(&'static str, &'static str)| {
            view! { <div><dt><kbd>{*key}</kbd></dt><dd>{*text}</dd></div> }
        };
        view! { <dl class=class>{pairs.iter().map(pair).collect_views()}</dl> }
    };
    view! {
        <Modal open title=T.help_title>
            {list(T.help, "help-list")}
            {list(T.help_notes, "help-list")}
        </Modal>
    }
}
