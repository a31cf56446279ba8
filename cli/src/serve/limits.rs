//! What a client may take of the server's time and memory, as the configuration in force says.
//!
//! Only looks; the server's loop closes whom it must.

use std::collections::BTreeMap;

use playground_core::clock::Micros;
use playground_core::event::ClientId;
use playground_core::resp::RequestLimits;
use playground_core::server::Server;
use playground_core::state::{Client, Param};

/// Where the configuration sets no bound to what waits to be sent, this one holds, in bytes: the machine's memory is not ours.
const OUTPUT_BYTES_MAX: usize = 1 << 30;
/// Less than this is not looked at, in bytes.
pub(super) const OUTPUT_BYTES_FREE: usize = 1 << 20;

pub(super) fn of_requests(engine: &Server, client: ClientId) -> RequestLimits {
    RequestLimits {
        bulk_max: engine.state().config.int(Param::PROTO_MAX_BULK_LEN),
        authenticated: engine.is_authenticated(client),
    }
}

/// How much of a request may be held until the rest of it comes, in bytes.
pub(super) fn query_bytes_max(engine: &Server) -> usize {
    usize::try_from(engine.state().config.int(Param::CLIENT_QUERY_BUFFER_LIMIT)).unwrap_or(usize::MAX)
}

pub(super) fn clients_max(engine: &Server) -> usize {
    usize::try_from(engine.state().config.int(Param::MAXCLIENTS)).unwrap_or(usize::MAX)
}

/// Remembers who has been above the soft limit for what waits to be sent, and since when.
#[derive(Default)]
pub(super) struct OutputWatch {
    above_since: BTreeMap<ClientId, Micros>,
}

impl OutputWatch {
    /// Whether a client must go that has so many bytes to be sent.
    pub(super) fn is_too_much(&mut self, engine: &Server, client: ClientId, bytes: usize) -> bool {
        let [hard, soft, seconds] = output_limit(engine, client);
        if bytes > OUTPUT_BYTES_MAX || hard > 0 && bytes as u64 >= hard {
            return true;
        }
        if soft == 0 || (bytes as u64) < soft {
            self.above_since.remove(&client);
            return false;
        }
        let since = *self.above_since.entry(client).or_insert(engine.now());
        engine.now().saturating_sub(since) > Micros(seconds.saturating_mul(1_000_000))
    }

    pub(super) fn forget(&mut self, client: ClientId) {
        self.above_since.remove(&client);
    }
}

/// Hard limit, soft limit and the seconds that the soft one may be passed; 0: none. The parameter is a list of such
/// triples, each behind the name of a class of clients.
fn output_limit(engine: &Server, client: ClientId) -> [u64; 3] {
    let state = engine.state();
    let class = state
        .clients
        .get(&client)
        .map_or("normal", |client| if listens(client) { "pubsub" } else { "normal" });
    let limits = state.config.text(Param::CLIENT_OUTPUT_BUFFER_LIMIT).to_text();
    let words: Vec<&str> = limits.split_whitespace().collect();
    let of_class = words.chunks_exact(4).find(|words| words[0] == class);
    of_class.map_or([0; 3], |words| [1, 2, 3].map(|at| words[at].parse().unwrap_or_default()))
}

fn listens(client: &Client) -> bool {
    !(client.channels.is_empty() && client.patterns.is_empty() && client.shard_channels.is_empty())
}

/// Who has been silent for longer than `timeout` allows. Those who wait or listen may be.
pub(super) fn idle(engine: &Server) -> Vec<ClientId> {
    let state = engine.state();
    let seconds = state.config.int(Param::TIMEOUT);
    if seconds <= 0 {
        return Vec::new();
    }
    let second = |at: Micros| (at.0 / 1_000_000) as i64;
    let is_idle = |client: &&Client| {
        client.blocked.is_none()
            && !listens(client)
            && !client.monitor
            && second(state.now) - second(client.last_command_at) > seconds
    };
    state.clients.values().filter(is_idle).map(|client| client.id).collect()
}
