//! The dialog that gives a story away: as a link, or as a file.

use leptos::prelude::*;
use playground_model::own;
use playground_model::share::{LINK_CHARS_GOOD, LINK_CHARS_MAX};

use super::Dialogs;
use super::dialogs::Modal;
use crate::store::store;
use crate::strings::T;
use crate::{browser, work};

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
    }
}
