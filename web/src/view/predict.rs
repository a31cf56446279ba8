//! The question before a step: the reader says what will come before the reply is shown.
//!
//! It stands in the card of the step before. Who steps on without an answer sees the reply all the same, save in a frame whose
//! author wants an answer (`Store::go`).

use leptos::html;
use leptos::prelude::*;
use playground_model::story::Predict;

use super::prose::inlines_of;
use super::story::Deed;
use crate::store::{Store, store};
use crate::strings::T;
use crate::view::Views;

/// The question before the step of this index, if there is one.
pub(super) fn question(store: &Store, step: usize) -> Option<AnyView> {
    let store = *store;
    let (predict, action) = store.story.with(|story| {
        let line = story.lines.get(step)?;
        Some((line.predict.clone()?, line.action.clone()))
    })?;
    let text = inlines_of(&predict.question);
    let answer = move || {
        let said = store.prediction(&predict.question);
        let is_right = said.as_ref().map(|said| is_right(&store, step, &predict, said));
        let verdict = is_right.map_or("", |is_right| if is_right { T.lesson.right } else { T.lesson.wrong });
        let answer = if predict.choices.is_empty() {
            written(&predict, said.as_deref().zip(is_right))
        } else {
            choices(&predict, said.as_deref())
        };
        view! { {answer}<p class="verdict" role="status">{verdict}</p> }.into_any()
    };
    let view = view! {
        <section class="question" aria-label=T.lesson.question>
            <p class="question-title">
                <strong>{T.lesson.question}</strong>
                <span class="card-step">{(T.step)(step + 1)}</span>
                <Deed action />
            </p>
            <p>{text}</p>
            {answer}
        </section>
    };
    Some(view.into_any())
}

/// Drawn in place when one is chosen, so that the focus stays where it is.
fn choices(predict: &Predict, said: Option<&str>) -> AnyView {
    let store = store();
    let choice = |(text, is_right): &(String, bool)| {
        let is_chosen = said == Some(text.as_str());
        // Only what was right, and what was chosen, is told of.
        let (class, sign) = match (said.is_some(), is_chosen, is_right) {
            (true, _, true) => ("choice is-right", "✓"),
            (true, true, false) => ("choice is-wrong", "✗"),
            _ => ("choice", ""),
        };
        let (question, own) = (predict.question.clone(), text.clone());
        view! {
            <button
                type="button"
                class=class
                aria-pressed=is_chosen.to_string()
                on:click=move |_| store.predict(&question, &own)
            >
                <span class="choice-sign" aria-hidden="true">{sign}</span>
                <span>{inlines_of(text)}</span>
            </button>
        }
    };
    let choices = predict.choices.iter().map(choice).collect_views();
    view! { <div class="choices" role="group" aria-label=T.lesson.answer>{choices}</div> }.into_any()
}

/// Where the reader writes the reply.
fn written(predict: &Predict, said: Option<(&str, bool)>) -> AnyView {
    let store = store();
    let input = NodeRef::<html::Input>::new();
    let question = predict.question.clone();
    let send = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let written = input.get_untracked().map(|input| input.value()).unwrap_or_default();
        if !written.trim().is_empty() {
            store.predict(&question, written.trim());
        }
    };
    view! {
        <form class="choices" on:submit=send>
            <input
                type="text"
                class="search"
                node_ref=input
                aria-label=T.lesson.your_answer
                placeholder=T.lesson.your_answer
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
            />
            <button type="submit" class="next">{T.lesson.answer}</button>
        </form>
        {said.map(|(said, is_right)| outcome(said, is_right))}
    }
    .into_any()
}

/// What the reader said before this step, on the step's own card.
pub(super) fn prediction(store: &Store, step: usize) -> Option<AnyView> {
    let predict = store.story.with(|story| story.lines.get(step)?.predict.clone())?;
    let said = store.prediction(&predict.question)?;
    Some(outcome(&said, is_right(store, step, &predict, &said)))
}

fn outcome(said: &str, is_right: bool) -> AnyView {
    let (class, sign) = if is_right { ("said is-right", "✓") } else { ("said is-wrong", "✗") };
    view! {
        <p class=class>
            <span class="choice-sign" aria-hidden="true">{sign}</span>
            <span>{T.lesson.you_said}" "{inlines_of(said)}</span>
        </p>
    }
    .into_any()
}

fn is_right(store: &Store, step: usize, predict: &Predict, said: &str) -> bool {
    if !predict.choices.is_empty() {
        return predict.choices.iter().any(|(text, is_right)| *is_right && text == said);
    }
    store.steps.with(|steps| {
        let reply = steps.get(step).and_then(|step| step.reply.as_ref());
        reply.is_some_and(|reply| bare(&reply.text) == bare(said))
    })
}

/// A reply without what redis-cli writes around it, which nobody should have to guess.
fn bare(reply: &str) -> String {
    let text = reply.trim();
    let text =
        ["(integer)", "(error)", "(double)"].iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text);
    let text = text.trim().trim_matches(['"', '(', ')']);
    crate::browser::lowercase(text)
}
