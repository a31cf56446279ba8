//! The story to read, with its steps where the text has them; or the same as text, to write.

use std::ops::Range;
use std::sync::Arc;

use crate::view::Views;
use leptos::prelude::*;
use playground_model::step::Step;
use playground_model::story::{Action, Block};

use super::branches::BranchesButton;
use super::checks::checks;
use super::dialogs::Begin;
use super::editor::Editor;
use super::prose::{Prose, Remark};
use super::rows::Rows;
use super::script::ScriptText;
use super::{ClientBadge, client_class, icons};
use crate::browser::{self, When};
use crate::examples::{self, Example};
use crate::store::{Engine, Store, store};
use crate::strings::T;
use crate::work;

#[component]
pub(super) fn StoryPanel() -> impl IntoView {
    let store = store();
    let toggle = move |editing: bool, name: &'static str| {
        view! {
            <button
                type="button"
                aria-pressed=move || (store.editing.get() == editing).to_string()
                on:click=move |_| store.editing.set(editing)
            >
                {if editing { view! { <icons::Pencil /> }.into_any() } else { view! { <icons::Book /> }.into_any() }}
                {name}
            </button>
        }
    };
    view! {
        <section class="panel story" aria-label=T.story>
            <div class="switch" role="group" aria-label=T.story>
                {toggle(false, T.read)}
                {toggle(true, T.edit)}
                <Changes />
            </div>
            {move || {
                if store.editing.get() {
                    view! { <Editor /> }.into_any()
                } else {
                    view! { <Reading /> }.into_any()
                }
            }}
        </section>
    }
}

/// Ways back, and forward again.
#[component]
fn Changes() -> impl IntoView {
    let store = store();
    let is_edited = move || store.is_edited();
    view! {
        <span class="switch-tools">
            <Show when=is_edited>
                <button type="button" class="quiet-button" on:click=move |_| work::open_original(store)>
                    {T.reset}
                </button>
            </Show>
            <button
                type="button"
                class="tool"
                title=T.undo
                disabled=move || !store.history.with(|history| history.can_undo())
                on:click=move |_| store.undo()
            >
                <icons::Undo />
                <span class="visually-hidden">{T.undo}</span>
            </button>
            <button
                type="button"
                class="tool"
                title=T.redo
                disabled=move || !store.history.with(|history| history.can_redo())
                on:click=move |_| store.redo()
            >
                <icons::Redo />
                <span class="visually-hidden">{T.redo}</span>
            </button>
            <BranchesButton />
        </span>
    }
}

/// Finds the present step.
const CURRENT: &str = ".step-line.is-current";

#[component]
fn Reading() -> impl IntoView {
    let store = store();
    let blocks = move || {
        let story = store.story.get();
        if story.lines.is_empty() && story.blocks.is_empty() {
            let is_known = store.engine.get() != Engine::Starting;
            return is_known.then(|| view! { <Invitation /> }).into_any();
        }
        let has_title = story
            .blocks
            .iter()
            .any(|block| matches!(block, Block::Prose(text) if text.trim_start().starts_with("# ")));
        let title = (!has_title && !story.title.is_empty())
            .then(|| view! { <h2 class="prose-title">{story.title.clone()}</h2> });
        let block = |block: &Block| match block {
            Block::Prose(text) => view! { <Prose text=text.clone() /> }.into_any(),
            Block::Script(index) => match story.scripts.get(*index) {
                Some(script) => view! { <ScriptText script=script.clone() /> }.into_any(),
                None => ().into_any(),
            },
            Block::Steps(steps) => view! { <StepLines steps=steps.clone() /> }.into_any(),
            Block::Checks(numbers) => checks(numbers.clone()),
        };
        let blocks = story.blocks.iter().map(block).collect_views();
        let next = examples::ALL.iter().find(|example| example.name == story.next);
        let next = next.map(|example| view! { <NextLesson example /> });
        view! { {title} {blocks} {next} }.into_any()
    };
    keep_current_in_view(store, CURRENT);
    view! { <div class="reading" tabindex="0" role="group" aria-label=T.story>{blocks}</div> }
}

/// Scrolls so that the present step of a list is in view: with the next frame, when all that this move changes is drawn, or the
/// one after it where the move is a long one. `current`: finds it.
pub(super) fn keep_current_in_view(store: Store, current: &'static str) {
    Effect::new(move |before: Option<usize>| {
        let position = store.position.get();
        browser::with_frame(When::of_move(before, position), || {}, move || browser::reveal_first(current));
        position
    });
}

/// The way on, where the reader has come to the end.
#[component]
fn NextLesson(example: &'static Example) -> impl IntoView {
    view! {
        <a class="next-lesson" href=format!("#{}", example.name)>
            <span class="quiet">{T.lesson.next}</span>
            <span class="story-title">{example.title}<icons::Next /></span>
            <span class="story-summary">{example.summary}</span>
        </a>
    }
}

/// What a new story shows: ways to begin it.
#[component]
fn Invitation() -> impl IntoView {
    view! {
        <div class="prose">
            <h2 class="prose-title">{T.invitation}</h2>
            <p>{T.empty_story}</p>
            <p>{T.or_script}</p>
        </div>
        <Begin />
    }
}

/// How high a line is that needs no more than one for the command, and one for the reply.
const LINE_USUAL: f64 = 48.0;

#[component]
fn StepLines(steps: Range<usize>) -> impl IntoView {
    let (begin, count) = (steps.start, steps.len());
    let draw = move |step| view! { <StepLine step number=step - begin + 1 count /> }.into_any();
    view! { <Rows steps=Signal::stored(steps) usual=LINE_USUAL current=CURRENT class="step-lines" draw=Arc::new(draw) /> }
}

/// `number`: of the line in its list, and `count`: of the list's lines.
#[component]
fn StepLine(step: usize, number: usize, count: usize) -> impl IntoView {
    let store = store();
    let standing = store.standing(step);
    let record = store.record(step);
    let line = store.story.with_untracked(|story| story.lines.get(step).cloned());
    let line = line?;
    let remarks = line.remarks.into_iter().map(|text| view! { <Remark text /> }).collect_views();
    let client = line.action.client().map_or_else(|| "clock-line".to_owned(), client_class);
    Some(view! {
        <li
            class=standing.classes(format!("step-line {client}"))
            aria-posinset=number.to_string()
            aria-setsize=count.to_string()
        >
            {remarks}
            <button
                type="button"
                aria-current=standing.aria()
                on:click=move |_| {
                    store.playing.set(false);
                    store.go(step + 1);
                }
            >
                <Deed action=line.action />
                {move || record.with(|record| reply_line(&store, record.as_ref()?, step))}
            </button>
        </li>
    })
}

/// What a step does, in the words of the notation.
#[component]
pub(super) fn Deed(action: Action) -> impl IntoView {
    match action {
        Action::Send { client, command, .. } => {
            view! { <span class="deed"><ClientBadge client /><code class="command">{command}</code></span> }.into_any()
        }
        Action::Clock { text } => {
            view! { <span class="deed"><span class="badge clock-badge"><icons::Clock /></span><span class="clock-text">{text}</span></span> }
                .into_any()
        }
        Action::Server { event } => {
            let text = (T.server_event)(event).1;
            view! { <span class="deed"><span class="badge clock-badge">"↻"</span><span class="clock-text">{text}</span></span> }
                .into_any()
        }
    }
}

/// Stands for a reply that the reader is to foretell.
pub(super) const KEPT: &str = "?";

/// The reply of a step as far as the story has been run.
pub(super) fn reply_line(store: &Store, record: &Step, step: usize) -> Option<AnyView> {
    if store.keeps_back(step) {
        return Some(view! { <span class="reply is-kept">{KEPT}<span class="visually-hidden">{T.lesson.asked_first}</span></span> }.into_any());
    }
    let differs = !record.differences.is_empty();
    if record.spoilt {
        return Some(view! { <span class="reply is-error">"✕"</span> }.into_any());
    }
    let Some(reply) = record.reply.as_ref() else {
        let waits = record.wait.is_some().then(|| view! { <span class="reply is-waiting">{T.waits}</span> });
        return waits.map(IntoAny::into_any);
    };
    let class = if reply.kind.is_failure() { "reply is-error" } else { "reply" };
    let late = (reply.during != step).then(|| {
        view! { <span class="late">{(T.answered_at)(&(reply.during + 1).to_string())}</span> }
    });
    let text = reply.text.clone();
    Some(view! { <span class=class class:differs=differs><code>{text}</code>{late}</span> }.into_any())
}
