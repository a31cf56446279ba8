//! Keyed lists whose items come and go for as long as the page is open.

use std::hash::Hash;

use leptos::prelude::*;
use leptos::tachys::reactive_graph::OwnedView;
use leptos::tachys::view::keyed::{SerializableKey, keyed};

use crate::debug::debugger;
use crate::store::store;

/// As leptos's `For`, but the list keeps nothing of an item that is gone. There each item's owner is a child of the
/// list's, which remembers all children that it has ever had: some kilobytes with each step.
#[component]
pub(super) fn Each<IF, I, T, EF, N, KF, K>(each: IF, key: KF, children: EF) -> impl IntoView
where
    IF: Fn() -> I + Send + 'static,
    I: IntoIterator<Item = T> + Send + 'static,
    EF: Fn(T) -> N + Send + Clone + 'static,
    N: IntoView + 'static,
    KF: Fn(&T) -> K + Send + Clone + 'static,
    K: Eq + Hash + SerializableKey + 'static,
    T: Send + 'static,
{
    let (store, debugger) = (store(), debugger());
    let item = move |_, item| {
        let owner = Owner::default();
        let view = owner.with(|| {
            // An owner that is nobody's child finds no context.
            provide_context(store);
            provide_context(debugger);
            children(item)
        });
        (drop, OwnedView::new_with_owner(view, owner))
    };
    move || keyed(each(), key.clone(), item.clone())
}
