//! What the page knows and shows: the story, how far it has been run, and where the reader stands.
//!
//! Components read signals and call the methods here; nothing else changes a signal. A [`Store`] is a handle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use playground_model::frame::Frame;
use playground_model::history::{History, TextId};
use playground_model::layout::{self, Layout};
use playground_model::lint::Linted;
use playground_model::message::{Answer, Ran, Request};
use playground_model::offer::CommandHelp;
use playground_model::step::{Lease, Step};
use playground_model::story::{Action, Diagnostic, Story};

use crate::standing::{Standing, Standings};
use crate::strings::T;
use crate::{browser, engine, measure, past, tell, work};

/// What a narrow page shows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Story,
    Steps,
    Keys,
    Terminals,
}

/// How replies are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyForm {
    Cli,
    Resp2,
    Resp3,
    Json,
}

/// What the panel below the timeline shows; `view/dock.rs` lists its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dock {
    Terminals,
    Explore,
    Debugger,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Nothing has been answered yet.
    Starting,
    Ready,
    /// A step that is being carried out for longer than steps are.
    Working(usize),
    /// It could not be had again.
    Gone(String),
}

#[derive(Clone, Copy)]
pub(crate) struct Store {
    /// The example that the text began as; None for an own text.
    pub(crate) example: RwSignal<Option<String>>,
    /// The id of an own text; None for an example, and for a new story as long as it is empty.
    pub(crate) own: RwSignal<Option<String>>,
    /// The text as it was kept last: another one there is another tab's work.
    pub(crate) kept: StoredValue<Option<String>>,
    /// What can be typed to this story's server; empty until somebody wants to know.
    pub(crate) commands: RwSignal<Arc<Vec<CommandHelp>>>,
    /// The example's own text, to tell whether it was edited and to go back to it.
    pub(crate) original: RwSignal<Arc<String>>,
    pub(crate) text: RwSignal<Arc<String>>,
    pub(crate) history: RwSignal<History>,
    pub(crate) story: RwSignal<Arc<Story>>,
    /// Of the text in the editor; with some, the story is the last one without.
    pub(crate) diagnostics: RwSignal<Arc<Vec<Diagnostic>>>,
    /// What the lints say of the text, where somebody has asked them.
    pub(crate) linted: RwSignal<Arc<Linted>>,
    pub(crate) steps: RwSignal<Vec<Arc<Step>>>,
    pub(crate) leases: RwSignal<Vec<Lease>>,
    /// The story has been run to its end.
    pub(crate) done: RwSignal<bool>,
    pub(crate) position: RwSignal<usize>,
    pub(crate) frame: RwSignal<Arc<Frame>>,
    /// Of the timeline, 1 at its natural size.
    pub(crate) zoom: RwSignal<f64>,
    pub(crate) layout: Memo<Arc<Layout>>,
    pub(crate) engine: RwSignal<Engine>,
    /// The engine is there: until then the story may be told from a recording, and all else waits.
    pub(crate) has_engine: RwSignal<bool>,
    pub(crate) playing: RwSignal<bool>,
    /// Steps in ten seconds.
    pub(crate) speed: RwSignal<u32>,
    pub(crate) editing: RwSignal<bool>,
    pub(crate) tab: RwSignal<Tab>,
    pub(crate) reply_form: RwSignal<ReplyForm>,
    pub(crate) dock: RwSignal<Dock>,
    /// The panel below the timeline has the room of the step's card too.
    pub(crate) dock_large: RwSignal<bool>,
    /// The client whose terminal a narrow page shows.
    pub(crate) notice: RwSignal<Option<String>>,
    /// What the reader has said before steps were shown, by the question: a change of the story moves its steps.
    predictions: RwSignal<Vec<(String, String)>>,
    /// Whoever embeds the page wants each question answered before its step is shown.
    must_predict: bool,
    /// So many keys are drawn; more when the reader comes to the end of them.
    pub(crate) rows: RwSignal<usize>,
    standings: StoredValue<Standings>,
    /// By step: earlier ones of which there is something to say only then, a reply or a note.
    late: StoredValue<BTreeMap<usize, BTreeSet<usize>>>,
    frames: StoredValue<BTreeMap<usize, Arc<Frame>>>,
    /// A position that is to be shown as soon as it is reached.
    wanted: StoredValue<Option<usize>>,
    /// Tells a newer telling from an older one, whose answers may still come in.
    telling: StoredValue<u32>,
}

impl Store {
    pub(crate) fn new() -> Self {
        let story = RwSignal::new(Arc::new(Story::default()));
        let steps = RwSignal::new(Vec::<Arc<Step>>::new());
        let leases = RwSignal::new(Vec::<Lease>::new());
        let zoom = RwSignal::new(1.0);
        let layout = Memo::new(move |_| {
            let story = story.get();
            let zoom = zoom.get();
            let layout = steps.with(|steps| {
                let measure = |step: usize| measure::chip(&story.lines[step].action, &steps[step], zoom);
                leases.with(|leases| layout::lay_out(&story.lines, steps, leases, zoom, measure))
            });
            Arc::new(layout)
        });
        Self {
            example: RwSignal::new(None),
            own: RwSignal::new(None),
            kept: StoredValue::new(None),
            commands: RwSignal::new(Arc::default()),
            original: RwSignal::new(Arc::default()),
            text: RwSignal::new(Arc::default()),
            history: RwSignal::new(History::new(String::new())),
            story,
            diagnostics: RwSignal::new(Arc::default()),
            linted: RwSignal::new(Arc::default()),
            steps,
            leases,
            done: RwSignal::new(false),
            position: RwSignal::new(0),
            frame: RwSignal::new(Arc::default()),
            zoom,
            layout,
            engine: RwSignal::new(Engine::Starting),
            has_engine: RwSignal::new(false),
            playing: RwSignal::new(false),
            speed: RwSignal::new(10),
            editing: RwSignal::new(false),
            tab: RwSignal::new(Tab::Story),
            reply_form: RwSignal::new(ReplyForm::Cli),
            dock: RwSignal::new(Dock::Terminals),
            dock_large: RwSignal::new(false),
            notice: RwSignal::new(None),
            predictions: RwSignal::new(Vec::new()),
            must_predict: browser::parameter("predict").is_some(),
            rows: RwSignal::new(Frame::ROWS),
            standings: StoredValue::default(),
            late: StoredValue::default(),
            frames: StoredValue::new(BTreeMap::new()),
            wanted: StoredValue::new(None),
            telling: StoredValue::new(0),
        }
    }

    /// Notes when the engine is there.
    pub(crate) fn await_engine(&self) {
        let has_engine = self.has_engine;
        leptos::task::spawn_local(async move {
            engine::arrival().await;
            has_engine.set(true);
        });
    }

    // Where the reader stands.

    /// How many steps can be stepped through now.
    pub(crate) fn reached(&self) -> usize {
        self.steps.with(Vec::len)
    }

    /// Shows a tool of the panel below the timeline, wherever the reader looks.
    pub(crate) fn show_dock(&self, dock: Dock) {
        self.dock.set(dock);
        self.tab.set(Tab::Terminals);
    }

    /// Goes to a position; beyond what has been run, as soon as that is.
    pub(crate) fn go(&self, position: usize) {
        let reached = self.steps.with_untracked(Vec::len);
        let count = self.story.with_untracked(|story| story.lines.len());
        let position = if self.must_predict { self.before_question(position) } else { position };
        self.wanted.set_value((position > reached && position <= count).then_some(position));
        self.show(position.min(reached));
    }

    /// A position, or the one before the first question on the way there that has no answer.
    fn before_question(&self, position: usize) -> usize {
        let from = self.position.get_untracked();
        let on_the_way = (from..position).find(|step| untrack(|| self.is_open_question(*step)));
        on_the_way.inspect(|_| self.playing.set(false)).unwrap_or(position)
    }

    fn is_open_question(&self, step: usize) -> bool {
        self.story.with(|story| {
            let predict = story.lines.get(step).and_then(|line| line.predict.as_ref());
            predict.is_some_and(|predict| self.prediction(&predict.question).is_none())
        })
    }

    /// Whether what comes of a step is kept from the reader, who is still to say what it will be.
    pub(crate) fn keeps_back(&self, step: usize) -> bool {
        self.is_open_question(step) && self.position.get() <= step
    }

    /// Takes in what the reader says will come. The first word counts.
    pub(crate) fn predict(&self, question: &str, answer: &str) {
        if untrack(|| self.prediction(question).is_none()) {
            self.predictions.update(|said| said.push((question.to_owned(), answer.to_owned())));
        }
    }

    pub(crate) fn prediction(&self, question: &str) -> Option<String> {
        let of_question = |(asked, _): &&(String, String)| asked == question;
        self.predictions.with(|said| said.iter().find(of_question).map(|(_, answer)| answer.clone()))
    }

    pub(crate) fn forward(&self) {
        self.go(self.position.get_untracked() + 1);
    }

    pub(crate) fn back(&self) {
        self.playing.set(false);
        self.go(self.position.get_untracked().saturating_sub(1));
    }

    pub(crate) fn first(&self) {
        self.playing.set(false);
        self.go(0);
    }

    pub(crate) fn last(&self) {
        self.playing.set(false);
        self.go(self.story.with_untracked(|story| story.lines.len()));
    }

    pub(crate) fn toggle_playing(&self) {
        let at_end = self.position.get_untracked() >= self.story.with_untracked(|story| story.lines.len());
        if !self.playing.get_untracked() && at_end {
            self.go(0);
        }
        self.playing.update(|playing| *playing = !*playing);
    }

    fn show(&self, position: usize) {
        self.stand_at(position);
        self.show_frame(position);
        work::remember_place(self);
    }

    fn stand_at(&self, position: usize) {
        let before = self.position.get_untracked();
        if before == position {
            return;
        }
        // A narrow page begins with the story to read, and turns to the steps with the first of them.
        if before == 0 && self.tab.get_untracked() == Tab::Story {
            self.tab.set(Tab::Steps);
        }
        self.position.set(position);
        let passed = self.standings.with_value(|standings| standings.passed(before, position));
        for (step, standing) in passed {
            standing.tell(step, position);
        }
    }

    /// Where a step stands to the reader, for as long as the view that asks is there.
    pub(crate) fn standing(&self, step: usize) -> Standing {
        let (position, standings) = (self.position.get_untracked(), self.standings);
        on_cleanup(move || {
            standings.try_update_value(|standings| standings.leave(step));
        });
        standings
            .try_update_value(|standings| standings.join(step, position))
            .expect("the store lives as long as the page")
    }

    fn show_frame(&self, position: usize) {
        let rows = self.rows.get_untracked();
        let is_enough = |frame: &&Arc<Frame>| frame.rows.len() >= rows.min(frame.keys_total);
        match self.frames.with_value(|frames| frames.get(&position).filter(is_enough).cloned()) {
            Some(frame) => self.frame.set(frame),
            None => self.ask_for_frame(position, rows),
        }
    }

    /// Draws more of the keys.
    pub(crate) fn show_more_rows(&self) {
        self.rows.update(|rows| *rows += Frame::ROWS);
        self.show_frame(self.position.get_untracked());
    }

    fn ask_for_frame(&self, position: usize, rows: usize) {
        let (store, telling) = (*self, self.telling.get_value());
        leptos::task::spawn_local(async move {
            let Ok(Answer::Frame(frame)) = engine::answer(&Request::Look { position, rows }).await else {
                return;
            };
            if store.telling.get_value() != telling {
                return;
            }
            let frame = Arc::new(*frame);
            store.frames.update_value(|frames| drop(frames.insert(position, Arc::clone(&frame))));
            if store.position.get_untracked() == position {
                store.frame.set(frame);
            }
        });
    }

    /// Zooms the timeline by some notches, or back to its natural size with none.
    pub(crate) fn zoom_by(&self, notches: i32) {
        const RANGE: (f64, f64) = (0.06, 8.0);
        let zoom = match notches {
            0 => 1.0,
            _ => (self.zoom.get_untracked() * 1.3_f64.powi(notches)).clamp(RANGE.0, RANGE.1),
        };
        // A notch out and one in lead back to where one was.
        self.zoom.set(if (zoom - 1.0).abs() < 0.05 { 1.0 } else { zoom });
    }

    // The text.

    /// Opens a text in place of the present one, at a position of its story.
    pub(crate) fn open(
        &self,
        example: Option<String>,
        own: Option<String>,
        original: String,
        text: String,
        position: usize,
    ) {
        self.playing.set(false);
        self.notice.set(None);
        let is_kept = own.is_some() || text != original;
        self.kept.set_value(is_kept.then(|| text.clone()));
        let name = work::text_name(example.as_deref(), own.as_deref());
        self.history.set(past::of(name.as_deref(), &text));
        self.example.set(example);
        self.own.set(own);
        self.original.set(Arc::new(original));
        self.text.set(Arc::new(text));
        self.story.set(Arc::default());
        self.linted.set(Arc::default());
        self.predictions.set(Vec::new());
        self.commands.set(Arc::default());
        self.forget_run(0, 0);
        self.wanted.set_value(Some(position));
        self.rows.set(Frame::ROWS);
        self.stand_at(0);
        self.frame.set(Arc::default());
        tell::tell(*self);
    }

    /// The text was changed, by typing or otherwise. The story follows, and the place stays.
    pub(crate) fn change_text(&self, text: String) {
        if self.text.with_untracked(|old| **old == text) {
            return;
        }
        self.history.update(|history| history.push(text.clone()));
        self.set_text(text);
    }

    /// Text that is being typed: it is kept, and told when it has settled.
    pub(crate) fn draft(&self, text: String) {
        self.text.set(Arc::new(text));
        work::remember_text(self);
    }

    pub(crate) fn settle_draft(&self) {
        let text = self.text.get_untracked();
        if self.history.with_untracked(|history| history.text() != text.as_str()) {
            self.history.update(|history| history.push((*text).clone()));
            work::remember_history(self);
            tell::tell(*self);
        }
    }

    pub(crate) fn undo(&self) {
        self.settle_draft();
        let text = self.history.try_update(|history| history.undo().to_owned());
        text.into_iter().for_each(|text| self.set_text(text));
    }

    pub(crate) fn redo(&self) {
        let text = self.history.try_update(|history| history.redo().to_owned());
        text.into_iter().for_each(|text| self.set_text(text));
    }

    /// Goes to a text of a branch; what was there becomes a branch.
    pub(crate) fn go_to_text(&self, id: TextId) {
        self.settle_draft();
        let text = self.history.try_update(|history| history.go(id).map(str::to_owned));
        text.flatten().into_iter().for_each(|text| self.set_text(text));
    }

    pub(crate) fn drop_branch(&self, end: TextId) {
        self.history.update(|history| history.drop_branch(end));
        work::remember_history(self);
    }

    fn set_text(&self, text: String) {
        self.text.set(Arc::new(text));
        work::remember_text(self);
        work::remember_history(self);
        tell::tell(*self);
    }

    pub(crate) fn is_edited(&self) -> bool {
        self.example.with(Option::is_some) && self.text.get() != self.original.get()
    }

    // The run of the story, for `tell`.

    /// Begins a new telling: answers to older ones are of no account from now on.
    pub(crate) fn begin_telling(&self) -> u32 {
        self.telling.update_value(|telling| *telling += 1);
        self.telling.get_value()
    }

    pub(crate) fn is_telling(&self, telling: u32) -> bool {
        self.telling.get_value() == telling
    }

    /// A story takes the place of the one before; the reader stays where he stands.
    pub(crate) fn begin_story(&self, story: Story) {
        let position = self.wanted.get_value().unwrap_or(self.position.get_untracked());
        self.forget_run(story.kept_steps, story.kept_leases);
        self.wanted.set_value(Some(position.min(story.lines.len())));
        self.diagnostics.set(Arc::new(story.diagnostics.clone()));
        self.done.set(story.lines.is_empty() || !story.diagnostics.is_empty());
        self.story.set(Arc::new(story));
        if self.done.get_untracked() {
            self.wanted.set_value(None);
            self.stand_at(0);
            self.frame.set(Arc::default());
        }
        let is_new = self.steps.with_untracked(Vec::is_empty);
        if is_new && self.diagnostics.with_untracked(|diagnostics| diagnostics.is_empty()) {
            self.ask_for_frame(0, Frame::ROWS);
        }
        work::announce_title(self);
    }

    /// Forgets all but the first steps and leases.
    fn forget_run(&self, steps: usize, leases: usize) {
        // Nobody has been anywhere without a step.
        let frames = if steps == 0 { 0 } else { steps + 1 };
        self.frames.update_value(|known| drop(known.split_off(&frames)));
        self.late.update_value(|late| drop(late.split_off(&steps)));
        self.steps.update(|known| {
            known.truncate(steps);
            for known in known {
                let is_late = known.told_during().any(|during| during >= steps);
                if is_late || !known.differences.is_empty() {
                    Arc::make_mut(known).forget_from(steps);
                }
            }
        });
        self.leases.update(|known| known.truncate(leases));
        self.done.set(false);
    }

    /// Takes in what steps have brought, in their order.
    pub(crate) fn take(&self, news: Vec<Ran>) {
        let mut done = false;
        self.frames.update_value(|frames| {
            let small = news.iter().filter_map(|ran| ran.frame.as_ref());
            frames.extend(small.map(|frame| (frame.position, Arc::new(frame.clone()))));
        });
        if news.iter().any(|ran| !ran.leases.is_empty()) {
            self.leases.update(|leases| {
                for (index, lease) in news.iter().flat_map(|ran| &ran.leases) {
                    replace(leases, *index, lease.clone());
                }
            });
        }
        self.late.update_value(|late| {
            for (index, step) in news.iter().flat_map(|ran| &ran.steps) {
                step.told_during().filter(|during| during != index).for_each(|during| {
                    late.entry(during).or_default().insert(*index);
                });
            }
        });
        self.steps.update(|steps| {
            for ran in news {
                done |= ran.done;
                for (index, step) in ran.steps {
                    replace(steps, index, Arc::new(step));
                }
            }
        });
        self.follow_wanted(done);
        if done {
            self.done.set(true);
        }
    }

    /// Goes where the reader wants to be as far as the story has come.
    fn follow_wanted(&self, done: bool) {
        let reached = self.steps.with_untracked(Vec::len);
        let Some(wanted) = self.wanted.get_value() else { return };
        if wanted <= reached || done {
            self.wanted.set_value(None);
            self.show(wanted.min(reached));
        }
    }

    /// A step's record, for a view of its own: it is drawn again when this record has changed, not with every step of the story.
    pub(crate) fn record(&self, step: usize) -> Memo<Option<Arc<Step>>> {
        let steps = self.steps;
        Memo::new_with_compare(
            move |_| steps.with(|steps| steps.get(step).cloned()),
            |old, new| match (old, new) {
                (Some(Some(old)), Some(Some(new))) => !Arc::ptr_eq(old, new),
                (old, new) => old.map(Option::is_some) != new.map(Option::is_some),
            },
        )
    }

    /// The steps before one of which there is something to say only during that one.
    pub(crate) fn told_late(&self, during: usize) -> Vec<usize> {
        self.late.with_value(|late| late.get(&during).into_iter().flatten().copied().collect())
    }

    /// The next step's number from 1 and what it will do; None at the end.
    pub(crate) fn action(&self, step: usize) -> Option<Action> {
        self.story.with(|story| story.lines.get(step).map(|line| line.action.clone()))
    }

    pub(crate) fn client_name(&self, client: usize) -> String {
        self.story.with(|story| story.clients.get(client).cloned().unwrap_or_default())
    }

    // Typed commands.

    /// Sends a typed command: it becomes a step of the story behind the present one, which is then the present one.
    /// Gives why it cannot be sent, if so.
    pub(crate) async fn type_command(&self, client: String, command: String) -> Result<(), String> {
        let position = self.position.get_untracked();
        let request = Request::Insert { position, client, command };
        match engine::answer(&request).await {
            Ok(Answer::Text { text }) => {
                self.wanted.set_value(Some(position + 1));
                self.change_text(text);
                Ok(())
            }
            Ok(Answer::Refused { message, help, .. }) if help.is_empty() => Err(message),
            Ok(Answer::Refused { message, help, .. }) => Err(format!("{message}: {help}")),
            Ok(Answer::Error { text }) => Err(text),
            Ok(_) => Err(String::new()),
            Err(engine::Lost(reason)) => {
                tell::tell(*self);
                Err((T.engine_lost)(&reason))
            }
        }
    }

    /// Asks what can be typed to this story's server.
    pub(crate) fn learn_commands(&self) {
        let store = *self;
        leptos::task::spawn_local(async move {
            if let Ok(Answer::Commands { commands }) = engine::answer(&Request::Commands).await {
                store.commands.set(Arc::new(commands));
            }
        });
    }

    /// Writes the replies that came into the text, or only the one that is expected at a line.
    pub(crate) fn accept_replies(&self, line: Option<usize>) {
        let store = *self;
        leptos::task::spawn_local(async move {
            if let Ok(Answer::Text { text }) = engine::answer(&Request::Accept { line }).await {
                store.change_text(text);
            }
        });
    }
}

fn replace<T: Clone>(list: &mut Vec<T>, index: usize, item: T) {
    if index < list.len() {
        list[index] = item;
    } else {
        // Records come in their order, so this is the next one.
        list.push(item);
    }
}

/// The page's store, for components.
pub(crate) fn store() -> Store {
    expect_context::<Store>()
}
