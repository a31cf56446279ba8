//! The top of the page: which story this is, on which server, and what can be chosen.

use leptos::prelude::*;
use playground_model::own;

use super::Dialogs;
use super::icons;
use crate::store::{Engine, store};
use crate::strings::T;
use crate::theme::{self, Theme};

#[component]
pub(super) fn Header() -> impl IntoView {
    let store = store();
    let dialogs = expect_context::<Dialogs>();
    let title = move || {
        let title = store.story.with(|story| story.title.clone());
        if !title.is_empty() {
            return title;
        }
        store.text.with(|text| own::title(text)).unwrap_or_else(|| T.own_story.to_owned())
    };
    let version = move || {
        let version = store.story.with(|story| story.version.clone());
        (!version.is_empty()).then(|| format!("Redis {version}"))
    };
    view! {
        <header class="top">
            <h1 class="product">{T.product}</h1>
            <button type="button" class="chooser" on:click=move |_| dialogs.stories.set(true)>
                <icons::Book />
                <span class="chooser-title">{title}</span>
                <Show when=move || store.is_edited()>
                    <span class="edited">{T.edited}</span>
                </Show>
                <span class="visually-hidden">{format!(", {}", T.choose_story)}</span>
            </button>
            <span class="top-status">
                <EngineState />
                <span class="version">{version}</span>
            </span>
            <span class="top-tools">
                <button type="button" class="tool" title=T.share on:click=move |_| dialogs.share.set(true)>
                    <icons::Share />
                    <span class="visually-hidden">{T.share}</span>
                </button>
                <ThemeButton />
                <button type="button" class="tool" title=T.keys_help on:click=move |_| dialogs.help.set(true)>
                    <icons::Help />
                    <span class="visually-hidden">{T.keys_help}</span>
                </button>
            </span>
        </header>
        <Problems />
    }
}

/// What the engine is doing, where that is not plain.
#[component]
fn EngineState() -> impl IntoView {
    let store = store();
    let text = move || match store.engine.get() {
        Engine::Starting => T.loading.to_owned(),
        Engine::Gone(_) => String::new(),
        _ if !store.has_engine.get() => T.loading_behind.to_owned(),
        Engine::Working(step) => (T.running_step)(step + 1),
        Engine::Ready => String::new(),
    };
    view! { <span class="engine-state" role="status">{text}</span> }
}

/// What keeps the page from telling anything.
#[component]
fn Problems() -> impl IntoView {
    let store = store();
    let text = move || match store.engine.get() {
        Engine::Gone(reason) => Some((T.engine_lost)(&reason)),
        _ => store.notice.get(),
    };
    move || {
        text().map(|text| {
            view! {
                <div class="notice">
                    <p role="alert">{text}</p>
                    <button type="button" class="quiet-button" on:click=move |_| store.notice.set(None)>
                        {T.close}
                    </button>
                </div>
            }
        })
    }
}

#[component]
fn ThemeButton() -> impl IntoView {
    let theme = theme::theme();
    let name = move || match theme.get() {
        Theme::Auto => T.theme_auto,
        Theme::Light => T.theme_light,
        Theme::Dark => T.theme_dark,
    };
    let icon = move || match theme.get() {
        Theme::Auto => view! { <icons::Auto /> }.into_any(),
        Theme::Light => view! { <icons::Sun /> }.into_any(),
        Theme::Dark => view! { <icons::Moon /> }.into_any(),
    };
    view! {
        <button type="button" class="tool" title=name on:click=move |_| theme.update(|theme| *theme = theme.next())>
            {icon}
            <span class="visually-hidden">{name}</span>
        </button>
    }
}
