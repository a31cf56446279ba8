//! The timeline of a narrow page: time runs down, each client is a rail, and the present step opens its card.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use playground_model::rails::{self, Rail};

use super::card::CardBody;
use super::client_class;
use super::story::{Deed, reply_line};
use crate::browser;
use crate::store::store;
use crate::strings::T;

#[component]
pub(super) fn Rails() -> impl IntoView {
    let store = store();
    let rows = Memo::new(move |_| {
        let story = store.story.get();
        Arc::new(store.steps.with(|steps| rails::rails(&story.lines, steps, story.clients.len())))
    });
    let steps = move || (0..store.reached()).collect::<Vec<_>>();
    let is_before = move || store.position.get() == 0;
    view! {
        <section class="panel rails" aria-label=T.timeline>
            <Show when=is_before>
                <div class="card"><CardBody /></div>
            </Show>
            <ol>
                <For each=steps key=|step| *step let:step>
                    <Row step rows />
                </For>
            </ol>
        </section>
    }
}

#[component]
fn Row(step: usize, rows: Memo<Arc<Vec<Vec<Rail>>>>) -> impl IntoView {
    let store = store();
    let item = NodeRef::<html::Li>::new();
    let is_current = Memo::new(move |_| store.position.get() == step + 1);
    let record = store.record(step);
    Effect::new(move |_| {
        if is_current.get()
            && let Some(item) = item.get()
        {
            browser::reveal(&item);
        }
    });
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
        move || rows.with(|rows| rows.get(step).map(|row| row.iter().enumerate().map(rail).collect_view()));
    let deed = move || store.action(step).map(|action| view! { <Deed action /> });
    view! {
        <li node_ref=item class="row" class:is-current=is_current class:is-ahead=move || { store.position.get() <= step }>
            <span class="row-rails" aria-hidden="true">{rails}</span>
            <div class="row-body">
                <button
                    type="button"
                    aria-current=move || is_current.get().then_some("step")
                    on:click=move |_| {
                        store.playing.set(false);
                        store.go(step + 1);
                    }
                >
                    {deed}
                    {move || (!is_current.get()).then(|| record.with(|record| reply_line(record.as_ref()?, step)))}
                </button>
                <Show when=move || is_current.get()>
                    <div class="card"><CardBody /></div>
                </Show>
            </div>
        </li>
    }
}
