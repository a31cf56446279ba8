//! Who is answered what: events of the server, turned into what each client sees of its own steps.
//!
//! Invariant: a connection's commands run one after the other, so a started command ends the one before it, answered or not.

use std::collections::VecDeque;

use crate::clock::Micros;
use crate::profile::Version;
use crate::server::{ClientId, Event, EventKind, Fingerprint};

use super::compare::Seen;

/// The connections of a scenario's clients and the steps under way on them. Clients and steps are indexes.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    version: Version,
    connections: Vec<Connection>,
    /// Whose a connection is, by its number less one.
    owners: Vec<usize>,
    /// The step that was started last, whoever's it is.
    last_started: Option<usize>,
}

#[derive(Clone, Debug, Default)]
struct Connection {
    id: Option<ClientId>,
    /// Sent and not started.
    waiting: VecDeque<usize>,
    /// Started and not answered.
    current: Option<usize>,
    /// The one that was started last.
    last_started: Option<usize>,
}

/// What an event means for the scenario.
#[derive(Debug)]
pub(super) enum Outcome {
    Started {
        step: usize,
    },
    Answered {
        client: usize,
        step: usize,
        seen: Seen,
    },
    /// A message that answers no step.
    Received {
        client: usize,
        seen: Seen,
    },
}

impl Tracker {
    pub(super) fn new(clients: usize, version: Version) -> Self {
        Self {
            version,
            connections: vec![Connection::default(); clients],
            owners: Vec::new(),
            last_started: None,
        }
    }

    pub(super) fn connection(&self, client: usize) -> Option<ClientId> {
        self.connections[client].id
    }

    pub(super) fn connect(&mut self, client: usize) -> ClientId {
        self.owners.push(client);
        let id = ClientId(self.owners.len() as u64);
        self.connections[client] = Connection { id: Some(id), ..Connection::default() };
        id
    }

    /// Whose connection this is or was.
    pub(super) fn owner(&self, id: ClientId) -> Option<usize> {
        self.owners.get((id.0 as usize).checked_sub(1)?).copied()
    }

    /// The step under way on a connection: started and not answered.
    pub(super) fn under_way(&self, id: ClientId) -> Option<usize> {
        self.connection_of(id)?.current
    }

    pub(super) fn last_started_by(&self, id: ClientId) -> Option<usize> {
        self.connection_of(id)?.last_started
    }

    pub(super) fn last_started(&self) -> Option<usize> {
        self.last_started
    }

    /// The last step that a client has sent and that is not answered.
    pub(super) fn last_unanswered(&self, client: usize) -> Option<usize> {
        let connection = &self.connections[client];
        connection.waiting.back().copied().or(connection.current)
    }

    fn connection_of(&self, id: ClientId) -> Option<&Connection> {
        self.connections.get(self.owner(id)?).filter(|connection| connection.id == Some(id))
    }

    /// Whether a step of the client is unanswered.
    pub(super) fn is_waiting(&self, client: usize) -> bool {
        let connection = &self.connections[client];
        connection.current.is_some() || !connection.waiting.is_empty()
    }

    pub(super) fn print_into(&self, print: &mut Fingerprint) {
        for Connection { id, waiting, current, .. } in &self.connections {
            print.number(id.map_or(u64::MAX, |id| id.0));
            print.number(current.map_or(u64::MAX, |step| step as u64));
            print.number(waiting.len() as u64);
            waiting.iter().for_each(|step| print.number(*step as u64));
        }
    }

    pub(super) fn send(&mut self, client: usize, step: usize) {
        self.connections[client].waiting.push_back(step);
    }

    pub(super) fn follow(&mut self, event: &Event) -> Vec<Outcome> {
        let owner = |id: &ClientId| {
            let client = self.owner(*id)?;
            (self.connections[client].id == Some(*id)).then_some(client)
        };
        match &event.kind {
            EventKind::Started { client } => {
                let Some(client) = owner(client) else { return Vec::new() };
                let connection = &mut self.connections[client];
                connection.current = connection.waiting.pop_front();
                connection.last_started = connection.current.or(connection.last_started);
                self.last_started = connection.current.or(self.last_started);
                connection.current.map(|step| Outcome::Started { step }).into_iter().collect()
            }
            EventKind::Replied { client, reply, protocol } => {
                let Some(client) = owner(client) else { return Vec::new() };
                let seen = Seen::Reply(reply.as_sent(*protocol, self.version));
                let step = self.connections[client].current.take();
                step.map(|step| Outcome::Answered { client, step, seen }).into_iter().collect()
            }
            EventKind::Pushed { client, message, protocol } => {
                let Some(client) = owner(client) else { return Vec::new() };
                let seen = Seen::Reply(message.as_sent(*protocol, self.version));
                vec![Outcome::Received { client, seen }]
            }
            EventKind::Closed { client } => {
                let Some(client) = owner(client) else { return Vec::new() };
                self.closed(client)
            }
            _ => Vec::new(),
        }
    }

    /// redis-cli tells of a lost connection only where it waits for a reply; else it connects anew with the next command.
    fn closed(&mut self, client: usize) -> Vec<Outcome> {
        let connection = std::mem::take(&mut self.connections[client]);
        let unanswered = connection.current.into_iter().chain(connection.waiting);
        unanswered.map(|step| Outcome::Answered { client, step, seen: Seen::Closed }).collect()
    }

    /// The step under way on the client's connection has run without a reply: SUBSCRIBE is answered by messages.
    pub(super) fn end_silent(&mut self, client: usize) -> Option<usize> {
        self.connections[client].current.take()
    }
}

/// When a step was sent, begun and answered. Moments of the virtual clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub sent: Micros,
    pub started: Option<Micros>,
    /// The end of a step without a reply, too.
    pub ended: Option<Micros>,
}
