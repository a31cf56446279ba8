//! What a client knows from its replies, and what it therefore does next. Whoever plays a story, on the engine or on a
//! real server, keeps one for each client.

use std::collections::{BTreeMap, BTreeSet};

use crate::Bytes;
use crate::server::Fingerprint;

use super::compare::Seen;
use super::logic::{Order, Term};
use super::scenario::{Send, Step};

/// The knowledge of one client. A new one knows nothing; a clone is cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mind {
    newest: Option<Seen>,
    kept: BTreeMap<String, Seen>,
    /// The loops that are over.
    over: BTreeSet<usize>,
    stopped: bool,
}

/// What becomes of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The command goes out with these arguments.
    Send(Vec<Bytes>),
    Skip,
    /// The command can't be made: why.
    Impossible(String),
}

impl Mind {
    /// Considers a step of this client. `unanswered`: an earlier command of it still is.
    pub fn decide(&mut self, step: &Step, send: &Send, unanswered: bool) -> Decision {
        if self.stopped {
            return Decision::Skip;
        }
        if unanswered && step.depends() {
            return Decision::Impossible("its last command is not answered yet, so it can't know".to_owned());
        }
        let is_next = step.orders.iter().all(|order| self.follow(order));
        if !is_next {
            self.keep(step);
            return Decision::Skip;
        }
        self.argv(send).map_or_else(Decision::Impossible, Decision::Send)
    }

    /// Takes in the reply to a step.
    pub fn learn(&mut self, step: &Step, seen: &Seen) {
        self.newest = Some(seen.clone());
        self.keep(step);
    }

    /// The newest reply, if there was one.
    pub fn newest(&self) -> Option<&Seen> {
        self.newest.as_ref()
    }

    /// Whether the client does nothing any more.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Puts in what later decisions and arguments depend on. `names`: the kept replies that any of them uses.
    pub(super) fn print_into(&self, newest: bool, names: &BTreeSet<String>, print: &mut Fingerprint) {
        print.number(u64::from(self.stopped));
        if newest {
            print.debug(&self.newest);
        }
        if !self.over.is_empty() {
            print.debug(&self.over);
        }
        for name in names {
            print.debug(&self.kept.get(name));
        }
    }

    fn keep(&mut self, step: &Step) {
        for name in &step.keeps {
            match &self.newest {
                Some(newest) => self.kept.insert(name.clone(), newest.clone()),
                None => self.kept.remove(name),
            };
        }
    }

    /// Whether the step is still to be done.
    fn follow(&mut self, order: &Order) -> bool {
        match order {
            Order::If(condition) => condition.holds(&|term| self.look(term)),
            Order::Stop(condition) => {
                self.stopped = condition.holds(&|term| self.look(term));
                !self.stopped
            }
            Order::Until { loop_number, condition } => {
                if !self.over.contains(loop_number) && condition.holds(&|term| self.look(term)) {
                    self.over.insert(*loop_number);
                }
                true
            }
            Order::Again { loop_number } => !self.over.contains(loop_number),
        }
    }

    fn look(&self, term: &Term) -> Option<&Seen> {
        match &term.name {
            None => self.newest.as_ref(),
            Some(name) => self.kept.get(name),
        }
    }

    fn argv(&self, send: &Send) -> Result<Vec<Bytes>, String> {
        let mut argv = send.argv.clone();
        for hole in &send.holes {
            let argument = hole.term.argument(self.look(&hole.term));
            argv[hole.at] = argument.map_err(|reason| {
                format!("{} has no value here: {reason}", String::from_utf8_lossy(&send.argv[hole.at]))
            })?;
        }
        Ok(argv)
    }
}
