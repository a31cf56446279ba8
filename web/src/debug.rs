//! The debugger's state: the recording that is open, the point of it that is seen, breakpoints and watched expressions.
//!
//! The engine holds the recording; here is what was told last. It is opened anew whenever the present step is another, and
//! where the engine has forgotten it.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use playground_model::debug::{Breakpoint, Moment, Move, Recording};
use playground_model::message::{Answer, Request};

use crate::engine;
use crate::store::{Dock, Store};

#[derive(Clone, Copy)]
pub(crate) struct Debugger {
    store: Store,
    pub(crate) recording: RwSignal<Option<Arc<Recording>>>,
    pub(crate) moment: RwSignal<Arc<Moment>>,
    /// Conditions by line; an empty one always holds.
    pub(crate) breakpoints: RwSignal<BTreeMap<u32, String>>,
    pub(crate) watch: RwSignal<Vec<String>>,
    /// The function whose variables are shown: so many levels out of the innermost one.
    pub(crate) level: RwSignal<usize>,
    /// A move is under way; another one meanwhile is let go, save that what is watched must not be missed.
    under_way: StoredValue<bool>,
    stale: StoredValue<bool>,
}

impl Debugger {
    pub(crate) fn new(store: Store) -> Self {
        let debugger = Self {
            store,
            recording: RwSignal::new(None),
            moment: RwSignal::new(Arc::default()),
            breakpoints: RwSignal::new(BTreeMap::new()),
            watch: RwSignal::new(Vec::new()),
            level: RwSignal::new(0),
            under_way: StoredValue::new(false),
            stale: StoredValue::new(false),
        };
        debugger.follow();
        debugger
    }

    /// Opens the recording of the present step as long as the debugger is shown.
    fn follow(self) {
        let store = self.store;
        let present = Memo::new(move |_| {
            let step = store.position.get().checked_sub(1)?;
            let ended = store.steps.with(|steps| steps.get(step)?.script.as_ref().map(|run| run.ended_us))?;
            let story = store.story.with(|story| Arc::as_ptr(story).addr());
            Some((story, step, ended))
        });
        Effect::new(move || {
            let is_shown = store.dock.get() == Dock::Debugger;
            match present.get() {
                Some((_, step, _)) if is_shown => self.open(step, 0),
                _ => self.recording.set(None),
            }
        });
    }

    /// Whether the present step has run a script.
    fn has_script(&self) -> bool {
        let position = self.store.position.get_untracked();
        let step = position.checked_sub(1);
        step.is_some_and(|step| {
            self.store.steps.with_untracked(|steps| steps.get(step).is_some_and(|step| step.script.is_some()))
        })
    }

    /// Opens one of the runs of a step and goes to its begin.
    pub(crate) fn open(self, step: usize, run: usize) {
        leptos::task::spawn_local(async move {
            let Ok(Answer::Recording(recording)) = engine::answer(&Request::Record { step, run }).await
            else {
                return self.recording.set(None);
            };
            let recording = Arc::new(*recording);
            let is_same_text = self
                .recording
                .with_untracked(|old| old.as_ref().is_none_or(|old| old.source == recording.source));
            if !is_same_text {
                self.breakpoints.set(BTreeMap::new());
            }
            self.level.set(0);
            if let Some(moment) = self.ask(0, Move::To(0)).await {
                self.moment.set(Arc::new(moment));
                self.recording.set(Some(recording));
            }
        });
    }

    /// By key: moves, or shows the debugger where it is hidden. False where the present step runs no script.
    pub(crate) fn press(self, to: Move) -> bool {
        if !self.has_script() {
            return false;
        }
        self.store.playing.set(false);
        if self.store.dock.get_untracked() == Dock::Debugger && self.recording.with_untracked(Option::is_some)
        {
            self.go(to);
        } else {
            self.store.show_dock(Dock::Debugger);
        }
        true
    }

    pub(crate) fn go(self, to: Move) {
        if self.under_way.get_value() {
            return self.stale.set_value(true);
        }
        self.under_way.set_value(true);
        leptos::task::spawn_local(async move {
            let mut to = to;
            loop {
                self.stale.set_value(false);
                let from = self.moment.with_untracked(|moment| moment.point);
                if let Some(moment) = self.ask(from, to).await {
                    let has_moved = moment.point != from;
                    self.moment.set(Arc::new(moment));
                    if has_moved && self.level.get_untracked() != 0 {
                        self.level.set(0);
                        self.stale.set_value(true);
                    }
                }
                if !self.stale.get_value() {
                    break;
                }
                to = Move::To(self.moment.with_untracked(|moment| moment.point));
            }
            self.under_way.set_value(false);
        });
    }

    /// Asks again for what is seen at the same point.
    pub(crate) fn refresh(self) {
        self.go(Move::To(self.moment.with_untracked(|moment| moment.point)));
    }

    async fn ask(self, from: usize, to: Move) -> Option<Moment> {
        let breakpoints = self.breakpoints.with_untracked(|breakpoints| {
            let all = breakpoints.iter();
            all.map(|(line, condition)| Breakpoint { line: *line, condition: condition.clone() }).collect()
        });
        let watch = self.watch.get_untracked();
        let level = self.level.get_untracked();
        let request = Request::Trace { from, to, breakpoints, watch, level };
        match engine::answer(&request).await {
            Ok(Answer::Moment(moment)) => return Some(*moment),
            // An engine that took the place of a lost one knows no recording.
            Ok(_) => {}
            Err(_) => return None,
        }
        let (step, run) = self.recording.with_untracked(|old| old.as_ref().map(|old| (old.step, old.run)))?;
        engine::answer(&Request::Record { step, run }).await.ok()?;
        match engine::answer(&request).await {
            Ok(Answer::Moment(moment)) => Some(*moment),
            _ => None,
        }
    }

    pub(crate) fn toggle_breakpoint(self, line: u32) {
        self.breakpoints.update(|breakpoints| {
            if breakpoints.remove(&line).is_none() {
                breakpoints.insert(line, String::new());
            }
        });
    }

    pub(crate) fn set_condition(self, line: u32, condition: String) {
        self.breakpoints.update(|breakpoints| drop(breakpoints.insert(line, condition)));
    }

    pub(crate) fn add_watch(self, expression: String) {
        if !expression.trim().is_empty() {
            self.watch.update(|watch| watch.push(expression));
            self.refresh();
        }
    }

    pub(crate) fn remove_watch(self, index: usize) {
        self.watch.update(|watch| drop(watch.remove(index)));
        self.refresh();
    }

    pub(crate) fn choose_level(self, level: usize) {
        self.level.set(level);
        self.refresh();
    }
}

/// The page's debugger, for components.
pub(crate) fn debugger() -> Debugger {
    expect_context::<Debugger>()
}
