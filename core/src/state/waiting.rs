//! Who waits for which key, in the order of arrival, and until when.
//!
//! Invariant: a client stands in these lists exactly while its `blocked` is set, under each of its keys once.
//! Knows no commands: a key that may serve somebody is only noted here.

use imbl::{OrdMap, OrdSet, Vector};

use super::{Awaited, Blocked, BlockedOn, State};
use crate::Bytes;
use crate::clock::Micros;
use crate::event::ClientId;
use crate::keyspace::KeyId;
use crate::value::Value;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waiting {
    by_key: OrdMap<(usize, KeyId), Vector<ClientId>>,
    deadlines: OrdSet<(Micros, ClientId)>,
    ready: Vec<ReadyKey>,
    /// How many clients wait for each kind of value, whatever the key.
    awaited: OrdMap<Awaited, usize>,
}

/// A key that was written while clients wait for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyKey {
    pub db: usize,
    pub key: KeyId,
    /// Whose command wrote it.
    pub by: ClientId,
}

impl Waiting {
    /// Notes that a key was written, where anybody waits for it. Keys keep the order in which they were first written.
    pub fn signal(&mut self, db: usize, key: &KeyId, by: ClientId) {
        if self.by_key.is_empty() || !self.by_key.contains_key(&(db, key.clone())) {
            return;
        }
        if !self.ready.iter().any(|ready| ready.db == db && ready.key == *key) {
            self.ready.push(ReadyKey { db, key: key.clone(), by });
        }
    }

    /// As [`Waiting::signal`], for a key that was made with a value of this kind. Where nobody waits for the kind on any key it
    /// goes unnoticed, even if the key is given another value before anybody is served.
    pub fn signal_made(&mut self, db: usize, key: &KeyId, kind: Awaited, by: ClientId) {
        if self.awaited.contains_key(&kind) {
            self.signal(db, key, by);
        }
    }

    pub fn take_ready(&mut self) -> Vec<ReadyKey> {
        std::mem::take(&mut self.ready)
    }

    /// The clients that wait for a key, the longest waiting first.
    pub fn clients(&self, db: usize, key: &KeyId) -> Vec<ClientId> {
        self.by_key.get(&(db, key.clone())).into_iter().flatten().copied().collect()
    }

    /// The keys of a database that somebody waits for.
    pub fn keys(&self, db: usize) -> impl Iterator<Item = &KeyId> {
        let first = (db, KeyId::first_of_hash(0));
        self.by_key
            .range(first..)
            .map(|(place, _)| place)
            .take_while(move |place| place.0 == db)
            .map(|place| &place.1)
    }

    /// The client for which time alone does something first, and when: its wait ends, or its command is tried again.
    pub fn next_deadline(&self) -> Option<(Micros, ClientId)> {
        self.deadlines.get_min().copied()
    }

    fn add(&mut self, client: ClientId, blocked: &Blocked) {
        if let Some(at) = next_moment(blocked) {
            self.deadlines.insert((at, client));
        }
        if let BlockedOn::Keys { awaited, .. } = blocked.on {
            *self.awaited.entry(awaited).or_default() += 1;
        }
        for place in places(blocked) {
            let clients = self.by_key.entry(place).or_default();
            if !clients.contains(&client) {
                clients.push_back(client);
            }
        }
    }

    fn remove(&mut self, client: ClientId, blocked: &Blocked) {
        if let Some(at) = next_moment(blocked) {
            self.deadlines.remove(&(at, client));
        }
        if let BlockedOn::Keys { awaited, .. } = blocked.on
            && let Some(count) = self.awaited.get_mut(&awaited)
        {
            *count -= 1;
            if *count == 0 {
                self.awaited.remove(&awaited);
            }
        }
        for place in places(blocked) {
            let Some(clients) = self.by_key.get_mut(&place) else { continue };
            clients.retain(|other| *other != client);
            if clients.is_empty() {
                self.by_key.remove(&place);
            }
        }
    }
}

/// When time alone does something for a client that waits.
fn next_moment(blocked: &Blocked) -> Option<Micros> {
    [blocked.deadline, blocked.retry_at].into_iter().flatten().min()
}

fn places(blocked: &Blocked) -> impl Iterator<Item = (usize, KeyId)> {
    let (db, keys): (usize, &[Bytes]) = match &blocked.on {
        BlockedOn::Keys { db, keys, .. } => (*db, keys),
        BlockedOn::Time | BlockedOn::Pause => (0, &[]),
    };
    keys.iter().map(move |key| (db, KeyId::new(key)))
}

impl State {
    /// Lets a client wait; it comes to stand behind those that wait already.
    pub fn block(&mut self, client: ClientId, blocked: Blocked) {
        self.waiting.add(client, &blocked);
        self.client_mut(client).blocked = Some(blocked);
    }

    /// Notes that a key came to hold what it holds now, or nothing.
    pub fn signal_held(&mut self, db: usize, key: &KeyId, by: ClientId) {
        match self.dbs[db].get(key).map(|entry| &entry.value) {
            Some(Value::List(_)) => self.waiting.signal_made(db, key, Awaited::List, by),
            Some(Value::ZSet(_)) => self.waiting.signal_made(db, key, Awaited::SortedSet, by),
            Some(Value::Stream(_)) => self.waiting.signal(db, key, by),
            _ => self.signal_end(db, key, by),
        }
    }

    /// Whether the lists of those who wait are those of the blocked clients.
    ///
    /// # Errors
    /// The lists as they are.
    pub fn audit_waiting(&self) -> Result<(), String> {
        let mut expected = Waiting::default();
        for client in self.clients.values() {
            if let Some(blocked) = &client.blocked {
                expected.add(client.id, blocked);
            }
        }
        let sorted = |waiting: &Waiting| {
            let lists = waiting.by_key.iter().map(|(place, clients)| {
                let mut clients: Vec<ClientId> = clients.iter().copied().collect();
                clients.sort_unstable();
                (place.clone(), clients)
            });
            (lists.collect::<Vec<_>>(), waiting.deadlines.clone(), waiting.awaited.clone())
        };
        if sorted(&expected) == sorted(&self.waiting) {
            return Ok(());
        }
        Err(format!("{:?} does not say who is blocked", self.waiting))
    }

    /// Notes that a key holds nothing that can be waited for any more. It only concerns who waits in a stream's group;
    /// yet when the key holds something by the time it is looked at, all are served who wait for that.
    pub fn signal_end(&mut self, db: usize, key: &KeyId, by: ClientId) {
        let in_a_group = |client: ClientId| {
            let blocked = self.clients.get(&client).and_then(|client| client.blocked.as_ref());
            blocked.is_some_and(|blocked| {
                matches!(blocked.on, BlockedOn::Keys { awaited: Awaited::StreamGroup, .. })
            })
        };
        if self.waiting.clients(db, key).into_iter().any(in_a_group) {
            self.waiting.signal(db, key, by);
        }
    }

    /// Ends a client's wait; None where it did not wait.
    pub fn unblock(&mut self, client: ClientId) -> Option<Blocked> {
        let blocked = self.client_mut(client).blocked.take()?;
        self.waiting.remove(client, &blocked);
        Some(blocked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;
    use crate::resp::Reply;
    use crate::state::Client;

    fn state(clients: u64) -> State {
        let mut state = State::new(Version::default(), Micros(0));
        for id in (1..=clients).map(ClientId) {
            state.clients.insert(id, Client::new(id, Micros(0)));
        }
        state
    }

    fn blocked(keys: &[&str], deadline: Option<u64>) -> Blocked {
        Blocked {
            argv: Vec::new(),
            on: BlockedOn::Keys {
                db: 0,
                keys: keys.iter().map(|key| Bytes::from(*key)).collect(),
                awaited: Awaited::List,
            },
            deadline: deadline.map(Micros),
            retry_at: None,
            timeout_reply: Reply::NilArray,
            since: Micros(0),
        }
    }

    #[test]
    fn a_key_serves_in_the_order_of_arrival_and_one_that_waits_again_stands_last() {
        let mut state = state(3);
        let key = KeyId::new(&Bytes::from("k"));
        for id in [2, 1, 3] {
            state.block(ClientId(id), blocked(&["k", "k", "other"], None));
        }
        assert_eq!(state.waiting.clients(0, &key), [2, 1, 3].map(ClientId));
        let again = state.unblock(ClientId(2)).expect("it waits");
        state.block(ClientId(2), again);
        assert_eq!(state.waiting.clients(0, &key), [1, 3, 2].map(ClientId));
        assert_eq!(state.waiting.clients(1, &key), []);
    }

    #[test]
    fn only_keys_that_somebody_waits_for_become_ready_each_once() {
        let mut state = state(1);
        let keys = ["a", "b", "c"].map(|key| KeyId::new(&Bytes::from(key)));
        state.block(ClientId(1), blocked(&["a", "c"], Some(5)));
        for key in [&keys[2], &keys[1], &keys[0], &keys[2]] {
            state.waiting.signal(0, key, ClientId(7));
        }
        let ready: Vec<KeyId> = state.waiting.take_ready().into_iter().map(|ready| ready.key).collect();
        assert_eq!(ready, [keys[2].clone(), keys[0].clone()]);
        assert_eq!(state.waiting.next_deadline(), Some((Micros(5), ClientId(1))));
        state.unblock(ClientId(1));
        assert_eq!(state.waiting, Waiting::default());
    }
}
