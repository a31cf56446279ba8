//! Stepping by itself.

use std::time::Duration;

use leptos::prelude::*;

use crate::store::Store;

/// Steps in ten seconds that can be chosen.
pub(crate) const SPEEDS: [(u32, &str); 6] =
    [(3, "¼×"), (5, "½×"), (10, "1×"), (20, "2×"), (40, "4×"), (80, "8×")];

/// Steps whenever it is time, as long as the store says so. Stops at the end.
pub(crate) fn keep_playing(store: Store) {
    Effect::new(move |_| {
        if !store.playing.get() {
            return;
        }
        let position = store.position.get();
        let pause = Duration::from_millis(10_000 / u64::from(store.speed.get()));
        let handle = set_timeout_with_handle(
            move || {
                let count = store.story.with_untracked(|story| story.lines.len());
                if store.playing.get_untracked() && store.position.get_untracked() == position {
                    store.forward();
                }
                if store.position.get_untracked() >= count {
                    store.playing.set(false);
                }
            },
            pause,
        );
        on_cleanup(move || drop(handle.map(|handle| handle.clear())));
    });
}

/// Plays as soon as there is a story.
pub(crate) fn begin_when_ready(store: Store) {
    Effect::new(move |begun: Option<bool>| {
        let is_there = store.story.with(|story| !story.lines.is_empty());
        if is_there && begun != Some(true) {
            store.playing.set(true);
        }
        is_there || begun == Some(true)
    });
}
