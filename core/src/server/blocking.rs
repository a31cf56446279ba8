//! Clients that wait: for keys, in the order in which they came, or for time.

use std::collections::BTreeSet;

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::{self, Outcome};
use crate::event::{ClientId, EventKind};
use crate::keyspace::KeyId;
use crate::state::{Blocked, BlockedOn};

use super::Server;

impl Server {
    pub(super) fn block(&mut self, client: ClientId, blocked: Blocked) {
        let now = self.state.now;
        let keys = match &blocked.on {
            BlockedOn::Keys { keys, .. } => keys.clone(),
            BlockedOn::Time => Vec::new(),
        };
        self.state.journal.detail(now, || EventKind::Blocked { client, keys });
        self.state.client_mut(client).blocked = Some(blocked);
    }

    pub(super) fn next_deadline(&self) -> Option<Micros> {
        self.state.clients.values().filter_map(|client| client.blocked.as_ref()?.deadline).min()
    }

    /// Answers the clients whose waiting time is over.
    pub(super) fn end_waits(&mut self) {
        let now = self.state.now;
        let due: Vec<ClientId> = self
            .state
            .clients
            .values()
            .filter(|client| {
                client.blocked.as_ref().and_then(|blocked| blocked.deadline).is_some_and(|at| at <= now)
            })
            .map(|client| client.id)
            .collect();
        for client in due {
            if let Some(blocked) = self.unblock(client) {
                self.reply(client, blocked.timeout_reply);
            }
        }
    }

    fn unblock(&mut self, client: ClientId) -> Option<Blocked> {
        let blocked = self.state.client_mut(client).blocked.take()?;
        self.state.journal.detail(self.state.now, || EventKind::Unblocked { client });
        Some(blocked)
    }

    /// Lets clients that wait for keys just written try again, the longest waiting first. Serving one can make
    /// further keys ready (BLMOVE), so it goes on until nothing is.
    pub(super) fn serve_ready_keys(&mut self) {
        loop {
            let ready: BTreeSet<(usize, KeyId)> =
                std::mem::take(&mut self.state.ready_keys).into_iter().collect();
            if ready.is_empty() {
                return;
            }
            let mut waiting: Vec<(Micros, ClientId)> = self
                .state
                .clients
                .values()
                .filter_map(|client| {
                    let blocked = client.blocked.as_ref()?;
                    let BlockedOn::Keys { db, keys } = &blocked.on else { return None };
                    let concerned = keys.iter().any(|key| ready.contains(&(*db, KeyId::new(key))));
                    concerned.then_some((blocked.since, client.id))
                })
                .collect();
            waiting.sort();
            for (_, client) in waiting {
                self.retry(client);
            }
        }
    }

    /// Runs a blocked client's command again; it may have to go on waiting.
    fn retry(&mut self, client: ClientId) {
        let Some(blocked) = self.state.client_mut(client).blocked.take() else { return };
        let argv: Vec<Bytes> = blocked.argv.clone();
        self.state.executing = Some(client);
        let outcome = commands::retry_blocked(&mut self.state, &self.engine, client, &argv);
        self.state.executing = None;
        match outcome {
            Outcome::Block(_) => self.state.client_mut(client).blocked = Some(blocked),
            outcome => {
                self.state.journal.detail(self.state.now, || EventKind::Unblocked { client });
                self.answer(client, outcome);
            }
        }
    }
}
