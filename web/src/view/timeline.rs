//! The timeline: a lane for each client, one for the server, and one for each key that lives on borrowed time.
//!
//! Only what is in view, and a little beyond, is in the document: a story may have thousands of steps. What is in view
//! is known by [`Window`], which moves in leaps, so that scrolling draws anew only now and then.

use std::ops::Range;

use crate::view::Views;
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use playground_model::frame::whole_ms;
use playground_model::layout::{Layout, LeaseLane, Wait, Work};
use playground_model::step::{ChangeKind, LeaseEnd};
use playground_model::story::Action;
use playground_model::{layout, span};

use super::each::Each;
use super::story::KEPT;
use super::{ClientBadge, Sign, announce, client_class, icons};
use crate::browser::{self, When};
use crate::measure::tenths;
use crate::store::{Store, store};
use crate::strings::T;

/// The column of the lanes' names, in pixels; as in the stylesheet.
const NAMES: f64 = 76.0;
/// Chips this far beyond the visible part are drawn too.
const BEYOND: f64 = 400.0;

/// The part of the axis that is drawn: from, to.
type Window = (f64, f64);

/// The window moves by this much at a time.
const LEAP: f64 = 300.0;
/// More lanes of keys are shown on demand.
const LEASE_LANES: usize = 8;
/// And more than this never.
const LEASE_LANES_MAX: usize = 200;

#[component]
pub(super) fn Timeline() -> impl IntoView {
    let store = store();
    let scroller = NodeRef::<html::Div>::new();
    let place = RwSignal::new((0.0, 2_000.0));
    // The page has just scrolled to the place that it knows: to ask for it would lay out the page before all is drawn.
    let is_known = StoredValue::new(false);
    let look = move || {
        if is_known.get_value() {
            return;
        }
        if let Some(scroller) = scroller.get_untracked() {
            place.set((f64::from(scroller.scroll_left()), f64::from(scroller.client_width())));
        }
    };
    let window = Memo::new(move |_| {
        let (from, width) = place.get();
        let from = (from / LEAP).floor() * LEAP;
        (from - BEYOND, from + width + LEAP + BEYOND)
    });
    let visible = Memo::new(move |_| {
        let window = window.get();
        store.layout.with(|layout| in_view(layout, window))
    });
    keep_in_view(store, scroller, place, is_known);
    Effect::new(move |_| {
        store.layout.track();
        request_animation_frame(look);
    });
    let zoom_by_wheel = move |event: web_sys::WheelEvent| {
        if event.ctrl_key() || event.meta_key() {
            event.prevent_default();
            zoom(&store, scroller, if event.delta_y() < 0.0 { 1 } else { -1 });
        }
    };
    let clients = move || store.story.with(|story| story.clients.len());
    let lanes = move || (0..clients()).collect::<Vec<_>>();
    let width = move || px(store.layout.with(|layout| layout.length));
    view! {
        <section class="panel timeline" aria-label=T.timeline>
            <Zoom scroller />
            <div
                class="timeline-scroll"
                class:is-far=move || store.zoom.get() < 0.6
                node_ref=scroller
                tabindex="0"
                role="group"
                aria-label=T.timeline
                on:scroll=move |_| look()
                on:wheel=zoom_by_wheel
            >
                <div class="track" style=("--length", width)>
                    <Ruler window visible />
                    <Each each=lanes key=|client| *client let:client>
                        <Lane client window visible />
                    </Each>
                    <ServerLane window />
                    <Leases window />
                    <Events window />
                    <Playhead scroller />
                </div>
            </div>
        </section>
    }
}

fn px(length: f64) -> String {
    format!("{}px", tenths(length))
}

fn overlaps(window: Window, from: f64, to: f64) -> bool {
    from <= window.1 && to >= window.0
}

/// The steps whose chips are to be drawn.
fn in_view(layout: &Layout, window: Window) -> Range<usize> {
    // Chips rise by their begins, and none is longer than what is drawn beyond the view.
    let begin = layout.chips.partition_point(|chip| chip.at < window.0);
    let end = layout.chips.partition_point(|chip| chip.at < window.1);
    begin..end.max(begin)
}

/// Scrolls so that the reader's position stays in view. `place`: what is seen now; to ask the browser for it would lay out the page
/// before all is drawn. `is_known`: says so for as long as the browser tells of the scrolling.
fn keep_in_view(
    store: Store,
    scroller: NodeRef<html::Div>,
    place: RwSignal<(f64, f64)>,
    is_known: StoredValue<bool>,
) {
    let seen = Memo::new(move |_| place.get().1);
    Effect::new(move |_| {
        let (position, seen) = (store.position.get(), seen.get());
        let known = store.layout.with(|layout| Some((*layout.positions.get(position)?, layout.length)));
        let Some((at, length)) = known else { return };
        let (from, width) = (place.get_untracked().0, seen - NAMES);
        if at >= from + 24.0 && at <= from + width - 150.0 {
            return;
        }
        let to = (at - width * 0.4).min(length - width).max(0.0);
        let scroll = move |glides| {
            if let Some(scroller) = scroller.try_get_untracked().flatten() {
                browser::scroll_to(&scroller, to, glides);
            }
        };
        if (to - from).abs() < 1.5 * width {
            browser::with_frame(When::Next, || {}, move || scroll(true));
        } else {
            // To glide over a large part of the story would draw all of it.
            let draw = move || place.set((to, seen));
            let scroll = move || {
                scroll(false);
                is_known.set_value(true);
                request_animation_frame(move || is_known.set_value(false));
            };
            browser::with_frame(When::AfterNext, draw, scroll);
        }
    });
}

/// Zooms so that the playhead stays where it is on the screen.
fn zoom(store: &Store, scroller: NodeRef<html::Div>, notches: i32) {
    let position = store.position.get_untracked();
    let place =
        || store.layout.with_untracked(|layout| layout.positions.get(position).copied().unwrap_or(0.0));
    let before = place();
    store.zoom_by(notches);
    if let Some(scroller) = scroller.get_untracked() {
        let moved = (place() - before) as i32;
        let left = scroller.scroll_left();
        // The track has its new length only when it has been drawn.
        request_animation_frame(move || scroller.set_scroll_left(left + moved));
    }
}

#[component]
fn Zoom(scroller: NodeRef<html::Div>) -> impl IntoView {
    let store = store();
    let fit = move || {
        let Some(scroller) = scroller.get_untracked() else { return };
        let width = f64::from(scroller.client_width()) - NAMES;
        store.zoom_by(0);
        while store.layout.with_untracked(|layout| layout.length) > width && store.zoom.get_untracked() > 0.07
        {
            store.zoom_by(-1);
        }
    };
    view! {
        <div class="zoom" role="group" aria-label=T.timeline>
            <button type="button" class="tool" title=T.zoom_out on:click=move |_| zoom(&store, scroller, -1)>
                <icons::Minus />
                <span class="visually-hidden">{T.zoom_out}</span>
            </button>
            <button type="button" class="tool" title=T.zoom_fit on:click=move |_| fit()>
                <icons::Fit />
                <span class="visually-hidden">{T.zoom_fit}</span>
            </button>
            <button type="button" class="tool" title=T.zoom_in on:click=move |_| zoom(&store, scroller, 1)>
                <icons::Plus />
                <span class="visually-hidden">{T.zoom_in}</span>
            </button>
        </div>
    }
}

/// Where the reader stands, across all lanes; it can be dragged.
#[component]
fn Playhead(scroller: NodeRef<html::Div>) -> impl IntoView {
    let store = store();
    let line = NodeRef::<html::Div>::new();
    let place = move || {
        store.layout.with(|layout| layout.positions.get(store.position.get()).copied().unwrap_or(0.0))
    };
    let grab = move |event: web_sys::PointerEvent| {
        event.prevent_default();
        if let Some(line) = line.get_untracked() {
            let _ = line.set_pointer_capture(event.pointer_id());
        }
    };
    let drag = move |event: web_sys::PointerEvent| {
        let Some(scroller) = scroller.get_untracked().filter(|_| event.buttons() & 1 == 1) else { return };
        let left = scroller.get_bounding_client_rect().left();
        let place = f64::from(event.client_x()) - left + f64::from(scroller.scroll_left()) - NAMES;
        store.playing.set(false);
        store.go(store.layout.with_untracked(|layout| layout.position_at(place)));
    };
    view! {
        <div
            class="playhead"
            aria-hidden="true"
            node_ref=line
            style:transform=move || format!("translateX({})", px(NAMES + place()))
            on:pointerdown=grab
            on:pointermove=drag
        ></div>
    }
}

/// What everybody feels, as lines across the lanes.
#[component]
fn Events(window: Memo<Window>) -> impl IntoView {
    let store = store();
    move || {
        let window = window.get();
        store.layout.with(|layout| {
            let seen = layout.events.iter().filter(|(_, at)| overlaps(window, *at, *at));
            let line = |(_, at): &(usize, f64)| {
                view! { <div class="event-line" aria-hidden="true" style:left=px(NAMES + at)></div> }
            };
            seen.map(line).collect_views()
        })
    }
}

/// The time, and what happens to the clock and to the server as a whole. Pointing at it moves the playhead.
#[component]
fn Ruler(window: Memo<Window>, visible: Memo<Range<usize>>) -> impl IntoView {
    let store = store();
    let body = NodeRef::<html::Div>::new();
    // Nothing in the ruler takes the pointer from it, so offsets count from its own begin.
    let point = move |event: &web_sys::PointerEvent| {
        let place = f64::from(event.offset_x());
        store.playing.set(false);
        store.go(store.layout.with_untracked(|layout| layout.position_at(place)));
    };
    let grab = move |event: web_sys::PointerEvent| {
        if let Some(body) = body.get_untracked() {
            let _ = body.set_pointer_capture(event.pointer_id());
        }
        point(&event);
    };
    let ticks = move || {
        let tick = |tick: &layout::Tick| {
            let left = px(tick.at);
            view! { <span class="tick" style:left=left>{tick.text.clone()}</span> }
        };
        let window = window.get();
        store.layout.with(|layout| {
            layout.ticks.iter().filter(|tick| overlaps(window, tick.at, tick.at)).map(tick).collect_views()
        })
    };
    let marks = move || steps_of(&store, visible.get(), None);
    view! {
        <div class="lane ruler">
            <span class="lane-name">{T.clock}</span>
            <div
                class="lane-body"
                node_ref=body
                on:pointerdown=grab
                on:pointermove=move |event| {
                    if event.buttons() & 1 == 1 {
                        point(&event);
                    }
                }
            >
                {ticks}
            </div>
        </div>
        <div class="lane marks">
            <span class="lane-name"></span>
            <div class="lane-body">
                <Each each=marks key=|step| *step let:step>
                    <Mark step />
                </Each>
            </div>
        </div>
    }
}

/// The steps of a client among those in view; of the clock and the server where there is no client.
fn steps_of(store: &Store, visible: Range<usize>, client: Option<usize>) -> Vec<usize> {
    store.layout.with(|layout| {
        visible.filter(|step| layout.chips.get(*step).is_some_and(|chip| chip.client == client)).collect()
    })
}

#[component]
fn Lane(client: usize, window: Memo<Window>, visible: Memo<Range<usize>>) -> impl IntoView {
    let store = store();
    let faces = Memo::new(move |_| {
        let steps = steps_of(&store, visible.get(), Some(client));
        steps.into_iter().map(|step| face(&store, step)).collect::<Vec<_>>()
    });
    let waits = move || {
        let bar = |wait: &Wait| {
            let class = if wait.open { "wait is-open" } else { "wait" };
            let (left, width) = (px(wait.from), px(wait.to - wait.from));
            let freed = wait.freed_by.filter(|by| *by != client).map(|by| thread(client, by, wait.to));
            view! { <div class=class style:left=left style:width=width></div> {freed} }
        };
        let window = window.get();
        store.layout.with(|layout| {
            let own = layout.waits.iter().filter(|wait| wait.client == client);
            own.filter(|wait| overlaps(window, wait.from, wait.to)).map(bar).collect_views()
        })
    };
    view! {
        <div class=format!("lane client {}", client_class(client))>
            <span class="lane-name"><ClientBadge client /></span>
            <div class="lane-body">
                <div aria-hidden="true">{waits}</div>
                <Each each=move || faces.get() key=Face::clone let:face>
                    <Chip face />
                </Each>
            </div>
        </div>
    }
}

/// From the lane of whoever let a waiting client go on to that client's lane.
fn thread(client: usize, by: usize, at: f64) -> impl IntoView {
    let class =
        format!("thread {} {}", client_class(by), if by < client { "from-above" } else { "from-below" });
    let lanes = client.abs_diff(by).to_string();
    view! { <div class=class style:left=px(at) style=("--lanes", lanes)></div> }
}

/// A step on its lane with all that it shows: what was sent, and what came back. One that is the same when others have changed stays
/// in the document as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Face {
    step: usize,
    left: String,
    width: String,
    command: String,
    reply: String,
    class: String,
}

fn face(store: &Store, step: usize) -> Face {
    let (at, length) =
        store.layout.with(|layout| layout.chips.get(step).map_or((0.0, 0.0), |chip| (chip.at, chip.length)));
    let command = match store.action(step) {
        Some(Action::Send { command, .. }) => command,
        _ => String::new(),
    };
    if store.keeps_back(step) {
        let (reply, class) = (KEPT.to_owned(), "chip".to_owned());
        return Face { step, left: px(at), width: px(length), command, reply, class };
    }
    let (reply, class) = store.steps.with(|steps| {
        let Some(record) = steps.get(step) else { return ("…".to_owned(), "chip".to_owned()) };
        let reply = record.reply.as_ref();
        let text = match reply {
            _ if record.spoilt => "✕".to_owned(),
            Some(reply) => reply.text.lines().next().unwrap_or_default().to_owned(),
            None => "…".to_owned(),
        };
        let is_error = record.spoilt || reply.is_some_and(|reply| reply.kind.is_failure());
        let states = [
            (is_error, " is-error"),
            (!record.differences.is_empty(), " differs"),
            (record.spoilt, " is-spoilt"),
        ];
        let states = states.into_iter().filter(|(is_so, _)| *is_so);
        (text, states.fold("chip".to_owned(), |class, (_, name)| class + name))
    });
    Face { step, left: px(at), width: px(length), command, reply, class }
}

#[component]
fn Chip(face: Face) -> impl IntoView {
    let store = store();
    let Face { step, left, width, command, reply, class } = face;
    let label = format!("{}: {command}, {reply}", (T.step)(step + 1));
    // A jump draws many chips: what only one that is pointed at tells is made then.
    let tell = move |event: web_sys::PointerEvent| {
        let chip = event.current_target().and_then(|chip| chip.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(chip) = chip {
            chip.set_title(&preview(&store, step));
        }
    };
    let standing = store.standing(step);
    view! {
        <button
            type="button"
            class=standing.classes(class)
            style:left=left
            style:width=width
            aria-label=label
            aria-current=standing.aria()
            on:pointerenter=tell
            on:click=move |_| {
                store.playing.set(false);
                store.go(step + 1);
            }
        >
            <span class="chip-command">{command}</span>
            <span class="chip-reply">{reply}</span>
        </button>
    }
}

/// What a step does, for whoever points at it: the command, its reply, and what it changes.
fn preview(store: &Store, step: usize) -> String {
    let Some(action) = store.action(step) else { return String::new() };
    let mut lines = vec![format!("{}: {}", (T.step)(step + 1), announce::deed(store, &action))];
    store.steps.with(|steps| {
        let Some(record) = steps.get(step).filter(|_| !store.keeps_back(step)) else { return };
        lines.extend(record.reply.as_ref().map(|reply| format!("→ {}", reply.text)));
        lines.extend(record.changes.iter().map(announce::change));
    });
    lines.join("\n")
}

/// The clock moves, or something happens to the server.
#[component]
fn Mark(step: usize) -> impl IntoView {
    let store = store();
    let action = move || store.action(step);
    let text = move || match action() {
        Some(Action::Clock { text }) => text,
        Some(Action::Server { event }) => (T.server_event)(event).0.to_owned(),
        _ => String::new(),
    };
    let standing = store.standing(step);
    let label = move || action().map(|action| announce::deed(&store, &action)).unwrap_or_default();
    let place = move || {
        store.layout.with(|layout| layout.chips.get(step).map_or((0.0, 0.0), |chip| (chip.at, chip.length)))
    };
    // A move of the clock is as wide as the time it skips.
    let width = move || match action() {
        Some(Action::Clock { .. }) => {
            let end = store.layout.with(|layout| layout.positions.get(step + 1).copied().unwrap_or_default());
            (end - place().0 - 4.0).max(place().1)
        }
        _ => place().1,
    };
    view! {
        <button
            type="button"
            class=standing.classes("mark".to_owned())
            style:left=move || px(place().0)
            style:width=move || px(width())
            title=label
            aria-label=move || format!("{}: {}", (T.step)(step + 1), label())
            on:click=move |_| {
                store.playing.set(false);
                store.go(step + 1);
            }
        >
            {text}
        </button>
    }
}

/// One thread: what it is busy with, nothing else crosses.
#[component]
fn ServerLane(window: Memo<Window>) -> impl IntoView {
    let store = store();
    let work = move || {
        let bar = |work: &Work| {
            let class = format!("work {}", client_class(work.client));
            let (left, width) = (px(work.from), px(work.to - work.from));
            let busy = work.busy_from.map(|from| {
                let (left, width) = (px(from - work.from), px(work.to - from));
                view! { <span class="busy" style:left=left style:width=width>{T.busy_zone}</span> }
            });
            view! { <div class=class class:is-script=work.is_script style:left=left style:width=width>{busy}</div> }
        };
        let window = window.get();
        store.layout.with(|layout| {
            layout.work.iter().filter(|work| overlaps(window, work.from, work.to)).map(bar).collect_views()
        })
    };
    view! {
        <div class="lane server">
            <span class="lane-name">{T.server}</span>
            <div class="lane-body">{work}</div>
        </div>
    }
}

#[component]
fn Leases(window: Memo<Window>) -> impl IntoView {
    let store = store();
    let all = RwSignal::new(false);
    move || {
        let window = window.get();
        let (lanes, count) = store.layout.with(|layout| {
            let count = layout.leases.len();
            let shown = if all.get() { LEASE_LANES_MAX } else { LEASE_LANES };
            (layout.leases[..count.min(shown)].to_vec(), count)
        });
        let more = count - lanes.len();
        let more = (more > 0).then(|| {
            view! {
                <div class="lane leases">
                    <span class="lane-name"></span>
                    <button type="button" class="quiet-button more-leases" on:click=move |_| all.set(true)>
                        {(T.more_leases)(more)}
                    </button>
                </div>
            }
        });
        view! { {lanes.into_iter().map(|lane| lease_lane(&store, window, lane)).collect_views()} {more} }
    }
}

fn lease_lane(store: &Store, window: Window, lane: LeaseLane) -> impl IntoView + use<> {
    let key = lane.key.clone();
    let bars = lane.bars.iter().filter(|bar| overlaps(window, bar.from, bar.to)).map(|bar| {
        let lease = store.leases.with(|leases| leases.get(bar.lease).cloned());
        let text = lease
            .map(|lease| span::short(lease.until_us.saturating_sub(whole_ms(lease.from_us))))
            .unwrap_or_default();
        let (class, kind) = match bar.end {
            None => ("lease is-open", None),
            Some(LeaseEnd::Expired) => ("lease is-expired", Some(ChangeKind::Expired)),
            Some(LeaseEnd::Removed) => ("lease is-removed", Some(ChangeKind::Removed)),
            Some(LeaseEnd::Replaced) => ("lease is-replaced", Some(ChangeKind::Changed)),
        };
        let end = kind.map(announce::kind_name).unwrap_or_default();
        // Where there is no room for both the sign stays.
        let has_room = bar.to - bar.from > 70.0;
        let (left, width) = (px(bar.from), px((bar.to - bar.from).max(4.0)));
        let title = format!("{key}: {text} {end}");
        view! {
            <div class=class style:left=left style:width=width title=title>
                <span class="lease-text">{has_room.then(|| text.clone())}</span>
                {kind.map(|kind| view! { <Sign kind /> })}
            </div>
        }
    });
    let name = lane.key;
    let title = name.clone();
    view! {
        <div class="lane leases">
            <span class="lane-name" title=title><icons::Clock /><code>{name}</code></span>
            <div class="lane-body">{bars.collect_views()}</div>
        </div>
    }
}
