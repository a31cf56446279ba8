//! Says each step in one sentence, for those who do not see the page.

use std::time::Duration;

use leptos::prelude::*;
use playground_model::frame::whole_ms;
use playground_model::span;
use playground_model::step::{Change, ChangeKind};
use playground_model::story::Action;

use crate::store::{Store, store};
use crate::strings::T;

/// While the story plays by itself no more than one sentence in this time is said.
const PAUSE: Duration = Duration::from_millis(900);

#[component]
pub(super) fn Announcer() -> impl IntoView {
    let store = store();
    let said = RwSignal::new(String::new());
    Effect::new(move |before: Option<()>| {
        let sentence = sentence(&store);
        if before.is_none() {
            return;
        }
        let wait = if store.playing.get_untracked() { PAUSE } else { Duration::from_millis(60) };
        let handle = set_timeout_with_handle(move || said.set(sentence), wait);
        on_cleanup(move || drop(handle.map(|handle| handle.clear())));
    });
    view! { <p class="visually-hidden" role="status" aria-live="polite" id="announcer">{said}</p> }
}

/// Who did what at the reader's position, what came back, and what changed.
pub(super) fn sentence(store: &Store) -> String {
    let position = store.position.get();
    let Some(index) = position.checked_sub(1) else { return T.before_first.to_owned() };
    let Some(action) = store.action(index) else { return String::new() };
    let mut parts = vec![format!("{}: {}", (T.step)(position), deed(store, &action))];
    store.steps.with(|steps| {
        let Some(step) = steps.get(index) else { return };
        match &step.reply {
            Some(reply) if reply.during == index => parts.push(reply.text.clone()),
            _ if step.wait.is_some() => parts.push(T.waits.to_owned()),
            _ => {}
        }
        parts.extend(step.changes.iter().map(change));
    });
    parts.join(". ")
}

pub(super) fn deed(store: &Store, action: &Action) -> String {
    match action {
        Action::Send { client, command, .. } => (T.sends)(&store.client_name(*client), command),
        Action::Clock { text } => (T.clock_moves)(text),
        Action::Server { event } => (T.server_event)(*event).1.to_owned(),
    }
}

pub(super) fn kind_name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => T.added,
        ChangeKind::Changed => T.changed,
        ChangeKind::Removed => T.removed,
        ChangeKind::Expired => T.expired,
        ChangeKind::Evicted => T.evicted,
    }
}

pub(super) fn change(change: &Change) -> String {
    let value = change.after.as_ref().map(|after| format!(", {}", after.value)).unwrap_or_default();
    format!("{} {}{value}", change.key, kind_name(change.kind))
}

/// The time left until a moment of the story.
pub(super) fn left(at_us: u64, now_us: u64) -> String {
    span::short(at_us.saturating_sub(whole_ms(now_us)))
}
