//! Every file under examples/: a lesson, a menu entry and a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use playground_core::profile::Version;
use playground_core::timeline::{Action, Block, Clock, Meta, Scenario, Timeline, parse};

/// Name and text of each example, in the order of their names.
fn examples() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let entries = fs::read_dir(folder).expect("the examples are part of the project");
    let mut examples: Vec<(String, String)> = entries
        .map(|entry| entry.expect("a folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("an example is text"))
        })
        .collect();
    examples.sort();
    assert!(examples.len() >= 28, "the stories of the foundation are all there");
    examples
}

/// Every example with those of the versions that it is about.
fn each_run(versions: &[Version], mut check: impl FnMut(&str, Version, Timeline)) {
    for (name, text) in examples() {
        let (scenario, diagnostics) = parse(&text);
        assert_eq!(diagnostics, [], "{name}");
        for &version in versions {
            if scenario.setup.versions.choose(Some(version)).is_some() {
                let timeline = Timeline::run(scenario.clone(), version);
                check(&name, version, timeline.unwrap_or_else(|reason| panic!("{name}: {reason}")));
            }
        }
    }
}

#[test]
fn every_reply_is_as_the_lesson_says() {
    each_run(&Version::ALL, |name, version, timeline| {
        let comparison = timeline.compare();
        assert_eq!(comparison.differences, [], "{name} with {version:?}");
        assert_eq!(comparison.edits, [], "{name} with {version:?}: a reply is not written down");
        assert!(comparison.matched > 0, "{name} expects nothing");
    });
}

#[test]
fn a_replay_of_the_inputs_ends_in_the_state_that_was_lived() {
    each_run(&[Version::V7_0, Version::default()], |name, version, timeline| {
        let live = timeline.at(timeline.records().len() - 1).digest();
        let replayed = timeline.replay().expect("it could be run before").digest();
        assert_eq!(replayed, live, "{name} with {version:?}");
    });
}

#[test]
fn going_back_to_a_step_gives_the_state_it_had() {
    for (name, text) in examples() {
        let (scenario, _) = parse(&text);
        let version = scenario.setup.versions.choose(None).expect("some version will do");
        let mut timeline = Timeline::new(scenario, version).expect("it can be run");
        let mut lived = vec![timeline.before_first().digest()];
        while let Some(step) = timeline.advance() {
            lived.push(timeline.at(step).digest());
        }
        for (step, digest) in lived.iter().enumerate().skip(1).rev() {
            assert_eq!(timeline.at(step - 1).digest(), *digest, "{name}, step {step}");
        }
        assert_eq!(timeline.before_first().digest(), lived[0], "{name}, before the first step");
    }
}

/// `playground verify` waits for real where the clock moves.
#[test]
fn no_example_keeps_a_real_server_waiting_for_long() {
    for (name, text) in examples() {
        let time = parse(&text).0.steps.iter().fold(0, |time, step| match step.action {
            Action::Clock(Clock::Forward(by)) => time + by.0,
            Action::Clock(Clock::At(at)) => at.0,
            _ => time,
        });
        assert!(time <= 10_000_000, "{name} takes {} s", time / 1_000_000);
    }
}

#[test]
fn every_example_is_a_lesson() {
    for (name, text) in examples() {
        let (Scenario { meta, blocks, steps, checks, .. }, _) = parse(&text);
        assert!(!meta.title.is_empty() && !meta.summary.is_empty() && !meta.tags.is_empty(), "{name}");
        let Some(Block::Prose(end)) = blocks.last() else { panic!("{name} ends without a word") };
        assert!(end.contains("**Take away:**"), "{name} says what to take away");
        assert!(steps.iter().any(|step| step.predict.is_some()), "{name} asks the reader something");
        let has_task = blocks.iter().any(
            |block| matches!(block, Block::Prose(text) if text.lines().any(|line| line == "## Now break it")),
        );
        assert!(has_task && !checks.is_empty(), "{name} has a task, and a check to see it by");
    }
}

#[test]
fn the_lessons_are_a_course() {
    let mut lessons: Vec<(u32, String, Meta)> = examples()
        .into_iter()
        .map(|(name, text)| {
            let meta = parse(&text).0.meta;
            (meta.order.unwrap_or_else(|| panic!("{name} has no place")), name, meta)
        })
        .collect();
    lessons.sort_by_key(|(order, ..)| *order);
    let mut chapters: Vec<&str> = lessons.iter().map(|(.., meta)| meta.course.as_str()).collect();
    chapters.dedup();
    let distinct: BTreeSet<&str> = chapters.iter().copied().collect();
    assert_eq!(distinct.len(), chapters.len(), "the lessons of a chapter follow each other: {chapters:?}");
    assert!(!distinct.contains(""), "each lesson is in a chapter");
    for (index, (order, name, meta)) in lessons.iter().enumerate() {
        assert_eq!(*order as usize, index + 1, "{name}");
        let next = lessons.get(index + 1).map(|(_, name, _)| name.trim_end_matches(".md"));
        assert_eq!(meta.next, next.unwrap_or_default(), "{name} leads to the next lesson");
    }
}
