//! Other ways this story's text has gone: what was undone before something else was written.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::history::Branch;

use super::dialogs::Modal;
use super::{Dialogs, icons};
use crate::store::store;
use crate::strings::T;

/// Opens the list; not there as long as there is but one way.
#[component]
pub(super) fn BranchesButton() -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().branches;
    let count = Memo::new(move |_| store.history.with(|history| history.branches().len()));
    let name = move || (T.branches)(count.get());
    view! {
        <Show when=move || count.get() != 0>
            <button type="button" class="tool" title=name on:click=move |_| open.set(true)>
                <icons::Branches />
                <span class="visually-hidden">{name}</span>
            </button>
        </Show>
    }
}

#[component]
pub(super) fn Branches() -> impl IntoView {
    let open = expect_context::<Dialogs>().branches;
    view! { <Modal open title=T.branches_title><BranchList /></Modal> }
}

#[component]
fn BranchList() -> impl IntoView {
    let store = store();
    let open = expect_context::<Dialogs>().branches;
    let entry = move |branch: Branch| {
        let Branch { end, texts, differs: (line, text) } = branch;
        let drop_name = (T.drop_branch)(line);
        let title = drop_name.clone();
        view! {
            <li class="own-entry">
                <button
                    type="button"
                    on:click=move |_| {
                        open.set(false);
                        store.go_to_text(end);
                    }
                >
                    <span class="story-title">{(T.branch)(line, texts)}</span>
                    <code class="story-summary">{if text.is_empty() { T.branch_ends_here.to_owned() } else { text }}</code>
                </button>
                <button type="button" class="tool" title=title on:click=move |_| store.drop_branch(end)>
                    <icons::Bin />
                    <span class="visually-hidden">{drop_name}</span>
                </button>
            </li>
        }
    };
    let entries = move || {
        let branches = store.history.with(|history| history.branches());
        if branches.is_empty() {
            return view! { <p class="empty">{T.no_branches}</p> }.into_any();
        }
        view! { <ul class="stories">{branches.into_iter().map(entry).collect_views()}</ul> }.into_any()
    };
    view! {
        <p class="quiet">{T.branches_help}</p>
        {entries}
    }
}
