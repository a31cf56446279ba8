//! All kinds of notes, and who finds them.

use super::moment::Moment;
use super::note::{Kind, Note};
use super::{cluster, keys, locks, memory, scripts, server, transactions, values, waiting};

pub(super) type Detector = fn(&Moment<'_>, &mut Vec<Note>);

pub(super) const DETECTORS: &[Detector] = &[
    values::detect,
    scripts::detect,
    server::detect,
    transactions::detect,
    locks::detect,
    keys::detect,
    cluster::detect,
    memory::detect,
    waiting::detect,
];

const FAMILIES: &[(&str, &[&Kind])] = &[
    ("What scripts return", values::KINDS),
    ("Scripts and functions", scripts::KINDS),
    ("A busy server, replicas, restarts", server::KINDS),
    ("Transactions", transactions::KINDS),
    ("Locks and races", locks::KINDS),
    ("Keys and values", keys::KINDS),
    ("Cluster", cluster::KINDS),
    ("Memory", memory::KINDS),
    ("Waiting", waiting::KINDS),
];

/// Every kind of note, by family, in the order of the reference.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static [&'static Kind])> {
    FAMILIES.iter().copied()
}
