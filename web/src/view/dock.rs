//! The panel below the timeline, one tool at a time: terminals, and whatever else works on the present step.
//!
//! A tool is a variant of [`Dock`] and a line in [`TOOLS`]. It is mounted while it is shown, reads the store as every
//! component does, and has the whole panel below the tabs to itself: it scrolls by its own means. Terminals and Explore stay
//! mounted, since a half-typed command and what was found must not be lost by a look at something else.

use crate::view::Views;
use leptos::prelude::*;

use super::debugger::DebuggerPanel;
use super::explore::Explore;
use super::icons;
use super::terminals::Terminals;
use crate::browser;
use crate::store::{Dock, Store, store};
use crate::strings::T;

struct Tool {
    dock: Dock,
    name: &'static str,
    draw: fn() -> AnyView,
}

/// In the order of the tabs.
static TOOLS: &[Tool] = &[
    Tool { dock: Dock::Terminals, name: T.terminals, draw: || view! { <Terminals /> }.into_any() },
    Tool { dock: Dock::Explore, name: T.explore, draw: || view! { <Explore /> }.into_any() },
    Tool { dock: Dock::Debugger, name: T.debug.title, draw: || view! { <DebuggerPanel /> }.into_any() },
];

#[component]
pub(super) fn DockPanel() -> impl IntoView {
    let store = store();
    let size_name = move || if store.dock_large.get() { T.dock_smaller } else { T.dock_larger };
    view! {
        <section class="panel dock" aria-label=T.tools>
            <div class="dock-head">
                <div class="dock-tabs" role="tablist" aria-label=T.tools on:keydown=move |event| step_tabs(&store, &event)>
                    {TOOLS.iter().map(|tool| view! { <ToolTab tool /> }).collect_views()}
                </div>
                <button
                    type="button"
                    class="tool dock-size"
                    title=size_name
                    aria-pressed=move || store.dock_large.get().to_string()
                    on:click=move |_| store.dock_large.update(|large| *large = !*large)
                >
                    <icons::Enlarge />
                    <span class="visually-hidden">{T.dock_larger}</span>
                </button>
            </div>
            {TOOLS.iter().map(|tool| view! { <ToolPanel tool /> }).collect_views()}
        </section>
    }
}

fn id(tool: &Tool, part: &str) -> String {
    format!("dock-{:?}-{part}", tool.dock).to_ascii_lowercase()
}

#[component]
fn ToolTab(tool: &'static Tool) -> impl IntoView {
    let store = store();
    let is_shown = move || store.dock.get() == tool.dock;
    view! {
        <button
            type="button"
            role="tab"
            id=id(tool, "tab")
            aria-controls=id(tool, "panel")
            aria-selected=move || is_shown().to_string()
            tabindex=move || if is_shown() { "0" } else { "-1" }
            on:click=move |_| store.dock.set(tool.dock)
        >
            {tool.name}
        </button>
    }
}

#[component]
fn ToolPanel(tool: &'static Tool) -> impl IntoView {
    let store = store();
    let is_shown = Memo::new(move |_| store.dock.get() == tool.dock);
    let is_mounted =
        Memo::new(move |_| is_shown.get() || matches!(tool.dock, Dock::Terminals | Dock::Explore));
    view! {
        <div
            class="dock-panel"
            role="tabpanel"
            id=id(tool, "panel")
            aria-labelledby=id(tool, "tab")
            hidden=move || !is_shown.get()
        >
            {move || is_mounted.get().then(tool.draw)}
        </div>
    }
}

/// The arrows go from tab to tab, as in every list of tabs; they do not step then.
fn step_tabs(store: &Store, event: &web_sys::KeyboardEvent) {
    let by: isize = match event.key().as_str() {
        "ArrowRight" => 1,
        "ArrowLeft" => -1,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let at = TOOLS.iter().position(|tool| tool.dock == store.dock.get_untracked()).unwrap_or(0);
    let next = at.saturating_add_signed(by).min(TOOLS.len() - 1);
    store.dock.set(TOOLS[next].dock);
    browser::focus(&id(&TOOLS[next], "tab"));
}
