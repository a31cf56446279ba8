//! Keeps the reader's work and place: in the browser's storage and in the page's address.

use std::cell::Cell;
use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use playground_model::own;
use playground_model::place::Place;
use playground_model::share::{self, Shared};

use crate::browser::{self, memory};
use crate::store::{Dock, Store};
use crate::strings::T;
use crate::{examples, past};

/// Own stories are kept under this and their ids.
const OWN: &str = "own:";

/// The name under which a story's text is kept; None as long as a new story is empty.
pub(crate) fn text_name(example: Option<&str>, own: Option<&str>) -> Option<String> {
    example.map(|name| format!("text:{name}")).or_else(|| own.map(|id| format!("{OWN}{id}")))
}

/// An id that no own story has yet.
fn new_id() -> String {
    // Digits and small letters, so that it reads as one word in an address.
    let mut rest = js_sys::Date::now() as u64;
    let mut id = String::new();
    while rest > 0 {
        id.insert(0, char::from_digit((rest % 36) as u32, 36).unwrap_or('0'));
        rest /= 36;
    }
    while memory::read(&format!("{OWN}{id}")).is_some() {
        id.push('x');
    }
    id
}

/// A story of the reader's own that this browser keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) text: String,
}

/// The newest first.
pub(crate) fn own_stories() -> Vec<Kept> {
    let mut ids: Vec<String> =
        memory::names().iter().filter_map(|name| name.strip_prefix(OWN)).map(str::to_owned).collect();
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let kept = |id: String| {
        let text = memory::read(&format!("{OWN}{id}"))?;
        let title = own::title(&text).unwrap_or_else(|| T.own_story.to_owned());
        Some(Kept { id, title, text })
    };
    ids.into_iter().filter_map(kept).collect()
}

pub(crate) fn forget_own(id: &str) {
    memory::forget(&format!("{OWN}{id}"));
}

pub(crate) fn restore_own(kept: &Kept) {
    memory::write(&format!("{OWN}{}", kept.id), &kept.text);
}

/// Milliseconds since the page was opened.
pub(crate) fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Keeps the text as it is now. Where another tab has changed the same story since, this one goes on as a story of
/// its own: neither overwrites the other.
pub(crate) fn remember_text(store: &Store) {
    let (example, text) = (store.example.get_untracked(), store.text.get_untracked());
    if example.is_none() && store.own.get_untracked().is_none() {
        if text.trim().is_empty() {
            return;
        }
        store.own.set(Some(new_id()));
        remember_place(store);
    }
    let Some(mut name) = text_name(example.as_deref(), store.own.get_untracked().as_deref()) else { return };
    let there = memory::read(&name);
    if there.is_some() && there != store.kept.get_value() && there.as_deref() != Some(text.as_str()) {
        let id = new_id();
        name = format!("{OWN}{id}");
        store.example.set(None);
        store.own.set(Some(id));
        store.notice.set(Some(T.other_tab.to_owned()));
        remember_place(store);
    }
    if store.example.with_untracked(Option::is_some) && text == store.original.get_untracked() {
        memory::forget(&name);
        store.kept.set_value(None);
    } else {
        past::write_before_all(&name, &text);
        store.kept.set_value(Some((*text).clone()));
    }
}

/// Keeps what the text has been.
pub(crate) fn remember_history(store: &Store) {
    let (example, own) = (store.example.get_untracked(), store.own.get_untracked());
    if let Some(name) = text_name(example.as_deref(), own.as_deref()) {
        store.history.with_untracked(|history| past::keep(&name, history));
    }
}

/// Soon: a browser takes only so many addresses in a time, and writes them to a disk; scrubbing passes many.
pub(crate) fn remember_place(store: &Store) {
    const SOON: Duration = Duration::from_millis(150);
    thread_local! {
        static DUE: Cell<Option<TimeoutHandle>> = const { Cell::new(None) };
    }
    let store = *store;
    let due = set_timeout_with_handle(move || write_place(&store), SOON).ok();
    if let Some(earlier) = DUE.replace(due) {
        earlier.clear();
    }
}

fn write_place(store: &Store) {
    let fragment = place_of(store).fragment();
    memory::write("place", &fragment);
    browser::replace_fragment(&fragment);
}

fn place_of(store: &Store) -> Place {
    Place {
        example: store.example.get_untracked(),
        own: store.own.get_untracked(),
        position: Some(store.position.get_untracked()),
        view: untrack(|| view_of(store)),
    }
}

/// What is open beside the story, as it stands in an address; empty where all is as a new page has it.
pub(crate) fn view_of(store: &Store) -> String {
    let dock = store.dock.get();
    let parts = [
        (store.editing.get(), "edit"),
        (dock == Dock::Explore, "explore"),
        (dock == Dock::Debugger, "debugger"),
        (store.dock_large.get(), "large"),
    ];
    let parts: Vec<&str> = parts.iter().filter(|(is_so, _)| *is_so).map(|(_, word)| *word).collect();
    parts.join(".")
}

/// … for others, who are to read first, whatever the author was at.
fn view_for_others(store: &Store) -> String {
    let view = untrack(|| view_of(store));
    view.split('.').filter(|word| *word != "edit").collect::<Vec<_>>().join(".")
}

/// Opens what an address says. One that says nothing leaves the page as it is.
fn show_view(store: &Store, view: &str) {
    if view.is_empty() {
        return;
    }
    let has = |word: &str| view.split('.').any(|part| part == word);
    store.editing.set(has("edit"));
    store.dock_large.set(has("large"));
    let tool =
        [("explore", Dock::Explore), ("debugger", Dock::Debugger)].into_iter().find(|(word, _)| has(word));
    if let Some((_, dock)) = tool {
        store.show_dock(dock);
    }
}

/// A link that opens this story at this step anywhere: an example by its name, everything else with its text.
pub(crate) fn link(store: &Store) -> String {
    let is_plain =
        store.text.with_untracked(|text| store.original.with_untracked(|original| text == original));
    let fragment = if store.example.with_untracked(Option::is_some) && is_plain {
        Place { view: view_for_others(store), ..place_of(store) }.fragment()
    } else {
        let shared = Shared {
            text: store.text.get_untracked().to_string(),
            position: store.position.get_untracked(),
            view: view_for_others(store),
            version: store.story.with_untracked(|story| story.version.clone()),
        };
        format!("#{}", share::pack(&shared))
    };
    format!("{}{fragment}", browser::address())
}

pub(crate) fn announce_title(store: &Store) {
    let title = store.story.with_untracked(|story| story.title.clone());
    if title.is_empty() {
        browser::set_title(T.product);
    } else {
        browser::set_title(&format!("{title} · {}", T.product));
    }
}

/// Opens what the address names; without a name in it, what was open last; else the first example.
pub(crate) fn open_first(store: Store) {
    past::tidy();
    let fragment = browser::fragment();
    if share::is_link(&fragment) {
        return open_link(store, &fragment);
    }
    let mut place = Place::parse(&fragment);
    if place == Place::default() {
        place = memory::read("place").map(|fragment| Place::parse(&fragment)).unwrap_or_default();
        if place.example.is_none() && place.own.is_none() {
            place.example = examples::ALL.first().map(|example| example.name.to_owned());
        }
    }
    open(store, place);
}

/// Opens a story that came in a link: it is an own story from now on.
fn open_link(store: Store, fragment: &str) {
    match share::unpack(fragment) {
        Ok(shared) => {
            show_view(&store, &shared.view);
            open_text(store, shared.text, shared.position);
        }
        Err(broken) => {
            store.open(None, None, String::new(), String::new(), 0);
            store.notice.set(Some((T.broken_link)(broken).to_owned()));
        }
    }
}

/// Opens a text as an own story; the one that has this very text already, if there is one.
pub(crate) fn open_text(store: Store, text: String, position: usize) {
    let same = own_stories().into_iter().find(|kept| kept.text == text);
    let id = same.map_or_else(new_id, |kept| kept.id);
    past::write_before_all(&format!("{OWN}{id}"), &text);
    store.open(None, Some(id), String::new(), text, position);
}

/// Opens a place, with the text as the reader left it.
pub(crate) fn open(store: Store, place: Place) {
    show_view(&store, &place.view);
    leptos::task::spawn_local(async move {
        let name = text_name(place.example.as_deref(), place.own.as_deref());
        let kept = name.and_then(|name| memory::read(&name));
        let position = place.position.unwrap_or(0);
        let Some(name) = place.example else {
            let is_lost = place.own.is_some() && kept.is_none();
            let own = place.own.filter(|_| !is_lost);
            store.open(None, own, String::new(), kept.unwrap_or_default(), position);
            if is_lost {
                store.notice.set(Some(T.not_kept_here.to_owned()));
            }
            return;
        };
        match examples::text(&name).await {
            Some(original) => {
                let text = kept.unwrap_or_else(|| original.clone());
                store.open(Some(name), None, original, text, position);
            }
            None => {
                store.open(None, None, String::new(), String::new(), 0);
                store.notice.set(Some((T.not_loaded)(&name)));
            }
        }
    });
}

/// Goes where the address leads when the reader has changed it by hand or followed a link.
pub(crate) fn follow_address(store: Store) {
    let fragment = browser::fragment();
    if share::is_link(&fragment) {
        return open_link(store, &fragment);
    }
    let place = Place::parse(&fragment);
    if place.example == store.example.get_untracked() && place.own == store.own.get_untracked() {
        show_view(&store, &place.view);
        store.go(place.position.unwrap_or(0));
    } else {
        open(store, place);
    }
}

pub(crate) fn open_original(store: Store) {
    store.change_text(store.original.with_untracked(|text| (**text).clone()));
}
