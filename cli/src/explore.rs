//! `playground explore`: every order in which the clients of a story can act, and what comes of it.

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};
use playground_core::timeline::explore::{ClientEnding, Ending, Explorer, Method, Replies, Report};
use playground_report::{ExploreOptions, Explored, check_text, explore, fails, first_line, schedule_text};
use serde_json::json;

use crate::output::say;
use crate::run::read;
use crate::serve::version;
use crate::{Unusable, value_of};

/// Outcomes that are printed; `--json` gives all.
const OUTCOMES_SHOWN: usize = 20;

#[derive(Default)]
struct Settings {
    files: Vec<String>,
    asked: ExploreOptions,
    json: bool,
    sample: Option<u64>,
    seed: u64,
    priorities: bool,
    /// The folder into which witnesses are written.
    witnesses: Option<String>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let (mut failed, mut unusable) = (false, false);
    let mut reports = Vec::new();
    for file in &settings.files {
        let explored = explore(&read(file)?, &settings.asked);
        match &explored {
            // What is not complete has shown nothing.
            Explored::Done(parts) => {
                failed |= explored.fails() || parts.iter().any(|(_, report)| report.bound.is_some());
            }
            Explored::Skipped(_) => {}
            Explored::Failed(_) => failed = true,
            Explored::Unusable(_) => unusable = true,
        }
        if let (Explored::Done(parts), Some(folder)) = (&explored, &settings.witnesses) {
            write_witnesses(file, folder, parts)?;
        }
        if settings.json {
            reports.push(explored.json(file));
        } else {
            print(file, &explored);
        }
    }
    if settings.json {
        say!("{:#}", json!({ "files": reports }));
    }
    Ok(ExitCode::from(if unusable { 2 } else { u8::from(failed) }))
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut settings = Settings::default();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("json") => settings.json = true,
            Arg::Long("max-states") => {
                settings.asked.options.states_max = value_of("--max-states", &args.value()?)?
            }
            Arg::Long("sample") => settings.sample = Some(value_of("--sample", &args.value()?)?),
            Arg::Long("seed") => settings.seed = value_of("--seed", &args.value()?)?,
            Arg::Long("priorities") => settings.priorities = true,
            Arg::Long("replies") => settings.asked.options.replies = replies(&args.value()?.string()?)?,
            Arg::Long("clock") => settings.asked.clock_free = Some(clock_free(&args.value()?.string()?)?),
            Arg::Long("witnesses") => settings.witnesses = Some(args.value()?.string()?),
            Arg::Long("redis-version") => settings.asked.version = Some(version(&args.value()?.string()?)?),
            Arg::Value(file) => settings.files.push(file.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if settings.files.is_empty() {
        return Err(Unusable("explore: which files? e.g. playground explore examples/*.md".to_owned()));
    }
    let seed = settings.seed;
    settings.asked.options.method = match (settings.sample, settings.priorities) {
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
    let line = |state: &str, more: &str| say!("{state:<9} {file}  {more}");
    match explored {
        Explored::Unusable(diagnostics) => {
            line("UNUSABLE", &format!("{} mistakes", diagnostics.len()));
            diagnostics.iter().for_each(|diagnostic| say!("{file}:{diagnostic}"));
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
            say!("  holds in all: {text}");
        } else {
            say!("  fails in {} of {}: {text}", check.failing, report.schedules);
        }
    }
    for (number, outcome) in report.outcomes.iter().take(OUTCOMES_SHOWN).enumerate() {
        let share = 100.0 * outcome.count.share_of(&report.schedules);
        say!("  {}. {} ({share:.1} %)", number + 1, outcome.count);
        say!("     data:    {}", data_text(&outcome.ending));
        say!("     replies: {}", clients_text(explorer, &outcome.ending));
        for failed in &outcome.ending.failed {
            say!("     fails:   {}", check_text(scenario, *failed));
        }
        say!("     e.g.     {}", schedule_text(scenario, outcome));
    }
    if report.outcomes.len() > OUTCOMES_SHOWN {
        say!("  … and {} more; --json gives all", report.outcomes.len() - OUTCOMES_SHOWN);
    }
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
