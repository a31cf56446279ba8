//! The buttons that step through the story, and the slider over all of it.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::span;

use super::icons;
use crate::play::SPEEDS;
use crate::store::store;
use crate::strings::T;
use crate::{browser, work};

#[component]
pub(super) fn Transport() -> impl IntoView {
    let store = store();
    let count = move || store.story.with(|story| story.lines.len());
    let at_start = move || store.position.get() == 0;
    let at_end = move || store.position.get() >= count();
    let play_name = move || if store.playing.get() { T.pause } else { T.play };
    let play_icon = move || {
        if store.playing.get() {
            view! { <icons::Pause /> }.into_any()
        } else {
            view! { <icons::Play /> }.into_any()
        }
    };
    view! {
        <section class="transport" aria-label=T.steps>
            <div class="buttons">
                <button type="button" class="tool" title=T.first disabled=at_start on:click=move |_| store.first()>
                    <icons::First />
                    <span class="visually-hidden">{T.first}</span>
                </button>
                <button type="button" class="tool back" title=T.back disabled=at_start on:click=move |_| store.back()>
                    <icons::Back />
                    <span class="visually-hidden">{T.back}</span>
                </button>
                <button
                    type="button"
                    class="next"
                    disabled=at_end
                    on:click=move |_| {
                        store.playing.set(false);
                        store.forward();
                    }
                >
                    {T.next}
                    <icons::Next />
                </button>
                <button type="button" class="tool" title=T.last disabled=at_end on:click=move |_| store.last()>
                    <icons::Last />
                    <span class="visually-hidden">{T.last}</span>
                </button>
                <button type="button" class="tool play" title=play_name on:click=move |_| store.toggle_playing()>
                    {play_icon}
                    <span class="visually-hidden">{play_name}</span>
                </button>
                <SpeedChoice />
            </div>
            <Scrubber />
            <span class="where">
                <span class="step-number">{move || (T.step_of)(store.position.get(), count())}</span>
                <span class="clock">
                    <icons::Clock />
                    <span class="visually-hidden">{T.clock}</span>
                    {move || span::clock(store.frame.with(|frame| frame.now_us))}
                </span>
            </span>
            {browser::parameter("embed").map(|_| view! { <WholePage /> })}
        </section>
    }
}

/// From a frame in somebody's page to the page itself, with this story at this step.
#[component]
fn WholePage() -> impl IntoView {
    let store = store();
    let link = move || {
        store.text.track();
        store.position.track();
        let _ = work::view_of(&store);
        work::link(&store)
    };
    view! {
        <a class="tool" href=link target="_blank" rel="noopener" title=T.whole_page>
            <icons::Outside />
            <span class="visually-hidden">{T.whole_page}</span>
        </a>
    }
}

#[component]
fn SpeedChoice() -> impl IntoView {
    let store = store();
    let choose = move |event| {
        if let Ok(speed) = event_target_value(&event).parse() {
            store.speed.set(speed);
        }
    };
    let option = move |(speed, name): (u32, &'static str)| {
        view! { <option value=speed.to_string() selected=move || store.speed.get() == speed>{name}</option> }
    };
    view! {
        <label class="speed" title=T.speed>
            <span class="visually-hidden">{T.speed}</span>
            <select on:change=choose>{SPEEDS.map(option).collect_views()}</select>
        </label>
    }
}

#[component]
fn Scrubber() -> impl IntoView {
    let store = store();
    let count = move || store.story.with(|story| story.lines.len());
    let scrub = move |event| {
        if let Ok(position) = event_target_value(&event).parse() {
            store.playing.set(false);
            store.go(position);
        }
    };
    view! {
        <input
            type="range"
            class="scrubber"
            min="0"
            max=move || count().to_string()
            step="1"
            prop:value=move || {
                // The browser would cut the value by an older maximum.
                let _ = count();
                store.position.get().to_string()
            }
            aria-label=T.slider
            aria-valuetext=move || super::announce::sentence(&store)
            on:input=scrub
        />
    }
}
