//! A script as it stands in the story, with a gutter to set breakpoints in.

use std::sync::Arc;

use leptos::prelude::*;
use playground_model::story::Script;

use crate::debug::{Debugger, debugger};
use crate::strings::T;
use crate::view::Views;

#[component]
pub(super) fn ScriptText(script: Script) -> impl IntoView {
    let debugger = debugger();
    let label = format!("{}.lua", script.name);
    let name: Arc<str> = script.name.as_str().into();
    let line = |(index, text): (usize, &str)| {
        view! { <ScriptLine debugger name=Arc::clone(&name) number=index as u32 + 1 text=text.to_owned() /> }
    };
    let lines = script.text.split('\n').enumerate().map(line).collect_views();
    view! {
        <figure class="script">
            <figcaption>
                <strong>{format!("${}", script.name)}</strong>
                <span class="sha" title=script.sha.clone()>
                    {format!("{} {}", T.sha1, &script.sha.get(..8).unwrap_or_default())}
                </span>
            </figcaption>
            <div class="code" tabindex="0" role="group" aria-label=label>
                <ol class="script-lines">{lines}</ol>
            </div>
        </figure>
    }
}

#[component]
fn ScriptLine(debugger: Debugger, name: Arc<str>, number: u32, text: String) -> impl IntoView {
    let own = Arc::clone(&name);
    let has_breakpoint = Memo::new(move |_| debugger.has_breakpoint(&own, number));
    let own = Arc::clone(&name);
    let is_current = Memo::new(move |_| debugger.stands_at(&own, number));
    let label = (T.debug.breakpoint_in)(number, &name);
    view! {
        <li class="script-line" class:is-current=is_current>
            // By keyboard they are set in the debugger and in the editor: here a long script would hold up whoever goes on by Tab.
            <button
                type="button"
                class="debug-gutter"
                tabindex="-1"
                aria-label=label.clone()
                title=label
                aria-pressed=move || has_breakpoint.get().to_string()
                on:click=move |_| debugger.toggle_breakpoint(&name, number)
            >
                {number.to_string()}
            </button>
            <code>{text}</code>
        </li>
    }
}
