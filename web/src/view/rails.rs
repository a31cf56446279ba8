//! The timeline of a narrow page: time runs down, each client is a rail, and the present step opens its card.

use std::sync::Arc;

use crate::view::Views;
use leptos::prelude::*;
use playground_model::rails::{self, Rail};

use super::card::CardBody;
use super::client_class;
use super::rows::Rows;
use super::story::{Deed, keep_current_in_view, reply_line};
use crate::store::store;
use crate::strings::T;

/// Finds the present step.
const CURRENT: &str = ".row.is-current";
/// How high a row is whose command and reply have a line each.
const ROW_USUAL: f64 = 56.0;

#[component]
pub(super) fn Rails() -> impl IntoView {
    let store = store();
    let rows = Memo::new(move |_| {
        let story = store.story.get();
        Arc::new(store.steps.with(|steps| rails::rails(&story.lines, steps, story.clients.len())))
    });
    let steps = Memo::new(move |_| 0..store.reached());
    let is_before = move || store.position.get() == 0;
    let draw = move |step| view! { <Row step rows /> }.into_any();
    keep_current_in_view(store, CURRENT);
    view! {
        <section class="panel rails" aria-label=T.timeline>
            <h2 class="visually-hidden">{T.steps}</h2>
            <Show when=is_before>
                <div class="card"><CardBody /></div>
            </Show>
            <Rows steps=steps.into() usual=ROW_USUAL current=CURRENT class="" draw=Arc::new(draw) />
        </section>
    }
}

#[component]
fn Row(step: usize, rows: Memo<Arc<Vec<Vec<Rail>>>>) -> impl IntoView {
    let store = store();
    let standing = store.standing(step);
    let (shows_reply, shows_card) = (standing.current(), standing.current());
    let record = store.record(step);
    let count = store.story.with_untracked(|story| story.lines.len());
    let rail = |(client, rail): (usize, &Rail)| {
        let state = match rail {
            Rail::Idle => "",
            Rail::Acts => "is-acting",
            Rail::ActsAndWaits => "is-acting is-beginning",
            Rail::Waits => "is-waiting",
            Rail::Answered => "is-answered",
        };
        view! { <span class=format!("rail {} {state}", client_class(client))></span> }
    };
    let rails =
        move || rows.with(|rows| rows.get(step).map(|row| row.iter().enumerate().map(rail).collect_views()));
    let deed = move || store.action(step).map(|action| view! { <Deed action /> });
    view! {
        <li class=standing.classes("row".to_owned()) aria-posinset=(step + 1).to_string() aria-setsize=count.to_string()>
            <span class="row-rails" aria-hidden="true">{rails}</span>
            <div class="row-body">
                <button
                    type="button"
                    aria-current=standing.aria()
                    on:click=move |_| {
                        store.playing.set(false);
                        store.go(step + 1);
                    }
                >
                    {deed}
                    {move || (!shows_reply()).then(|| record.with(|record| reply_line(&store, record.as_ref()?, step)))}
                </button>
                <Show when=shows_card>
                    <div class="card"><CardBody /></div>
                </Show>
            </div>
        </li>
    }
}
