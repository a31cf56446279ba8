//! Each kind of note has a story that brings it out and one, close to it, that must not.

use std::collections::BTreeSet;

use playground_core::explain::{Explained, explain, kinds};
use playground_core::timeline::{Timeline, parse};

mod cases;

fn run(text: &str) -> (Timeline, Vec<Explained>) {
    let (scenario, mistakes) = parse(&unfolded(text));
    assert!(mistakes.is_empty(), "{mistakes:?} in\n{text}");
    let version = scenario.setup.versions.choose(None).expect("some version will do");
    explain(scenario, version).expect("it can be run")
}

/// A line `500 times: …` stands for as many, each with another number for #.
fn unfolded(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.split_once(" times: ") {
            Some((count, line)) => {
                let count: usize = count.parse().expect("a number of times");
                lines.extend((0..count).map(|time| line.replace('#', &time.to_string())));
            }
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// The kinds of notes that a story brings out.
fn found(explained: &[Explained]) -> Vec<&'static str> {
    explained.iter().flat_map(|step| &step.notes).map(|note| note.kind.id).collect()
}

#[test]
fn each_note_is_brought_out_by_its_story_and_not_by_the_other() {
    let mut failures = Vec::new();
    for case in cases::CASES {
        let (_, explained) = run(case.triggers);
        let notes = found(&explained);
        if !notes.contains(&case.id) {
            failures.push(format!("{}: missing, found {notes:?}", case.id));
        }
        let told = explained.iter().flat_map(|step| &step.notes).filter(|note| note.kind.id == case.id);
        for note in told {
            if !note.what.contains(case.says) {
                failures.push(format!("{}: says {:?}, not {:?}", case.id, note.what, case.says));
            }
        }
        let (_, explained) = run(case.must_not);
        let notes = found(&explained);
        if notes.contains(&case.id) {
            failures.push(format!("{}: told where it must not", case.id));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_kind_is_without_its_two_stories() {
    let told: BTreeSet<&str> = cases::CASES.iter().map(|case| case.id).collect();
    let known: Vec<&str> = kinds().flat_map(|(_, kinds)| kinds.iter().map(|kind| kind.id)).collect();
    let unique: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(unique.len(), known.len(), "an id stands for one kind");
    assert_eq!(told, unique);
}

#[test]
fn every_kind_names_a_lesson_that_exists_and_a_page_of_the_documentation() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for kind in kinds().flat_map(|(_, kinds)| kinds.iter()) {
        assert!(examples.join(kind.example).is_file(), "{}: {}", kind.id, kind.example);
        assert!(kind.docs.starts_with("https://redis.io/docs/latest/"), "{}", kind.id);
        assert!(!kind.title.is_empty() && !kind.why.is_empty() && !kind.advice.is_empty(), "{}", kind.id);
    }
}

#[test]
fn notes_are_the_same_from_whichever_step_one_looks() {
    let (timeline, explained) = run(cases::CASES[0].triggers);
    for (step, of_step) in explained.iter().enumerate() {
        for note in &of_step.notes {
            assert!(note.step <= step && note.step < timeline.records().len());
            assert!(note.mentions.iter().all(|mention| *mention <= step));
        }
    }
}
