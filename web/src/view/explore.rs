//! All orders in which the clients can act: what comes of them, how often, and one of each to look at.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::explore::{CheckResult, Explored, Method, Outcome, Plan};
use playground_model::message::{Answer, Request};

use crate::engine;
use crate::store::{Store, store};
use crate::strings::T;

/// What the reader has asked for and what came of it.
#[derive(Clone, Copy)]
struct Exploring {
    store: Store,
    method: RwSignal<Method>,
    from_here: RwSignal<bool>,
    clock_free: RwSignal<bool>,
    found: RwSignal<Option<Explored>>,
    problem: RwSignal<Option<String>>,
    /// An order was taken into the timeline.
    loaded: RwSignal<bool>,
    /// The exploration that may still bring news; older ones are of no account.
    round: RwSignal<Option<u64>>,
    rounds: StoredValue<u64>,
}

#[component]
pub(super) fn Explore() -> impl IntoView {
    let exploring = Exploring {
        store: store(),
        method: RwSignal::new(Method::All),
        from_here: RwSignal::new(false),
        clock_free: RwSignal::new(false),
        found: RwSignal::new(None),
        problem: RwSignal::new(None),
        loaded: RwSignal::new(false),
        round: RwSignal::new(None),
        rounds: StoredValue::new(0),
    };
    // Nobody looks any more.
    on_cleanup(move || exploring.round.set(None));
    let results =
        move || exploring.found.with(|found| found.as_ref().map(|explored| results(exploring, explored)));
    let problem = move || {
        exploring.problem.get().map(|text| view! { <p class="explore-problem" role="alert">{text}</p> })
    };
    view! {
        <div class="explore">
            <h2 class="visually-hidden">{T.explore}</h2>
            {controls(exploring)}
            {problem}
            <Show when=move || exploring.loaded.get()>
                <p class="explore-note" role="status">{T.order_loaded}</p>
            </Show>
            {results}
            <Show when=move || exploring.found.with(Option::is_none)>
                <p class="quiet">{T.explore_help}</p>
            </Show>
        </div>
    }
}

fn controls(exploring: Exploring) -> impl IntoView {
    let is_running = move || exploring.round.get().is_some();
    let button = move || {
        if is_running() {
            view! { <button type="button" class="quiet-button" on:click=move |_| exploring.stop()>{T.explore_stop}</button> }
                .into_any()
        } else {
            view! { <button type="button" class="next" on:click=move |_| exploring.start()>{T.explore_start}</button> }
                .into_any()
        }
    };
    let choose = move |event| {
        exploring.method.set(match event_target_value(&event).as_str() {
            "lot" => Method::Lot,
            "priority" => Method::Priority,
            _ => Method::All,
        });
    };
    let progress =
        move || exploring.found.with(|found| found.as_ref().map_or(0, |explored| explored.progress));
    view! {
        <div class="explore-controls">
            <select aria-label=T.explore_method on:change=choose>
                <option value="all">{T.explore_all}</option>
                <option value="lot">{T.explore_lot}</option>
                <option value="priority">{T.explore_priority}</option>
            </select>
            {tick(T.explore_from_here, exploring.from_here)}
            {tick(T.explore_clock_free, exploring.clock_free)}
            {button}
            <Show when=is_running>
                <progress max="1000" value=progress aria-label=T.explore_running></progress>
            </Show>
        </div>
    }
}

fn tick(name: &'static str, signal: RwSignal<bool>) -> impl IntoView {
    view! {
        <label>
            <input
                type="checkbox"
                prop:checked=move || signal.get()
                on:change=move |event| signal.set(event_target_checked(&event))
            />
            {name}
        </label>
    }
}

fn results(exploring: Exploring, explored: &Explored) -> AnyView {
    let summary = (T.explored)(explored);
    let checks = explored.checks.iter().map(|check| check_row(check, &explored.orders)).collect_views();
    let clients = exploring.store.story.with_untracked(|story| story.clients.clone());
    let outcomes = explored.outcomes.iter().enumerate();
    let rows = outcomes.map(|(place, outcome)| outcome_row(exploring, place, outcome, explored, &clients));
    let rows = rows.collect_views();
    let left_out = explored.outcomes_total.saturating_sub(explored.outcomes.len());
    view! {
        <p class="explore-summary" role="status">{summary}</p>
        <ul class="explore-checks">{checks}</ul>
        <table class="outcomes">
            <thead>
                <tr>
                    <th scope="col">{T.orders}</th>
                    <th scope="col">{T.outcome_data}</th>
                    <th scope="col">{T.last_replies}</th>
                    <th scope="col">{T.one_order}</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
        {(left_out > 0).then(|| view! { <p class="quiet">{(T.more_outcomes)(left_out)}</p> })}
    }
    .into_any()
}

fn check_row(check: &CheckResult, orders: &str) -> AnyView {
    let (class, text) = match &check.failing {
        None => ("holds", T.check_holds.to_owned()),
        Some(failing) => ("fails", (T.check_fails)(failing, orders)),
    };
    let expected = check.expected.clone();
    view! { <li class=class><code>{check.text.clone()}</code>" "<code>{expected}</code>" "<strong>{text}</strong></li> }
    .into_any()
}

fn outcome_row(
    exploring: Exploring,
    place: usize,
    outcome: &Outcome,
    explored: &Explored,
    clients: &[String],
) -> AnyView {
    let data = if outcome.data.is_empty() { T.no_keys.to_owned() } else { outcome.data.join("\n") };
    let reply = |(client, reply): (usize, &String)| {
        let waits = outcome.waiting.contains(&client).then_some(T.waits_for_ever);
        let name = clients.get(client).cloned().unwrap_or_default();
        view! { <div><b>{name}</b>" "<code>{reply.clone()}</code>{waits}</div> }
    };
    let replies = outcome.replies.iter().enumerate().map(reply).collect_views();
    let fails = outcome.fails.iter().filter_map(|check| explored.checks.get(*check));
    let fails =
        fails.map(|check| view! { <div class="fails">{(T.fails)(&check.text)}</div> }).collect_views();
    let name = |actor: &Option<usize>| match actor {
        Some(client) => clients.get(*client).cloned().unwrap_or_default(),
        None => T.clock.to_owned(),
    };
    let order: Vec<String> = outcome.schedule.iter().map(name).collect();
    let share = (T.percent)(outcome.share);
    view! {
        <tr class:failing=!outcome.fails.is_empty()>
            <td class="count">{outcome.orders.clone()}<span class="share">{share}</span></td>
            <td><pre>{data}</pre>{fails}</td>
            <td>{replies}</td>
            <td>
                <div class="order">{order.join(" ")}</div>
                <button type="button" class="quiet-button" on:click=move |_| exploring.load(place)>{T.load_order}</button>
            </td>
        </tr>
    }
    .into_any()
}

impl Exploring {
    fn start(self) {
        let round = self.rounds.try_update_value(|rounds| {
            *rounds += 1;
            *rounds
        });
        let round = round.unwrap_or_default();
        self.round.set(Some(round));
        self.found.set(None);
        self.problem.set(None);
        self.loaded.set(false);
        let plan = Plan {
            position: self.store.position.get_untracked(),
            from_here: self.from_here.get_untracked(),
            clock_free: self.clock_free.get_untracked(),
            method: self.method.get_untracked(),
            seed: round,
        };
        leptos::task::spawn_local(async move {
            let mut request = Request::Explore { plan };
            loop {
                let answer = engine::answer(&request).await;
                if self.round.try_get_untracked().flatten() != Some(round) {
                    return;
                }
                match answer {
                    Ok(Answer::Explored(explored)) => {
                        let is_done = explored.done;
                        self.found.set(Some(*explored));
                        if is_done {
                            break;
                        }
                        request = Request::ExploreOn;
                    }
                    Ok(Answer::Error { text }) => break self.problem.set(Some(text)),
                    Ok(_) => break,
                    Err(engine::Lost(reason)) => {
                        self.problem.set(Some((T.engine_lost)(&reason)));
                        crate::tell::tell(self.store);
                        break;
                    }
                }
            }
            self.round.set(None);
        });
    }

    fn stop(self) {
        self.round.set(None);
        leptos::task::spawn_local(async move {
            if let Ok(Answer::Explored(explored)) = engine::answer(&Request::ExploreEnd).await {
                let _ = self.found.try_set(Some(*explored));
            }
        });
    }

    /// The story in that order takes the place of the present text; undo leads back.
    fn load(self, outcome: usize) {
        leptos::task::spawn_local(async move {
            match engine::answer(&Request::Witness { outcome }).await {
                Ok(Answer::Text { text }) => {
                    self.store.change_text(text);
                    let _ = self.loaded.try_set(true);
                }
                Ok(Answer::Error { text }) => self.problem.set(Some(text)),
                _ => {}
            }
        });
    }
}
