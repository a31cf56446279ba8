//! The dialog that gives a story away: as a link, or as a file.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::message::{Answer, Request};
use playground_model::own;
use playground_model::share::{LINK_CHARS_GOOD, LINK_CHARS_MAX};

use super::Dialogs;
use super::dialogs::Modal;
use crate::store::store;
use crate::strings::T;
use crate::{browser, engine, work};

#[component]
pub(super) fn Share() -> impl IntoView {
    let open = expect_context::<Dialogs>().share;
    view! { <Modal open title=T.share><Ways /></Modal> }
}

#[component]
fn Ways() -> impl IntoView {
    let store = store();
    let link = Memo::new(move |_| {
        store.text.track();
        store.position.track();
        let _ = work::view_of(&store);
        work::link(&store)
    });
    let copied = RwSignal::new(false);
    let copy = move |_| {
        leptos::task::spawn_local(async move {
            copied.set(browser::copy_text(&link.get_untracked()).await);
        });
    };
    let save = move |_| {
        let text = store.text.get_untracked();
        browser::download(&own::file_name(&text), &text);
    };
    let chars = move || link.with(|link| link.chars().count());
    let advice = move || match chars() {
        count if count > LINK_CHARS_MAX => Some((T.link_too_long)(count)),
        count if count > LINK_CHARS_GOOD => Some((T.link_long)(count)),
        _ => None,
    };
    view! {
        <p>{T.share_help}</p>
        <div class="share-link">
            <input type="text" readonly class="search" aria-label=T.link prop:value=link on:focus=move |event| {
                event_target::<web_sys::HtmlInputElement>(&event).select();
            } />
            <button type="button" class="next" on:click=copy>
                {move || if copied.get() { T.copied } else { T.copy }}
            </button>
        </div>
        <p class="quiet" role="status">{advice}</p>
        <button type="button" class="quiet-button" on:click=save>{T.download}</button>
        <h3>{T.export}</h3>
        <p>{T.export_help}</p>
        <div class="export-forms">{T.export_forms.iter().map(|form| export_button(*form)).collect_views()}</div>
    }
}

/// Saves the story in another form: its name for the engine, what a person calls it, and the ending of the file.
fn export_button((form, label, extension): (&'static str, &'static str, &'static str)) -> impl IntoView {
    let store = store();
    let save = move |_| {
        leptos::task::spawn_local(async move {
            let request = Request::Export { form: form.to_owned() };
            if let Ok(Answer::Text { text }) = engine::answer(&request).await {
                let name = own::file_name(&store.text.get_untracked());
                let stem = name.trim_end_matches(".md");
                browser::download(&format!("{stem}.{extension}"), &text);
            }
        });
    };
    view! {
        <button type="button" class="quiet-button" on:click=save>
            {label}
        </button>
    }
}
