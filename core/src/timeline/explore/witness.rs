//! A schedule as an ordinary scenario: what was sent, in the order in which it was, as plain steps.
//!
//! What clients decided is done: arguments have their values, skipped steps are remarks, further attempts are steps.

use crate::Bytes;
use crate::clock::Micros;
use crate::resp::{quote_arg, split_words};
use crate::server::InputKind;

use super::super::history::Timeline;
use super::super::parse;
use super::super::rewrite::rewrite;
use super::super::run::{Done, Tip};
use super::super::scenario::{Scenario, Send, Versions};
use super::plan::Plan;
use super::world::{Actor, Happened, World};
use crate::profile::Version;

/// The scenario's text in that order, with the replies that come of it; the expected replies of checks stay.
pub(super) fn text(plan: &Plan, tip: Tip, version: Version, schedule: &[Actor]) -> String {
    let scenario = &plan.scenario;
    let mut lines = Vec::new();
    let mut start = tip;
    for index in 0..plan.from {
        let done = start.step(scenario, index);
        step(scenario, index, Some(&done), &mut lines);
    }
    // Anew, as the first moves may be no choice.
    let mut world = World::anew(start, plan, &mut |happened| push(scenario, happened, &mut lines));
    for actor in schedule {
        world.go(plan, *actor, &mut |happened| push(scenario, happened, &mut lines));
    }
    let text = document(plan, &lines);
    // The replies as they come; where this can't be run, without them.
    let (again, diagnostics) = parse::parse(&text);
    let checks: Vec<usize> = again.checks.iter().map(|check| check.line).collect();
    match Timeline::run(again, version) {
        Ok(timeline) if diagnostics.is_empty() => {
            let mut edits = timeline.compare().edits;
            edits.retain(|edit| !checks.contains(&(edit.like + 1)));
            rewrite(&text, &edits)
        }
        _ => text,
    }
}

fn push(scenario: &Scenario, happened: Happened<'_>, lines: &mut Vec<String>) {
    match happened {
        Happened::Step { index, done } => step(scenario, index, Some(done), lines),
        Happened::Skipped { index } => step(scenario, index, None, lines),
        Happened::Passed { span } => lines.push(format!("@ +{}", span_text(span))),
    }
}

fn span_text(span: Micros) -> String {
    if span.0.is_multiple_of(1_000) { format!("{}ms", span.0 / 1_000) } else { format!("{}us", span.0) }
}

/// `done`: None for a step that was skipped.
fn step(scenario: &Scenario, index: usize, done: Option<&Done>, lines: &mut Vec<String>) {
    let step = &scenario.steps[index];
    lines.extend(step.remarks.iter().map(|remark| format!("# {remark}")));
    let Some(send) = step.send() else { return lines.push(step.text.clone()) };
    let name = &scenario.clients[send.client];
    let sent = done.and_then(|done| {
        done.inputs.iter().find_map(|input| match &input.kind {
            InputKind::Command { argv, .. } => Some(argv),
            _ => None,
        })
    });
    match sent {
        // A refused one was sent, too, as far as the client knows.
        None if done
            .is_some_and(|done| done.record.observed.reply != Some(super::super::compare::Seen::Skipped)) =>
        {
            lines.push(format!("{name}> {}", send.text));
        }
        // What a further attempt would have done is not worth a line.
        None if step.attempt.is_some() => {}
        None => lines.push(format!("# {name} skips: {}", send.text)),
        Some(argv) => {
            let mark = if send.pipelined { ">>" } else { ">" };
            lines.push(format!("{name}{mark} {}", command(send, argv)));
        }
    }
}

/// The command as it is written, its holes filled.
fn command(send: &Send, argv: &[Bytes]) -> String {
    if send.holes.is_empty() {
        return send.text.clone();
    }
    let Ok(words) = split_words(send.text.as_bytes()) else { return send.text.clone() };
    let filled = words.iter().zip(argv).enumerate().map(|(at, (word, value))| {
        if send.holes.iter().any(|hole| hole.at == at) {
            quote_arg(value)
        } else {
            send.text[word.span.clone()].to_owned()
        }
    });
    filled.collect::<Vec<_>>().join(" ")
}

fn document(plan: &Plan, steps: &[String]) -> String {
    let scenario = &plan.scenario;
    let mut text = format!("# {}: one order\n", title(scenario));
    for script in &scenario.scripts {
        let source = script.text.to_text();
        let longest =
            source.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
        let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
        text.push_str(&format!("\n{fence}lua {}\n{source}\n{fence}\n", script.name));
    }
    text.push_str("\n```redis\n");
    let mut put = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    setup(scenario).iter().for_each(|line| put(line));
    steps.iter().for_each(|line| put(line));
    for check in &scenario.checks[plan.checks.clone()] {
        let when = match check.when {
            super::super::scenario::When::Finally => "finally",
            super::super::scenario::When::Always => "always",
        };
        put(&format!("@ {when} {}", check.text));
        if let Some(expected) = &check.expected {
            put(&expected.text);
        }
    }
    put("```");
    text
}

fn title(scenario: &Scenario) -> &str {
    let title = scenario.meta.title.trim();
    if title.is_empty() { "A story" } else { title }
}

fn setup(scenario: &Scenario) -> Vec<String> {
    let setup = &scenario.setup;
    let mut lines = Vec::new();
    let Versions { at_least, below } = setup.versions;
    let part =
        |sign: &str, bound: Option<(u8, u8)>| bound.map(|(major, minor)| format!("{sign} {major}.{minor}"));
    let bounds: Vec<String> = [part(">=", at_least), part("<", below)].into_iter().flatten().collect();
    if !bounds.is_empty() {
        lines.push(format!("@ redis {}", bounds.join(" ")));
    }
    if let Some(layout) = &setup.cluster {
        lines.push(format!("@ cluster {layout}").trim_end().to_owned());
    }
    for (name, value) in &setup.config {
        lines.push(format!("@ config {name} {}", quote_arg(&Bytes::from(value.as_str()))));
    }
    if let Some(rate) = setup.instructions_per_micro {
        lines.push(format!("@ cpu {}", rate * 1_000_000));
    }
    lines.push(format!("@ clients {}", scenario.clients.join(" ")));
    lines
}
