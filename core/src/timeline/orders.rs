//! What the lines `@ A: …` have told clients and no step has taken up yet, and loops written out.
//!
//! A loop is kept as what it comes to: its steps once more for each further attempt, skipped once it is over. So a step
//! is done at most once, whoever plays the story.

use std::collections::{BTreeMap, BTreeSet};

use super::logic::{Condition, Order};
use super::scenario::Step;

/// Clients, steps and lines are indexes.
#[derive(Debug, Default)]
pub(super) struct Orders {
    clients: BTreeMap<usize, Told>,
    loops: usize,
}

#[derive(Debug, Default)]
struct Told {
    /// For the next step, each with its line; None where a step has taken it up already.
    waiting: Vec<(Order, Option<usize>)>,
    names: BTreeSet<String>,
    open: Option<OpenLoop>,
}

#[derive(Clone, Copy, Debug)]
struct OpenLoop {
    attempts: usize,
    first_step: usize,
    line: usize,
}

impl Orders {
    pub(super) fn tell(&mut self, client: usize, order: Order, line: usize) {
        self.clients.entry(client).or_default().waiting.push((order, Some(line)));
    }

    /// What the client's next step has to consider.
    pub(super) fn take(&mut self, client: usize) -> Vec<Order> {
        let waiting = self.clients.get_mut(&client).map(|told| std::mem::take(&mut told.waiting));
        waiting.unwrap_or_default().into_iter().map(|(order, _)| order).collect()
    }

    pub(super) fn keep(&mut self, client: usize, name: &str) {
        self.clients.entry(client).or_default().names.insert(name.to_owned());
    }

    /// Whether the client has kept a reply under the name.
    pub(super) fn knows(&self, client: usize, name: &str) -> bool {
        self.clients.get(&client).is_some_and(|told| told.names.contains(name))
    }

    /// Begins a loop of the client; false where one is open already.
    pub(super) fn repeat(&mut self, client: usize, attempts: usize, first_step: usize, line: usize) -> bool {
        let told = self.clients.entry(client).or_default();
        let is_free = told.open.is_none();
        if is_free {
            told.open = Some(OpenLoop { attempts, first_step, line });
        }
        is_free
    }

    /// Ends the client's loop: the steps of all its further attempts. None where no loop is open, or nothing is in it.
    pub(super) fn until(
        &mut self,
        client: usize,
        condition: &Condition,
        steps: &[Step],
        line: usize,
    ) -> Option<Vec<Step>> {
        let told = self.clients.entry(client).or_default();
        let OpenLoop { attempts, first_step, .. } = told.open.take()?;
        let is_own = |step: &&Step| step.send().is_some_and(|send| send.client == client);
        let body: Vec<&Step> = steps[first_step..].iter().filter(is_own).collect();
        if body.is_empty() {
            return None;
        }
        let loop_number = self.loops;
        self.loops += 1;
        let ending = told.waiting.iter_mut().map(|(order, line)| {
            *line = None;
            order.clone()
        });
        let mut before: Vec<Order> = ending.collect();
        before.push(Order::Until { loop_number, condition: condition.clone() });
        let mut copies = Vec::new();
        for attempt in 2..=attempts {
            for (place, step) in body.iter().enumerate() {
                let mut orders = if place == 0 { before.clone() } else { Vec::new() };
                orders.push(Order::Again { loop_number });
                orders.extend(step.orders.iter().cloned());
                copies.push(Step {
                    line: line + 1,
                    remarks: Vec::new(),
                    predict: None,
                    orders,
                    attempt: Some(attempt),
                    expected: None,
                    late: Vec::new(),
                    ..(*step).clone()
                });
            }
        }
        Some(copies)
    }

    /// Lines that come to nothing, and why.
    pub(super) fn left_over(&self) -> Vec<(usize, &'static str)> {
        let told = self.clients.values();
        told.flat_map(|told| {
            let open = told.open.map(|open| (open.line, "this loop has no `until`"));
            let waiting = told.waiting.iter().filter_map(|(_, line)| *line);
            waiting.map(|line| (line, "no step of this client follows")).chain(open).collect::<Vec<_>>()
        })
        .collect()
    }
}
