//! The machine: inputs go in, events come out, and nothing else changes the state.
//!
//! Like Redis it does one thing at a time. Virtual time passes with the inputs and with the work done; a command
//! that arrives while the server is at work starts when it is free.

mod audit;
mod blocking;
mod call;
mod digest;
mod input;
mod pausing;
mod running;
mod tracing;

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

pub use digest::Fingerprint;
pub use input::{Input, InputKind};
pub use tracing::{ScriptRun, Traced};

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::commands::{self, Outcome, transactions};
pub use crate::event::{ClientId, Event, EventKind, KeyChange};
use crate::keyspace::{Db, KeyId};
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::script::Engine;
use crate::state::{Client, Cluster, Cost, Layout, Param, Place, ReplyMode, Role, State};

/// What a server starts with.
#[derive(Clone, Debug)]
pub struct Options {
    pub version: Version,
    /// Where the virtual clock starts.
    pub now: Micros,
    pub cost: Cost,
    /// Cluster mode, and how the slots lie.
    pub cluster: Option<Layout>,
    /// What the server takes for its own port; only told, by INFO and the like.
    pub port: u16,
    /// Tell everything an onlooker could want; without it only replies, messages and closings.
    pub detailed: bool,
}

impl Default for Options {
    fn default() -> Self {
        // 2026-01-01T00:00:00Z: a round moment, so that a story shows the same numbers every time.
        let now = Micros::from_millis(1_767_225_600_000);
        Self {
            version: Version::default(),
            now,
            cost: Cost::default(),
            cluster: None,
            port: 6379,
            detailed: true,
        }
    }
}

/// A Redis server. A clone is a cheap snapshot; clones share the Lua VM, which is brought to where a state has it.
#[derive(Clone)]
pub struct Server {
    state: State,
    engine: Rc<Engine>,
    options: Options,
    /// Commands that have arrived and not been started: their client or the server is not free.
    backlog: VecDeque<Arrived>,
    /// Commands that CLIENT PAUSE held back are being run, as one turn of the server's loop.
    releasing: bool,
    stopped: bool,
}

#[derive(Clone, Debug)]
struct Arrived {
    client: ClientId,
    argv: Vec<Bytes>,
}

impl Server {
    pub fn new(options: Options) -> Self {
        let engine = Rc::new(Engine::new(options.version));
        Self::with_engine(options, engine)
    }

    /// A new server that shares this one's Lua VM, which takes longest to make. The version stays.
    pub fn new_beside(&self, options: Options) -> Self {
        if !self.engine.is_sealed() {
            return Self::new(Options { version: self.options.version, ..options });
        }
        self.engine.forget();
        Self::with_engine(Options { version: self.options.version, ..options }, self.engine.clone())
    }

    fn with_engine(options: Options, engine: Rc<Engine>) -> Self {
        let mut state = State::new(options.version, options.now);
        state.cost = options.cost;
        let set = state.config.set(Param::PORT, options.port.to_string().as_bytes(), options.version);
        debug_assert_eq!(set, Ok(()), "every port can be told");
        state.cluster = options.cluster.as_ref().map(|layout| Arc::new(Cluster::new(options.port, layout)));
        state.journal.detailed = options.detailed;
        Self { state, engine, options, backlog: VecDeque::new(), releasing: false, stopped: false }
    }

    /// Sets a parameter before the server takes its first input, immutable ones too.
    pub fn configure(&mut self, name: &str, value: &str) -> Result<(), String> {
        let param = Param::find(name.as_bytes(), self.state.version)
            .ok_or_else(|| format!("no parameter is called '{name}'"))?;
        let set = self.state.config.set(param, value.as_bytes(), self.state.version);
        set.map_err(|reason| format!("{name}: {reason}"))?;
        if param == Param::REQUIREPASS {
            commands::set_default_password(&mut self.state, value.as_bytes());
        }
        Ok(())
    }

    pub fn now(&self) -> Micros {
        self.state.now
    }

    /// The state, for looking at.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether a client has given the password that it needs, if it needs any.
    pub fn is_authenticated(&self, client: ClientId) -> bool {
        self.state.acl.default_user().is_open()
            || self.state.clients.get(&client).is_some_and(|client| client.authenticated)
    }

    /// Whether SHUTDOWN has ended the process; a Restart starts it again.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether a command of this client is unanswered: blocked, running, or not started yet.
    pub fn is_waiting(&self, client: ClientId) -> bool {
        self.state.running.as_ref().is_some_and(|running| running.client == client)
            || self.state.clients.get(&client).is_some_and(|record| record.blocked.is_some())
            || self.backlog.iter().any(|arrived| arrived.client == client)
    }

    /// The only transition. Gives what happened, in the order of time.
    pub fn apply(&mut self, input: Input) -> Vec<Event> {
        self.advance(input.at);
        match input.kind {
            InputKind::Advance => {}
            InputKind::Connect { client } => self.connect(client),
            InputKind::Disconnect { client } => self.disconnect(client),
            InputKind::Command { client, argv } => self.arrive(client, argv),
            InputKind::Restart { keep_data: true } => self.restart(Kept::OnDisk),
            InputKind::Restart { keep_data: false } => self.restart(Kept::Nothing),
            InputKind::Replicate { link_up } => {
                self.state.role = Role::Replica { host: Bytes::from("127.0.0.1"), port: 6378, link_up };
            }
            InputKind::Failover => self.restart(Kept::All),
        }
        commands::flush_broadcasts(&mut self.state);
        self.state.journal.take()
    }

    fn connect(&mut self, id: ClientId) {
        if self.stopped || self.state.clients.contains_key(&id) {
            return;
        }
        let mut client = Client::new(id, self.state.now);
        client.authenticated = self.state.acl.default_user().is_open();
        self.state.clients.insert(id, client);
        self.state.stats.connections_received += 1;
    }

    fn disconnect(&mut self, id: ClientId) {
        self.backlog.retain(|arrived| arrived.client != id);
        if self.state.running.as_ref().is_some_and(|running| running.client == id) {
            // A server is not told that its client is gone before the script has ended.
            self.state.client_mut(id).closing = true;
            return;
        }
        if self.state.clients.contains_key(&id) {
            transactions::forget_watches(&mut self.state, id);
            commands::unsubscribe_all(&mut self.state, id);
            self.state.unblock(id);
            commands::forget_tracking(&mut self.state, id);
            self.state.monitors.retain(|listener| *listener != id);
            self.state.clients.remove(&id);
        }
    }

    fn close(&mut self, client: ClientId) {
        self.disconnect(client);
        self.state.journal.push(self.state.now, EventKind::Closed { client });
    }

    fn arrive(&mut self, client: ClientId, argv: Vec<Bytes>) {
        if self.stopped {
            return;
        }
        self.connect(client);
        self.backlog.push_back(Arrived { client, argv });
        self.work();
    }

    /// Runs what has arrived, in order, as far as the server and the clients are free.
    fn work(&mut self) {
        while let Some(index) = self.next_startable() {
            let Some(Arrived { client, argv }) = self.backlog.remove(index) else { return };
            self.execute(client, &argv);
        }
    }

    /// Runs what a client has sent while it waited, before others go on.
    fn work_for(&mut self, client: ClientId) {
        while let Some(index) = self.backlog.iter().position(|arrived| arrived.client == client) {
            let free = self.state.running.is_none()
                && self.state.clients.get(&client).is_some_and(|record| record.blocked.is_none());
            if self.stopped || !free {
                return;
            }
            let Some(Arrived { argv, .. }) = self.backlog.remove(index) else { return };
            self.execute(client, &argv);
        }
    }

    fn next_startable(&self) -> Option<usize> {
        if self.stopped {
            return None;
        }
        let running = self.state.running.as_ref();
        if running.is_some_and(|running| !running.busy) {
            return None;
        }
        self.backlog.iter().position(|arrived| {
            let blocked =
                self.state.clients.get(&arrived.client).is_none_or(|client| client.blocked.is_some());
            !blocked && running.is_none_or(|running| running.client != arrived.client)
        })
    }

    fn execute(&mut self, client: ClientId, argv: &[Bytes]) {
        let started = self.state.now;
        self.state.journal.detail(started, || EventKind::Started { client });
        if self.state.running.is_some() {
            self.learn_until_now();
        }
        (self.state.spent, self.state.slept) = (0, Micros(0));
        let record = self.state.client_mut(client);
        if record.reply_mode == ReplyMode::SkipNext {
            record.reply_mode = ReplyMode::SkipThis;
        }
        self.state.executing = Some(client);
        let outcome = commands::dispatch(&mut self.state, &self.engine, client, argv);
        self.conclude(client, argv, started, outcome);
    }

    /// What follows a command: time has passed, the reply goes out, waiting clients may go on.
    fn conclude(&mut self, client: ClientId, argv: &[Bytes], started: Micros, outcome: Outcome) {
        if self.state.stopping {
            return self.stop();
        }
        if let Outcome::Running(progress) = outcome {
            return self.begin_running(client, argv, *progress);
        }
        self.state.now =
            started + self.state.cost.command + self.state.slept + self.state.cost.script(self.state.spent);
        self.state.executing = None;
        self.answer(client, outcome);
        if !self.releasing {
            commands::flush_broadcasts(&mut self.state);
        }
        if self.state.clients.get(&client).is_some_and(|record| record.closing) {
            self.close(client);
        }
        for doomed in std::mem::take(&mut self.state.doomed) {
            if self.state.clients.contains_key(&doomed) {
                self.close(doomed);
            }
        }
        if self.state.running.is_none() {
            self.serve_ready_keys();
            self.expire_due();
            self.release();
            self.end_pause();
        }
    }

    /// Sends what a command answers, and the messages to its own client that came up meanwhile.
    fn answer(&mut self, client: ClientId, outcome: Outcome) {
        let early = self.state.journal.take_held(client, Place::Before);
        self.push_all(client, early);
        match outcome {
            Outcome::Reply(reply) => self.reply(client, reply),
            Outcome::Replies(replies) => {
                let mut replies = replies.into_iter();
                if let Some(first) = replies.next() {
                    self.reply(client, first);
                }
                self.push_all(client, replies);
            }
            Outcome::Block(blocked) => self.block(client, *blocked),
            Outcome::Silent | Outcome::Running(_) => {}
        }
        let late = self.state.journal.take_held(client, Place::Behind);
        self.push_all(client, late);
    }

    fn push_all(&mut self, client: ClientId, messages: impl IntoIterator<Item = Reply>) {
        if self.state.clients.contains_key(&client) {
            messages.into_iter().for_each(|message| self.state.push(client, message));
        }
    }

    /// Sends a reply, unless CLIENT REPLY keeps it back; messages go out all the same.
    fn reply(&mut self, client: ClientId, reply: Reply) {
        let now = self.state.now;
        let Some(record) = self.state.clients.get_mut(&client) else { return };
        let protocol = record.protocol;
        let kept_back = matches!(record.reply_mode, ReplyMode::Off | ReplyMode::SkipThis);
        if record.reply_mode == ReplyMode::SkipThis {
            record.reply_mode = ReplyMode::On;
        }
        if kept_back && !matches!(reply, Reply::Push(_)) {
            return;
        }
        self.state.journal.push(now, EventKind::Replied { client, reply, protocol });
    }

    /// Lets time pass up to `to`: keys expire, waits end, a running script goes on.
    fn advance(&mut self, to: Micros) {
        while let Some(at) = self.due_until(to) {
            self.state.now = self.state.now.max(at);
            self.pass();
        }
        self.state.now = self.state.now.max(to);
        if self.state.running.is_none() {
            self.work();
        }
    }

    /// The next moment at which something happens by itself, if any is known.
    /// A running script's end is not known in advance: whoever waits for it lets time pass in steps.
    pub fn next_due(&self) -> Option<Micros> {
        if self.stopped {
            return None;
        }
        match &self.state.running {
            Some(_) => self.running_due(),
            None => {
                let deadline = self.state.waiting.next_deadline().map(|(at, _)| at);
                [self.next_expiry(), deadline, self.next_pause_end()].into_iter().flatten().min()
            }
        }
    }

    fn due_until(&mut self, to: Micros) -> Option<Micros> {
        if self.state.running.is_some() {
            self.learn_until(to);
        }
        self.next_due().filter(|at| *at <= to)
    }

    fn pass(&mut self) {
        if self.state.running.is_some() {
            self.pass_running();
        } else {
            self.expire_due();
            self.end_waits();
            self.end_pause();
        }
        self.work();
    }

    fn next_expiry(&self) -> Option<Micros> {
        if !self.state.active_expire {
            return None;
        }
        // What lies beyond the clock's last moment never comes.
        let moment = |at: UnixMillis| Some(at.micros()).filter(|moment| moment.unix_millis() >= at);
        let of_db = |db: &Db| {
            let key = db.next_expiry().and_then(|(at, _)| moment(at.next()));
            [key, db.next_field_expiry().and_then(|(at, _)| moment(at))]
        };
        self.state.dbs.iter().flat_map(of_db).flatten().min()
    }

    fn expire_due(&mut self) {
        if !self.state.active_expire {
            return;
        }
        let now: UnixMillis = self.state.now.unix_millis();
        for db in 0..self.state.dbs.len() {
            while let Some(id) = self.due_key(db, now) {
                commands::expire(&mut self.state, db, &id);
            }
            while let Some(id) = self.due_fields(db, now) {
                commands::expire_fields(&mut self.state, db, &id);
            }
        }
    }

    fn due_key(&self, db: usize, now: UnixMillis) -> Option<KeyId> {
        self.state.dbs[db].next_expiry().filter(|(at, _)| *at < now).map(|(_, id)| id.clone())
    }

    fn due_fields(&self, db: usize, now: UnixMillis) -> Option<KeyId> {
        self.state.dbs[db].next_field_expiry().filter(|(at, _)| *at <= now).map(|(_, id)| id.clone())
    }

    /// The process ends: every connection is closed, nothing is answered.
    fn stop(&mut self) {
        self.stopped = true;
        self.state.stopping = false;
        self.state.running = None;
        self.backlog.clear();
        let clients: Vec<ClientId> = self.state.clients.keys().copied().collect();
        for client in clients {
            self.close(client);
        }
        self.state.journal.push(self.state.now, EventKind::Stopped);
    }

    /// A new process takes over: connections, watches and the script cache are gone.
    fn restart(&mut self, kept: Kept) {
        if !self.stopped {
            self.stop();
        }
        self.stopped = false;
        let mut journal = std::mem::take(&mut self.state.journal);
        journal.detailed = self.options.detailed;
        let mut fresh = State::new(self.options.version, self.state.now);
        fresh.config = self.state.config.clone();
        let password = fresh.config.text(Param::REQUIREPASS);
        commands::set_default_password(&mut fresh, &password);
        fresh.cost = self.state.cost;
        fresh.cluster = self.state.cluster.clone();
        fresh.journal = journal;
        match kept {
            Kept::Nothing => {}
            Kept::OnDisk if self.state.saved.is_final => {
                if let Some(disk) = self.state.saved.disk.take() {
                    (fresh.dbs, fresh.functions) = (disk.dbs.clone(), disk.functions.clone());
                    fresh.saved.disk = Some(disk);
                }
            }
            Kept::OnDisk | Kept::All => {
                fresh.dbs = std::mem::take(&mut self.state.dbs);
                // A new process loads them anew.
                fresh.functions = self.state.functions.reloaded();
            }
        }
        self.state = fresh;
        self.expire_due();
    }

    /// The protocol a client has chosen, for whoever prints its replies.
    pub fn protocol(&self, client: ClientId) -> Protocol {
        self.state.clients.get(&client).map_or(Protocol::Resp2, |record| record.protocol)
    }
}

/// What a new process finds of the data and the functions.
#[derive(Clone, Copy)]
enum Kept {
    Nothing,
    /// What was saved; a process that did not end by itself is taken to have saved all.
    OnDisk,
    /// A replica has it all.
    All,
}

#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
