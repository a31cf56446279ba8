//! Tells a text to the engine and runs its story to the end, one step after the other.
//!
//! A step over which the engine is lost is named to the next engine, which tells the rest without it.

use leptos::prelude::*;
use playground_model::message::{Answer, Ran, Request};
use playground_model::story::Story;

use crate::engine::{self, Lost};
use crate::store::{Engine, Store};
use crate::work::now_ms;

/// A page that draws every step of a long story on its own does nothing else.
const DRAW_EVERY_MS: f64 = 40.0;
/// Between two drawings there is so many times as much time as the last one took: long stories take longer to draw.
const REST: f64 = 8.0;
/// Longer steps are said to be under way.
const SLOW_STEP_MS: u64 = 350;
/// More losses than this mean that it is not the steps' fault.
const LOSSES_MAX: usize = 5;

/// Tells the store's text, in place of whatever is being told.
pub(crate) fn tell(store: Store) {
    let telling = store.begin_telling();
    leptos::task::spawn_local(async move {
        let text = store.text.get_untracked();
        let mut spoilt = Vec::new();
        let mut losses = 0;
        loop {
            match attempt(store, telling, &text, &mut spoilt).await {
                Ok(()) => return,
                Err(_) if !store.is_telling(telling) => return,
                Err(Lost(reason)) => {
                    losses += 1;
                    if losses > LOSSES_MAX {
                        store.engine.set(Engine::Gone(reason));
                        return;
                    }
                }
            }
        }
    });
}

/// # Errors
/// The engine was lost; where a step was to blame, it is among the spoilt ones now.
async fn attempt(store: Store, telling: u32, text: &str, spoilt: &mut Vec<usize>) -> Result<(), Lost> {
    let Some(story) = read(store, telling, text, spoilt).await? else { return Ok(()) };
    let (kept, count) = (story.kept_steps, story.lines.len());
    let runs = story.diagnostics.is_empty();
    // A story that takes the place of another appears together with its first steps, so that nothing flickers.
    let mut pending = Some(story);
    if !runs || store.story.with_untracked(|story| story.lines.is_empty()) {
        pending.take().into_iter().for_each(|story| store.begin_story(story));
    }
    let show = |pending: &mut Option<Story>, news: &mut Vec<Ran>| {
        pending.take().into_iter().for_each(|story| store.begin_story(story));
        store.take(std::mem::take(news));
    };
    store.engine.set(Engine::Ready);
    let mut news: Vec<Ran> = Vec::new();
    let (mut drawn, mut rest) = (now_ms(), DRAW_EVERY_MS);
    let mut was_drawn = false;
    for step in kept..if runs { count } else { kept } {
        let slow = note_slow_step(store, telling, step);
        let answer = engine::answer(&Request::Run).await;
        drop(slow);
        if !store.is_telling(telling) {
            return Ok(());
        }
        if std::mem::take(&mut was_drawn) {
            // The page lays itself out before it hears of the next answer.
            rest = ((now_ms() - drawn) * REST).max(DRAW_EVERY_MS);
            drawn = now_ms();
        }
        match answer {
            Ok(Answer::Ran(ran)) => news.push(*ran),
            Ok(_) => break,
            Err(lost) => {
                show(&mut pending, &mut news);
                spoilt.push(step);
                return Err(lost);
            }
        }
        let is_first_sight = step == kept && pending.is_none();
        if is_first_sight || now_ms() - drawn > rest {
            drawn = now_ms();
            was_drawn = true;
            show(&mut pending, &mut news);
        }
    }
    show(&mut pending, &mut news);
    store.engine.set(Engine::Ready);
    Ok(())
}

/// Loads the text. One with mistakes leaves the story before it as it is, and only its mistakes are told.
async fn read(store: Store, telling: u32, text: &str, spoilt: &[usize]) -> Result<Option<Story>, Lost> {
    let has_story = store.story.with_untracked(|story| !story.lines.is_empty());
    if has_story && spoilt.is_empty() {
        let answer = engine::answer(&Request::Read { text: text.to_owned() }).await?;
        if !store.is_telling(telling) {
            return Ok(None);
        }
        if let Answer::Story(story) = answer
            && !story.diagnostics.is_empty()
            && !text.trim().is_empty()
        {
            store.diagnostics.set(story.diagnostics.into());
            return Ok(None);
        }
    }
    // A store that was opened anew knows nothing.
    let known = store.steps.with_untracked(Vec::len);
    let request = Request::Load { text: text.to_owned(), known, spoilt: spoilt.to_vec() };
    let answer = engine::answer(&request).await?;
    match answer {
        Answer::Story(story) if store.is_telling(telling) => Ok(Some(*story)),
        _ => Ok(None),
    }
}

/// Says which step is under way where it is for long; until the result is dropped.
fn note_slow_step(store: Store, telling: u32, step: usize) -> impl Drop {
    let work = move || {
        if store.is_telling(telling) {
            store.engine.set(Engine::Working(step));
        }
    };
    Timer(set_timeout_with_handle(work, std::time::Duration::from_millis(SLOW_STEP_MS)).ok())
}

struct Timer(Option<leptos::leptos_dom::helpers::TimeoutHandle>);

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.clear();
        }
    }
}
