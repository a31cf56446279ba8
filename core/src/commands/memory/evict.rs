//! Eviction: what goes when `maxmemory` is passed, by the policy.
//!
//! A real server looks at a few random keys each time; here small keyspaces are looked at as a whole, so that a
//! lesson shows the policy and not the luck.

use crate::commands::ctx::break_watches;
use crate::commands::notify::{self, Class};
use crate::event::{EventKind, KeyChange};
use crate::keyspace::{Entry, KeyId};
use crate::state::{Param, State};

use super::account;

/// Keys looked at for one victim; more are sampled.
const CANDIDATES_MAX: usize = 256;

/// How the best victim is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    LeastRecent,
    LeastFrequent,
    SoonestExpiry,
    Random,
}

/// Evicts until the memory limit is kept; true where it is not, for want of keys or by policy.
pub(in crate::commands) fn enforce_limit(state: &mut State) -> bool {
    let limit = state.config.int(Param::MAXMEMORY).max(0) as usize;
    if limit == 0 {
        state.tally.forget();
        return false;
    }
    while account::used(state) > limit {
        let Some((db, key)) = victim(state) else { return true };
        evict(state, db, &key);
    }
    false
}

fn victim(state: &mut State) -> Option<(usize, KeyId)> {
    let policy = state.config.text(Param::MAXMEMORY_POLICY).to_text();
    let (among, order) = policy.split_once('-')?;
    let expiring_only = among == "volatile";
    let order = match order {
        "lru" | "lrm" => Order::LeastRecent,
        "lfu" => Order::LeastFrequent,
        "ttl" => Order::SoonestExpiry,
        _ => Order::Random,
    };
    let mut best: Option<(u64, usize, KeyId)> = None;
    for db in 0..state.dbs.len() {
        let start = if order == Order::Random || state.dbs[db].len() > CANDIDATES_MAX {
            state.rng.word() >> 16
        } else {
            0
        };
        let keys = &state.dbs[db];
        let wanted = |(_, entry): &(&KeyId, &Entry)| !expiring_only || entry.expires_at.is_some();
        let found = keys.iter_from(start).filter(wanted).chain(keys.iter_from(0).filter(wanted));
        for (key, entry) in found.take(CANDIDATES_MAX) {
            let rank = rank(state, entry, order);
            if best.as_ref().is_none_or(|(lowest, ..)| rank < *lowest) {
                best = Some((rank, db, key.clone()));
            }
        }
    }
    best.map(|(_, db, key)| (db, key))
}

/// The lowest goes first.
fn rank(state: &State, entry: &Entry, order: Order) -> u64 {
    match order {
        Order::LeastRecent => entry.accessed_at.0,
        Order::LeastFrequent => {
            let frequency = state.frequency_scale().map_or(entry.frequency, |scale| {
                scale.decayed(entry.frequency, entry.accessed_at, state.now)
            });
            u64::from(frequency)
        }
        Order::SoonestExpiry => entry.expires_at.map_or(u64::MAX, |at| at.0.max(0) as u64),
        Order::Random => 0,
    }
}

fn evict(state: &mut State, db: usize, key: &KeyId) {
    state.dbs[db].remove(key);
    state.tally.note(db, key);
    state.stats.evicted_keys += 1;
    state.dirty += 1;
    break_watches(state, db, key);
    crate::commands::client::invalidate(state, key.key(), None, false);
    notify::notify(state, db, Class::EVICTED, "evicted", key.key());
    let (now, name) = (state.now, key.key().clone());
    state.journal.detail(now, || EventKind::KeyChanged {
        db: db as u32,
        key: name,
        change: KeyChange::Evicted,
        by: None,
    });
}
