//! The state of a server at one position, as the page shows it.

use std::collections::BTreeMap;

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::commands::used_memory;
use playground_core::keyspace::{Entry, KeyId};
use playground_core::resp::Protocol;
use playground_core::server::Server;
use playground_core::state::{BlockedOn, LoadedBy, Param, State, dataset_bytes, entry_bytes};
use playground_core::timeline::Timeline;
use playground_core::value::Holder;
use playground_model::frame::{Blocked, CachedScript, Client, Expiry, Frame, Library, Memory, Row, Running};
use playground_model::step::Lease;

use crate::print;

/// `start`: when the story began. `leases`: of the whole story as far as it was run. `rows`: how many keys to tell of.
pub(crate) struct Looker<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) server: &'a Server,
    pub(crate) start: Micros,
    pub(crate) leases: &'a [Lease],
    /// Names of the scripts that the story has run up to here, by how often.
    pub(crate) runs: BTreeMap<&'a str, usize>,
    pub(crate) rows: usize,
}

/// A key in its database.
type Found<'a> = (usize, &'a Bytes, &'a Entry);

impl Looker<'_> {
    /// `now_us`: the story's clock at that position.
    pub(crate) fn frame(&self, position: usize, now_us: u64) -> Frame {
        let state = self.server.state();
        Frame {
            position,
            now_us,
            rows: self.rows(state, now_us),
            keys_total: state.dbs.iter().map(|db| db.len()).sum(),
            clients: self.clients(state),
            scripts: self.scripts(state),
            libraries: libraries(state),
            memory: self.memory(state),
            running: self.running(state),
            stopped: self.server.is_stopped(),
        }
    }

    fn rows(&self, state: &State, now_us: u64) -> Vec<Row> {
        let mut since = BTreeMap::new();
        for lease in self.leases.iter().filter(|lease| lease.from_us <= now_us) {
            since.insert((lease.db, lease.key.as_str(), lease.until_us), lease.from_us);
        }
        let dbs = state.dbs.iter().enumerate();
        let mut entries: Vec<Found<'_>> =
            dbs.flat_map(|(db, keys)| keys.iter().map(move |(key, entry)| (db, key, entry))).collect();
        let by_name = |one: &Found<'_>, other: &Found<'_>| (one.0, one.1).cmp(&(other.0, other.1));
        if self.rows < entries.len() {
            entries.select_nth_unstable_by(self.rows, by_name);
            entries.truncate(self.rows);
        }
        entries.sort_unstable_by(by_name);
        let row = |(db, key, entry): Found<'_>| {
            let name = print::key(key);
            let (len, value) = print::value(&entry.value, state.version);
            let expiry = entry.expires_at.map(|at| {
                let at_us = self.since_start(at.micros());
                let since_us = since.get(&(db, name.as_str(), at_us)).copied().unwrap_or(now_us);
                Expiry { at_us, since_us }
            });
            let kind = entry.value.type_name().to_owned();
            let holder = Holder {
                version: state.version,
                key_bytes: key.len(),
                has_expiry: entry.expires_at.is_some(),
            };
            let encoding = entry.value.encoding(holder).to_owned();
            Row { db, key: name, kind, encoding, len, expiry, value }
        };
        entries.into_iter().map(row).collect()
    }

    fn memory(&self, state: &State) -> Memory {
        /// So many keys are told of.
        const LARGEST: usize = 8;
        let shown = state.dbs.iter().flat_map(|db| db.iter()).take(self.rows);
        let size = |(key, entry): (&Bytes, &Entry)| {
            (print::key(key), entry_bytes(&KeyId::new(key), entry, state.version))
        };
        let mut largest: Vec<(String, usize)> = shown.map(size).collect();
        largest.sort_by(|(key, bytes), (other, others)| others.cmp(bytes).then_with(|| key.cmp(other)));
        largest.truncate(LARGEST);
        Memory {
            used: used_memory(state),
            keys: dataset_bytes(&state.dbs, state.version),
            max: usize::try_from(state.config.int(Param::MAXMEMORY)).unwrap_or(0),
            policy: state.config.text(Param::MAXMEMORY_POLICY).to_text(),
            evicted: state.stats.evicted_keys,
            largest,
        }
    }

    fn since_start(&self, at: Micros) -> u64 {
        at.saturating_sub(self.start).0
    }

    fn clients(&self, state: &State) -> Vec<Client> {
        let names = &self.timeline.scenario().clients;
        let mut clients: Vec<Client> = names
            .iter()
            .map(|name| Client { name: name.clone(), protocol: 2, ..Client::default() })
            .collect();
        for (id, record) in &state.clients {
            let Some(client) = self.timeline.client_of(*id).and_then(|index| clients.get_mut(index)) else {
                continue;
            };
            client.connected = true;
            client.db = record.db;
            client.protocol = if record.protocol == Protocol::Resp3 { 3 } else { 2 };
            if let Some(transaction) = &record.transaction {
                client.queued = Some(transaction.queue.iter().map(|argv| print::command(argv)).collect());
                client.aborted = transaction.aborted;
            }
            client.watching = record.watched.iter().map(|watched| print::key(watched.key.key())).collect();
            client.watch_broken = record.watch_broken;
            client.blocked = record.blocked.as_ref().map(|blocked| Blocked {
                keys: match &blocked.on {
                    BlockedOn::Keys { keys, .. } => keys.iter().map(print::key).collect(),
                    _ => Vec::new(),
                },
                since_us: self.since_start(blocked.since),
                until_us: blocked.deadline.map(|at| self.since_start(at)),
            });
            client.waiting = self.server.is_waiting(*id);
            let channels = record.channels.iter().chain(&record.patterns).chain(&record.shard_channels);
            client.subscriptions = channels.map(print::key).collect();
        }
        clients
    }

    fn scripts(&self, state: &State) -> Vec<CachedScript> {
        let known = &self.timeline.scenario().scripts;
        let script =
            |(sha, script): (&playground_core::state::Sha1, &playground_core::state::CachedScript)| {
                let text = script.source.to_text();
                let first_line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
                CachedScript {
                    sha: sha.as_str().to_owned(),
                    name: known
                        .iter()
                        .find(|known| known.sha == sha.as_str())
                        .map(|known| known.name.clone()),
                    first_line: print::shortened(first_line.trim().to_owned(), 80),
                    loaded: script.loaded_by == LoadedBy::ScriptLoad,
                    runs: self.runs.get(sha.as_str()).copied().unwrap_or(0),
                }
            };
        state.scripts.iter().map(script).collect()
    }

    fn running(&self, state: &State) -> Option<Running> {
        let running = state.running.as_ref()?;
        Some(Running {
            client: self.timeline.client_of(running.client),
            name: running.name().to_text(),
            since_us: self.since_start(running.plan.started_at),
            busy: running.busy,
            wrote: running.wrote,
        })
    }
}

fn libraries(state: &State) -> Vec<Library> {
    let names = |library: &playground_core::state::Library| {
        library.functions.iter().map(|function| function.name.to_text()).collect()
    };
    let library = |library: &std::rc::Rc<playground_core::state::Library>| Library {
        name: library.name.to_text(),
        functions: names(library),
    };
    state.functions.libraries().map(library).collect()
}
