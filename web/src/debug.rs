//! The debugger's state: the recording that is open, the point of it that is seen, breakpoints and watched expressions.
//!
//! The engine holds the recording; here is what was told last. It is opened anew whenever the present step is another, and
//! where the engine has forgotten it.

use std::sync::Arc;

use leptos::prelude::*;
use playground_model::debug::{self, Breakpoint, Breakpoints, Moment, Move, Recording};
use playground_model::message::{Answer, Request};

use crate::engine;
use crate::store::{Dock, Store};
use playground_model::story::Story;

#[derive(Clone, Copy)]
pub(crate) struct Debugger {
    store: Store,
    pub(crate) recording: RwSignal<Option<Arc<Recording>>>,
    pub(crate) moment: RwSignal<Arc<Moment>>,
    /// By script: its name in the story, or its text where it has none there.
    pub(crate) breakpoints: RwSignal<Vec<(String, Breakpoints)>>,
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
            breakpoints: RwSignal::new(Vec::new()),
            watch: RwSignal::new(Vec::new()),
            level: RwSignal::new(0),
            under_way: StoredValue::new(false),
            stale: StoredValue::new(false),
        };
        debugger.follow();
        debugger.keep_breakpoints();
        debugger
    }

    /// Breakpoints go with their lines when the story changes, and are forgotten with it.
    fn keep_breakpoints(self) {
        let store = self.store;
        Effect::new(move |before: Option<(Option<String>, Arc<Story>)>| {
            let place = store.example.get().or_else(|| store.own.get());
            let story = store.story.get();
            let Some((old_place, old)) = before else { return (place, story) };
            if old_place != place {
                self.breakpoints.set(Vec::new());
            } else if !self.breakpoints.with_untracked(Vec::is_empty) {
                // A story that is opened again is empty meanwhile.
                if story.scripts.is_empty() {
                    return (place, old);
                }
                self.breakpoints.update(|all| {
                    for (name, lines) in all {
                        let text = |story: &Story| {
                            let script = story.scripts.iter().find(|script| script.name == *name);
                            script.map(|script| script.text.clone())
                        };
                        if let (Some(before), Some(after)) = (text(&old), text(&story)) {
                            *lines = debug::moved(lines, &before, &after);
                        }
                    }
                });
            }
            (place, story)
        });
    }

    /// What the breakpoints of the open script are kept under.
    pub(crate) fn script(&self) -> Option<String> {
        self.recording.with(|recording| {
            let source = &recording.as_ref()?.source;
            let name = self.store.story.with(|story| {
                story.scripts.iter().find(|script| script.text == *source).map(|script| script.name.clone())
            });
            Some(name.unwrap_or_else(|| source.clone()))
        })
    }

    pub(crate) fn has_breakpoint(&self, script: &str, line: u32) -> bool {
        self.breakpoints.with(|all| of(all, script).is_some_and(|lines| lines.contains_key(&line)))
    }

    /// Whether this line of a script is the one that is looked at.
    pub(crate) fn stands_at(&self, script: &str, line: u32) -> bool {
        self.moment.with(|moment| moment.line == Some(line)) && self.script().as_deref() == Some(script)
    }

    /// Sets a breakpoint on the line that is looked at, or takes it away. False where no line is.
    pub(crate) fn toggle_here(&self) -> bool {
        let here = untrack(|| Some((self.script()?, self.moment.with(|moment| moment.line)?)));
        here.is_some_and(|(script, line)| {
            self.toggle_breakpoint(&script, line);
            true
        })
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
        let script = untrack(|| self.script()).unwrap_or_default();
        let breakpoints = self.breakpoints.with_untracked(|all| {
            let own = of(all, &script).into_iter().flatten();
            own.map(|(line, condition)| Breakpoint { line: *line, condition: condition.clone() }).collect()
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

    pub(crate) fn toggle_breakpoint(&self, script: &str, line: u32) {
        self.change(script, |lines| {
            if lines.remove(&line).is_none() {
                lines.insert(line, String::new());
            }
        });
    }

    fn change(&self, script: &str, work: impl FnOnce(&mut Breakpoints)) {
        self.breakpoints.update(|all| {
            let place = all.iter().position(|(name, _)| name == script).unwrap_or_else(|| {
                all.push((script.to_owned(), Breakpoints::new()));
                all.len() - 1
            });
            work(&mut all[place].1);
        });
    }

    /// By a line of the whole story's text; nothing where it is no script's.
    pub(crate) fn toggle_at_text_line(&self, line: usize) {
        let place = self.store.story.with_untracked(|story| {
            let script = story.scripts.iter().rev().find(|script| script.line < line)?;
            let own = line - script.line;
            (own <= script.text.split('\n').count()).then(|| (script.name.clone(), own as u32))
        });
        if let Some((script, line)) = place {
            self.toggle_breakpoint(&script, line);
        }
    }

    pub(crate) fn set_condition(&self, script: &str, line: u32, condition: String) {
        self.change(script, |lines| drop(lines.insert(line, condition)));
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

/// The breakpoints of one script, among those of all.
pub(crate) fn of<'a>(all: &'a [(String, Breakpoints)], script: &str) -> Option<&'a Breakpoints> {
    all.iter().find(|(name, _)| name == script).map(|(_, lines)| lines)
}

/// The page's debugger, for components.
pub(crate) fn debugger() -> Debugger {
    expect_context::<Debugger>()
}
