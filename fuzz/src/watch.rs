//! Runs a target's cases in a process of its own, and tells which case it died of.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use crate::chance::Chance;
use crate::targets::Target;

/// A case that takes longer is a finding.
const CASE_SECONDS_MAX: u64 = 20;
/// A target that finds so much ends.
const FINDINGS_MAX: u64 = 5;
/// How long a process may be late before it is taken to hang.
const LATE_SECONDS_MAX: u64 = 60;

#[expect(clippy::disallowed_types, reason = "the ban is for the core; this measures what the machine does")]
type Moment = std::time::Instant;

/// Tells of what was found; gives how often something was, at most 1.
pub(crate) fn watch(target: &Target, seed: u64, seconds: u64) -> u64 {
    let words = ["--worker", "--seed", &seed.to_string(), "--seconds", &seconds.to_string(), target.name];
    let status = std::env::current_exe().and_then(|us| {
        let mut child = Command::new(us).args(words).spawn()?;
        let patience = Duration::from_secs(seconds + LATE_SECONDS_MAX);
        let began = Moment::now();
        loop {
            match child.try_wait()? {
                Some(status) => return Ok(Some(status)),
                None if began.elapsed() > patience => {
                    child.kill()?;
                    child.wait()?;
                    return Ok(None);
                }
                None => sleep(Duration::from_millis(50)),
            }
        }
    });
    match status {
        Ok(Some(status)) if status.success() => 0,
        Ok(status) => {
            told(target, status);
            1
        }
        Err(error) => {
            println!("{}: it can't be run: {error}", target.name);
            1
        }
    }
}

fn told(target: &Target, status: Option<ExitStatus>) {
    // What was found by an orderly end has been told.
    if status.is_some_and(|status| status.code() == Some(1)) {
        return;
    }
    let mut case = [0; 8];
    let known = fs::read(note(target)).is_ok_and(|bytes| bytes.try_into().map(|bytes| case = bytes).is_ok());
    let case = if known { u64::from_le_bytes(case).to_string() } else { "of unknown number".to_owned() };
    let what = status.map_or_else(|| "hangs".to_owned(), |status| format!("ends the process: {status}"));
    println!("FOUND: {} --case {case}: {what}", target.name);
}

/// Where a process writes the number of the case it is at.
fn note(target: &Target) -> PathBuf {
    std::env::temp_dir().join(format!("playground-fuzz-{}.case", target.name))
}

/// Runs cases until the time is over; ends the process with 1 where something was found.
pub(crate) fn work(target: &Target, seed: u64, seconds: u64) {
    let note = fs::File::create(note(target)).ok();
    let began = Moment::now();
    let mut numbers = Chance::new(seed);
    let (mut cases, mut findings) = (0u64, 0);
    while began.elapsed() < Duration::from_secs(seconds) && findings < FINDINGS_MAX {
        let case = numbers.next() >> 16;
        if let Some(file) = &note {
            let _ = file.write_all_at(&case.to_le_bytes(), 0);
        }
        let started = Moment::now();
        let outcome = run(target, case);
        let took = started.elapsed();
        let late = (took > Duration::from_secs(CASE_SECONDS_MAX)).then(|| format!("takes {took:?}"));
        if let Some(finding) = outcome.err().or(late) {
            println!("FOUND: {} --case {case}: {finding}", target.name);
            findings += 1;
        }
        cases += 1;
    }
    println!("{:<12} {cases} cases in {} s, {findings} findings", target.name, began.elapsed().as_secs());
    let _ = std::io::stdout().flush();
    if findings > 0 {
        std::process::exit(1);
    }
}

/// One case; a panic is a finding.
pub(crate) fn run(target: &Target, case: u64) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(&mut Chance::new(case)))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panics: {}", text.unwrap_or("without a text")))
    })
}
