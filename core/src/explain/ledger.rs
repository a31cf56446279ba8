//! What is remembered of all steps so far: deeds by key, readers, locks, scripts, watches, transactions.

use std::collections::BTreeMap;

use crate::Bytes;
use crate::clock::Micros;
use crate::resp::Reply;
use crate::server::KeyChange;
use crate::state::Sha1;
use crate::timeline::Action;

use super::moment::{Changed, Mark, Moment, Op, Way, is_nil, is_queued, is_script};

/// A database and a key.
pub(super) type Place = (usize, Bytes);

/// Deeds that are kept of one key; older ones are of no interest.
const DEEDS_MAX: usize = 64;

#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    pub(super) deeds: BTreeMap<Place, Vec<Deed>>,
    /// Who has read a key with a command of its own, and in which step; until it writes the key.
    pub(super) reads: BTreeMap<(usize, Place), usize>,
    /// Keys that are held as locks: made by SET NX or SETNX.
    pub(super) leases: BTreeMap<Place, Lease>,
    /// Keys that expired and that no command has met since.
    pub(super) expired: BTreeMap<Place, Expired>,
    pub(super) scripts: BTreeMap<Bytes, Fate>,
    /// By client: what it watches, and since which step.
    pub(super) watches: BTreeMap<usize, BTreeMap<Place, usize>>,
    /// By client: its transaction.
    pub(super) transactions: BTreeMap<usize, Transaction>,
    /// Who has sent the KILL that has not ended its victim yet.
    pub(super) killer: Option<(usize, usize)>,
    /// When functions were loaded last, and the restart or failover that they outlived.
    pub(super) functions_loaded: Option<usize>,
    pub(super) functions_outlived: Option<usize>,
}

/// What became of a key.
#[derive(Clone, Debug)]
pub(super) struct Deed {
    pub(super) step: usize,
    pub(super) client: Option<usize>,
    pub(super) change: KeyChange,
    pub(super) command: String,
}

#[derive(Clone, Debug)]
pub(super) struct Lease {
    pub(super) client: usize,
    pub(super) step: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Expired {
    pub(super) at: Micros,
    /// Who had written it last.
    pub(super) written: Option<Deed>,
}

/// Where a script is, by the last thing that happened to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Cached { step: usize },
    Flushed { step: usize },
    Evicted { step: usize },
    Restarted { step: usize },
    FailedOver { step: usize },
}

#[derive(Clone, Debug, Default)]
pub(super) struct Transaction {
    /// Commands that were refused while queueing: step and text.
    pub(super) refused: Vec<(usize, String)>,
    pub(super) told_that_reads_wait: bool,
}

/// What a step adds.
pub(super) struct News {
    step: usize,
    ops: Vec<Op>,
    changes: Vec<Changed>,
    marks: Vec<Mark>,
    action: Action,
    reads: Vec<(usize, Place)>,
    met: Vec<Place>,
    queued_read: Option<usize>,
}

impl Moment<'_> {
    pub(super) fn news(self) -> News {
        let mut reads = Vec::new();
        let mut met = Vec::new();
        for op in &self.ops {
            let keys = self.keys(op).into_iter().map(|key| (op.db, key));
            let reads_only = op.way == Way::Direct && !self.writes(op) && !is_script(&op.argv);
            for place in keys {
                if reads_only && op.code().is_none() && !is_queued(&op.reply) {
                    reads.push((op.client, place.clone()));
                }
                met.push(place);
            }
        }
        let queued_read = self.ops.iter().find(|op| is_queued(&op.reply) && !self.writes(op));
        let queued_read = queued_read.map(|op| op.client);
        News {
            step: self.step,
            action: self.action().clone(),
            ops: self.ops,
            changes: self.changes,
            marks: self.marks,
            reads,
            met,
            queued_read,
        }
    }
}

impl Ledger {
    /// The deeds on a key since a step, that step not included.
    pub(super) fn deeds_since(&self, place: &Place, step: usize) -> impl Iterator<Item = &Deed> {
        let deeds = self.deeds.get(place).into_iter().flatten();
        deeds.filter(move |deed| deed.step > step)
    }

    /// Who has given the key its value.
    pub(super) fn last_write(&self, place: &Place) -> Option<&Deed> {
        let deeds = self.deeds.get(place)?;
        deeds.iter().rev().find(|deed| deed.change == KeyChange::Written)
    }

    pub(super) fn absorb(&mut self, news: News) {
        for (client, place) in &news.reads {
            self.reads.insert((*client, place.clone()), news.step);
        }
        for place in &news.met {
            self.expired.remove(place);
        }
        for change in &news.changes {
            self.absorb_change(change, &news.ops, news.step);
        }
        for op in &news.ops {
            self.absorb_op(op);
        }
        for mark in &news.marks {
            match mark {
                Mark::Cached { sha } => {
                    self.scripts.insert(sha.clone(), Fate::Cached { step: news.step });
                }
                Mark::Evicted { sha } => {
                    self.scripts.insert(sha.clone(), Fate::Evicted { step: news.step });
                }
                Mark::BusyBegan { .. } | Mark::Unblocked { .. } => {}
            }
        }
        if let Some(client) = news.queued_read {
            self.transactions.entry(client).or_default().told_that_reads_wait = true;
        }
        self.absorb_action(&news);
    }

    fn absorb_change(&mut self, change: &Changed, ops: &[Op], step: usize) {
        let Changed { db, key, by, at, .. } = change;
        let place = (*db, key.clone());
        if change.change == KeyChange::Expired {
            let written = self.last_write(&place).cloned();
            self.expired.insert(place.clone(), Expired { at: *at, written });
        }
        if change.change != KeyChange::Written {
            self.leases.remove(&place);
        }
        if let Some((client, _)) = by {
            self.reads.remove(&(*client, place.clone()));
        }
        let (client, step) = by.map_or((None, step), |(client, step)| (Some(client), step));
        let command = ops.iter().find(|op| op.step == step && op.argv.contains(key)).map(Op::text);
        let deeds = self.deeds.entry(place).or_default();
        if deeds.len() == DEEDS_MAX {
            deeds.remove(0);
        }
        deeds.push(Deed { step, client, change: change.change, command: command.unwrap_or_default() });
    }

    fn absorb_op(&mut self, op: &Op) {
        if let Some(key) = makes_lock(op) {
            self.leases.insert((op.db, key), Lease { client: op.client, step: op.step });
        }
        if op.is_sub("script", "flush") && op.reply == Reply::OK {
            self.lose_scripts(Fate::Flushed { step: op.step });
        }
        if op.is_sub("function", "load") && op.code().is_none() {
            self.functions_loaded = Some(op.step);
            self.functions_outlived = None;
        }
        if (op.is_sub("script", "kill") || op.is_sub("function", "kill")) && op.reply == Reply::OK {
            self.killer = Some((op.client, op.step));
        } else if is_script(&op.argv) {
            self.killer = None;
        }
        if op.way != Way::Direct {
            return;
        }
        if op.is("watch") && op.reply == Reply::OK {
            let watched = self.watches.entry(op.client).or_default();
            for key in &op.argv[1..] {
                watched.entry((op.db, key.clone())).or_insert(op.step);
            }
        }
        if ["exec", "discard", "unwatch", "reset"].iter().any(|name| op.is(name)) && !is_queued(&op.reply) {
            self.watches.remove(&op.client);
        }
        if op.is("multi") && op.reply == Reply::OK {
            self.transactions.insert(op.client, Transaction::default());
        } else if ["exec", "discard", "reset"].iter().any(|name| op.is(name)) {
            self.transactions.remove(&op.client);
        } else if op.code().is_some()
            && let Some(transaction) = self.transactions.get_mut(&op.client)
        {
            transaction.refused.push((op.step, op.text()));
        }
    }

    fn absorb_action(&mut self, news: &News) {
        let step = news.step;
        match &news.action {
            Action::Restart { keep_data } => {
                self.lose_scripts(Fate::Restarted { step });
                self.new_process(step, *keep_data);
            }
            Action::Failover => {
                self.lose_scripts(Fate::FailedOver { step });
                self.new_process(step, true);
            }
            Action::Send(_) | Action::Clock(_) | Action::Replicate { .. } => {}
        }
    }

    /// Connections are new, and with them what hung on them.
    fn new_process(&mut self, step: usize, keep_data: bool) {
        self.watches.clear();
        self.transactions.clear();
        self.killer = None;
        if keep_data {
            self.functions_outlived = self.functions_loaded.and(Some(step));
        } else {
            self.functions_loaded = None;
            self.leases.clear();
            self.expired.clear();
        }
    }

    fn lose_scripts(&mut self, fate: Fate) {
        for known in self.scripts.values_mut() {
            if matches!(known, Fate::Cached { .. }) {
                *known = fate;
            }
        }
    }

    /// The fate of a script by what a client calls it.
    pub(super) fn fate(&self, sha: &Bytes) -> Option<Fate> {
        let sha = Sha1::parse(sha)?;
        self.scripts.get(sha.as_bytes()).copied()
    }
}

/// The key that this command has made as one makes a lock: only where there was none.
pub(super) fn makes_lock(op: &Op) -> Option<Bytes> {
    let made = if op.is("setnx") {
        op.reply == Reply::Int(1)
    } else {
        op.is("set") && op.has_option(3, "nx") && !op.has_option(3, "get") && !is_nil(&op.reply)
    };
    (made && op.code().is_none() && !is_queued(&op.reply)).then(|| op.argv[1].clone())
}
