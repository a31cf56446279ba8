//! Plays one scenario to a real server, in real time.
//!
//! The file itself says how long to wait: for a step with a reply below it, until that comes; for one without, just
//! long enough for the server to have taken it. `A< …` is waited for where it stands. The engine is not asked.
#![allow(clippy::disallowed_types, reason = "the clock of a real server is the real one")]

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::resp::Reply;
use playground_core::timeline::{Action, Clock, Decision, Mind, Observed, Scenario, Seen, Send, When};

use super::connection::{Connection, Received};
use super::target::Target;

/// How long an expected reply may take to come.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server gets to take a command that is not expected to be answered.
const GRACE: Duration = Duration::from_millis(40);
/// How long a check may take: a server that is not free is not checked.
const CHECK_PATIENCE: Duration = Duration::from_millis(200);

pub(super) struct Player<'a> {
    scenario: &'a Scenario,
    target: &'a mut Target,
    clients: Vec<Client>,
    observed: Vec<Observed>,
    started: Instant,
}

#[derive(Default)]
struct Client {
    connection: Option<Connection>,
    /// What it knows from its replies.
    mind: Mind,
    /// Steps that were sent and not answered.
    unanswered: VecDeque<usize>,
    /// It has subscribed to something: arrays may be messages.
    listens: bool,
    /// How many things it received that no line has named yet.
    unnamed: usize,
}

impl<'a> Player<'a> {
    /// What came of each step.
    pub(super) fn play(scenario: &'a Scenario, target: &'a mut Target) -> Result<Vec<Observed>, String> {
        let clients = scenario.clients.iter().map(|_| Client::default()).collect();
        let observed = scenario.steps.iter().map(|_| Observed::default()).collect();
        let mut player = Self { scenario, target, clients, observed, started: Instant::now() };
        for client in 0..player.clients.len() {
            player.connect(client)?;
        }
        player.started = Instant::now();
        for index in 0..scenario.steps.len() {
            player.step(index)?;
        }
        Ok(player.observed)
    }

    fn connect(&mut self, client: usize) -> Result<(), String> {
        self.clients[client].connection = Some(self.target.connect()?);
        Ok(())
    }

    fn step(&mut self, index: usize) -> Result<(), String> {
        let scenario = self.scenario;
        let step = &scenario.steps[index];
        match &step.action {
            Action::Clock(Clock::Forward(span)) => sleep(*span),
            Action::Clock(Clock::At(moment)) => {
                let since_start = Micros(self.started.elapsed().as_micros() as u64);
                if since_start > *moment {
                    let problem = format!("it is {since_start} after the start already");
                    self.observed[index].problem = Some(problem);
                }
                sleep(moment.saturating_sub(since_start));
            }
            Action::Restart { keep_data } => {
                self.hang_up(index);
                self.target.restart(*keep_data)?;
            }
            Action::Failover => {
                self.hang_up(index);
                self.target.fail_over()?;
            }
            Action::Replicate { link_up } => self.target.make_replica(*link_up)?,
            Action::Send(send) => self.decide(index, send)?,
        }
        for late in &step.late {
            self.listen(index, late.client, PATIENCE, |player| player.clients[late.client].unnamed > 0)?;
            let unnamed = &mut self.clients[late.client].unnamed;
            *unnamed = unnamed.saturating_sub(1);
        }
        let is_last = index + 1 == scenario.steps.len();
        if is_last {
            self.listen_for_pipelined(index)?;
        }
        self.check(index, is_last);
        Ok(())
    }

    /// The client does what its replies up to here tell it to.
    fn decide(&mut self, index: usize, send: &Send) -> Result<(), String> {
        let step = &self.scenario.steps[index];
        if step.depends() {
            // To decide, it has to read all that was answered.
            self.listen(index, send.client, PATIENCE, |player| {
                player.clients[send.client].unanswered.is_empty()
            })?;
        }
        let client = &mut self.clients[send.client];
        match client.mind.decide(step, send, !client.unanswered.is_empty()) {
            Decision::Send(argv) => self.send(index, send, &argv),
            Decision::Skip => {
                self.observed[index].reply = Some(Seen::Skipped);
                Ok(())
            }
            Decision::Impossible(reason) => {
                self.observed[index].reply = Some(Seen::Skipped);
                self.observed[index].problem = Some(reason);
                Ok(())
            }
        }
    }

    fn send(&mut self, index: usize, send: &Send, argv: &[Bytes]) -> Result<(), String> {
        let client = send.client;
        if self.clients[client].connection.is_none() && self.connect(client).is_err() {
            self.clients[client].mind.learn(&self.scenario.steps[index], &Seen::Refused);
            self.observed[index].reply = Some(Seen::Refused);
            return Ok(());
        }
        let is_subscription = send.argv.first().is_some_and(|name| kind_of_subscription(name));
        let state = &mut self.clients[client];
        state.listens |= is_subscription;
        state.unanswered.push_back(index);
        // A connection that is gone is noticed when the reply is waited for.
        let _ = state.connection.as_mut().map(|connection| connection.send(argv));
        if send.pipelined {
            let next = self.scenario.steps.get(index + 1).and_then(|step| step.send());
            if next.is_none_or(|next| next.client != client) {
                // Two connections: the server must see this one first.
                std::thread::sleep(GRACE);
            }
            return Ok(());
        }
        let step = &self.scenario.steps[index];
        let patience = if step.expected.is_some() || step.attempt.is_some() { PATIENCE } else { GRACE };
        self.listen(index, client, patience, |player| player.observed[index].reply.is_some())
    }

    /// Takes what a client receives until that is enough or time is up.
    fn listen(
        &mut self,
        index: usize,
        client: usize,
        patience: Duration,
        is_enough: impl Fn(&Self) -> bool,
    ) -> Result<(), String> {
        let until = Instant::now() + patience;
        while !is_enough(self) {
            let left = until.saturating_duration_since(Instant::now());
            let Some(connection) = &mut self.clients[client].connection else { return Ok(()) };
            let received = connection.receive(left.max(Duration::from_millis(1)));
            match received.map_err(|error| format!("{}: {error}", self.scenario.clients[client]))? {
                Received::Reply(reply) => self.file(index, client, reply),
                Received::Closed => self.closed(index, client),
                Received::Nothing if left.is_zero() => return Ok(()),
                Received::Nothing => {}
            }
        }
        Ok(())
    }

    /// Says what a reply belongs to: a step, or none.
    fn file(&mut self, index: usize, client: usize, reply: Reply) {
        let state = &mut self.clients[client];
        let front = state.unanswered.front().copied();
        let sent = front.and_then(|step| self.scenario.steps[step].send());
        let command = sent.and_then(|send| send.argv.first()).map(|name| name.to_ascii_lowercase());
        let confirms =
            command.as_deref().is_some_and(|name| kind_of_subscription(name) && kind(&reply) == Some(name));
        let is_message =
            matches!(reply, Reply::Push(_)) || state.listens && kind(&reply).is_some_and(is_message_kind);
        let seen = Seen::Reply(reply);
        match front {
            Some(step) if confirms || !is_message => {
                state.unanswered.pop_front();
                self.answer(index, client, step, seen);
            }
            _ => self.receive(index, client, seen),
        }
    }

    fn answer(&mut self, index: usize, client: usize, step: usize, seen: Seen) {
        let belongs = |step: usize| {
            let step = &self.scenario.steps[step];
            step.expected.is_some() && step.send().is_some_and(|send| send.pipelined)
        };
        self.clients[client].mind.learn(&self.scenario.steps[step], &seen);
        if step == index || belongs(step) {
            // A further attempt of a loop has no line for its reply but `A< …`.
            self.clients[client].unnamed += usize::from(self.scenario.steps[step].attempt.is_some());
            self.observed[step].reply = Some(seen);
        } else {
            self.receive(index, client, seen);
        }
    }

    fn receive(&mut self, index: usize, client: usize, seen: Seen) {
        self.clients[client].unnamed += 1;
        self.observed[index].arrived.push((client, seen));
    }

    fn closed(&mut self, index: usize, client: usize) {
        self.clients[client].connection = None;
        self.clients[client].listens = false;
        for step in std::mem::take(&mut self.clients[client].unanswered) {
            self.answer(index, client, step, Seen::Closed);
        }
    }

    /// The server is about to go: whatever was on the way has arrived by now.
    fn hang_up(&mut self, index: usize) {
        for client in 0..self.clients.len() {
            self.closed(index, client);
        }
    }

    fn listen_for_pipelined(&mut self, index: usize) -> Result<(), String> {
        for client in 0..self.clients.len() {
            self.listen(index, client, PATIENCE, |player| {
                let expects = |step: &usize| {
                    let step = &player.scenario.steps[*step];
                    step.expected.is_some() && step.send().is_some_and(|send| send.pipelined)
                };
                !player.clients[client].unanswered.iter().any(expects)
            })?;
        }
        Ok(())
    }

    fn check(&mut self, index: usize, is_last: bool) {
        for (number, check) in self.scenario.checks.iter().enumerate() {
            if check.when == When::Finally && !is_last {
                continue;
            }
            let Ok(mut connection) = self.target.connect() else { continue };
            if connection.send(&check.argv).is_err() {
                continue;
            }
            let Ok(Received::Reply(reply)) = connection.receive(CHECK_PATIENCE) else { continue };
            if !matches!(&reply, Reply::Error(line) if line.starts_with(b"BUSY")) {
                self.observed[index].checked.push((number, Seen::Reply(reply)));
            }
        }
    }
}

fn sleep(span: Micros) {
    std::thread::sleep(Duration::from_micros(span.0));
}

fn kind(reply: &Reply) -> Option<&[u8]> {
    match reply {
        Reply::Array(items) | Reply::Push(items) => match items.first() {
            Some(Reply::Bulk(kind)) => Some(kind),
            _ => None,
        },
        _ => None,
    }
}

fn is_message_kind(kind: &[u8]) -> bool {
    matches!(kind, b"message" | b"pmessage" | b"smessage") || kind_of_subscription(kind)
}

fn kind_of_subscription(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    name.ends_with(b"subscribe")
}
