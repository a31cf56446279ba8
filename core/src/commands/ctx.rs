//! What a handler may touch, and the only doors to the keyspace.
//!
//! A handler parses everything, looks up and checks, then changes, then tells: nothing fails after the first write.

use std::sync::Arc;

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::error::CommandError;
use crate::event::{ClientId, EventKind, KeyChange};
use crate::keyspace::{Db, Entry, KeyId};
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::script::Engine;
use crate::state::{Blocked, Client, State};
use crate::value::{EncodingLimits, HashValue, Typed, Value};

use super::notify::{self, Class};
use super::scripting::Progress;
use super::spec::CommandSpec;

/// What a handler hands back.
pub type CommandResult = Result<Outcome, CommandError>;

#[derive(Debug)]
pub enum Outcome {
    Reply(Reply),
    /// The first answers the command, the others follow it (SUBSCRIBE's confirmations).
    Replies(Vec<Reply>),
    /// No reply.
    Silent,
    /// The client waits for keys or for time.
    Block(Box<Blocked>),
    /// A script has reached the busy threshold and still runs.
    Running(Box<Progress>),
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        Self::Reply(reply)
    }
}

/// Where a command comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Client,
    /// Queued in a transaction that runs now.
    Exec,
    Script,
}

/// One command's view of the server.
pub struct Ctx<'a> {
    pub state: &'a mut State,
    pub engine: &'a Engine,
    pub client: ClientId,
    pub spec: &'static CommandSpec,
    pub origin: Origin,
    /// The selected database: the client's own, or the script's.
    pub db: usize,
    /// The protocol replies are made for: the client's own, or what the script chose with `redis.setresp`.
    pub protocol: Protocol,
    /// The time that expiry is judged by; it stands still during a script and a transaction.
    pub now: UnixMillis,
    /// The time that clocks show: moves within a script where the version says so.
    pub wall: Micros,
    /// Set while a blocked client tries again on a server before 7.2: the one key it may be served from.
    pub only_key: Option<Bytes>,
}

impl Ctx<'_> {
    pub fn version(&self) -> Version {
        self.state.version
    }

    /// What the configuration says about encodings.
    pub fn limits(&self) -> EncodingLimits {
        self.state.encoding_limits()
    }

    pub fn client(&self) -> &Client {
        self.state.client(self.client)
    }

    pub fn client_mut(&mut self) -> &mut Client {
        self.state.client_mut(self.client)
    }

    pub fn db(&self) -> &Db {
        &self.state.dbs[self.db]
    }

    /// Whether a command that would block must answer at once instead.
    pub fn deny_blocking(&self) -> bool {
        self.origin != Origin::Client
    }

    /// The entry for reading: counts a hit or a miss and marks the access.
    pub fn lookup(&mut self, key: &Bytes) -> Option<&Entry> {
        self.lookup_in(self.db, key)
    }

    pub fn lookup_in(&mut self, db: usize, key: &Bytes) -> Option<&Entry> {
        self.find(db, key, self.touches())
    }

    /// Whether an access is marked: CLIENT NO-TOUCH forbids it to all but TOUCH.
    fn touches(&self) -> bool {
        !self.client().no_touch || self.spec.name == "touch"
    }

    /// As [`Ctx::lookup`], but the access is not marked: EXISTS, TYPE, TTL.
    pub fn lookup_untouched(&mut self, key: &Bytes) -> Option<&Entry> {
        self.find(self.db, key, false)
    }

    fn find(&mut self, db: usize, key: &Bytes, touch: bool) -> Option<&Entry> {
        let id = KeyId::new(key);
        self.expire_if_due(db, &id);
        if !self.state.dbs[db].contains(&id) {
            self.state.stats.keyspace_misses += 1;
            notify::notify(self.state, db, Class::MISS, "keymiss", key);
            return None;
        }
        self.state.stats.keyspace_hits += 1;
        if touch {
            self.touch(db, &id);
        }
        self.state.dbs[db].get(&id)
    }

    /// Marks the access for OBJECT IDLETIME, OBJECT FREQ and eviction.
    fn touch(&mut self, db: usize, id: &KeyId) {
        let now = self.state.now;
        let counted = self.state.frequency_scale().map(|scale| (scale, self.state.rng.word()));
        let Some(entry) = self.state.dbs[db].get_mut(id) else { return };
        if let Some((scale, draw)) = counted {
            let frequency = scale.decayed(entry.frequency, entry.accessed_at, now);
            entry.frequency = scale.raised(frequency, draw);
        }
        entry.accessed_at = now;
    }

    /// The entry without a trace: neither statistics nor access time change.
    pub fn peek(&mut self, key: &Bytes) -> Option<&Entry> {
        let id = KeyId::new(key);
        self.expire_if_due(self.db, &id);
        self.state.dbs[self.db].get(&id)
    }

    /// As [`Ctx::peek`], if the value is of this type.
    pub fn peek_as<T: Typed>(&mut self, key: &Bytes) -> Option<&T> {
        self.peek(key).and_then(|entry| T::of(&entry.value))
    }

    /// The entry for writing. Whoever changes it calls [`Ctx::changed`] afterwards.
    pub fn lookup_write(&mut self, key: &Bytes) -> Option<&mut Entry> {
        let id = KeyId::new(key);
        self.expire_if_due(self.db, &id);
        if self.touches() {
            self.touch(self.db, &id);
        }
        self.state.dbs[self.db].get_mut(&id)
    }

    pub fn exists(&mut self, key: &Bytes) -> bool {
        self.peek(key).is_some()
    }

    /// The value for reading, if it is of this type.
    pub fn read<T: Typed>(&mut self, key: &Bytes) -> Result<Option<&T>, CommandError> {
        match self.lookup(key) {
            None => Ok(None),
            Some(entry) => T::of(&entry.value).map(Some).ok_or(CommandError::WrongType),
        }
    }

    /// The value for writing, if it is of this type.
    pub fn write<T: Typed>(&mut self, key: &Bytes) -> Result<Option<&mut T>, CommandError> {
        self.unshare_argument(key);
        match self.lookup_write(key) {
            None => Ok(None),
            Some(entry) => T::of_mut(&mut entry.value).map(Some).ok_or(CommandError::WrongType),
        }
    }

    /// The value for writing; an empty one is put there where the key is missing, so something must be
    /// added to it before [`Ctx::changed`].
    pub fn write_or_create<T: Typed + Default>(&mut self, key: &Bytes) -> Result<&mut T, CommandError> {
        if !self.exists(key) {
            self.insert_value(key, T::wrap(Arc::new(T::default())), None);
        }
        let value = self.write::<T>(key)?;
        Ok(value.expect("it was just put there"))
    }

    /// Puts a value in the key's place, with this expiry. The caller tells with [`Ctx::changed`].
    pub fn insert_value(&mut self, key: &Bytes, value: Value, expires_at: Option<UnixMillis>) {
        self.expire_if_due(self.db, &KeyId::new(key));
        let type_name = value.type_name();
        match self.put(self.db, key, value, expires_at) {
            None => self.created(key),
            Some(before) => self.notify_overwritten(key, before.value.type_name(), type_name),
        }
    }

    /// Puts a value in the key's place and tells nobody.
    pub fn put(
        &mut self,
        db: usize,
        key: &Bytes,
        value: Value,
        expires_at: Option<UnixMillis>,
    ) -> Option<Entry> {
        let id = KeyId::new(key);
        self.unshare_argument(key);
        let mut entry = Entry { expires_at, accessed_at: self.state.now, ..Entry::new(value) };
        if let Value::String(string) = &mut entry.value
            && !self.state.shares_integers()
        {
            string.make_own();
        }
        if let Some(before) = self.state.dbs[db].get(&id) {
            entry.frequency = before.frequency;
        }
        self.state.dbs[db].insert(id, entry)
    }

    /// Tells that there is a key where none was. Only this lets those go on who wait for a list or sorted set: an
    /// existing one has elements, so nobody waits for it, and one that overwrites something else goes unnoticed.
    pub fn created(&mut self, key: &Bytes) {
        self.notify(Class::NEW, "new", key);
        let id = KeyId::new(key);
        if self.db().get(&id).is_some_and(|entry| entry.value.can_be_awaited()) {
            self.state.signal_held(self.db, &id, self.client);
        }
    }

    /// Since 8.2 servers tell when a whole value is replaced, and when by another type.
    pub fn notify_overwritten(&mut self, key: &Bytes, before: &str, after: &str) {
        if self.version() < Version::V8_2 {
            return;
        }
        self.notify(Class::OVERWRITTEN, "overwritten", key);
        if before != after {
            self.notify(Class::TYPE_CHANGED, "type_changed", key);
        }
    }

    /// Tells that the key was written: watchers, blocked clients, notifications, statistics. A collection that
    /// was emptied is deleted, and that is told too.
    pub fn changed(&mut self, key: &Bytes, class: Class, event: &str) {
        self.signal(key);
        self.notify(class, event, key);
        let id = KeyId::new(key);
        let db = &mut self.state.dbs[self.db];
        db.index_fields(&id);
        let emptied = db.get(&id).is_some_and(|entry| entry.value.is_empty_collection());
        if emptied {
            db.remove(&id);
            self.notify(Class::GENERIC, "del", key);
        }
        let (db, now, by) = (self.db as u32, self.state.now, Some(self.client));
        let gone = emptied || self.db().get(&id).is_none();
        self.state.journal.detail(now, || EventKind::KeyChanged {
            db,
            key: key.clone(),
            change: if gone { KeyChange::Deleted } else { KeyChange::Written },
            by,
        });
    }

    /// Counts a change and breaks the watches on the key; notifies nobody.
    pub fn signal(&mut self, key: &Bytes) {
        self.state.dirty += 1;
        let id = KeyId::new(key);
        break_watches(self.state, self.db, &id);
        self.state.tally.note(self.db, &id);
        super::client::invalidate(self.state, key, Some(self.client), self.origin == Origin::Script);
        // Those who wait in a stream's group are concerned by its end; XADD tells of entries itself.
        if !self.db().get(&id).is_some_and(|entry| entry.value.can_be_awaited()) {
            self.state.signal_end(self.db, &id, self.client);
        }
    }

    /// A value has taken another form without being changed: nobody is told, but it may take more memory.
    pub fn reshaped(&mut self, key: &Bytes) {
        self.state.tally.note(self.db, &KeyId::new(key));
    }

    /// Tells that a value was changed in a way that breaks no watch (a stream's groups).
    pub fn touched(&mut self, key: &Bytes) {
        self.state.dirty += 1;
        self.state.tally.note(self.db, &KeyId::new(key));
        let (db, now, by) = (self.db as u32, self.state.now, Some(self.client));
        self.state.journal.detail(now, || EventKind::KeyChanged {
            db,
            key: key.clone(),
            change: KeyChange::Written,
            by,
        });
    }

    /// Deletes a key; false where there was none. `event` is the notification's name (`del`, `unlink`…).
    pub fn delete(&mut self, key: &Bytes, event: &str) -> bool {
        let id = KeyId::new(key);
        self.expire_if_due(self.db, &id);
        if !self.db().contains(&id) {
            return false;
        }
        self.state.dbs[self.db].remove(&id);
        self.changed(key, Class::GENERIC, event);
        true
    }

    /// When the key expires, if it exists and does.
    pub fn expiry_of(&mut self, key: &Bytes) -> Option<UnixMillis> {
        self.peek(key).and_then(|entry| entry.expires_at)
    }

    pub fn set_expiry(&mut self, key: &Bytes, expires_at: Option<UnixMillis>) -> bool {
        if expires_at.is_some() {
            self.unshare_for_expiry(key);
        }
        self.state.dbs[self.db].set_expiry(&KeyId::new(key), expires_at)
    }

    /// Sends a keyspace notification where they are configured.
    pub fn notify(&mut self, class: Class, event: &str, key: &Bytes) {
        notify::notify(self.state, self.db, class, event, key);
    }

    fn expire_if_due(&mut self, db: usize, id: &KeyId) {
        if self.state.dbs[db].get(id).is_some_and(|entry| entry.is_expired(self.now)) {
            expire(self.state, db, id);
        }
    }
}

/// Removes a key whose time is over and tells it.
pub(crate) fn expire(state: &mut State, db: usize, id: &KeyId) {
    state.dbs[db].remove(id);
    state.tally.note(db, id);
    state.stats.expired_keys += 1;
    break_watches_of_expired(state, db, id);
    super::client::invalidate(state, id.key(), None, false);
    notify::notify(state, db, Class::EXPIRED, "expired", id.key());
    let now = state.now;
    state.journal.detail(now, || EventKind::KeyChanged {
        db: db as u32,
        key: id.key().clone(),
        change: KeyChange::Expired,
        by: None,
    });
}

/// Removes the fields of a hash whose time is over, and the hash where none is left. Watches stay whole.
pub(crate) fn expire_fields(state: &mut State, db: usize, id: &KeyId) {
    state.tally.note(db, id);
    let now = state.now;
    let Some(hash) = state.dbs[db].get_mut(id).and_then(|entry| HashValue::of_mut(&mut entry.value)) else {
        return;
    };
    let expired = hash.take_expired(now.unix_millis());
    let emptied = hash.is_empty();
    state.stats.expired_fields += expired.len() as u64;
    state.dbs[db].index_fields(id);
    notify::notify(state, db, Class::HASH, "hexpired", id.key());
    if emptied {
        state.dbs[db].remove(id);
        notify::notify(state, db, Class::GENERIC, "del", id.key());
    }
    state.journal.detail(now, || EventKind::KeyChanged {
        db: db as u32,
        key: id.key().clone(),
        change: if emptied { KeyChange::Expired } else { KeyChange::Written },
        by: None,
    });
}

/// Marks everybody who watches the key: their EXEC will answer nil.
pub(crate) fn break_watches(state: &mut State, db: usize, id: &KeyId) {
    #[cfg(test)]
    if crate::fault::is(crate::fault::Fault::WatchIsBlind) {
        return;
    }
    if state.watchers.is_empty() {
        return;
    }
    let Some(clients) = state.watchers.get(&(db, id.clone())).cloned() else { return };
    for client in clients {
        state.client_mut(client).watch_broken = true;
    }
}

/// Breaks the watches on the keys of a database that is emptied or swapped; call it before that. `after`: the database
/// that takes its place, if any. A key counts as changed where it is in one of the two, but not where it was past its
/// expiry before and is gone or past its expiry afterwards, nor where one past its expiry comes to where none was.
pub(crate) fn break_watches_of_replaced(state: &mut State, db: usize, after: Option<usize>) {
    let now = state.now.unix_millis();
    let watched: Vec<KeyId> =
        state.watchers.keys().filter(|(place, _)| *place == db).map(|(_, id)| id.clone()).collect();
    for id in watched {
        let existed = state.dbs[db].contains(&id);
        let replacement = after.and_then(|after| state.dbs[after].get(&id));
        let stale_after = replacement.map(|entry| entry.is_expired(now));
        if !existed && stale_after.is_none() {
            continue;
        }
        for client in state.watchers[&(db, id.clone())].clone() {
            let client = state.client_mut(client);
            let place = client.watched.iter_mut().find(|watched| watched.db == db && watched.key == id);
            let Some(watched) = place else { continue };
            let was_stale = existed && watched.was_expired;
            let stays = match stale_after {
                None => was_stale,
                Some(stale) => stale && (was_stale || !existed),
            };
            if stays {
                watched.was_expired = stale_after.is_some();
            } else {
                client.watch_broken = true;
            }
        }
    }
}

/// An expiry breaks the watch only where the key was still alive when it was watched.
fn break_watches_of_expired(state: &mut State, db: usize, id: &KeyId) {
    if state.watchers.is_empty() {
        return;
    }
    let Some(clients) = state.watchers.get(&(db, id.clone())).cloned() else { return };
    for client in clients {
        let client = state.client_mut(client);
        let was_expired = client
            .watched
            .iter()
            .any(|watched| watched.db == db && watched.key == *id && watched.was_expired);
        if !was_expired {
            client.watch_broken = true;
        }
    }
}
