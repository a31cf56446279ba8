//! `playground-fuzz`: random and mutated inputs against what must hold for all of them.
//!
//! Every case follows from a target and a number, so that a finding is told by both and can be run again; no state is
//! kept from case to case. It is not guided by coverage: what it finds, it finds by having good inputs to change.
//! A target runs in a process of its own, which may die of what it finds.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

mod chance;
mod targets;
mod watch;

use std::process::ExitCode;

use chance::Chance;
use targets::{TARGETS, Target};

/// The lessons, good inputs to change. `build.rs` lists them.
const EXAMPLES: &[&str] = include!(concat!(env!("OUT_DIR"), "/examples.rs"));

const USAGE: &str = "\
Usage: playground-fuzz [--minutes N | --seconds N] [--seed S] [TARGET…]
       playground-fuzz --case N TARGET      runs one case again

Without targets all of them share the time. Exit code 1 tells of a finding.";

struct Settings {
    seconds: u64,
    seed: u64,
    case: Option<u64>,
    /// This is the process that runs a target.
    worker: bool,
    targets: Vec<&'static Target>,
}

fn main() -> ExitCode {
    let settings = match settings(std::env::args().skip(1)) {
        Ok(settings) => settings,
        Err(reason) => {
            eprintln!("{reason}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(case) = settings.case {
        let found = settings.targets.iter().filter(|target| !run_again(target, case)).count();
        return ExitCode::from(u8::from(found > 0));
    }
    if settings.worker {
        for target in &settings.targets {
            watch::work(target, settings.seed, settings.seconds);
        }
        return ExitCode::SUCCESS;
    }
    let seconds = settings.seconds / settings.targets.len().max(1) as u64;
    let mut found = 0;
    for target in &settings.targets {
        found += watch::watch(target, settings.seed, seconds.max(1));
    }
    println!("{} passed, {found} failed", settings.targets.len() as u64 - found);
    ExitCode::from(u8::from(found > 0))
}

fn settings(mut words: impl Iterator<Item = String>) -> Result<Settings, String> {
    let mut settings = Settings { seconds: 60, seed: 1, case: None, worker: false, targets: Vec::new() };
    while let Some(word) = words.next() {
        let mut number = || {
            let text = words.next().unwrap_or_default();
            text.parse::<u64>().map_err(|_| format!("{word} takes a number, not {text:?}"))
        };
        match word.as_str() {
            "--minutes" => settings.seconds = 60 * number()?,
            "--seconds" => settings.seconds = number()?,
            "--seed" => settings.seed = number()?,
            "--case" => settings.case = Some(number()?),
            "--worker" => settings.worker = true,
            name => {
                let target = TARGETS.iter().find(|target| target.name == name);
                settings.targets.push(target.ok_or_else(|| {
                    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
                    format!("there is no target {name:?}; there are {}", names.join(", "))
                })?);
            }
        }
    }
    if settings.targets.is_empty() {
        settings.targets = TARGETS.iter().collect();
    }
    Ok(settings)
}

/// A panic is not caught, so that it shows where it came from.
fn run_again(target: &Target, case: u64) -> bool {
    let outcome = (target.run)(&mut Chance::new(case));
    match &outcome {
        Ok(()) => println!("{} {case}: fine", target.name),
        Err(finding) => println!("{} {case}: {finding}", target.name),
    }
    outcome.is_ok()
}
