//! Fingerprints of the state: two servers with the same one answer alike from here on.

use std::fmt::{self, Debug, Write};

use crate::script::LibState;
use crate::state::Client;
use crate::value::Value;

use super::Server;

/// Scripts in the cache from which on the order of their last use may come to matter: the oldest goes at 500.
const SCRIPTS_FEW: usize = 400;

impl Server {
    /// SHA1 over everything that later replies can depend on. Statistics and unread events are left out.
    pub fn digest(&self) -> [u8; 20] {
        let mut print = Fingerprint::default();
        self.digest_into(&mut print);
        print.finish()
    }

    fn digest_into(&self, print: &mut Fingerprint) {
        let state = &self.state;
        for (index, db) in state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
            print.number(index as u64);
            for (key, entry) in db.iter() {
                print.debug(&(key, entry.expires_at, &entry.value));
            }
        }
        print.debug(&(state.now, &state.config, &state.rng));
        print.debug(&(&state.scripts, &state.lua));
        for library in state.functions.libraries() {
            print.debug(&(&library.source, &library.memory));
        }
        state.clients.values().for_each(|client| print.debug(client));
        print.debug(&(&state.running, &self.backlog, self.stopped));
        print.debug(&(&state.saved.disk, state.saved.is_final));
        print.debug(&state.waiting);
        print.debug(&(&state.acl, &state.tracking, &state.pause, &state.monitors, &state.postponed));
        let debug = (state.active_expire, state.scripts_may_all, state.skips_checksums);
        print.debug(&(&state.role, &state.cluster, debug));
    }

    /// As [`Server::digest`], but only what the data commands, transactions and scripts of a story can see or change:
    /// who came first, how many commands there were and when they were used is left out, save for time itself.
    pub fn essence_into(&self, print: &mut Fingerprint) {
        let state = &self.state;
        print.number(state.now.0);
        self.data_into(print);
        print.debug(&state.rng);
        if state.lua != LibState::default() {
            print.debug(&state.lua);
        }
        if state.scripts.len() < SCRIPTS_FEW {
            for (sha, script) in state.scripts.iter() {
                print.bytes(sha.as_bytes());
                print.debug(&script.loaded_by);
            }
        } else {
            print.debug(&state.scripts);
        }
        for library in state.functions.libraries() {
            print.bytes(&library.source);
            print.bytes(library.memory.name().as_bytes());
        }
        state.clients.values().for_each(|client| essence_of_client(client, print));
        print.number(u64::from(self.stopped));
        if state.saved.disk.is_some() || state.saved.is_final {
            print.debug(&(&state.saved.disk, state.saved.is_final));
        }
        if state.running.is_some() || !self.backlog.is_empty() {
            print.debug(&(&state.running, &self.backlog));
        }
        if state.clients.values().any(|client| client.blocked.is_some()) {
            print.debug(&state.waiting);
        }
    }

    /// As [`Server::digest`], and whatever else is remembered: what only INFO or OBJECT show, too.
    pub fn all_into(&self, print: &mut Fingerprint) {
        print.debug(&self.state);
        print.debug(&(&self.backlog, self.stopped));
    }

    /// The keys with their values and expiry.
    pub fn data_into(&self, print: &mut Fingerprint) {
        for (index, db) in self.state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
            print.number(index as u64);
            print.number(db.len() as u64);
            for (key, entry) in db.iter() {
                print.bytes(key);
                print.number(entry.expires_at.map_or(u64::MAX, |at| at.0 as u64));
                match &entry.value {
                    Value::String(string) => print.bytes(&string.as_slice()),
                    other => print.debug(other),
                }
            }
        }
    }
}

fn essence_of_client(client: &Client, print: &mut Fingerprint) {
    print.number(client.id.0);
    print.number(client.db as u64);
    print.number(client.protocol as u64);
    print.number(u64::from(client.watch_broken));
    if client.transaction.is_some() || client.blocked.is_some() || !client.watched.is_empty() {
        print.debug(&(&client.transaction, &client.blocked, &client.watched));
    }
    if client.subscriptions() > 0 || !client.shard_channels.is_empty() {
        print.debug(&(&client.channels, &client.patterns, &client.shard_channels));
    }
}

/// Collects a fingerprint. What is put in is kept apart from what follows it.
#[derive(Default)]
pub struct Fingerprint(sha1_smol::Sha1);

impl Fingerprint {
    pub fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    pub fn debug(&mut self, value: &impl Debug) {
        write!(self, "{value:?}\0").expect("hashing does not fail");
    }

    pub fn finish(self) -> [u8; 20] {
        self.0.digest().bytes()
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
