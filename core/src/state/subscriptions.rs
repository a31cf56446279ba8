//! Who listens to which channel, pattern and shard channel.
//!
//! Invariant: agrees with the sets each client holds; a name without listeners is not kept.

use imbl::OrdMap;

use crate::Bytes;
use crate::event::ClientId;

/// What a subscription names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    Plain,
    Pattern,
    Shard,
}

/// Listeners by name, for each kind, in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subscriptions {
    plain: OrdMap<Bytes, Vec<ClientId>>,
    patterns: OrdMap<Bytes, Vec<ClientId>>,
    shard: OrdMap<Bytes, Vec<ClientId>>,
}

impl Subscriptions {
    fn of(&self, kind: Channels) -> &OrdMap<Bytes, Vec<ClientId>> {
        match kind {
            Channels::Plain => &self.plain,
            Channels::Pattern => &self.patterns,
            Channels::Shard => &self.shard,
        }
    }

    fn of_mut(&mut self, kind: Channels) -> &mut OrdMap<Bytes, Vec<ClientId>> {
        match kind {
            Channels::Plain => &mut self.plain,
            Channels::Pattern => &mut self.patterns,
            Channels::Shard => &mut self.shard,
        }
    }

    /// The client must not listen to it already.
    pub fn add(&mut self, kind: Channels, name: &Bytes, client: ClientId) {
        self.of_mut(kind).entry(name.clone()).or_default().push(client);
    }

    pub fn remove(&mut self, kind: Channels, name: &Bytes, client: ClientId) {
        let listeners = self.of_mut(kind);
        if let Some(clients) = listeners.get_mut(name) {
            clients.retain(|known| *known != client);
            if clients.is_empty() {
                listeners.remove(name);
            }
        }
    }

    /// Who listens to exactly this name.
    pub fn listeners(&self, kind: Channels, name: &Bytes) -> &[ClientId] {
        self.of(kind).get(name).map_or(&[], Vec::as_slice)
    }

    /// All names with their listeners, sorted by name.
    pub fn iter(&self, kind: Channels) -> impl Iterator<Item = (&Bytes, &[ClientId])> {
        self.of(kind).iter().map(|(name, clients)| (name, clients.as_slice()))
    }

    pub fn count(&self, kind: Channels) -> usize {
        self.of(kind).len()
    }
}
