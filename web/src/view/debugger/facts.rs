//! What is true at the point: how the script has ended, variables, the call stack, watched expressions, calls and keys.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::debug::{Call, End, KeyNow, Level, Moment, Variable};

use super::super::icons;
use crate::debug::{Debugger, debugger};
use crate::strings::T;

#[component]
pub(super) fn Facts() -> impl IntoView {
    let debugger = debugger();
    let ended = move || debugger.moment.with(|moment| moment.end.as_ref().map(ending));
    let variables = move || {
        let level = debugger.level.get();
        debugger.moment.with(|moment| moment.stack.get(shown_level(moment, level)).map(variables))
    };
    let stack = move || {
        let level = debugger.level.get();
        debugger.moment.with(|moment| stack(debugger, moment, level))
    };
    let calls = move || debugger.moment.with(|moment| calls(moment));
    let keys = move || debugger.moment.with(|moment| keys(&moment.changed));
    view! {
        <div class="debug-seen" tabindex="0" role="group" aria-label=T.debug.seen>
            <div class="debug-facts" tabindex="0" role="group" aria-label=T.debug.calls>
                {ended}
                {variables}
                <h3>{T.debug.calls}</h3>
                {calls}
                <h3>{T.debug.keys}</h3>
                {keys}
            </div>
            <div class="debug-facts" tabindex="0" role="group" aria-label=T.debug.stack>
                <h3>{T.debug.watch}</h3>
                <Watches debugger />
                <h3>{T.debug.arguments}</h3>
                {move || debugger.recording.get().map(|recording| arguments(&recording.keys, &recording.args))}
                <h3>{T.debug.stack}</h3>
                {stack}
            </div>
        </div>
    }
}

/// Within a call of the server, the function that calls is of interest.
fn shown_level(moment: &Moment, level: usize) -> usize {
    if level == 0 && moment.in_call { 1 } else { level }
}

fn ending(end: &End) -> impl IntoView + use<> {
    let reply = end.reply.as_ref().map(|reply| {
        let class = if reply.kind.is_failure() { "reply-box is-error" } else { "reply-box" };
        view! { <pre class=class><code>{reply.text.clone()}</code></pre> }
    });
    let lua = (!end.lua.is_empty()).then(|| {
        view! { <p class="debug-pair"><span class="tag">{end.lua_kind.clone()}</span>" "<code>{end.lua.clone()}</code></p> }
    });
    let caught = (end.killed && end.how != playground_model::debug::Ending::Killed)
        .then(|| view! { <p class="quiet">{T.debug.caught_kill}</p> });
    let unlisted = end.unlisted.then(|| view! { <p class="quiet">{T.debug.unlisted}</p> });
    view! { <h3>{(T.debug.ended)(end.how)}</h3>{caught}{unlisted}{lua}{reply} }
}

fn variables(level: &Level) -> impl IntoView + use<> {
    let none = level.locals.is_empty().then(|| view! { <p class="quiet">{T.debug.no_locals}</p> });
    let upvalues = (!level.upvalues.is_empty())
        .then(|| view! { <h3>{T.debug.upvalues}</h3>{variable_list(&level.upvalues)} });
    view! { <h3>{T.debug.locals}</h3>{none}{variable_list(&level.locals)}{upvalues} }
}

fn variable_list(variables: &[Variable]) -> impl IntoView + use<> {
    let row = |variable: &Variable| {
        view! {
            <li class="debug-pair">
                <code class="key">{variable.name.clone()}</code>
                <span class="tag">{variable.kind.clone()}</span>
                <code>{variable.value.clone()}</code>
            </li>
        }
    };
    view! { <ul>{variables.iter().map(row).collect_views()}</ul> }
}

fn arguments(keys: &[String], args: &[String]) -> impl IntoView + use<> {
    let row = |name: &str, texts: &[String]| {
        let text = format!("{{{}}}", texts.join(", "));
        view! { <li class="debug-pair"><code class="key">{name.to_owned()}</code><code>{text}</code></li> }
    };
    view! { <ul>{row("KEYS", keys)}{row("ARGV", args)}</ul> }
}

fn stack(debugger: Debugger, moment: &Moment, level: usize) -> impl IntoView + use<> {
    let shown = shown_level(moment, level);
    let row = |(index, level): (usize, &Level)| {
        let place = level.line.map(|line| (T.debug.at_line)(line));
        let loaded = (level.line.is_some() && !level.in_script).then_some(T.debug.loaded);
        let coroutine = level.coroutine.then(|| view! { <span class="quiet">{T.debug.coroutine}</span> });
        view! {
            <li>
                <button
                    type="button"
                    class="debug-level"
                    aria-pressed=(index == shown).to_string()
                    on:click=move |_| debugger.choose_level(index)
                >
                    <code>{(T.debug.level)(level.kind, &level.name)}</code>
                    <span class="quiet">{place}" "{loaded}</span>
                </button>
                {coroutine}
            </li>
        }
    };
    let rows = moment.stack.iter().enumerate().map(row).collect_views();
    view! { <ol class="debug-stack">{rows}</ol> }
}

#[component]
fn Watches(debugger: Debugger) -> impl IntoView {
    let draft = RwSignal::new(String::new());
    let rows = move || {
        let texts = debugger.watch.get();
        let results = debugger.moment.with(|moment| moment.watched.clone());
        let row = move |(index, text): (usize, String)| {
            let result = results.get(index).cloned().map(|result| {
                let kind = (!result.failed).then(|| view! { <span class="tag">{result.kind}</span> });
                view! { {kind}<code class:is-failed=result.failed>{result.value}</code> }
            });
            view! {
                <li class="debug-pair">
                    <code class="key">{text}</code>
                    {result}
                    <button type="button" class="tool" title=T.debug.forget on:click=move |_| debugger.remove_watch(index)>
                        <icons::Cross />
                        <span class="visually-hidden">{T.debug.forget}</span>
                    </button>
                </li>
            }
        };
        texts.into_iter().enumerate().map(row).collect_views()
    };
    view! {
        <ul class="debug-watches">{rows}</ul>
        <form
            class="debug-watch"
            on:submit=move |event| {
                event.prevent_default();
                debugger.add_watch(draft.get_untracked());
                draft.set(String::new());
            }
        >
            <input
                type="text"
                spellcheck="false"
                autocomplete="off"
                aria-label=T.debug.watch_add
                placeholder=T.debug.watch_hint
                prop:value=move || draft.get()
                on:input=move |event| draft.set(event_target_value(&event))
            />
            <button type="submit" class="tool" title=T.debug.watch_add>
                <icons::Plus />
                <span class="visually-hidden">{T.debug.watch_add}</span>
            </button>
        </form>
    }
}

fn calls(moment: &Moment) -> AnyView {
    if moment.calls.is_empty() {
        return view! { <p class="quiet">{T.debug.no_calls}</p> }.into_any();
    }
    let newest = moment.calls_total;
    let row = |call: &Call| {
        let is_now = moment.in_call && call.number == newest;
        let raised = call.raised.then(|| view! { <span class="tag is-failed">{T.debug.raised}</span> });
        view! {
            <li class="debug-call" class:is-current=is_now>
                <p>
                    <span class="quiet">{call.number.to_string()}</span>
                    <code class="command">{call.command.clone()}</code>
                    <span class="quiet">{(T.debug.at_line)(call.line)}</span>
                </p>
                <dl>
                    <div><dt>{T.debug.as_lua}</dt><dd>{raised}<span class="tag">{call.lua_kind.clone()}</span>" "<code>{call.lua.clone()}</code></dd></div>
                    <div><dt>{T.debug.as_reply}</dt><dd><code title=format!("{}: {}", T.debug.as_sent, call.resp)>{call.reply.clone()}</code></dd></div>
                    <div><dt>{T.debug.as_sent}</dt><dd><code>{call.resp.clone()}</code></dd></div>
                </dl>
            </li>
        }
    };
    // The newest is read first.
    view! { <ol class="debug-calls">{moment.calls.iter().rev().map(row).collect_views()}</ol> }.into_any()
}

fn keys(changed: &[KeyNow]) -> AnyView {
    if changed.is_empty() {
        return view! { <p class="quiet">{T.debug.no_keys}</p> }.into_any();
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| T.debug.nothing.to_owned());
    let row = |change: &KeyNow| {
        let (class, sign) = match (&change.before, &change.now) {
            (None, _) => ("change is-added", "+"),
            (_, None) => ("change is-removed", "−"),
            _ => ("change is-changed", "~"),
        };
        view! {
            <li class=class>
                <span class="sign" aria-hidden="true">{sign}</span>
                <code class="key">{change.key.clone()}</code>
                <code class="change-value">{text(&change.now)}</code>
                <span class="was">{T.debug.others_see}" "<code>{text(&change.before)}</code></span>
            </li>
        }
    };
    view! { <ul class="changes">{changed.iter().map(row).collect_views()}</ul> }.into_any()
}
