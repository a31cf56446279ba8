//! A list of a story's steps, which may be thousands: of a long one only what is in view is in the document, and a little around it.
//!
//! Empty boxes stand for the rest. The browser tells when one of them is about to be seen; a jump to a step that is not there
//! puts the steps around it in place of those that were.

use std::ops::Range;
use std::sync::Arc;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use playground_model::rows::Heights;

use super::each::Each;
use crate::browser::{self, When};
use crate::store::store;
use crate::view::Views;

/// Steps come and go, and are measured, in groups of so many.
const GROUP: usize = 4;
/// A list of no more steps is in the document as a whole: the browser can search it there.
const WHOLE_MAX: usize = 160;
/// After a jump there is so much more than can be seen, half of it on each side: more than what has the browser tell of a box.
const BESIDE: f64 = 320.0;
/// Whoever scrolls gets so much more on each side.
const AHEAD: f64 = 900.0;

/// What draws a step.
pub(super) type Draw = Arc<dyn Fn(usize) -> AnyView + Send + Sync>;

/// `usual`: how high a row is as a rule. `current`: finds the present step. `class`: of the lists that the steps are drawn in.
#[component]
pub(super) fn Rows(
    steps: Signal<Range<usize>>,
    usual: f64,
    current: &'static str,
    class: &'static str,
    draw: Draw,
) -> impl IntoView {
    let store = store();
    let [before, after] = [(); 2].map(|()| NodeRef::<html::Div>::new());
    let list = NodeRef::<html::Div>::new();
    let count = Memo::new(move |_| steps.with(|steps| steps.len().div_ceil(GROUP)));
    let printing = RwSignal::new(false);
    let is_whole = Memo::new(move |_| steps.with(Range::len) <= WHOLE_MAX || printing.get());
    let heights = StoredValue::new(Heights::new(usual * GROUP as f64));
    // How much can be seen at once, as far as is known.
    let view = StoredValue::new(800.0);
    let group_of = move |position: usize| {
        let step = position.checked_sub(1)?;
        steps.with_untracked(|steps| steps.contains(&step).then(|| (step - steps.start) / GROUP))
    };
    let around = move |group| {
        let view = view.get_value() + BESIDE;
        heights.try_update_value(|heights| {
            heights.set_count(count.get_untracked());
            heights.around(group, view)
        })
    };
    let begin = group_of(store.position.get_untracked()).unwrap_or(0);
    let present = RwSignal::new(around(begin).unwrap_or_default());
    let groups = Memo::new(move |_| {
        let count = count.get();
        if is_whole.get() {
            0..count
        } else {
            present.with(|groups| groups.start.min(count)..groups.end.min(count))
        }
    });
    let measure = move || {
        let Some(list) = list.get_untracked() else { return };
        let measured = browser::heights_of(&list);
        let first = groups.with_untracked(|groups| groups.start);
        heights.update_value(|heights| {
            measured.iter().enumerate().for_each(|(index, height)| heights.learn(first + index, *height));
        });
    };

    let watch = StoredValue::new_local(None);
    Effect::new(move |last: Option<usize>| {
        let position = store.position.get();
        let Some(group) = group_of(position) else { return position };
        if groups.with_untracked(|groups| groups.contains(&group)) {
            return position;
        }
        // Another story may take this one's place until then.
        let is_gone = move || present.is_disposed();
        let place = move || {
            if is_gone() {
                return;
            }
            let group = group_of(store.position.get_untracked());
            if let Some(groups) = group.and_then(around) {
                present.set(groups);
                watch.with_value(|watch: &Option<browser::BoxWatch>| {
                    watch.iter().for_each(browser::BoxWatch::look_again);
                });
            }
        };
        let reveal = move || {
            if !is_gone() {
                browser::reveal_middle(current);
                measure();
            }
        };
        browser::with_frame(When::of_move(last, position), place, reveal);
        position
    });

    // A box is about to be seen, from here to there.
    let fill = move |is_after: bool, from: f64, to: f64, seen: f64| {
        if present.is_disposed() || is_whole.get_untracked() {
            return false;
        }
        view.set_value(seen);
        measure();
        let old = present.get_untracked();
        let new = heights.with_value(|heights| {
            let begin = if is_after { heights.before(old.end) } else { 0.0 };
            match is_after {
                true => heights.within(begin + to - seen - AHEAD, begin + to + AHEAD),
                false => heights.within(begin + from - AHEAD, begin + from + seen + AHEAD),
            }
        });
        let is_news = new != old;
        if is_news {
            present.set(new);
        }
        is_news
    };
    Effect::new(move |_| {
        if let (Some(before), Some(after)) = (before.get(), after.get()) {
            watch.set_value(Some(browser::BoxWatch::new(&before, &after, fill)));
        }
    });
    let listeners = [
        window_event_listener(ev::beforeprint, move |_| printing.set(true)),
        window_event_listener(ev::afterprint, move |_| printing.set(false)),
    ];
    on_cleanup(move || listeners.into_iter().for_each(|listener| listener.remove()));

    let rest = move |height: fn(&Heights, Range<usize>) -> f64| {
        let groups = groups.get();
        if is_whole.get() {
            return "0".to_owned();
        }
        heights
            .try_update_value(|heights| {
                heights.set_count(count.get());
                format!("{}px", height(heights, groups).round() as u32)
            })
            .unwrap_or_default()
    };
    let each = move || {
        let all = steps.get();
        let group = |group: usize| {
            let begin = all.start + group * GROUP;
            begin..all.end.min(begin + GROUP)
        };
        groups.get().map(group).collect::<Vec<_>>()
    };
    // A window on a long list has nothing that is far from being seen.
    let is_of_many = move || is_whole.get() && count.get() > 3;
    let group = move |steps: Range<usize>| {
        let rows = steps.map(|step| draw(step)).collect_views();
        view! { <div class="step-group"><ol class=class>{rows}</ol></div> }
    };
    view! {
        <div class="rows" class:is-of-many=is_of_many>
            <div class="rows-rest" node_ref=before style:height=move || rest(|heights, groups| heights.before(groups.start))></div>
            <div node_ref=list>
                <Each each=each key=Range::clone children=group />
            </div>
            <div class="rows-rest" node_ref=after style:height=move || rest(|heights, groups| heights.from(groups.end))></div>
        </div>
    }
}
