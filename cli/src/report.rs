//! What became of each file, for people; for programs there is `playground_report`.

use std::process::ExitCode;

use crate::output::say;
use playground_core::timeline::{Diagnostic, Difference};
use playground_report::{Outcome, Report};
use serde_json::{Value, json};

pub(crate) fn print(report: &Report) {
    let line = |state: &str, more: &str| say!("{state:<9} {}  {more}", report.file);
    match &report.outcome {
        Outcome::Compared(comparison) if comparison.differences.is_empty() => {
            line("ok", &counted(comparison.matched, "reply", "replies"));
        }
        Outcome::Compared(comparison) => {
            line("DIFFERS", &counted(comparison.differences.len(), "difference", "differences"));
            comparison.differences.iter().for_each(|difference| print_difference(report, difference));
        }
        Outcome::Updated(0) => line("ok", "nothing to update"),
        Outcome::Updated(places) => line("updated", &counted(*places, "place", "places")),
        Outcome::Skipped(reason) => line("skipped", reason),
        Outcome::Failed(reason) => line("FAILED", reason),
        Outcome::Unusable(diagnostics) => {
            line("UNUSABLE", &counted(diagnostics.len(), "mistake", "mistakes"));
            diagnostics.iter().for_each(|diagnostic| say!("{}:{diagnostic}", report.file));
        }
    }
    report.notes.iter().for_each(|note| say!("          note: {note}"));
    report.explanations.iter().for_each(|line| say!("  {line}"));
}

/// Lines that GitHub shows beside those of the file.
pub(crate) fn annotate(report: &Report) {
    let line = |line: usize, title: &str, text: &str| {
        let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        say!("::error file={},line={line},title={title}::{text}", report.file);
    };
    match &report.outcome {
        Outcome::Compared(comparison) => {
            for Difference { line: at, step, expected, got, .. } in &comparison.differences {
                line(*at, "Redis replies otherwise", &format!("{step}\nexpected: {expected}\ngot: {got}"));
            }
        }
        Outcome::Failed(reason) => line(1, "This scenario can't be run", reason),
        Outcome::Unusable(diagnostics) => {
            for Diagnostic { line: at, message, help, .. } in diagnostics {
                line(*at, "This scenario can't be read", &format!("{message}\n{help}"));
            }
        }
        Outcome::Updated(_) | Outcome::Skipped(_) => {}
    }
}

fn print_difference(report: &Report, difference: &Difference) {
    let Difference { line, client, step, expected, got, .. } = difference;
    let client = if client.is_empty() { String::new() } else { format!("{client}, ") };
    say!("{}:{line}: {client}{step}", report.file);
    say!("  expected: {}", expected.replace('\n', "\n            "));
    say!("  got:      {}", got.replace('\n', "\n            "));
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Prints the whole as JSON, or a closing line behind the reports that were printed already, and gives the exit code.
pub(crate) fn close(reports: &[Report], as_json: bool, server: &str) -> ExitCode {
    let count = |is: fn(&Outcome) -> bool| reports.iter().filter(|report| is(&report.outcome)).count();
    let differing = count(|outcome| {
        matches!(outcome, Outcome::Compared(comparison) if !comparison.differences.is_empty())
            || matches!(outcome, Outcome::Failed(_))
    });
    let unusable = count(|outcome| matches!(outcome, Outcome::Unusable(_)));
    let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
    if as_json {
        let files: Vec<Value> = reports.iter().map(Report::json).collect();
        say!("{:#}", json!({ "server": server, "files": files }));
    } else if reports.len() > 1 || skipped > 0 {
        let fine = reports.len() - differing - unusable - skipped;
        say!("{fine} ok, {differing} differ, {skipped} skipped, {unusable} unusable, on {server}");
    }
    match (unusable, differing) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(1),
        _ => ExitCode::from(2),
    }
}
