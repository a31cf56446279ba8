//! What must hold in a story, beside the text that invites to break it.

use std::ops::Range;

use leptos::prelude::*;
use playground_model::story::Check;

use super::notes::StepLink;
use crate::store::{Store, store};
use crate::strings::T;
use crate::view::Views;
use crate::work;

/// Some of the story's checks.
pub(super) fn checks(numbers: Range<usize>) -> AnyView {
    let store = store();
    let own: Vec<(usize, Check)> = store.story.with_untracked(|story| {
        let own = numbers.filter_map(|number| Some((number, story.checks.get(number)?.clone())));
        own.filter(|(_, check)| check.expected.is_some()).collect()
    });
    if own.is_empty() {
        return ().into_any();
    }
    let body = move || {
        let is_done = store.done.get();
        let mut is_broken = false;
        let rows = own
            .iter()
            .map(|(number, check)| {
                let failed = if is_done { failure(&store, *number) } else { None };
                is_broken |= failed.is_some();
                row(check, is_done, failed)
            })
            .collect_views();
        let is_edited = store.is_edited();
        let said = match (is_edited && is_done, is_broken) {
            (false, _) => "",
            (true, true) => T.lesson.broken,
            (true, false) => T.lesson.unbroken,
        };
        let reset = is_edited.then(|| {
            view! { <button type="button" class="quiet-button" on:click=move |_| work::open_original(store)>{T.reset}</button> }
        });
        view! {
            <ul>{rows}</ul>
            <p class="checks-said" role="status">{said}</p>
            <div class="begin">
                <button type="button" class="quiet-button" on:click=move |_| store.editing.set(true)>
                    {T.lesson.change_story}
                </button>
                {reset}
            </div>
        }
        .into_any()
    };
    view! {
        <section class="checks" aria-label=T.lesson.checks>
            <h4>{T.lesson.checks}</h4>
            {body}
        </section>
    }
    .into_any()
}

/// After which step a check fails first, and what came.
fn failure(store: &Store, check: usize) -> Option<(usize, String)> {
    store.steps.with(|steps| {
        steps.iter().enumerate().find_map(|(index, step)| {
            let failed = step.differences.iter().find(|difference| difference.check == Some(check))?;
            Some((index, failed.got.clone()))
        })
    })
}

fn row(check: &Check, is_done: bool, failed: Option<(usize, String)>) -> AnyView {
    let (class, sign, verdict) = match failed {
        Some((step, got)) => {
            let verdict =
                view! { <strong>{T.lesson.fails_after}</strong>" "<StepLink step />": "<code>{got}</code> };
            ("check fails", "✗", verdict.into_any())
        }
        None if is_done => ("check holds", "✓", view! { <strong>{T.lesson.holds}</strong> }.into_any()),
        None => ("check", "…", T.lesson.not_yet.into_any()),
    };
    let when = if check.always { T.lesson.always } else { T.lesson.finally };
    view! {
        <li class=class>
            <span class="choice-sign" aria-hidden="true">{sign}</span>
            <div>
                <p><code>{check.command.clone()}</code>" → "<code>{check.expected.clone()}</code></p>
                <p class="check-verdict"><span class="quiet">{when}</span>" "{verdict}</p>
            </div>
        </li>
    }
    .into_any()
}
