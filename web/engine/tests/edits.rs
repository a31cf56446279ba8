//! A text that is edited somewhere is told from about there on, and what the page then has is what it would have been told anew.

use std::fs;
use std::path::Path;

use playground_engine::Desk;
use playground_model::frame::Frame;
use playground_model::message::{Answer, Request};
use playground_model::step::{Lease, Step};
use playground_model::story::Story;

/// A page, as far as it keeps what it is told.
#[derive(Default)]
struct Page {
    desk: Desk,
    steps: Vec<Step>,
    leases: Vec<Lease>,
    /// So many steps were run for the last text.
    run: usize,
}

impl Page {
    /// Tells a text to its end, or so many steps of it.
    fn tell(&mut self, text: &str, until: usize) -> Story {
        let request = Request::Load { text: text.to_owned(), known: self.steps.len(), spoilt: Vec::new() };
        let Answer::Story(story) = self.desk.answer(request) else { panic!("no story") };
        if !story.diagnostics.is_empty() {
            return *story;
        }
        self.steps.truncate(story.kept_steps);
        self.steps.iter_mut().for_each(|step| step.forget_from(story.kept_steps));
        self.leases.truncate(story.kept_leases);
        self.run = 0;
        for _ in story.kept_steps..story.lines.len().min(until) {
            let Answer::Ran(ran) = self.desk.answer(Request::Run) else { panic!("it does not run:\n{text}") };
            self.run += 1;
            ran.steps.into_iter().for_each(|(index, step)| put(&mut self.steps, index, step));
            ran.leases.into_iter().for_each(|(index, lease)| put(&mut self.leases, index, lease));
        }
        *story
    }

    fn look(&mut self, position: usize) -> Frame {
        match self.desk.answer(Request::Look { position, rows: 100 }) {
            Answer::Frame(frame) => *frame,
            other => panic!("position {position}: {other:?}"),
        }
    }
}

fn put<T>(list: &mut Vec<T>, index: usize, item: T) {
    if index < list.len() {
        list[index] = item;
    } else {
        assert_eq!(index, list.len(), "records come in their order");
        list.push(item);
    }
}

/// The text with a line put in before a step, or in its place.
fn edited(text: &str, story: &Story, step: usize, in_place: bool) -> String {
    let at = story.lines[step].line - 1;
    let mut lines: Vec<&str> = text.lines().collect();
    if in_place {
        lines[at] = "A> SET edited 1 PX 5";
    } else {
        lines.insert(at, "A> SET edited 1 PX 5");
    }
    lines.join("\n") + "\n"
}

#[track_caller]
fn check_same(page: &mut Page, text: &str, story: &Story) {
    let mut anew = Page::default();
    anew.tell(text, usize::MAX);
    for (index, (step, expected)) in page.steps.iter().zip(&anew.steps).enumerate() {
        assert_eq!(step, expected, "step {} of {}:\n{text}", index + 1, story.title);
    }
    assert_eq!((page.steps.len(), &page.leases), (anew.steps.len(), &anew.leases), "{text}");
    for position in [0, 1, story.lines.len() / 2, story.lines.len()] {
        assert_eq!(page.look(position), anew.look(position), "position {position} of\n{text}");
    }
}

#[test]
fn an_edited_example_is_what_it_would_be_if_it_were_told_anew() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut kept = 0;
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let mut page = Page::default();
        let story = page.tell(&text, usize::MAX);
        let other = edited(&text, &story, story.lines.len() / 2, true);
        let told = page.tell(&other, usize::MAX);
        // In a loop, or where a kept reply is missing then, that is a mistake.
        if told.diagnostics.is_empty() {
            kept += told.kept_steps;
            check_same(&mut page, &other, &told);
        }
    }
    assert!(kept > 100, "only {kept} steps were kept of all examples");
}

/// Waits, scripts that go on over many steps, expiry, and late answers, all over the place.
fn long_story(steps: usize) -> String {
    let line = |step: usize| match step % 13 {
        0 => format!("A> SET key:{step} {step} PX {}", 1 + step % 5),
        1 => "B> BLPOP jobs 0".to_owned(),
        2 => format!("C> INCR n\n@ +{}ms", 1 + step % 3),
        4 => "A> EVAL \"for i = 1, 30000 do end return redis.call('INCR', KEYS[1]) + 0.5\" 1 n".to_owned(),
        7 => format!("C> RPUSH jobs {step}"),
        9 => format!("A> DEL key:{}", step.saturating_sub(9)),
        11 => "A> MULTI\nA> INCR n\nA> EXEC".to_owned(),
        _ => format!("C> APPEND text {step}"),
    };
    (0..steps).map(|step| line(step) + "\n").collect()
}

#[test]
fn of_a_long_story_only_what_follows_the_edit_runs_again() {
    let text = long_story(700);
    let mut page = Page::default();
    let story = page.tell(&text, usize::MAX);
    let count = story.lines.len();
    for step in [count - 2, count / 2, 20] {
        let other = edited(&text, &story, step, false);
        let told = page.tell(&other, usize::MAX);
        let again = page.run - (told.lines.len() - step);
        assert!(again <= count / 8, "{again} steps before step {step} were run again");
        check_same(&mut page, &other, &told);
        page.tell(&text, usize::MAX);
    }
}

#[test]
fn an_edit_before_all_has_been_told_is_taken_from_what_was() {
    let text = long_story(300);
    let mut page = Page::default();
    let story = page.tell(&text, 150);
    let other = edited(&text, &story, 250, true);
    // Twice, and the first of them is not waited for.
    page.tell(&other, 0);
    let told = page.tell(&other, usize::MAX);
    check_same(&mut page, &other, &told);
}

#[test]
fn another_client_or_setting_makes_another_story() {
    let text = long_story(60);
    for begin in ["Z> PING\n", "@ config maxmemory 100mb\n", "@ always A> GET n\n"] {
        let mut page = Page::default();
        page.tell(&text, usize::MAX);
        let other = format!("{begin}{text}");
        let told = page.tell(&other, usize::MAX);
        assert_eq!((told.diagnostics.as_slice(), told.kept_steps), (&[][..], 0), "{begin}");
        check_same(&mut page, &other, &told);
    }
}
