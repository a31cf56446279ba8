//! What became of each file, for people and for programs.

use std::process::ExitCode;

use playground_core::timeline::{Comparison, Diagnostic, Difference};
use serde_json::{Value, json};

/// One file.
pub(crate) struct Report {
    pub(crate) file: String,
    pub(crate) outcome: Outcome,
    /// What a reader should know besides.
    pub(crate) notes: Vec<String>,
    /// Details for programs, by step.
    pub(crate) steps: Vec<Value>,
    /// Why steps ended as they did, line by line.
    pub(crate) explanations: Vec<String>,
}

pub(crate) enum Outcome {
    Compared(Comparison),
    /// Differences were written into the file: how many places.
    Updated(usize),
    /// The scenario is about other servers: why.
    Skipped(String),
    /// It could not be run to its end.
    Failed(String),
    /// Not a scenario.
    Unusable(Vec<Diagnostic>),
}

impl Report {
    pub(crate) fn new(file: &str, outcome: Outcome) -> Self {
        Self {
            file: file.to_owned(),
            outcome,
            notes: Vec::new(),
            steps: Vec::new(),
            explanations: Vec::new(),
        }
    }

    pub(crate) fn print(&self) {
        let line = |state: &str, more: &str| println!("{state:<9} {}  {more}", self.file);
        match &self.outcome {
            Outcome::Compared(comparison) if comparison.differences.is_empty() => {
                line("ok", &counted(comparison.matched, "reply", "replies"));
            }
            Outcome::Compared(comparison) => {
                line("DIFFERS", &counted(comparison.differences.len(), "difference", "differences"));
                comparison.differences.iter().for_each(|difference| self.print_difference(difference));
            }
            Outcome::Updated(0) => line("ok", "nothing to update"),
            Outcome::Updated(places) => line("updated", &counted(*places, "place", "places")),
            Outcome::Skipped(reason) => line("skipped", reason),
            Outcome::Failed(reason) => line("FAILED", reason),
            Outcome::Unusable(diagnostics) => {
                line("UNUSABLE", &counted(diagnostics.len(), "mistake", "mistakes"));
                diagnostics.iter().for_each(|diagnostic| println!("{}:{diagnostic}", self.file));
            }
        }
        self.notes.iter().for_each(|note| println!("          note: {note}"));
        self.explanations.iter().for_each(|line| println!("  {line}"));
    }

    /// Lines that GitHub shows beside those of the file.
    pub(crate) fn annotate(&self) {
        let line = |line: usize, title: &str, text: &str| {
            let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
            println!("::error file={},line={line},title={title}::{text}", self.file);
        };
        match &self.outcome {
            Outcome::Compared(comparison) => {
                for Difference { line: at, step, expected, got, .. } in &comparison.differences {
                    line(
                        *at,
                        "Redis replies otherwise",
                        &format!("{step}\nexpected: {expected}\ngot: {got}"),
                    );
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

    fn print_difference(&self, difference: &Difference) {
        let Difference { line, client, step, expected, got } = difference;
        let client = if client.is_empty() { String::new() } else { format!("{client}, ") };
        println!("{}:{line}: {client}{step}", self.file);
        println!("  expected: {}", expected.replace('\n', "\n            "));
        println!("  got:      {}", got.replace('\n', "\n            "));
    }

    fn json(&self) -> Value {
        let state = match &self.outcome {
            Outcome::Compared(comparison) if comparison.differences.is_empty() => "ok",
            Outcome::Compared(_) => "differs",
            Outcome::Updated(_) => "updated",
            Outcome::Skipped(_) => "skipped",
            Outcome::Failed(_) => "failed",
            Outcome::Unusable(_) => "unusable",
        };
        let mut object =
            json!({ "file": self.file, "state": state, "notes": self.notes, "steps": self.steps });
        match &self.outcome {
            Outcome::Compared(comparison) => {
                object["matched"] = comparison.matched.into();
                object["differences"] = comparison.differences.iter().map(difference_json).collect();
            }
            Outcome::Updated(places) => object["updated"] = (*places).into(),
            Outcome::Skipped(reason) | Outcome::Failed(reason) => object["reason"] = reason.as_str().into(),
            Outcome::Unusable(diagnostics) => {
                object["diagnostics"] = diagnostics.iter().map(diagnostic_json).collect();
            }
        }
        object
    }
}

fn difference_json(difference: &Difference) -> Value {
    let Difference { line, client, step, expected, got } = difference;
    json!({ "line": line, "client": client, "step": step, "expected": expected, "got": got })
}

pub(crate) fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { line, column, message, help } = diagnostic;
    json!({ "line": line, "column": column, "message": message, "help": help })
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What became of a file, from what became of each of its timelines.
pub(crate) fn merge(file: &str, reports: Vec<Report>) -> Report {
    let mut merged = Report::new(file, Outcome::Skipped("it has no scenario".to_owned()));
    for report in reports {
        merged.notes.extend(report.notes);
        merged.steps.extend(report.steps);
        merged.explanations.extend(report.explanations);
        let outcome = std::mem::replace(&mut merged.outcome, Outcome::Updated(0));
        merged.outcome = worse(outcome, report.outcome);
    }
    merged
}

/// The one that says more about the file as a whole; of the same kind, both.
fn worse(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Compared(mut one), Outcome::Compared(other)) => {
            one.matched += other.matched;
            one.differences.extend(other.differences);
            one.edits.extend(other.edits);
            Outcome::Compared(one)
        }
        (Outcome::Unusable(mut one), Outcome::Unusable(other)) => {
            // Each timeline complains about the page as a whole.
            one.extend(other);
            one.sort();
            one.dedup();
            Outcome::Unusable(one)
        }
        (one @ Outcome::Unusable(_), _) | (_, one @ Outcome::Unusable(_)) => one,
        (one @ Outcome::Failed(_), _) | (_, one @ Outcome::Failed(_)) => one,
        (one @ Outcome::Compared(_), _) | (_, one @ Outcome::Compared(_)) => one,
        (_, other) => other,
    }
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
        println!("{:#}", json!({ "server": server, "files": files }));
    } else if reports.len() > 1 || skipped > 0 {
        let fine = reports.len() - differing - unusable - skipped;
        println!("{fine} ok, {differing} differ, {skipped} skipped, {unusable} unusable, on {server}");
    }
    match (unusable, differing) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(1),
        _ => ExitCode::from(2),
    }
}
