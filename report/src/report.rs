//! What became of a file.

use playground_core::timeline::{Comparison, Diagnostic, Difference};
use serde_json::{Value, json};

/// One file.
pub struct Report {
    pub file: String,
    pub outcome: Outcome,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// Details for programs, by step.
    pub steps: Vec<Value>,
    /// Why steps ended as they did, line by line.
    pub explanations: Vec<String>,
}

pub enum Outcome {
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
    pub fn new(file: &str, outcome: Outcome) -> Self {
        Self {
            file: file.to_owned(),
            outcome,
            notes: Vec::new(),
            steps: Vec::new(),
            explanations: Vec::new(),
        }
    }

    pub fn json(&self) -> Value {
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

/// What became of a file, from what became of each of its timelines.
pub fn merge(file: &str, reports: Vec<Report>) -> Report {
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

fn difference_json(difference: &Difference) -> Value {
    let Difference { line, client, step, expected, got, .. } = difference;
    json!({ "line": line, "client": client, "step": step, "expected": expected, "got": got })
}

pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { line, column, message, help } = diagnostic;
    json!({ "line": line, "column": column, "message": message, "help": help })
}
