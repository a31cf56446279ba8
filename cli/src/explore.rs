//! `playground explore`: every order in which the clients of a story can act, and what comes of it.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::profile::Version;
use playground_core::timeline::explore::{
    ClientEnding, Ending, Explorer, Method, Options, Outcome, Replies, Report,
};
use playground_core::timeline::{Diagnostic, Scenario, When, parse};
use serde_json::{Value, json};

use crate::Unusable;
use crate::report::diagnostic_json;
use crate::run::{needed_versions, read};
use crate::serve::version;

/// Commands between two looks at what is asked for.
const SLICE: usize = 100_000;
/// Outcomes that are printed; `--json` gives all.
const OUTCOMES_SHOWN: usize = 20;

#[derive(Default)]
struct Settings {
    files: Vec<String>,
    options: Options,
    clock_free: Option<bool>,
    version: Option<Version>,
    json: bool,
    sample: Option<u64>,
    seed: u64,
    priorities: bool,
    /// The folder into which witnesses are written.
    witnesses: Option<String>,
}

enum Explored {
    /// The parts, one after the other.
    Done(Vec<(Explorer, Report)>),
    Skipped(String),
    Failed(String),
    Unusable(Vec<Diagnostic>),
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let (mut failed, mut unusable) = (false, false);
    let mut reports = Vec::new();
    for file in &settings.files {
        let explored = explore(file, &settings)?;
        match &explored {
            // What is not complete has shown nothing.
            Explored::Done(parts) => {
                failed |= parts.iter().any(|(_, report)| report.bound.is_some() || fails(report));
            }
            Explored::Skipped(_) => {}
            Explored::Failed(_) => failed = true,
            Explored::Unusable(_) => unusable = true,
        }
        if let (Explored::Done(parts), Some(folder)) = (&explored, &settings.witnesses) {
            write_witnesses(file, folder, parts)?;
        }
        if settings.json {
            reports.push(report_json(file, &explored));
        } else {
            print(file, &explored);
        }
    }
    if settings.json {
        println!("{:#}", json!({ "files": reports }));
    }
    Ok(ExitCode::from(if unusable { 2 } else { u8::from(failed) }))
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("json") => settings.json = true,
            Arg::Long("max-states") => settings.options.states_max = args.value()?.parse()?,
            Arg::Long("sample") => settings.sample = Some(args.value()?.parse()?),
            Arg::Long("seed") => settings.seed = args.value()?.parse()?,
            Arg::Long("priorities") => settings.priorities = true,
            Arg::Long("replies") => settings.options.replies = replies(&args.value()?.string()?)?,
            Arg::Long("clock") => settings.clock_free = Some(clock_free(&args.value()?.string()?)?),
            Arg::Long("witnesses") => settings.witnesses = Some(args.value()?.string()?),
            Arg::Long("redis-version") => settings.version = Some(version(&args.value()?.string()?)?),
            Arg::Value(file) => settings.files.push(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if settings.files.is_empty() {
        return Err(Unusable("explore: which files? e.g. playground explore examples/*.md".to_owned()));
    }
    let seed = settings.seed;
    settings.options.method = match (settings.sample, settings.priorities) {
        (None, false) => Method::All,
        (None, true) => return Err(Unusable("explore: --priorities goes with --sample N".to_owned())),
        (Some(runs), false) => Method::Sample { runs, seed },
        (Some(runs), true) => Method::Priorities { runs, seed },
    };
    Ok(settings)
}

fn replies(word: &str) -> Result<Replies, Unusable> {
    match word {
        "none" => Ok(Replies::None),
        "last" => Ok(Replies::Last),
        "all" => Ok(Replies::All),
        _ => Err(Unusable(format!("--replies {word}: none, last or all"))),
    }
}

fn clock_free(word: &str) -> Result<bool, Unusable> {
    match word {
        "free" => Ok(true),
        "pinned" => Ok(false),
        _ => Err(Unusable(format!("--clock {word}: free or pinned"))),
    }
}

fn explore(file: &str, settings: &Settings) -> Result<Explored, Unusable> {
    let (scenario, diagnostics) = parse(&read(file)?);
    if !diagnostics.is_empty() {
        return Ok(Explored::Unusable(diagnostics));
    }
    let Some(version) = scenario.setup.versions.choose(settings.version) else {
        return Ok(Explored::Skipped(needed_versions(&scenario)));
    };
    let mut parts = Vec::new();
    for mut part in scenario.parts() {
        part.clock_free = settings.clock_free.unwrap_or(part.clock_free);
        let options = Options { part: Some(part), ..settings.options.clone() };
        let mut explorer = match Explorer::new(scenario.clone(), version, &options) {
            Ok(explorer) => explorer,
            Err(reason) => return Ok(Explored::Failed(reason)),
        };
        while !explorer.advance(SLICE) {}
        let report = explorer.report();
        parts.push((explorer, report));
    }
    Ok(Explored::Done(parts))
}

fn fails(report: &Report) -> bool {
    report.checks.iter().any(|check| !check.failing.is_zero())
}

/// One file for each outcome, numbered as they are shown, through all parts.
fn write_witnesses(file: &str, folder: &str, parts: &[(Explorer, Report)]) -> Result<(), Unusable> {
    let stem = std::path::Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    std::fs::create_dir_all(folder).map_err(|error| Unusable(format!("{folder}: {error}")))?;
    let outcomes = parts
        .iter()
        .flat_map(|(explorer, report)| report.outcomes.iter().map(move |outcome| (explorer, outcome)));
    for (number, (explorer, outcome)) in outcomes.enumerate() {
        let path = format!("{folder}/{stem}-{}.md", number + 1);
        std::fs::write(&path, explorer.witness(&outcome.schedule))
            .map_err(|error| Unusable(format!("{path}: {error}")))?;
    }
    Ok(())
}

fn print(file: &str, explored: &Explored) {
    let line = |state: &str, more: &str| println!("{state:<9} {file}  {more}");
    match explored {
        Explored::Unusable(diagnostics) => {
            line("UNUSABLE", &format!("{} mistakes", diagnostics.len()));
            diagnostics.iter().for_each(|diagnostic| println!("{file}:{diagnostic}"));
        }
        Explored::Skipped(reason) => line("skipped", reason),
        Explored::Failed(reason) => line("FAILED", reason),
        Explored::Done(parts) => {
            for (explorer, report) in parts {
                let place = match (parts.len(), first_line(explorer)) {
                    (1, _) | (_, None) => String::new(),
                    (_, Some(line)) => format!("from line {line}: "),
                };
                line(if fails(report) { "FAILS" } else { "ok" }, &(place + &summary(report)));
                print_report(explorer, report);
            }
        }
    }
}

/// Of the first step that may change its place.
fn first_line(explorer: &Explorer) -> Option<usize> {
    explorer.scenario().steps.get(explorer.steps().start).map(|step| step.line)
}

fn summary(report: &Report) -> String {
    let outcomes = report.outcomes.len();
    let (schedules, states) = (&report.schedules, report.states);
    match (report.sampled, report.bound) {
        (true, _) => format!("{schedules} orders drawn, {outcomes} outcomes met"),
        (_, Some(bound)) => {
            format!(
                "NOT COMPLETE: it stopped at the bound of --max-states {bound}; {schedules} orders so far, {outcomes} outcomes. A larger bound or --sample N goes on"
            )
        }
        _ => format!("{schedules} orders, {outcomes} outcomes, {states} states"),
    }
}

fn print_report(explorer: &Explorer, report: &Report) {
    let scenario = explorer.scenario();
    for check in &report.checks {
        let text = check_text(scenario, check.check);
        if check.failing.is_zero() {
            println!("  holds in all: {text}");
        } else {
            println!("  fails in {} of {}: {text}", check.failing, report.schedules);
        }
    }
    for (number, outcome) in report.outcomes.iter().take(OUTCOMES_SHOWN).enumerate() {
        let share = 100.0 * outcome.count.share_of(&report.schedules);
        println!("  {}. {} ({share:.1} %)", number + 1, outcome.count);
        println!("     data:    {}", data_text(&outcome.ending));
        println!("     replies: {}", clients_text(explorer, &outcome.ending));
        for failed in &outcome.ending.failed {
            println!("     fails:   {}", check_text(scenario, *failed));
        }
        println!("     e.g.     {}", schedule_text(scenario, outcome));
    }
    if report.outcomes.len() > OUTCOMES_SHOWN {
        println!("  … and {} more; --json gives all", report.outcomes.len() - OUTCOMES_SHOWN);
    }
}

fn check_text(scenario: &Scenario, check: usize) -> String {
    let check = &scenario.checks[check];
    let when = match check.when {
        When::Finally => "finally",
        When::Always => "always",
    };
    format!("@ {when} {}", check.text)
}

fn data_text(ending: &Ending) -> String {
    if ending.stopped {
        return "the server has ended".to_owned();
    }
    let key = |key: &playground_core::timeline::explore::KeyEnding| {
        let db = if key.db == 0 { String::new() } else { format!(" in {}", key.db) };
        let expiry = key.expires_in.map_or_else(String::new, |ms| format!(", {ms} ms to live"));
        format!("{}{db} = {}{expiry}", key.key, key.value)
    };
    let keys: Vec<String> = ending.keys.iter().map(key).collect();
    match (keys.len(), ending.keys_total) {
        (0, _) => "no keys".to_owned(),
        (shown, total) if shown < total => format!("{}; … {total} keys", keys.join("; ")),
        _ => keys.join("; "),
    }
}

fn clients_text(explorer: &Explorer, ending: &Ending) -> String {
    let names = &explorer.scenario().clients;
    let texts = names
        .iter()
        .zip(&ending.clients)
        .map(|(name, client)| format!("{name} {}", client_text(explorer, client)));
    texts.collect::<Vec<_>>().join(" | ")
}

fn client_text(explorer: &Explorer, client: &ClientEnding) -> String {
    let reply = client.reply.as_ref().map_or_else(|| "-".to_owned(), |seen| seen.text(explorer.version()));
    let reply = reply.split('\n').map(str::trim).collect::<Vec<_>>().join(" ");
    if client.waits { format!("{reply}, waits for ever") } else { reply }
}

/// Who acts, one after the other; `@` is the clock.
fn schedule_text(scenario: &Scenario, outcome: &Outcome) -> String {
    let name = |actor: &u16| scenario.clients.get(usize::from(*actor)).map_or("@", String::as_str);
    outcome.schedule.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn report_json(file: &str, explored: &Explored) -> Value {
    match explored {
        Explored::Unusable(diagnostics) => {
            let diagnostics: Vec<Value> = diagnostics.iter().map(diagnostic_json).collect();
            json!({ "file": file, "state": "unusable", "diagnostics": diagnostics })
        }
        Explored::Skipped(reason) => json!({ "file": file, "state": "skipped", "reason": reason }),
        Explored::Failed(reason) => json!({ "file": file, "state": "failed", "reason": reason }),
        Explored::Done(parts) => {
            let is_failing = parts.iter().any(|(_, report)| fails(report));
            let parts: Vec<Value> =
                parts.iter().map(|(explorer, report)| part_json(explorer, report)).collect();
            json!({ "file": file, "state": if is_failing { "fails" } else { "ok" }, "parts": parts })
        }
    }
}

fn part_json(explorer: &Explorer, report: &Report) -> Value {
    let checks = report.checks.iter().map(|check| {
        json!({
            "check": check_text(explorer.scenario(), check.check),
            "line": explorer.scenario().checks[check.check].line,
            "failing": check.failing.to_string(),
        })
    });
    let outcomes = report.outcomes.iter().map(|outcome| outcome_json(explorer, report, outcome));
    json!({
        "line": first_line(explorer),
        "schedules": report.schedules.to_string(),
        "sampled": report.sampled,
        "states": report.states,
        "bound": report.bound,
        "checks": checks.collect::<Vec<_>>(),
        "outcomes": outcomes.collect::<Vec<_>>(),
    })
}

/// Counts are texts, for they may be larger than a number of JSON can be.
fn outcome_json(explorer: &Explorer, report: &Report, outcome: &Outcome) -> Value {
    let scenario = explorer.scenario();
    let ending = &outcome.ending;
    let key = |key: &playground_core::timeline::explore::KeyEnding| json!({ "db": key.db, "key": key.key, "value": key.value, "expires_in_ms": key.expires_in });
    let client = |(name, client): (&String, &ClientEnding)| {
        json!({
            "client": name,
            "reply": client.reply.as_ref().map(|seen| seen.text(explorer.version())),
            "waits": client.waits,
            "undone": client.undone,
        })
    };
    json!({
        "count": outcome.count.to_string(),
        "share": outcome.count.share_of(&report.schedules),
        "keys": ending.keys.iter().map(key).collect::<Vec<_>>(),
        "clients": scenario.clients.iter().zip(&ending.clients).map(client).collect::<Vec<_>>(),
        "fails": ending.failed.iter().map(|check| check_text(scenario, *check)).collect::<Vec<_>>(),
        "schedule": schedule_text(scenario, outcome),
        "witness": explorer.witness(&outcome.schedule),
    })
}
