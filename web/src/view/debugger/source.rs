//! The script's text with the line that is run next, the one after it, and breakpoints in the gutter.

use crate::view::Views;
use leptos::html;
use leptos::prelude::*;
use playground_model::debug::Breakpoints;

use super::super::icons;
use crate::browser;
use crate::debug::{self, Debugger, debugger};
use crate::strings::T;

#[component]
pub(super) fn Source() -> impl IntoView {
    let debugger = debugger();
    let script = Memo::new(move |_| debugger.script().unwrap_or_default());
    let lines = move || {
        let source = debugger.recording.with(|recording| {
            recording.as_ref().map(|recording| recording.source.clone()).unwrap_or_default()
        });
        let line = |(index, text): (usize, &str)| {
            view! { <Line debugger script number=index as u32 + 1 text=text.to_owned() /> }
        };
        source.lines().enumerate().map(line).collect_views()
    };
    view! {
        <div class="debug-source">
            <ol class="debug-lines" tabindex="0" aria-label=T.debug.source>{lines}</ol>
            <BreakpointRows debugger script />
        </div>
    }
}

#[component]
fn Line(debugger: Debugger, script: Memo<String>, number: u32, text: String) -> impl IntoView {
    let is_current = Memo::new(move |_| debugger.moment.with(|moment| moment.line == Some(number)));
    let is_next = Memo::new(move |_| {
        debugger.moment.with(|moment| moment.line != Some(number) && moment.next_line == Some(number))
    });
    let has_breakpoint = Memo::new(move |_| script.with(|script| debugger.has_breakpoint(script, number)));
    let item = NodeRef::<html::Li>::new();
    Effect::new(move || {
        if let Some(item) = item.get().filter(|_| is_current.get()) {
            browser::reveal(&item);
        }
    });
    view! {
        <li
            node_ref=item
            class="debug-line"
            class:is-current=is_current
            class:is-next=is_next
            aria-current=move || is_current.get().then_some("step")
        >
            <button
                type="button"
                class="debug-gutter"
                title=(T.debug.breakpoint_on)(number as usize)
                aria-label=(T.debug.breakpoint_on)(number as usize)
                aria-pressed=move || has_breakpoint.get().to_string()
                on:click=move |_| debugger.toggle_breakpoint(&script.get_untracked(), number)
            >
                {number.to_string()}
            </button>
            <code>{text}</code>
            {move || is_next.get().then(|| view! { <span class="debug-next">{T.debug.next_line}</span> })}
        </li>
    }
}

/// One row for each breakpoint, with its condition.
#[component]
fn BreakpointRows(debugger: Debugger, script: Memo<String>) -> impl IntoView {
    let own = move |all: &Vec<(String, Breakpoints)>| {
        script.with(|script| debug::of(all, script).cloned()).unwrap_or_default()
    };
    let lines =
        Memo::new(move |_| debugger.breakpoints.with(|all| own(all).into_keys().collect::<Vec<u32>>()));
    let row = move |line: u32| {
        let condition =
            untrack(|| debugger.breakpoints.with(|all| own(all).remove(&line).unwrap_or_default()));
        view! {
            <li>
                <label>
                    <span>{(T.debug.condition)(line)}</span>
                    <input
                        type="text"
                        spellcheck="false"
                        autocomplete="off"
                        placeholder=T.debug.condition_hint
                        prop:value=condition
                        on:input=move |event| {
                            debugger.set_condition(&script.get_untracked(), line, event_target_value(&event));
                        }
                    />
                </label>
                <button type="button" class="tool" title=T.debug.forget on:click=move |_| debugger.toggle_breakpoint(&script.get_untracked(), line)>
                    <icons::Cross />
                    <span class="visually-hidden">{T.debug.forget}</span>
                </button>
            </li>
        }
    };
    view! { <ul class="debug-breakpoints">{move || lines.get().into_iter().map(row).collect_views()}</ul> }
}
