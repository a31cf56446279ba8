//! All that a server knows, as data. Nothing here makes time pass or runs a command.
//!
//! Invariant: a clone is cheap (large parts share structure) and complete, save for events not yet taken.

mod acl;
mod client;
mod cluster;
pub mod config;
mod functions;
mod journal;
mod latency;
mod layout;
mod memory;
mod replication;
mod rng;
mod running;
mod scripts;
mod slowlog;
mod stats;
mod subscriptions;
mod tally;
mod tracking;
mod waiting;

use std::sync::Arc;

use imbl::OrdMap;

pub use acl::{Acl, DEFAULT_USER, KeyPattern, LogEntry, Selector, User};
pub use client::{
    Awaited, Blocked, BlockedOn, Client, Executing, Pause, QueueSize, ReplyMode, SharedText, Transaction,
    WatchedKey,
};
pub use cluster::{Cluster, Node, SLOTS};
pub use config::{Config, Param};
pub use functions::{Function, Functions, Library, ScriptFlags};
pub use journal::{Held, Journal, Place};
pub use latency::{LatencyLog, LatencySample, LatencySeries};
pub use layout::{Layout, SlotRange};
pub use memory::{Memory, Remembered};
pub use replication::Role;
pub use rng::Rng;
pub use running::{Cost, ExecProgress, Plan, Program, RunStart, Running, Witness};
pub use scripts::{CachedScript, LoadedBy, ScriptCache, Sha1};
pub use slowlog::{SlowCommand, Slowlog};
pub use stats::{CommandStats, Disk, Saved, Stats};
pub use subscriptions::{Channels, Subscriptions};
pub use tally::{Tally, dataset_bytes, entry_bytes};
pub use tracking::{Prefix, Tracking, TrackingTable};
pub use waiting::{ReadyKey, Waiting};

use crate::clock::Micros;
use crate::event::{ClientId, EventKind};
use crate::keyspace::{Db, KeyId, Scale};
use crate::limits::{DATABASES, SCRIPT_THRESHOLD_INSTRUCTIONS_MAX};
use crate::profile::Version;
use crate::resp::Reply;
use crate::script::LibState;
use crate::value::EncodingLimits;

/// A server at one moment.
#[derive(Clone, Debug)]
pub struct State {
    pub version: Version,
    pub now: Micros,
    pub config: Config,
    pub dbs: Vec<Db>,
    pub clients: OrdMap<ClientId, Client>,
    pub saved: Saved,
    pub slowlog: Slowlog,
    pub latency: LatencyLog,
    pub tally: Tally,
    /// `maxmemory` was passed when the current command began, and nothing could be evicted. Without a limit, what the last
    /// command under one has found: see [`State::is_over_limit`].
    pub over_limit: bool,
    pub acl: Acl,
    pub subscriptions: Subscriptions,
    pub tracking: TrackingTable,
    /// CLIENT PAUSE, as long as it holds.
    pub pause: Option<Pause>,
    /// Who is told every command.
    pub monitors: Vec<ClientId>,
    /// Clients whose command CLIENT PAUSE holds back, in the order in which they came.
    pub postponed: Vec<ClientId>,
    /// Clients whose wait CLIENT UNBLOCK has ended, and who called it.
    pub released: Vec<(ClientId, ClientId)>,
    /// Connections to close as soon as the current command is through.
    pub doomed: Vec<ClientId>,
    /// Whose command runs now: what is sent to it meanwhile keeps its place by the reply.
    pub executing: Option<ClientId>,
    /// Who watches a key, by database and key.
    pub watchers: OrdMap<(usize, KeyId), Vec<ClientId>>,
    pub waiting: Waiting,
    pub scripts: ScriptCache,
    pub functions: Functions,
    /// What Lua libraries remember between scripts: the random generator, cjson's settings.
    pub lua: LibState,
    pub rng: Rng,
    pub stats: Stats,
    pub started_at: Micros,
    pub role: Role,
    /// Set in cluster mode.
    pub cluster: Option<Arc<Cluster>>,
    pub cost: Cost,
    /// Instructions that scripts have used during the current command.
    pub spent: u64,
    /// How long DEBUG SLEEP holds the server after the current command.
    pub slept: Micros,
    pub running: Option<Running>,
    /// DEBUG SET-ACTIVE-EXPIRE: keys go on time even if nobody looks.
    pub active_expire: bool,
    /// DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may run what is otherwise forbidden to them.
    pub scripts_may_all: bool,
    /// DEBUG SET-SKIP-CHECKSUM-VALIDATION: RESTORE takes what has a wrong checksum.
    pub skips_checksums: bool,
    /// SHUTDOWN has been called: the process ends.
    pub stopping: bool,
    /// Changes since the start; INFO shows them, and a script is unkillable once it has made one.
    pub dirty: u64,
    pub journal: Journal,
    /// Set where the runs of scripts are to be looked into.
    pub witness: Option<Witness>,
}

impl State {
    /// Whether what needs memory is refused now. A transaction that sets a limit goes by what was found before it.
    pub fn is_over_limit(&self) -> bool {
        self.over_limit && self.config.int(Param::MAXMEMORY) > 0
    }

    pub fn new(version: Version, now: Micros) -> Self {
        Self {
            version,
            now,
            config: Config::default(),
            dbs: vec![Db::default(); DATABASES],
            clients: OrdMap::new(),
            slowlog: Slowlog::default(),
            latency: LatencyLog::default(),
            saved: Saved { at: now, ..Saved::default() },
            tally: Tally::default(),
            over_limit: false,
            acl: Acl::new((version >= Version::V7_2).then_some(true)),
            subscriptions: Subscriptions::default(),
            tracking: TrackingTable::default(),
            pause: None,
            monitors: Vec::new(),
            postponed: Vec::new(),
            released: Vec::new(),
            doomed: Vec::new(),
            executing: None,
            watchers: OrdMap::new(),
            waiting: Waiting::default(),
            scripts: ScriptCache::default(),
            functions: Functions::default(),
            lua: LibState::default(),
            rng: Rng::default(),
            stats: Stats::default(),
            started_at: now,
            role: Role::default(),
            cluster: None,
            cost: Cost::default(),
            spent: 0,
            slept: Micros(0),
            running: None,
            active_expire: true,
            scripts_may_all: false,
            skips_checksums: false,
            stopping: false,
            dirty: 0,
            journal: Journal::default(),
            witness: None,
        }
    }

    /// Sends a client something that answers no command. For the client whose command runs it comes behind the
    /// answer, before 7.2 in front of it.
    pub fn push(&mut self, client: ClientId, message: Reply) {
        let place = if self.version < Version::V7_2 { Place::Before } else { Place::Behind };
        self.push_at(place, client, message);
    }

    /// As [`State::push`], but in the same place in all versions.
    pub fn push_at(&mut self, place: Place, client: ClientId, message: Reply) {
        if self.executing == Some(client) {
            self.journal.hold(Held { client, message, place });
        } else {
            let protocol = self.client(client).protocol;
            self.journal.push(self.now, EventKind::Pushed { client, message, protocol });
        }
    }

    /// Has a connection closed: the executing one when it has its answer, others at once.
    pub fn doom(&mut self, client: ClientId) {
        if self.executing == Some(client) {
            self.client_mut(client).closing = true;
        } else {
            self.doomed.push(client);
        }
    }

    /// How long a script may run before others are answered BUSY.
    pub fn busy_threshold(&self) -> Micros {
        Micros::from_millis(self.config.int(Param::BUSY_REPLY_THRESHOLD) as u64)
    }

    /// Past this many instructions a script counts as one that never ends: a fifth beyond the busy threshold, where that is later
    /// than usual, so that whoever waits for the threshold gets there.
    pub fn endless_at(&self) -> u64 {
        let past_threshold = self.cost.instructions(self.busy_threshold()).saturating_mul(6) / 5;
        self.cost.instructions_max.max(past_threshold.min(SCRIPT_THRESHOLD_INSTRUCTIONS_MAX))
    }

    /// Whether the small numbers may be one object for all keys: not where eviction goes by the use of each.
    pub fn shares_integers(&self) -> bool {
        let by_use = |policy: &[u8]| policy.ends_with(b"lru") || policy.ends_with(b"lfu");
        self.config.int(Param::MAXMEMORY) == 0 || !by_use(&self.config.text(Param::MAXMEMORY_POLICY))
    }

    /// How accesses are counted, where the eviction policy asks for it.
    pub fn frequency_scale(&self) -> Option<Scale> {
        const LOG_FACTOR: Param = Param::named("lfu-log-factor");
        const DECAY_TIME: Param = Param::named("lfu-decay-time");
        let counts = self.config.text(Param::MAXMEMORY_POLICY).ends_with(b"lfu");
        counts.then(|| Scale {
            log_factor: self.config.int(LOG_FACTOR),
            decay_minutes: self.config.int(DECAY_TIME).max(0) as u64,
        })
    }

    /// What the configuration says about encodings.
    pub fn encoding_limits(&self) -> EncodingLimits {
        const HASH_ENTRIES: Param = Param::named("hash-max-listpack-entries");
        const HASH_VALUE: Param = Param::named("hash-max-listpack-value");
        const HLL_BYTES: Param = Param::named("hll-sparse-max-bytes");
        const LIST_SIZE: Param = Param::named("list-max-listpack-size");
        const INTSET_ENTRIES: Param = Param::named("set-max-intset-entries");
        const SET_ENTRIES: Param = Param::named("set-max-listpack-entries");
        const SET_VALUE: Param = Param::named("set-max-listpack-value");
        const STREAM_BYTES: Param = Param::named("stream-node-max-bytes");
        const STREAM_ENTRIES: Param = Param::named("stream-node-max-entries");
        const ZSET_ENTRIES: Param = Param::named("zset-max-listpack-entries");
        const ZSET_VALUE: Param = Param::named("zset-max-listpack-value");
        let size = |param: Param| self.config.int(param).max(0) as usize;
        EncodingLimits {
            version: self.version,
            list_max_listpack_size: self.config.int(LIST_SIZE),
            set_max_intset_entries: size(INTSET_ENTRIES),
            set_max_listpack_entries: size(SET_ENTRIES),
            set_max_listpack_value: size(SET_VALUE),
            hash_max_listpack_entries: size(HASH_ENTRIES),
            hash_max_listpack_value: size(HASH_VALUE),
            zset_max_listpack_entries: size(ZSET_ENTRIES),
            zset_max_listpack_value: size(ZSET_VALUE),
            stream_node_max_bytes: size(STREAM_BYTES),
            stream_node_max_entries: size(STREAM_ENTRIES),
            hll_sparse_max_bytes: size(HLL_BYTES),
        }
    }

    pub fn client(&self, id: ClientId) -> &Client {
        self.clients.get(&id).expect("a command's client is connected")
    }

    pub fn client_mut(&mut self, id: ClientId) -> &mut Client {
        self.clients.get_mut(&id).expect("a command's client is connected")
    }
}
