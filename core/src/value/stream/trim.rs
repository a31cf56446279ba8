//! XTRIM and the trimming of XADD.

use std::sync::Arc;

use super::{StreamId, StreamValue};
use crate::value::EncodingLimits;

/// What to trim to, and how thoroughly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trim {
    pub strategy: TrimStrategy,
    /// `~`: removes whole nodes only, so that what is left may be up to a node longer.
    pub is_approximate: bool,
    /// How many entries may go at most; 0 for any number. Only asked for whole nodes.
    pub limit: u64,
    pub references: References,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrimStrategy {
    MaxLen(u64),
    /// Entries with lower IDs go.
    MinId(StreamId),
}

/// What deleting an entry means for the groups that still have it pending (since 8.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum References {
    /// They keep it as pending.
    #[default]
    Keep,
    /// They lose it.
    Delete,
    /// Only entries go that every group has read and acknowledged.
    Acked,
}

impl Trim {
    /// The limit of an approximate trim that names none.
    pub fn default_limit(limits: &EncodingLimits) -> u64 {
        const NODES: u64 = 100;
        const WITHOUT_NODE_LIMIT: u64 = 10_000;
        match limits.stream_node_max_entries as u64 {
            0 => WITHOUT_NODE_LIMIT,
            entries => NODES * entries,
        }
    }
}

impl StreamValue {
    /// The number of entries removed.
    pub fn trim(&mut self, trim: &Trim) -> usize {
        let mut removed = 0;
        let mut at = 0;
        while at < self.nodes.len() && !self.is_trimmed(trim.strategy) {
            let node_len = self.nodes[at].live_len();
            if trim.limit > 0 && (removed + node_len) as u64 > trim.limit {
                break;
            }
            let is_beyond = self.is_node_beyond(at, trim.strategy);
            if is_beyond && trim.references == References::Keep {
                self.nodes.remove(at);
                self.len -= node_len;
                removed += node_len;
            } else if trim.is_approximate {
                break;
            } else {
                removed += self.trim_node(at, trim);
                // Within this node the goal lies. If it gets emptied all the same, since a tombstone at its end is what reaches beyond
                // the goal, the server leaves it in place.
                if !is_beyond {
                    break;
                }
                if self.nodes[at].live_len() == 0 {
                    self.nodes.remove(at);
                } else {
                    at += 1;
                }
            }
        }
        removed
    }

    fn is_trimmed(&self, strategy: TrimStrategy) -> bool {
        match strategy {
            TrimStrategy::MaxLen(max) => self.len as u64 <= max,
            TrimStrategy::MinId(min) => self.first_id().is_none_or(|first| first >= min),
        }
    }

    /// Whether nothing in the node needs to stay.
    fn is_node_beyond(&self, at: usize, strategy: TrimStrategy) -> bool {
        let node = &self.nodes[at];
        match strategy {
            TrimStrategy::MaxLen(max) => (self.len - node.live_len()) as u64 >= max,
            TrimStrategy::MinId(min) => node.last_id() < min,
        }
    }

    fn trim_node(&mut self, at: usize, trim: &Trim) -> usize {
        let ids: Vec<StreamId> = self.nodes[at].live().map(|entry| entry.id).collect();
        let mut removed = 0;
        for id in ids {
            let is_done = match trim.strategy {
                TrimStrategy::MaxLen(max) => self.len as u64 <= max,
                TrimStrategy::MinId(min) => id >= min,
            };
            if is_done {
                break;
            }
            match trim.references {
                References::Keep => {}
                References::Delete => self.drop_references(id),
                References::Acked if self.is_referenced(id) => continue,
                References::Acked => {}
            }
            Arc::make_mut(&mut self.nodes[at]).delete(id);
            self.len -= 1;
            removed += 1;
        }
        removed
    }
}
