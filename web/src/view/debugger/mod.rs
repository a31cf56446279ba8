//! The debugger: the script of the present step, stepped through line by line and back, while the timeline stays in view.

mod facts;
mod source;

use crate::view::Views;
use leptos::prelude::*;
use playground_model::debug::Move;
use playground_model::span;

use super::icons;
use crate::debug::{Debugger, debugger};
use crate::strings::T;

#[component]
pub(super) fn DebuggerPanel() -> impl IntoView {
    let debugger = debugger();
    let is_open = Memo::new(move |_| debugger.recording.with(Option::is_some));
    move || {
        if is_open.get() {
            view! {
                <div class="debugger">
                    <h2 class="visually-hidden">{T.debug.title}</h2>
                    <Controls />
                    <source::Source />
                    <facts::Facts />
                </div>
            }
            .into_any()
        } else {
            view! {
                <div class="debugger is-empty">
                    <p><strong>{T.debug.no_script}</strong></p>
                    <p class="empty">{T.debug.no_script_help}</p>
                </div>
            }
            .into_any()
        }
    }
}

#[component]
fn Controls() -> impl IntoView {
    let debugger = debugger();
    let at_begin = Signal::derive(move || debugger.moment.with(|moment| moment.point == 0));
    let at_end = Signal::derive(move || debugger.moment.with(|moment| moment.end.is_some()));
    let place =
        move || debugger.moment.with(|moment| (T.debug.place)(moment.point, moment.points, moment.more));
    let spent = move || debugger.moment.with(|moment| (T.debug.instructions)(moment.instructions));
    let time = move || debugger.moment.with(|moment| span::exact(moment.time_us));
    let tool = move |to: Move, name: &'static str, off: Signal<bool>, icon: AnyView| {
        view! {
            <button type="button" class="tool" title=name disabled=move || off.get() on:click=move |_| debugger.go(to.clone())>
                {icon}
                <span class="visually-hidden">{name}</span>
            </button>
        }
    };
    let t = T.debug;
    view! {
        <div class="debug-controls" role="group" aria-label=t.controls>
            {tool(Move::To(0), t.begin, at_begin, view! { <icons::First /> }.into_any())}
            {tool(Move::RunBack, t.run_back, at_begin, view! { <icons::RunBack /> }.into_any())}
            {tool(Move::PreviousCall, t.previous_call, at_begin, view! { <icons::PreviousCall /> }.into_any())}
            {tool(Move::BackOver, t.back_over, at_begin, view! { <icons::BackOver /> }.into_any())}
            {tool(Move::Back, t.back, at_begin, view! { <icons::Back /> }.into_any())}
            {tool(Move::In, t.step_in, at_end, view! { <icons::Next /> }.into_any())}
            {tool(Move::Over, t.over, at_end, view! { <icons::StepOver /> }.into_any())}
            {tool(Move::Out, t.out, at_end, view! { <icons::StepOut /> }.into_any())}
            {tool(Move::NextCall, t.next_call, at_end, view! { <icons::NextCall /> }.into_any())}
            {tool(Move::Run, t.run, at_end, view! { <icons::RunOn /> }.into_any())}
            {tool(Move::End, t.end, at_end, view! { <icons::Last /> }.into_any())}
            <RunChoice debugger />
            <span class="debug-place">
                <span>{place}</span>
                <span>{spent}</span>
                <span>{time}</span>
            </span>
            <p class="visually-hidden" role="status">{move || announcement(debugger)}</p>
        </div>
    }
}

/// EXEC can have run several scripts.
#[component]
fn RunChoice(debugger: Debugger) -> impl IntoView {
    move || {
        let recording = debugger.recording.get().filter(|recording| recording.runs > 1)?;
        let (step, run, runs) = (recording.step, recording.run, recording.runs);
        let option = |index: usize| {
            let name = (T.debug.run_of)(index + 1, runs);
            view! { <option value=index.to_string() selected=index == run>{name}</option> }
        };
        Some(view! {
            <select
                aria-label=T.debug.which_run
                on:change=move |event| debugger.open(step, event_target_value(&event).parse().unwrap_or(0))
            >
                {(0..runs).map(option).collect_views()}
            </select>
        })
    }
}

/// The point in words: the line and what it says, the call and its reply, or how the script has ended.
fn announcement(debugger: Debugger) -> String {
    let moment = debugger.moment.get();
    if let Some(end) = &moment.end {
        return (T.debug.ended)(end.how).to_owned();
    }
    if let Some(call) = moment.calls.last().filter(|_| moment.in_call) {
        return format!("{}: {}", call.command, call.reply);
    }
    let Some(line) = moment.line else { return T.debug.loaded.to_owned() };
    let text = debugger.recording.with(|recording| {
        let recording = recording.as_ref()?;
        recording.source.lines().nth(line as usize - 1).map(|text| text.trim().to_owned())
    });
    format!("{}: {}", (T.debug.at_line)(line), text.unwrap_or_default())
}
