//! The keys at the reader's position: value, type, what is left of their lives, and what this step has changed.

use leptos::html;
use leptos::prelude::*;
use playground_model::frame::{Expiry, Frame, Row, Value, whole_ms};
use playground_model::span;
use playground_model::step::{Change, ChangeKind};

use super::card::change_class;
use super::each::Each;
use super::value::ValueView;
use super::{Sign, announce};
use crate::browser;
use crate::measure::tenths;
use crate::store::store;
use crate::strings::T;

/// A line of the table with all that it shows. One that is the same in the next state stays in the document as it is: a step
/// changes a few keys, and a state may have thousands.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Line {
    Key { row: Row, change: Option<Change>, now_us: u64, shows_db: bool },
    Gone(Change),
}

#[component]
pub(super) fn Keyspace() -> impl IntoView {
    let store = store();
    let count = move || store.frame.with(|frame| (T.keys_count)(frame.keys_total));
    let lines = Memo::new(move |_| {
        let frame = store.frame.get();
        let changes = match frame.position.checked_sub(1) {
            Some(index) => store.steps.with(|steps| steps.get(index).map(|step| step.changes.clone())),
            None => None,
        };
        lines(&frame, &changes.unwrap_or_default())
    });
    let is_empty = Memo::new(move |_| lines.with(Vec::is_empty));
    let table = move || {
        if is_empty.get() {
            view! { <p class="empty">{T.no_keys}</p> }.into_any()
        } else {
            table(lines).into_any()
        }
    };
    let left_out =
        Memo::new(move |_| store.frame.with(|frame| frame.keys_total.saturating_sub(frame.rows.len())));
    view! {
        <h2 class="panel-title">{T.keyspace}<span class="count">{count}</span></h2>
        {table}
        <Show when=move || { left_out.get() > 0 }>
            <More left_out />
        </Show>
    }
}

/// The keys that are not drawn: some more of them as soon as one gets here.
#[component]
fn More(left_out: Memo<usize>) -> impl IntoView {
    let store = store();
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(button) = button.get() {
            browser::when_seen(&button, move || store.show_more_rows());
        }
    });
    view! {
        <button type="button" class="quiet-button" node_ref=button on:click=move |_| store.show_more_rows()>
            {move || (T.more_rows)(left_out.get())}
        </button>
    }
}

fn lines(frame: &Frame, changes: &[Change]) -> Vec<Line> {
    let shows_db = frame.rows.iter().any(|row| row.db != 0);
    let line = |row: &Row| {
        let of_row =
            |change: &&Change| change.db == row.db && change.key == row.key && change.kind.leaves_key();
        let change = changes.iter().find(of_row).cloned();
        let now_us = row.expiry.map_or(0, |_| whole_ms(frame.now_us));
        Line::Key { row: row.clone(), change, now_us, shows_db }
    };
    let gone = changes.iter().filter(|change| !change.kind.leaves_key()).cloned().map(Line::Gone);
    frame.rows.iter().map(line).chain(gone).collect()
}

fn table(lines: Memo<Vec<Line>>) -> impl IntoView {
    let draw = |line: Line| match line {
        Line::Key { row, change, now_us, shows_db } => {
            key_row(&row, change.as_ref(), now_us, shows_db).into_any()
        }
        Line::Gone(change) => gone_row(&change).into_any(),
    };
    view! {
        // Rows are drawn as two lines, which takes their meaning as a table from them unless it is said again.
        <table class="keys" role="table">
            <thead class="visually-hidden">
                <tr role="row">
                    <th scope="col" role="columnheader">{T.key}</th>
                    <th scope="col" role="columnheader">{T.value}</th>
                    <th scope="col" role="columnheader">{T.expires}</th>
                </tr>
            </thead>
            <tbody role="rowgroup">
                <Each each=move || lines.get() key=Line::clone children=draw />
            </tbody>
        </table>
    }
}

fn key_row(row: &Row, change: Option<&Change>, now_us: u64, shows_db: bool) -> impl IntoView + use<> {
    let class = change.map_or("key-row", |change| change_class(change.kind));
    let db = shows_db.then(|| view! { <span class="tag">{(T.database)(row.db)}</span> });
    let size = match row.value {
        Value::Text(_) => (T.bytes)(row.len),
        _ => (T.elements)(row.len),
    };
    let was =
        change.filter(|change| change.kind == ChangeKind::Changed).and_then(|change| change.before.as_ref());
    let is = change.and_then(|change| change.after.as_ref());
    let was = was.filter(|was| is.is_some_and(|is| is.value != was.value));
    let was = was.map(|was| view! { <span class="was">{T.was}" "<code>{was.value.clone()}</code></span> });
    view! {
        <tr class=class role="row">
            <th scope="row" role="rowheader">
                {sign(change)}
                <code class="key">{row.key.clone()}</code>
                " "
                <span class="tags">
                    <span class="tag" title=format!("{}, {size}", row.encoding)>{kind_of(row)}</span>
                    " "
                    <span class="encoding">{row.encoding.clone()} " · " {size.clone()}</span>
                    {db}
                </span>
            </th>
            <td class="key-value" role="cell"><ValueView row=row.clone() />{was}</td>
            <td class="ttl" role="cell">{life(row.expiry, now_us)}</td>
        </tr>
    }
}

/// The type, and what a string is used as.
fn kind_of(row: &Row) -> String {
    match &row.value {
        Value::Text(text) if text.starts_with("\"HYLL\\x") => format!("{} (HyperLogLog)", row.kind),
        _ => row.kind.clone(),
    }
}

/// A key that this step has taken away.
fn gone_row(change: &Change) -> impl IntoView + use<> {
    let value = change.before.as_ref().map(|before| before.value.clone());
    view! {
        <tr class=format!("is-gone {}", change_class(change.kind)) role="row">
            <th scope="row" role="rowheader">
                {sign(Some(change))}
                <code class="key">{change.key.clone()}</code>
            </th>
            <td class="key-value" role="cell"><del><code class="value-text">{value}</code></del></td>
            <td class="ttl" role="cell">{announce::kind_name(change.kind)}</td>
        </tr>
    }
}

fn sign(change: Option<&Change>) -> impl IntoView + use<> {
    change.map(|change| {
        view! {
            <span title=announce::kind_name(change.kind)>
                <Sign kind=change.kind />
                <span class="visually-hidden">{announce::kind_name(change.kind)}</span>
            </span>
        }
    })
}

/// A ring that drains, and the time that is left.
fn life(expiry: Option<Expiry>, now_us: u64) -> AnyView {
    let Some(expiry) = expiry else {
        return view! {
            <span class="quiet" aria-hidden="true">"–"</span>
            <span class="visually-hidden">{T.never_expires}</span>
        }
        .into_any();
    };
    let left = expiry.left_us(now_us);
    let dash = format!("{} 100", tenths(expiry.share(now_us) * 100.0));
    view! {
        <span class="life" title=span::exact(left)>
            <svg class="ring" viewBox="0 0 20 20" aria-hidden="true">
                <circle class="ring-back" cx="10" cy="10" r="7" />
                <circle class="ring-left" cx="10" cy="10" r="7" pathLength="100" stroke-dasharray=dash transform="rotate(-90 10 10)" />
            </svg>
            {span::short(left)}
        </span>
    }
    .into_any()
}
