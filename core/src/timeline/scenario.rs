//! A scenario as a value: a story of several clients, its prose, its scripts and what it expects.
//!
//! Knows no server. Everything that stands in the text has its place in it, so that replies can be rewritten in place.

use std::ops::Range;

use crate::Bytes;
use crate::clock::Micros;
use crate::profile::Version;
use crate::resp::Pattern;
use crate::state::Layout;

use super::logic::{Order, Term};

/// A whole file. Clients, scripts and steps are named by their index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    pub meta: Meta,
    pub blocks: Vec<Block>,
    pub scripts: Vec<Script>,
    /// In the order in which they first appear, those of `@ clients` first.
    pub clients: Vec<String>,
    pub setup: Setup,
    pub steps: Vec<Step>,
    pub checks: Vec<Check>,
    /// Where `@ explore` stands.
    pub parts: Vec<Part>,
}

/// `@ explore`: steps that may happen in another order than they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The steps. Those before them stay as they are, those behind them are not done.
    pub steps: Range<usize>,
    /// The clock's own steps may happen at any time; else they stay between the steps around them.
    pub clock_free: bool,
    /// The checks that are asked, by number: those of its fence.
    pub checks: Range<usize>,
}

/// The front matter. Without a title there, the first heading is it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    pub title: String,
    pub summary: String,
    pub tags: Vec<String>,
    /// Where it stands in a list of scenarios.
    pub order: Option<u32>,
    /// The chapter of that list which it belongs to.
    pub course: String,
    /// The scenario to read after it: the name of its file, without the ending.
    pub next: String,
}

/// What a page shows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Markdown.
    Prose(String),
    Script(usize),
    /// The steps of one `redis` fence.
    Steps(Range<usize>),
    /// The checks of one `redis` fence, behind its steps.
    Checks(Range<usize>),
}

/// A named script: `$name` in a command is its text, `$name.sha` its SHA1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub name: String,
    /// Without the last line end.
    pub text: Bytes,
    pub sha: String,
    /// Of the opening fence, from 1.
    pub line: usize,
}

/// What holds before the first step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    pub versions: Versions,
    /// The server is a node of a cluster whose slots lie like this.
    pub cluster: Option<Layout>,
    pub config: Vec<(String, String)>,
    /// Lua VM instructions per microsecond.
    pub instructions_per_micro: Option<u64>,
}

/// The server versions a scenario is about, as major and minor numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    pub at_least: Option<(u8, u8)>,
    pub below: Option<(u8, u8)>,
}

impl Versions {
    pub fn include(&self, number: (u8, u8)) -> bool {
        self.at_least.is_none_or(|least| number >= least) && self.below.is_none_or(|below| number < below)
    }

    /// The version to run: the one asked for, else the newest that will do. None: the scenario is about others.
    pub fn choose(&self, asked: Option<Version>) -> Option<Version> {
        let will_do = |version: &Version| self.include(version.number());
        match asked {
            Some(version) => Some(version).filter(will_do),
            None => Version::ALL.into_iter().rev().find(will_do),
        }
    }
}

/// One thing that happens, with what is expected to come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// From 1.
    pub line: usize,
    /// The line as it is written, without indent.
    pub text: String,
    /// `# …` lines before it.
    pub remarks: Vec<String>,
    /// `@ predict …` before it.
    pub predict: Option<Predict>,
    pub action: Action,
    /// What its client considers first; where that says so, the step is skipped.
    pub orders: Vec<Order>,
    /// Names under which the client keeps the reply.
    pub keeps: Vec<String>,
    /// A further attempt of a loop: which one, from 2. It stands nowhere in the text; `line` is that of `until`.
    pub attempt: Option<usize>,
    pub expected: Option<Expected>,
    /// What arrives later than the reply: `C< …`.
    pub late: Vec<Late>,
}

/// What a reader is asked before the reply is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predict {
    pub question: String,
    /// With none, the reader writes the reply itself. Else one or more are right.
    pub choices: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub text: String,
    pub is_right: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Send(Send),
    Clock(Clock),
    Restart {
        keep_data: bool,
    },
    Failover,
    /// The server is made a read-only replica; `link_up`: false leaves it without its master.
    Replicate {
        link_up: bool,
    },
}

/// A client sends a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    pub client: usize,
    /// The command as it is written.
    pub text: String,
    pub argv: Vec<Bytes>,
    /// The script that `$name` or `$name.sha` brought in.
    pub script: Option<usize>,
    /// Arguments that are filled in when the command is sent; `argv` has them as they are written.
    pub holes: Vec<Hole>,
    /// `A>>`: the next step does not wait for the reply.
    pub pipelined: bool,
}

/// `$n`, `$n+1`, `$n[2]`: an argument that depends on a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// In `argv`.
    pub at: usize,
    pub term: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// `@ +400ms`
    Forward(Micros),
    /// `@ at 2s`, since the first step.
    At(Micros),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Late {
    pub client: usize,
    pub expected: Expected,
}

/// A check that is no step: it changes nothing and takes no time.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub when: When,
    /// From 1.
    pub line: usize,
    pub text: String,
    pub argv: Vec<Bytes>,
    pub expected: Option<Expected>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After the last step.
    Finally,
    /// After every step at which the server is free.
    Always,
}

/// A reply as it is written in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// From 0, in the whole file.
    pub lines: Range<usize>,
    /// As it is written, without indent and label.
    pub text: String,
    pub what: Expect,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    Reply(Pattern),
    /// `(closed)`: the server closes the connection instead of answering.
    Closed,
    /// `(refused)`: there is no server to connect to.
    Refused,
    /// `(skipped)`: the client decided against the step.
    Skipped,
}

impl Scenario {
    /// What is to be explored: the parts that the text names, else all of it.
    pub fn parts(&self) -> Vec<Part> {
        if self.parts.is_empty() { vec![self.whole()] } else { self.parts.clone() }
    }

    /// The part that somebody looks at who stands behind so many steps, and its place among the parts.
    pub fn part_at(&self, position: usize) -> (usize, Part) {
        let mut parts = self.parts();
        let place = parts.iter().position(|part| position <= part.steps.end).unwrap_or(parts.len() - 1);
        (place, parts.swap_remove(place))
    }

    fn whole(&self) -> Part {
        Part { steps: 0..self.steps.len(), clock_free: false, checks: 0..self.checks.len() }
    }

    /// How many of the first steps run alike in another scenario, whatever either expects of them. Never the last step of one of the
    /// two, behind which some checks are asked.
    pub fn shared_steps(&self, other: &Self) -> usize {
        let checks = |scenario: &Self| -> Vec<(When, Vec<Bytes>)> {
            scenario.checks.iter().map(|check| (check.when, check.argv.clone())).collect()
        };
        if (&self.clients, &self.setup, checks(self)) != (&other.clients, &other.setup, checks(other)) {
            return 0;
        }
        let count = self.steps.len().min(other.steps.len()).saturating_sub(1);
        let is_alike = |(one, other): &(&Step, &Step)| one.runs_like(other);
        self.steps.iter().zip(&other.steps).take(count).take_while(is_alike).count()
    }

    pub fn script(&self, name: &str) -> Option<&Script> {
        self.scripts.iter().find(|script| script.name == name)
    }

    /// The checks of one kind.
    pub fn checks(&self, when: When) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.when == when)
    }
}

impl Step {
    /// Whether its client must have read all its replies before it can do or skip the step.
    pub fn depends(&self) -> bool {
        !self.orders.is_empty() || self.send().is_some_and(|send| !send.holes.is_empty())
    }

    /// Whether it is the same to the server and to its client.
    fn runs_like(&self, other: &Self) -> bool {
        (&self.action, &self.orders, &self.keeps, self.attempt)
            == (&other.action, &other.orders, &other.keeps, other.attempt)
    }

    pub fn send(&self) -> Option<&Send> {
        match &self.action {
            Action::Send(send) => Some(send),
            _ => None,
        }
    }
}
