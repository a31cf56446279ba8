//! A run as the exports tell it: a list of what was done and of what each client saw, in order.

use crate::Bytes;
use crate::clock::Micros;
use crate::profile::Version;
use crate::resp::quote_arg;
use crate::server::{Event, EventKind, InputKind};
use crate::timeline::{Action, Clock, Scenario, Seen, Timeline};

pub(super) struct Played<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) version: Version,
    pub(super) timeline: &'a Timeline,
    pub(super) acts: Vec<Act>,
    /// The moment of the first step.
    pub(super) start: Micros,
}

pub(super) struct Act {
    /// Since the start.
    pub(super) at: Micros,
    pub(super) step: usize,
    pub(super) kind: ActKind,
}

pub(super) enum ActKind {
    /// A remark of the author.
    Remark(String),
    Send {
        client: usize,
        argv: Vec<Bytes>,
        /// None: it is answered later, if at all.
        reply: Option<Seen>,
        /// The reply may differ where the story allows it.
        slack: bool,
    },
    /// The reply to an earlier step, or a message that answers none.
    Receive {
        client: usize,
        seen: Seen,
        answers: Option<usize>,
    },
    /// The clock moves on by so much.
    Wait(Micros),
    Restart {
        keep_data: bool,
    },
    Failover,
    Replicate {
        link_up: bool,
    },
    /// A step that its client has decided not to take.
    Skipped(String),
}

impl<'a> Played<'a> {
    pub(super) fn new(timeline: &'a Timeline) -> Self {
        let scenario = timeline.scenario();
        let start = timeline.inputs().first().map_or(Micros(0), |input| input.at);
        let mut played = Self { scenario, version: timeline.version(), timeline, acts: Vec::new(), start };
        let mut clock = start;
        for index in 0..timeline.records().len() {
            played.step(index, &mut clock);
        }
        played
    }

    fn step(&mut self, index: usize, clock: &mut Micros) {
        let step = &self.scenario.steps[index];
        let record = &self.timeline.records()[index];
        let at = record.times.sent.saturating_sub(self.start);
        let mut push = |kind| self.acts.push(Act { at, step: index, kind });
        step.remarks.iter().for_each(|remark| push(ActKind::Remark(remark.clone())));
        match &step.action {
            Action::Send(send) => {
                let sent =
                    self.timeline.inputs()[record.inputs.clone()].iter().find_map(|input| {
                        match &input.kind {
                            InputKind::Command { argv, .. } => Some(argv.clone()),
                            _ => None,
                        }
                    });
                match sent {
                    Some(argv) => push(ActKind::Send {
                        client: send.client,
                        argv,
                        reply: record.observed.reply.clone(),
                        slack: step.expected.as_ref().is_some_and(|expected| expected.text.contains("(any")),
                    }),
                    None => push(ActKind::Skipped(step.text.clone())),
                }
            }
            Action::Clock(moved) => {
                let span = match moved {
                    Clock::Forward(span) => *span,
                    Clock::At(moment) => (self.start + *moment).saturating_sub(*clock),
                };
                push(ActKind::Wait(span));
            }
            Action::Restart { keep_data } => push(ActKind::Restart { keep_data: *keep_data }),
            Action::Failover => push(ActKind::Failover),
            Action::Replicate { link_up } => push(ActKind::Replicate { link_up: *link_up }),
        }
        let mut late: Vec<(usize, Seen)> = record.late.clone();
        for (client, seen) in &record.observed.arrived {
            let of_client = |(step, answer): &(usize, Seen)| {
                answer == seen && self.scenario.steps[*step].send().is_some_and(|send| send.client == *client)
            };
            let answers = late.iter().position(of_client).map(|place| late.remove(place).0);
            let (client, seen) = (*client, seen.clone());
            self.acts.push(Act { at, step: index, kind: ActKind::Receive { client, seen, answers } });
        }
        *clock = record.events.last().map_or(record.times.sent, |event| event.at).max(record.times.sent);
        if let Some(ended) = record.times.ended.filter(|_| record.wait.is_none()) {
            *clock = (*clock).max(ended);
        }
    }

    pub(super) fn name(&self, client: usize) -> &str {
        &self.scenario.clients[client]
    }

    pub(super) fn text(&self, seen: &Seen) -> String {
        seen.text(self.version)
    }

    pub(super) fn events(&self) -> impl Iterator<Item = (usize, &Event)> {
        self.timeline
            .records()
            .iter()
            .enumerate()
            .flat_map(|(step, record)| record.events.iter().map(move |event| (step, event)))
    }

    /// When a script passed the busy threshold, and when it ended: by step.
    pub(super) fn busy(&self) -> Vec<(usize, usize)> {
        let mut zones = Vec::new();
        let mut open = None;
        for (step, event) in self.events() {
            match event.kind {
                EventKind::BusyBegan { .. } => open = open.or(Some(step)),
                EventKind::ScriptEnded { .. } | EventKind::Stopped => {
                    zones.extend(open.take().map(|from| (from, step)));
                }
                _ => {}
            }
        }
        let last = self.timeline.records().len().saturating_sub(1);
        zones.extend(open.map(|from| (from, last)));
        zones
    }
}

/// A command as one types it into redis-cli, on one line.
pub(super) fn command(argv: &[Bytes]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quote_arg(word)).collect();
    words.join(" ")
}

/// `400 ms`, `2 s`.
pub(super) fn span(span: Micros) -> String {
    let (number, unit) = match span.0 {
        0..1_000 => (span.0 as f64, "µs"),
        1_000..1_000_000 => (span.0 as f64 / 1e3, "ms"),
        1_000_000..120_000_000 => (span.0 as f64 / 1e6, "s"),
        120_000_000..7_200_000_000 => (span.0 as f64 / 6e7, "min"),
        _ => (span.0 as f64 / 3.6e9, "h"),
    };
    let text = format!("{number:.3}");
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}
