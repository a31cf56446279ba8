//! What does not change while a story is explored: who has which steps, and what of a state can matter later.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::logic::{Condition, Operand, Order, Term, Test};
use super::super::scenario::{Action, Part, Scenario, Step, When};
use super::Replies;
use crate::commands::{self, Group};

/// The steps of each actor, in their order. Actors are the clients, and behind them the clock with all that happens to
/// the server itself.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) scenario: Scenario,
    pub(super) programs: Vec<Vec<usize>>,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) clock_free: bool,
    pub(super) checks: Range<usize>,
    pub(super) replies: Replies,
    /// By client and place: what it must not forget.
    uses: Vec<Vec<Uses>>,
    /// Some command shows what others only leave traces in: states must agree in everything.
    pub(super) thorough: bool,
    /// Checks with an expected reply, by their number.
    pub(super) always: Vec<usize>,
    pub(super) finally: Vec<usize>,
}

/// What of a client's knowledge its later steps use.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) newest: bool,
    pub(super) names: BTreeSet<String>,
}

impl Plan {
    pub(super) fn new(scenario: Scenario, part: Part, replies: Replies) -> Self {
        let clients = scenario.clients.len();
        let mut programs = vec![Vec::new(); clients + 1];
        let to = part.steps.end.min(scenario.steps.len());
        let from = part.steps.start.min(to);
        for (index, step) in scenario.steps.iter().enumerate().take(to).skip(from) {
            programs[step.send().map_or(clients, |send| send.client)].push(index);
        }
        let uses = programs[..clients].iter().map(|steps| uses(&scenario, steps, replies)).collect();
        let of = |when: When| {
            let numbered = scenario.checks.iter().enumerate();
            let of_kind = numbered.filter(|(number, check)| {
                part.checks.contains(number) && check.when == when && check.expected.is_some()
            });
            of_kind.map(|(number, _)| number).collect()
        };
        let (always, finally) = (of(When::Always), of(When::Finally));
        let thorough = is_telling(&scenario);
        let (clock_free, checks) = (part.clock_free, part.checks);
        Self { scenario, programs, from, to, clock_free, checks, replies, uses, thorough, always, finally }
    }

    pub(super) fn clock(&self) -> usize {
        self.programs.len() - 1
    }

    pub(super) fn step(&self, actor: usize, place: usize) -> Option<(usize, &Step)> {
        let index = *self.programs[actor].get(place)?;
        Some((index, &self.scenario.steps[index]))
    }

    pub(super) fn uses(&self, client: usize, place: usize) -> &Uses {
        &self.uses[client][place]
    }
}

/// From the last step to the first: what is used there or later and not replaced before.
fn uses(scenario: &Scenario, steps: &[usize], replies: Replies) -> Vec<Uses> {
    let at_end = Uses { newest: replies == Replies::Last, names: BTreeSet::new() };
    let mut all = vec![at_end.clone()];
    for index in steps.iter().rev() {
        let step = &scenario.steps[*index];
        let later = all.last().expect("it begins with the end");
        let mut own = Uses::default();
        let keeps_used = step.keeps.iter().any(|name| later.names.contains(name));
        if !step.orders.is_empty() || !is_answered(step) {
            let may_stop = step.orders.iter().any(|order| matches!(order, Order::Stop(_)));
            own.newest = later.newest || keeps_used || (may_stop && at_end.newest);
        }
        let unkept = later.names.iter().filter(|name| !step.keeps.contains(name));
        own.names.extend(unkept.cloned());
        step.orders.iter().for_each(|order| own.add_order(order));
        let holes = step.send().into_iter().flat_map(|send| &send.holes);
        holes.for_each(|hole| own.add(&hole.term));
        all.push(own);
    }
    all.reverse();
    all
}

impl Uses {
    fn add(&mut self, term: &Term) {
        match &term.name {
            None => self.newest = true,
            Some(name) => {
                self.names.insert(name.clone());
            }
        }
    }

    fn add_order(&mut self, order: &Order) {
        let condition = match order {
            Order::If(condition) | Order::Stop(condition) | Order::Until { condition, .. } => condition,
            Order::Again { .. } => return,
        };
        let Condition { term, test, .. } = condition;
        self.add(term);
        if let Test::Compare(_, Operand::Term(term)) = test {
            self.add(term);
        }
    }
}

/// Whether the command is sure to be answered, so that an older reply is forgotten.
fn is_answered(step: &Step) -> bool {
    let Action::Send(send) = &step.action else { return false };
    let name = send.argv.first().map(|name| name.to_ascii_lowercase()).unwrap_or_default();
    !name.ends_with(b"subscribe") && !matches!(&*name, b"client" | b"monitor" | b"shutdown" | b"quit")
}

/// Whether a command may show more than the data, or change more than what [`crate::server::Server::essence_into`] tells.
fn is_telling(scenario: &Scenario) -> bool {
    const SAFE: [&[u8]; 13] = [
        b"ping",
        b"echo",
        b"select",
        b"hello",
        b"publish",
        b"subscribe",
        b"unsubscribe",
        b"flushall",
        b"flushdb",
        b"dbsize",
        b"swapdb",
        b"command",
        b"time",
    ];
    const WORDS: [&str; 10] =
        ["info", "object", "memory", "slowlog", "latency", "client", "config", "lastsave", "debug", "acl"];
    let checks = scenario.checks.iter().map(|check| check.argv.as_slice());
    let steps = scenario.steps.iter().filter_map(Step::send).map(|send| send.argv.as_slice());
    let evicts = scenario.setup.config.iter().any(|(name, _)| name.starts_with("maxmemory"));
    evicts
        || steps.chain(checks).any(|argv| {
            let name = argv.first().map(|name| name.to_ascii_lowercase()).unwrap_or_default();
            let is_safe = SAFE.contains(&&*name)
                || commands::find(&name).is_some_and(|spec| {
                    !matches!(spec.group, Group::Server | Group::Connection | Group::PubSub | Group::Cluster)
                });
            let names_telling = |argument: &crate::Bytes| {
                let text = String::from_utf8_lossy(argument).to_ascii_lowercase();
                WORDS.iter().any(|word| text.contains(word))
            };
            // Only scripts and subcommands can name another command.
            let scripted = name.starts_with(b"eval") || matches!(&*name, b"script" | b"function" | b"object");
            !is_safe || (scripted && argv.iter().any(names_telling))
        })
}
