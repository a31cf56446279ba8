//! Keeps the reader's work and place: in the browser's storage and in the page's address.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;
use playground_model::place::Place;

use crate::browser::{self, memory};
use crate::examples;
use crate::store::Store;
use crate::strings::T;

/// The name under which a text that began as no example is kept.
const OWN: &str = "own";

fn text_name(example: Option<&str>) -> String {
    format!("text:{}", example.unwrap_or(OWN))
}

/// Milliseconds since the page was opened.
pub(crate) fn now_ms() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

pub(crate) fn remember_text(store: &Store) {
    let (example, text) = (store.example.get_untracked(), store.text.get_untracked());
    let name = text_name(example.as_deref());
    if example.is_some() && text == store.original.get_untracked() {
        memory::forget(&name);
    } else {
        memory::write(&name, &text);
    }
}

/// Soon: a browser takes only so many addresses in a time, and scrubbing passes many.
pub(crate) fn remember_place(store: &Store) {
    const SOON: Duration = Duration::from_millis(150);
    thread_local! {
        static IS_DUE: Cell<bool> = const { Cell::new(false) };
    }
    if IS_DUE.replace(true) {
        return;
    }
    let store = *store;
    set_timeout(
        move || {
            IS_DUE.set(false);
            write_place(&store);
        },
        SOON,
    );
}

fn write_place(store: &Store) {
    let place =
        Place { example: store.example.get_untracked(), position: Some(store.position.get_untracked()) };
    let fragment = place.fragment();
    memory::write("place", &fragment);
    browser::replace_fragment(&fragment);
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
    let mut place = Place::parse(&browser::fragment());
    if place == Place::default() {
        place = memory::read("place").map(|fragment| Place::parse(&fragment)).unwrap_or_default();
        let is_lost = place.example.is_none() && memory::read(&text_name(None)).is_none();
        if is_lost {
            place = Place {
                example: examples::ALL.first().map(|example| example.name.to_owned()),
                position: None,
            };
        }
    }
    open(store, place);
}

/// Opens a place, with the text as the reader left it.
pub(crate) fn open(store: Store, place: Place) {
    leptos::task::spawn_local(async move {
        let kept = memory::read(&text_name(place.example.as_deref()));
        let position = place.position.unwrap_or(0);
        match place.example {
            None => store.open(None, String::new(), kept.unwrap_or_default(), position),
            Some(name) => match examples::text(&name).await {
                Some(original) => {
                    let text = kept.unwrap_or_else(|| original.clone());
                    store.open(Some(name), original, text, position);
                }
                None => {
                    store.open(None, String::new(), String::new(), 0);
                    store.notice.set(Some((T.not_loaded)(&name)));
                }
            },
        }
    });
}

/// Goes where the address leads when the reader has changed it by hand or followed a link.
pub(crate) fn follow_address(store: Store) {
    let place = Place::parse(&browser::fragment());
    if place.example == store.example.get_untracked() {
        store.go(place.position.unwrap_or(0));
    } else {
        open(store, place);
    }
}

pub(crate) fn open_original(store: Store) {
    store.change_text(store.original.with_untracked(|text| (**text).clone()));
}
