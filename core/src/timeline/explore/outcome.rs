//! How a schedule ends: what two schedules must have in common to count as the same outcome, and how it is shown.

use crate::Bytes;
use crate::profile::Version;
use crate::resp::push_quoted;
use crate::server::Fingerprint;
use crate::value::Value;
use crate::value::number::format_f64;
use crate::value::stream::StreamId;

use super::super::compare::Seen;
use super::Replies;
use super::plan::Plan;
use super::world::{Key, World};

/// Keys, and elements of one key, that are shown.
const SHOWN_MAX: usize = 20;

/// The end of a schedule, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// The first keys, in the order of their names.
    pub keys: Vec<KeyEnding>,
    /// How many keys there are.
    pub keys_total: usize,
    /// One per client.
    pub clients: Vec<ClientEnding>,
    /// The checks that failed, by their place in [`super::super::Scenario::checks`]: `@ finally` at the end, `@ always` at
    /// any time before.
    pub failed: Vec<usize>,
    /// SHUTDOWN has ended the server.
    pub stopped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEnding {
    pub db: usize,
    pub key: String,
    pub value: String,
    /// Milliseconds that it has still to live.
    pub expires_in: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ClientEnding {
    /// The last reply it had.
    pub reply: Option<Seen>,
    /// It waits for another one, and always will.
    pub waits: bool,
    /// Steps that it could not do, because it waits.
    pub undone: usize,
}

impl Ending {
    pub(super) fn of(world: &World, plan: &Plan, failed: Vec<usize>) -> Self {
        let state = world.tip.server.state();
        let mut keys: Vec<(usize, &Bytes, &crate::keyspace::Entry)> = Vec::new();
        for (db, held) in state.dbs.iter().enumerate() {
            keys.extend(held.iter().map(|(key, entry)| (db, key, entry)));
        }
        let keys_total = keys.len();
        keys.sort_by_key(|(db, key, _)| (*db, *key));
        let now = state.now.unix_millis();
        let shown = |(db, key, entry): (usize, &Bytes, &crate::keyspace::Entry)| KeyEnding {
            db,
            key: crate::resp::quote_arg(key),
            value: shown(&entry.value, state.version),
            expires_in: entry.expires_at.map(|at| at.0.saturating_sub(now.0)),
        };
        let keys = keys.into_iter().take(SHOWN_MAX).map(shown).collect();
        let client = |client: usize| ClientEnding {
            reply: world.tip.mind(client).newest().cloned(),
            waits: world.tip.is_waiting(client),
            undone: plan.programs[client].len() - world.places[client] as usize,
        };
        let clients = (0..plan.clock()).map(client).collect();
        Self { keys, keys_total, clients, failed, stopped: world.tip.server.is_stopped() }
    }
}

/// Schedules with the same key have the same outcome: the data with its expiry, which checks failed, who waits for ever,
/// and of the replies as many as count.
pub(super) fn key(world: &World, plan: &Plan, failed: &[usize]) -> Key {
    let mut print = Fingerprint::default();
    world.tip.server.data_into(&mut print);
    print.number(u64::from(world.tip.server.is_stopped()));
    print.debug(&failed);
    for client in 0..plan.clock() {
        print.number(u64::from(world.places[client]));
        print.number(u64::from(world.tip.is_waiting(client)));
        if plan.replies == Replies::Last {
            print.debug(&world.tip.mind(client).newest());
        }
    }
    world.heard().iter().for_each(|heard| print.bytes(heard));
    print.finish()
}

fn shown(value: &Value, version: Version) -> String {
    let list = |items: &mut dyn Iterator<Item = String>, total: usize, [open, close]: [&str; 2]| {
        let items: Vec<String> = items.take(SHOWN_MAX).collect();
        let more = if total > SHOWN_MAX { format!(", … {total} in all") } else { String::new() };
        format!("{open}{}{more}{close}", items.join(", "))
    };
    match value {
        Value::String(string) => quoted(&string.as_slice()),
        Value::List(items) => list(&mut items.iter().map(|item| quoted(item)), items.len(), ["[", "]"]),
        Value::Set(items) => list(&mut items.iter().map(|item| quoted(&item)), items.len(), ["{", "}"]),
        Value::Hash(fields) => {
            let mut pairs =
                fields.iter().map(|(name, field)| format!("{}: {}", quoted(name), quoted(&field.value)));
            list(&mut pairs, fields.len(), ["{", "}"])
        }
        Value::ZSet(zset) => {
            let mut pairs = zset
                .iter()
                .map(|(member, score)| format!("{}: {}", quoted(member), format_f64(score, version)));
            list(&mut pairs, zset.len(), ["{", "}"])
        }
        Value::Stream(stream) => {
            let mut ids = stream.range(StreamId::MIN, StreamId::MAX).map(|(id, _)| id.to_string());
            list(&mut ids, stream.len(), ["stream [", "]"])
        }
    }
}

fn quoted(text: &[u8]) -> String {
    /// Bytes of one text.
    const BYTES_MAX: usize = 200;
    let mut shown = String::new();
    push_quoted(&text[..text.len().min(BYTES_MAX)], &mut shown);
    if text.len() > BYTES_MAX {
        shown.push('…');
    }
    shown
}
