//! What was expected against what was seen, on the engine or on a real server, and the edits that make the file true.
//!
//! Whoever ran the steps says per step what its reply was and what arrived besides; this module gives every `C< …` line the
//! oldest thing that client has received and no line has named yet.

use std::collections::VecDeque;
use std::ops::Range;

use crate::profile::Version;
use crate::resp::{Reply, transcript_text};

use super::scenario::{Expect, Expected, Scenario, Step};

/// Something a client got to see.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// [As it was sent](Reply::as_sent).
    Reply(Reply),
    /// The server closed the connection.
    Closed,
    /// There is no server to connect to.
    Refused,
    /// Nothing was sent: the client decided against it.
    Skipped,
}

impl Seen {
    /// As a scenario shows it.
    pub fn text(&self, version: Version) -> String {
        match self {
            Self::Reply(reply) => transcript_text(reply, version),
            Self::Closed => "(closed)".to_owned(),
            Self::Refused => "(refused)".to_owned(),
            Self::Skipped => "(skipped)".to_owned(),
        }
    }
}

/// What came of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observed {
    /// What the step was answered before the next one was sent.
    pub reply: Option<Seen>,
    /// What else clients received meanwhile, in order.
    pub arrived: Vec<(usize, Seen)>,
    /// What the checks of the scenario gave after this step: which check, and its reply.
    pub checked: Vec<(usize, Seen)>,
    /// Why the step could not be done as it is written.
    pub problem: Option<String>,
}

/// One reply that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Of the expectation, from 1.
    pub line: usize,
    /// The step during which it was seen, by its index; for a check the first one after which it fails.
    pub during: usize,
    /// The check that fails, by its number.
    pub check: Option<usize>,
    /// Empty for a check.
    pub client: String,
    /// The command or directive.
    pub step: String,
    pub expected: String,
    pub got: String,
}

/// New text for some lines, which count from 0. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub lines: Range<usize>,
    pub with: Vec<String>,
    /// The line whose indent the new ones share.
    pub like: usize,
}

/// The differences in the order of the file, and the edits that would remove them and fill in what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Replies that were as expected.
    pub matched: usize,
    pub differences: Vec<Difference>,
    pub edits: Vec<Edit>,
}

const NOTHING: &str = "nothing";

/// `observed`: one per step; the checks of kind `finally` are with the last.
pub fn compare(scenario: &Scenario, observed: &[Observed], version: Version) -> Comparison {
    let mut comparer = Comparer {
        scenario,
        version,
        result: Comparison::default(),
        inboxes: vec![VecDeque::new(); scenario.clients.len()],
    };
    for (index, (step, observed)) in scenario.steps.iter().zip(observed).enumerate() {
        comparer.step(index, step, observed);
    }
    comparer.insert_unnamed();
    comparer.checks(observed);
    let mut result = comparer.result;
    result.differences.sort_by_key(|difference| difference.line);
    result
}

/// Something received that no line has named yet, and the step during which it arrived.
type Arrival = (usize, Seen);

struct Comparer<'a> {
    scenario: &'a Scenario,
    version: Version,
    result: Comparison,
    inboxes: Vec<VecDeque<Arrival>>,
}

impl Comparer<'_> {
    fn step(&mut self, index: usize, step: &Step, observed: &Observed) {
        let client = step.send().map_or("", |send| &self.scenario.clients[send.client]);
        if let Some(problem) = &observed.problem {
            self.result.differences.push(Difference {
                line: step.line,
                during: index,
                check: None,
                client: client.to_owned(),
                step: step.text.clone(),
                expected: step.text.clone(),
                got: problem.clone(),
            });
        }
        if step.attempt.is_some() {
            // It has no line of its own: what it was answered is named by `A< …` lines below the loop.
            if let (Some(send), Some(seen)) = (step.send(), &observed.reply)
                && *seen != Seen::Skipped
            {
                self.inboxes[send.client].push_back((index, seen.clone()));
            }
        } else if self.differs(index, step.expected.as_ref(), observed.reply.as_ref(), client) {
            let text = observed.reply.as_ref().map(|seen| seen.text(self.version));
            let lines =
                step.expected.as_ref().map_or(step.line..step.line, |expected| expected.lines.clone());
            self.edit(lines, step.line, text.map(|text| labelled("", &text)));
        }
        for (client, seen) in &observed.arrived {
            self.inboxes[*client].push_back((index, seen.clone()));
        }
        for late in &step.late {
            let client = &self.scenario.clients[late.client];
            let seen = self.inboxes[late.client].pop_front().map(|(_, seen)| seen);
            if self.differs(index, Some(&late.expected), seen.as_ref(), client) {
                let text = seen.map(|seen| labelled(&format!("{client}< "), &seen.text(self.version)));
                self.edit(late.expected.lines.clone(), step.line, text);
            }
        }
    }

    /// Whether the file must be rewritten here; a difference only where something was expected.
    fn differs(
        &mut self,
        step: usize,
        expected: Option<&Expected>,
        seen: Option<&Seen>,
        client: &str,
    ) -> bool {
        let Some(expected) = expected else { return seen.is_some() };
        if seen.is_some_and(|seen| is_as_expected(&expected.what, seen, self.version)) {
            self.result.matched += 1;
            return false;
        }
        self.result.differences.push(Difference {
            line: expected.lines.start + 1,
            during: step,
            check: None,
            client: client.to_owned(),
            step: self.scenario.steps[step].text.clone(),
            expected: expected.text.clone(),
            got: seen.map_or_else(|| NOTHING.to_owned(), |seen| seen.text(self.version)),
        });
        true
    }

    /// What was received and is named nowhere goes below the step during which it arrived.
    fn insert_unnamed(&mut self) {
        for (client, inbox) in std::mem::take(&mut self.inboxes).into_iter().enumerate() {
            let label = format!("{}< ", self.scenario.clients[client]);
            for (index, seen) in inbox {
                let step = &self.scenario.steps[index];
                let last = step.late.last().map(|late| &late.expected).or(step.expected.as_ref());
                let at = last.map_or(step.line, |expected| expected.lines.end);
                self.edit(at..at, step.line, Some(labelled(&label, &seen.text(self.version))));
            }
        }
    }

    /// A check is told once, for the first step after which it fails.
    fn checks(&mut self, observed: &[Observed]) {
        for (index, check) in self.scenario.checks.iter().enumerate() {
            let mut results =
                observed.iter().zip(0..self.scenario.steps.len()).flat_map(|(observed, step)| {
                    let of_check = observed.checked.iter().filter(|(check, _)| *check == index);
                    of_check.map(move |(_, seen)| (step, seen)).collect::<Vec<_>>()
                });
            match &check.expected {
                None => {
                    if let Some((_, seen)) = results.next() {
                        let text = labelled("", &seen.text(self.version));
                        self.edit(check.line..check.line, check.line, Some(text));
                    }
                }
                Some(expected) => {
                    let failed =
                        results.find(|(_, seen)| !is_as_expected(&expected.what, seen, self.version));
                    let Some((during, seen)) = failed else {
                        self.result.matched += 1;
                        continue;
                    };
                    let text = seen.text(self.version);
                    let step = &self.scenario.steps[during];
                    self.result.differences.push(Difference {
                        line: expected.lines.start + 1,
                        during,
                        check: Some(index),
                        client: String::new(),
                        step: format!("{} (after line {}: {})", check.text, step.line, step.text),
                        expected: expected.text.clone(),
                        got: text.clone(),
                    });
                    self.edit(expected.lines.clone(), check.line, Some(labelled("", &text)));
                }
            }
        }
    }

    /// `beside`: the line of the step or check, from 1.
    fn edit(&mut self, lines: Range<usize>, beside: usize, with: Option<Vec<String>>) {
        self.result.edits.push(Edit { lines, with: with.unwrap_or_default(), like: beside - 1 });
    }
}

pub(super) fn is_as_expected(expected: &Expect, seen: &Seen, version: Version) -> bool {
    match (expected, seen) {
        (Expect::Reply(pattern), Seen::Reply(reply)) => pattern.matches(reply, version),
        (Expect::Closed, Seen::Closed)
        | (Expect::Refused, Seen::Refused)
        | (Expect::Skipped, Seen::Skipped) => true,
        _ => false,
    }
}

/// The lines of a reply, the first behind the label and the others below it.
fn labelled(label: &str, text: &str) -> Vec<String> {
    let width = label.len();
    let line = |(at, line): (usize, &str)| {
        if at == 0 { format!("{label}{line}") } else { format!("{:width$}{line}", "") }
    };
    text.split('\n').enumerate().map(line).collect()
}
