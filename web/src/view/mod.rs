//! The page, from its header to its smallest sign.
//!
//! Where a new component goes:
//! - a tool that works on the present step (debugger, explorer, notes in full) is a tab of the panel below the
//!   timeline: a variant of `store::Dock` and a line in `dock.rs`; `store.show_dock(Dock::…)` brings it up. On a
//!   narrow page the same panel is behind the last tab of the foot;
//! - what belongs to the step itself (a note) is a line in `card.rs`, which both orientations of the timeline show;
//! - what the server holds at the present step is a section on the right: a line in [`App`] below `Keyspace`;
//! - what opens over the page is a dialog in `dialogs.rs`.
//!
//! Styles go into `web/styles`, colours and sizes only as the tokens of `tokens.css`; texts into `strings.rs`.

mod announce;
mod branches;
mod card;
mod checks;
mod code;
mod debugger;
mod dialogs;
mod dock;
mod each;
mod editor;
mod explore;
mod header;
mod icons;
mod keyspace;
mod lints;
mod notes;
mod predict;
mod prose;
mod rails;
mod rows;
mod script;
mod server;
mod share;
mod story;
mod terminals;
mod timeline;
mod transport;
mod value;

use leptos::ev;
use leptos::prelude::*;
use playground_model::step::ChangeKind;

use crate::debug::Debugger;
use crate::store::{Engine, Store, Tab, store};
use crate::strings::T;
use crate::{browser, keys, play, work};

/// Which of the dialogs are open.
#[derive(Clone, Copy)]
pub(crate) struct Dialogs {
    pub(crate) stories: RwSignal<bool>,
    pub(crate) share: RwSignal<bool>,
    pub(crate) help: RwSignal<bool>,
    pub(crate) branches: RwSignal<bool>,
}

/// Narrower pages show one panel at a time, and time runs down.
const NARROW: &str = "(max-width: 760px)";

#[component]
pub(crate) fn App() -> impl IntoView {
    let store = Store::new();
    provide_context(store);
    let debugger = Debugger::new(store);
    provide_context(debugger);
    let closed = || RwSignal::new(false);
    let dialogs = Dialogs { stories: closed(), share: closed(), help: closed(), branches: closed() };
    provide_context(dialogs);
    keys::listen(store, debugger, dialogs);
    play::keep_playing(store);
    if browser::parameter("autoplay").is_some() {
        play::begin_when_ready(store);
    }
    std::mem::forget(window_event_listener(ev::hashchange, move |_| work::follow_address(store)));
    store.await_engine();
    work::open_first(store);
    Effect::new(move |before: Option<String>| {
        let view = work::view_of(&store);
        if before.is_some_and(|before| before != view) {
            work::remember_place(&store);
        }
        view
    });

    Effect::new(move |_| {
        if store.engine.get() != Engine::Starting || store.notice.with(Option::is_some) {
            browser::end_boot();
        }
    });
    let narrow = RwSignal::new(browser::matches(NARROW));
    browser::on_match_change(NARROW, move |is_narrow| narrow.set(is_narrow));
    let tab = move || match store.tab.get() {
        Tab::Story => "story",
        Tab::Steps => "steps",
        Tab::Keys => "keys",
        Tab::Terminals => "terminals",
    };
    view! {
        <header::Header />
        <main class="layout" data-tab=tab class:has-large-dock=move || store.dock_large.get()>
            <story::StoryPanel />
            <transport::Transport />
            {move || {
                if narrow.get() {
                    view! { <rails::Rails /> }.into_any()
                } else {
                    view! { <timeline::Timeline /><card::StepCard /> }.into_any()
                }
            }}
            <dock::DockPanel />
            <section class="panel state" aria-label=T.keyspace>
                <keyspace::Keyspace />
                <server::Clients />
                <server::Scripts />
                <server::Memory />
            </section>
        </main>
        <Tabs />
        <announce::Announcer />
        <dialogs::Stories />
        <share::Share />
        <dialogs::Help />
        <branches::Branches />
    }
}

/// The panels of a narrow page.
#[component]
fn Tabs() -> impl IntoView {
    let store = store();
    let tabs =
        [(Tab::Story, T.story), (Tab::Steps, T.steps), (Tab::Keys, T.keyspace), (Tab::Terminals, T.tools)];
    let tab = move |(tab, name): (Tab, &'static str)| {
        view! {
            <button
                type="button"
                aria-pressed=move || (store.tab.get() == tab).to_string()
                on:click=move |_| store.tab.set(tab)
            >
                {name}
            </button>
        }
    };
    view! { <nav class="tabs" aria-label=T.panels>{tabs.map(tab).collect_views()}</nav> }
}

/// Lists of views of whatever kind are one type, so that the code that draws a list and draws it again is there once. It is a large part
/// of what a list weighs.
pub(crate) trait Views {
    fn collect_views(self) -> Vec<AnyView>;
}

impl<I: IntoIterator<Item: IntoAny>> Views for I {
    fn collect_views(self) -> Vec<AnyView> {
        self.into_iter().map(IntoAny::into_any).collect()
    }
}

/// The colour class of a client, everywhere it appears: eight colours, used again from the ninth client on.
fn client_class(client: usize) -> String {
    format!("client-{}", client % 8)
}

/// What became of a key, as a sign; the colour is its surroundings'.
#[component]
fn Sign(kind: ChangeKind) -> impl IntoView {
    let drawn = match kind {
        ChangeKind::Added => "+".into_any(),
        ChangeKind::Changed => "~".into_any(),
        ChangeKind::Removed | ChangeKind::Evicted => "−".into_any(),
        ChangeKind::Expired => view! { <icons::Clock /> }.into_any(),
    };
    view! { <span class="sign" aria-hidden="true">{drawn}</span> }
}

/// A client's name in its colour.
#[component]
fn ClientBadge(client: usize) -> impl IntoView {
    let store = store();
    let class = format!("badge {}", client_class(client));
    view! { <span class=class>{move || store.client_name(client)}</span> }
}
