//! Why the step ended as it did: note cards, and what became of a script's value on its way to the client.

use std::sync::Arc;

use crate::view::Views;
use leptos::prelude::*;
use playground_model::note::{Conversion, ConversionLine, Note};
use playground_model::step::Step;

use super::prose::Remark;
use crate::store::store;
use crate::strings::T;

/// The notes that came about during a step, also those on earlier ones that were answered now.
#[component]
pub(super) fn Notes(index: usize) -> impl IntoView {
    let store = store();
    let (notes, conversions) = store.steps.with(|steps| {
        let told = store.told_late(index).into_iter().chain([index]);
        let until: Vec<(usize, &Arc<Step>)> =
            told.filter_map(|step| Some((step, steps.get(step)?))).collect();
        let notes: Vec<(usize, Note)> = until
            .iter()
            .flat_map(|(step, record)| record.notes.iter().map(|note| (*step, note)))
            .filter(|(_, note)| note.during == index)
            .map(|(step, note)| (step, note.clone()))
            .collect();
        let conversions: Vec<Conversion> = until
            .iter()
            .flat_map(|(_, record)| &record.conversions)
            .filter(|conversion| conversion.during == index)
            .cloned()
            .collect();
        (notes, conversions)
    });
    if notes.is_empty() {
        return ().into_any();
    }
    let cards = notes.into_iter().map(|(step, note)| card(step, index, note)).collect_views();
    view! {
        <section class="notes" aria-label=T.notes>
            {cards} {conversions.into_iter().map(conversion).collect_views()}
        </section>
    }
    .into_any()
}

fn card(step: usize, shown_at: usize, note: Note) -> impl IntoView {
    // A summary is pressed itself, so nothing in it can be: the way to the step is among the links.
    let about = (step != shown_at).then(|| format!("{}: ", (T.step)(step + 1)));
    let others = note.mentions.into_iter().filter(|mention| *mention != step);
    let mentions = std::iter::once(step).chain(others).filter(|mention| *mention != shown_at);
    let mentions = mentions.map(|step| view! { <li><StepLink step /></li> }).collect_views();
    let lesson = format!("#{}", note.example);
    view! {
        <details class="note">
            <summary>
                <span class="note-title">{about}{note.title}</span>
                <Remark text=note.what class="note-text" />
            </summary>
            <p class="note-label">{T.why}</p>
            <Remark text=note.why class="note-text" />
            <p class="note-label">{T.advice}</p>
            <Remark text=note.advice class="note-text" />
            <ul class="note-links">
                {mentions} <li>
                    <a href=lesson>{T.see_lesson}</a>
                </li> <li>
                    <a href=note.docs target="_blank" rel="noreferrer">
                        {T.see_docs}
                    </a>
                </li>
            </ul>
        </details>
    }
}

/// Goes to another step.
#[component]
pub(super) fn StepLink(step: usize) -> impl IntoView {
    let store = store();
    view! {
        <button type="button" class="link" on:click=move |_| store.go(step + 1)>
            {(T.step)(step + 1)}
        </button>
    }
}

fn conversion(conversion: Conversion) -> impl IntoView {
    view! {
        <div class="conversion" tabindex="0" role="group" aria-label=T.conversion>
            <table>
                <caption>{T.conversion}</caption>
                <thead>
                    <tr>
                        <th scope="col">{T.lua_value}</th>
                        <th scope="col">{T.becomes}</th>
                        <th scope="col">{T.rule}</th>
                    </tr>
                </thead>
                <tbody>{conversion.lines.into_iter().map(row).collect_views()}</tbody>
            </table>
        </div>
    }
}

fn row(line: ConversionLine) -> impl IntoView {
    let piece = |(text, kept): (String, bool)| {
        if kept { view! { <span>{text}</span> }.into_any() } else { view! { <del>{text}</del> }.into_any() }
    };
    let pieces = line.lua.into_iter().map(piece).collect_views();
    let indent = "\u{2007}\u{2007}".repeat(line.depth);
    let reply = line.reply.unwrap_or_else(|| T.not_sent.to_owned());
    view! {
        <tr class:is-lossy=line.loses>
            <td>
                <code>{indent}{pieces}</code>
            </td>
            <td>
                <code>{reply}</code>
            </td>
            <td>{line.rule}</td>
        </tr>
    }
}
