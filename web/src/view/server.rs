//! What the server remembers besides keys: who is connected and in which state, and which scripts it knows.

use crate::view::Views;
use leptos::prelude::*;
use playground_model::frame::{CachedScript, Client, Library, Memory as Used};

use super::client_class;
use crate::store::store;
use crate::strings::T;

#[component]
pub(super) fn Clients() -> impl IntoView {
    let store = store();
    let running = move || {
        store.frame.with(|frame| {
            if frame.stopped {
                return Some(view! { <p class="alarm">{T.stopped}</p> }.into_any());
            }
            let running = frame.running.as_ref()?;
            let name = running.name.get(..8).filter(|_| running.name.len() == 40).unwrap_or(&running.name);
            let text = if running.busy { (T.server_busy)(name) } else { (T.server_running)(name) };
            let unkillable = running.wrote.then(|| view! { <span>{T.server_unkillable}</span> });
            Some(view! { <p class="alarm"><strong>{text}</strong>{unkillable}</p> }.into_any())
        })
    };
    let states = Memo::new(move |_| store.frame.with(|frame| frame.clients.clone()));
    let clients = move || {
        let item = |(index, client): (usize, Client)| {
            view! {
                <li>
                    <span class=format!("badge {}", client_class(index))>{client.name.clone()}</span>
                    <ClientState client />
                </li>
            }
        };
        let states = states.get();
        if states.is_empty() {
            return view! { <li class="empty">{T.no_clients}</li> }.into_any();
        }
        states.into_iter().enumerate().map(item).collect_views().into_any()
    };
    view! {
        {running}
        <h2 class="panel-title">{T.clients}</h2>
        <ul class="clients">{clients}</ul>
    }
}

/// What a client is in the middle of, as small signs.
#[component]
pub(super) fn ClientState(client: Client) -> impl IntoView {
    let mut signs: Vec<(&'static str, String)> = Vec::new();
    if !client.connected {
        signs.push(("is-off", T.not_connected.to_owned()));
    }
    if let Some(blocked) = &client.blocked {
        let text = if blocked.keys.is_empty() {
            T.blocked_time.to_owned()
        } else {
            (T.blocked_on)(&blocked.keys.join(", "))
        };
        signs.push(("is-waiting", text));
    } else if client.waiting {
        signs.push(("is-waiting", T.waiting.to_owned()));
    }
    if let Some(queued) = &client.queued {
        signs.push(("is-multi", (T.in_multi)(queued.len())));
    }
    if client.aborted {
        signs.push(("is-bad", T.multi_aborted.to_owned()));
    }
    if !client.watching.is_empty() {
        signs.push(("is-watching", (T.watching)(&client.watching.join(", "))));
    }
    if client.watch_broken {
        signs.push(("is-bad", T.watch_broken.to_owned()));
    }
    if !client.subscriptions.is_empty() {
        signs.push(("is-multi", (T.subscribed)(&client.subscriptions.join(", "))));
    }
    if client.db != 0 {
        signs.push(("", (T.database)(client.db)));
    }
    if client.protocol == 3 {
        signs.push(("", "RESP3".to_owned()));
    }
    if signs.is_empty() {
        signs.push(("is-off", T.idle.to_owned()));
    }
    let sign = |(class, text): (&'static str, String)| view! { <span class=format!("state-sign {class}")>{text}</span> };
    view! { <span class="states">{signs.into_iter().map(sign).collect_views()}</span> }
}

#[component]
pub(super) fn Scripts() -> impl IntoView {
    let store = store();
    let script = |script: &CachedScript| {
        let name = script.name.as_ref().map(|name| view! { <strong>{format!("${name} ")}</strong> });
        let origin = if script.loaded { T.by_load } else { T.by_eval };
        view! {
            <li>
                <span class="sha" title=script.sha.clone()>{script.sha.get(..8).unwrap_or_default().to_owned()}</span>
                <span class="tag">{origin}</span>
                <span class="tag">{(T.ran)(script.runs)}</span>
                {name}
                <code class="first-line">{script.first_line.clone()}</code>
            </li>
        }
    };
    let library = |library: &Library| {
        view! { <li><strong>{library.name.clone()}</strong>" "<code>{library.functions.join(", ")}</code></li> }
    };
    let known = Memo::new(move |_| store.frame.with(|frame| frame.scripts.clone()));
    let scripts = move || {
        known.with(|scripts| {
            if scripts.is_empty() {
                return view! { <p class="empty">{T.no_scripts}</p> }.into_any();
            }
            view! { <ul class="scripts">{scripts.iter().map(script).collect_views()}</ul> }.into_any()
        })
    };
    let loaded = Memo::new(move |_| store.frame.with(|frame| frame.libraries.clone()));
    let libraries = move || {
        loaded.with(|libraries| {
            (!libraries.is_empty()).then(|| {
                view! {
                    <h2 class="panel-title">{T.functions}</h2>
                    <ul class="scripts">{libraries.iter().map(library).collect_views()}</ul>
                }
            })
        })
    };
    view! {
        <h2 class="panel-title">{T.scripts}</h2>
        {scripts}
        {libraries}
    }
}

/// What is in memory, how much there may be, and what had to go.
#[component]
pub(super) fn Memory() -> impl IntoView {
    let store = store();
    let is_known = move || store.frame.with(|frame| frame.memory.used > 0);
    let facts = move || {
        let Used { used, keys, max, policy, evicted, .. } = store.frame.with(|frame| frame.memory.clone());
        let limit = (max > 0).then(|| {
            view! {
                <progress max=max.to_string() value=used.min(max).to_string() aria-label=T.memory></progress>
                <p>{(T.memory_limit)(max, &policy)}</p>
            }
        });
        let evicted = (evicted > 0).then(|| view! { <p class="was-evicted">{(T.evictions)(evicted)}</p> });
        view! { <p>{(T.memory_used)(used)}</p>{limit}<p>{(T.memory_keys)(keys)}</p>{evicted} }.into_any()
    };
    let by_key = move || {
        let row = |(key, bytes): &(String, usize)| {
            view! { <li><code class="key">{key.clone()}</code><span>{(T.bytes)(*bytes)}</span></li> }
        };
        store.frame.with(|frame| frame.memory.largest.iter().map(row).collect_views())
    };
    let has_keys = move || store.frame.with(|frame| !frame.memory.largest.is_empty());
    view! {
        <h2 class="panel-title" hidden=move || !is_known()>{T.memory}</h2>
        <div class="memory" hidden=move || !is_known()>
            {facts}
            <details hidden=move || !has_keys()>
                <summary>{T.memory_by_key}</summary>
                <ul>{by_key}</ul>
            </details>
        </div>
    }
    .into_any()
}
