//! A stream: entries by ID, and the groups that consume them.
//!
//! Knows no clock: whoever adds or delivers hands in the moment. Invariants: IDs only grow; `len` counts the entries not deleted.

mod group;
mod id;
mod idempotency;
mod lag;
mod node;
mod trim;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use group::{Consumer, Group, Pending};
pub use id::StreamId;
pub use idempotency::{Idempotency, Retention};
pub use lag::Delivery;
pub use node::{Entry, Fields, Node};

pub use trim::{References, Trim, TrimStrategy};

use super::EncodingLimits;
use crate::Bytes;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamValue {
    pub(in crate::value) nodes: Vec<Arc<Node>>,
    pub(in crate::value) len: usize,
    pub(in crate::value) last_id: StreamId,
    pub(in crate::value) max_deleted_id: StreamId,
    pub(in crate::value) entries_added: u64,
    pub(in crate::value) groups: BTreeMap<Bytes, Group>,
    /// What producers have sent with an idempotency ID. A dump does not have it.
    pub idempotency: Idempotency,
}

impl StreamValue {
    pub fn new() -> Self {
        Self::default()
    }

    /// Entries not deleted. A stream without any stays in the keyspace.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The last ID generated, deleted since or not.
    pub fn last_id(&self) -> StreamId {
        self.last_id
    }

    /// The first ID that is not deleted.
    pub fn first_id(&self) -> Option<StreamId> {
        self.nodes.iter().flat_map(|node| node.live()).next().map(|entry| entry.id)
    }

    /// The highest ID ever deleted by name; 0-0 for none. Trimming does not count.
    pub fn max_deleted_id(&self) -> StreamId {
        self.max_deleted_id
    }

    /// Entries added in all its life.
    pub fn entries_added(&self) -> u64 {
        self.entries_added
    }

    /// Adds an entry; the ID is greater than [`Self::last_id`].
    pub fn add(&mut self, id: StreamId, fields: Fields, limits: &EncodingLimits) {
        debug_assert!(id > self.last_id || self.entries_added == 0);
        let texts_bytes = fields.iter().map(|(field, value)| field.len() + value.len()).sum();
        let entry = Entry { id, fields, is_deleted: false };
        match self.nodes.last_mut().filter(|node| !node.is_full(texts_bytes, limits)) {
            Some(node) => Arc::make_mut(node).push(entry),
            None => self.nodes.push(Arc::new(Node::new(entry))),
        }
        self.len += 1;
        self.entries_added += 1;
        self.last_id = id;
    }

    /// XDEL of one ID. False when there is no such entry. Groups keep it as pending.
    pub fn delete(&mut self, id: StreamId) -> bool {
        let at = self.node_for(id);
        let is_deleted = self
            .nodes
            .get_mut(at)
            .is_some_and(|node| node.get(id).is_some() && Arc::make_mut(node).delete(id));
        if is_deleted {
            if self.nodes[at].live_len() == 0 {
                self.nodes.remove(at);
            }
            self.len -= 1;
            self.max_deleted_id = self.max_deleted_id.max(id);
        }
        is_deleted
    }

    pub fn get(&self, id: StreamId) -> Option<&Fields> {
        self.nodes.get(self.node_for(id))?.get(id).map(|entry| &entry.fields)
    }

    /// Entries between two IDs, both included, in order.
    pub fn range(
        &self,
        start: StreamId,
        end: StreamId,
    ) -> impl DoubleEndedIterator<Item = (StreamId, &Fields)> {
        let nodes = if start <= end {
            self.node_for(start)..self.nodes.len().min(self.node_for(end) + 1)
        } else {
            0..0
        };
        self.nodes[nodes]
            .iter()
            .flat_map(|node| node.live())
            .filter(move |entry| (start..=end).contains(&entry.id))
            .map(|entry| (entry.id, &entry.fields))
    }

    /// XSETID. The caller has checked what the server checks.
    pub fn set_id(
        &mut self,
        last_id: StreamId,
        entries_added: Option<u64>,
        max_deleted_id: Option<StreamId>,
    ) {
        self.last_id = last_id;
        self.entries_added = entries_added.unwrap_or(self.entries_added);
        self.max_deleted_id = max_deleted_id.unwrap_or(self.max_deleted_id);
    }

    /// By name, in the order of its bytes.
    pub fn groups(&self) -> &BTreeMap<Bytes, Group> {
        &self.groups
    }

    pub fn group(&self, name: &[u8]) -> Option<&Group> {
        self.groups.get(name)
    }

    pub fn group_mut(&mut self, name: &[u8]) -> Option<&mut Group> {
        self.groups.get_mut(name)
    }

    /// False when there is a group of that name, which stays as it is.
    pub fn create_group(&mut self, name: Bytes, group: Group) -> bool {
        let is_new = !self.groups.contains_key(name.as_slice());
        if is_new {
            self.groups.insert(name, group);
        }
        is_new
    }

    /// False when there is no such group.
    pub fn destroy_group(&mut self, name: &[u8]) -> bool {
        self.groups.remove(name).is_some()
    }

    /// Whether a group has the entry pending or has not read so far.
    pub fn is_referenced(&self, id: StreamId) -> bool {
        self.groups.values().any(|group| group.last_id < id || group.pending().contains_key(&id))
    }

    /// Takes an entry from what the groups have pending.
    pub fn drop_references(&mut self, id: StreamId) {
        for group in self.groups.values_mut() {
            group.acknowledge(id);
        }
    }

    /// Nodes with entries: XINFO's `radix-tree-keys`.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes of the radix tree that the server files the entries under: XINFO's `radix-tree-nodes`.
    pub fn radix_tree_node_count(&self) -> usize {
        let keys: Vec<[u8; 16]> = self.nodes.iter().map(|node| node.master_id().to_be_bytes()).collect();
        radix_nodes(&keys)
    }

    pub fn encoding(&self) -> &'static str {
        "stream"
    }

    /// The node an ID lies in, if in any: the last that begins no later.
    fn node_for(&self, id: StreamId) -> usize {
        self.nodes.partition_point(|node| node.master_id() <= id).saturating_sub(1)
    }
}

/// Nodes of the radix tree over these keys, which ascend. An empty tree is its root alone.
pub(super) fn radix_nodes(keys: &[[u8; 16]]) -> usize {
    count_radix_nodes(keys, 0).max(1)
}

/// Nodes of a compressed radix tree over sorted keys that are equal up to `depth`: a run of bytes without a fork is one node,
/// a fork is one, and so is each end.
fn count_radix_nodes(keys: &[[u8; 16]], depth: usize) -> usize {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return 0 };
    if depth == first.len() {
        return 1;
    }
    let common = first[depth..].iter().zip(&last[depth..]).take_while(|(a, b)| a == b).count();
    if common > 0 {
        return 1 + count_radix_nodes(keys, depth + common);
    }
    let branches = keys.chunk_by(|a, b| a[depth] == b[depth]);
    1 + branches.map(|branch| count_radix_nodes(branch, depth + 1)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::UnixMillis;
    use crate::profile::Version;

    fn stream(ids: impl IntoIterator<Item = u64>) -> StreamValue {
        let mut stream = StreamValue::new();
        for ms in ids {
            let fields: Fields = Arc::new([(Bytes::from("f"), Bytes::from("v"))]);
            stream.add(StreamId::new(ms, 1), fields, &EncodingLimits::default());
        }
        stream
    }

    fn trim(strategy: TrimStrategy, is_approximate: bool, limit: u64) -> Trim {
        Trim { strategy, is_approximate, limit, references: References::Keep }
    }

    /// Answers of 7.0.15 to XTRIM on 350 entries, which lie in nodes of 100.
    #[test]
    fn approximate_trimming_removes_whole_nodes() {
        let mut stream = stream(1..=350);
        assert_eq!((stream.node_count(), stream.radix_tree_node_count()), (4, 11));
        assert_eq!(stream.trim(&trim(TrimStrategy::MaxLen(120), true, 0)), 200);
        assert_eq!(stream.trim(&trim(TrimStrategy::MaxLen(50), true, 99)), 0);
        assert_eq!(stream.trim(&trim(TrimStrategy::MaxLen(50), true, 100)), 100);
        assert_eq!(stream.trim(&trim(TrimStrategy::MinId(StreamId::new(345, 0)), true, 0)), 0);
        assert_eq!(stream.trim(&trim(TrimStrategy::MinId(StreamId::new(345, 0)), false, 0)), 44);
        assert_eq!(stream.trim(&trim(TrimStrategy::MaxLen(3), false, 0)), 3);
        assert_eq!((stream.len(), stream.first_id()), (3, Some(StreamId::new(348, 1))));
    }

    #[test]
    fn ranges_skip_what_is_deleted() {
        let mut stream = stream(1..=205);
        assert!(stream.delete(StreamId::new(101, 1)));
        assert!(!stream.delete(StreamId::new(101, 1)));
        let found: Vec<u64> =
            stream.range(StreamId::new(99, 2), StreamId::new(103, 0)).map(|(id, _)| id.ms).collect();
        assert_eq!(found, [100, 102]);
        assert_eq!(stream.range(StreamId::MIN, StreamId::MAX).next_back().map(|(id, _)| id.ms), Some(205));
        assert_eq!(stream.range(StreamId::MAX, StreamId::MIN).count(), 0);
        assert_eq!(stream.max_deleted_id(), StreamId::new(101, 1));
    }

    /// As XINFO GROUPS counts at 7.0.15 and 8.2.3.
    #[test]
    fn the_lag_is_unknown_once_a_tombstone_lies_ahead() {
        let mut stream = stream(1..=10);
        let (group, consumer) = (Bytes::from("g"), Bytes::from("c"));
        assert!(stream.create_group(group.clone(), Group::new(StreamId::MIN, None)));
        stream.group_mut(&group).expect("made").create_consumer(&consumer, UnixMillis(0));
        let lag = |stream: &StreamValue| stream.lag(stream.group(b"g").expect("made"), Version::V8_2);
        assert_eq!(lag(&stream), Some(10));
        let delivery =
            Delivery { consumer: &consumer, is_pending: true, now: UnixMillis(5), version: Version::V8_2 };
        stream.deliver(&group, StreamId::new(1, 1), &delivery);
        stream.deliver(&group, StreamId::new(2, 1), &delivery);
        assert_eq!(lag(&stream), Some(8));
        stream.delete(StreamId::new(5, 1));
        assert_eq!(lag(&stream), None);
        let found = stream.group_mut(&group).expect("made");
        assert_eq!(found.consumer(b"c").map(|consumer| consumer.pending().len()), Some(2));
        assert!(found.acknowledge(StreamId::new(1, 1)));
        assert!(!found.acknowledge(StreamId::new(1, 1)));
        assert_eq!(found.remove_consumer(b"c"), Some(1));
        assert!(found.pending().is_empty());
    }

    #[test]
    fn acknowledged_entries_may_go_while_others_are_still_wanted() {
        let mut stream = stream(1..=4);
        let consumer = Bytes::from("c");
        stream.create_group(Bytes::from("g"), Group::new(StreamId::MIN, None));
        stream.group_mut(b"g").expect("made").create_consumer(&consumer, UnixMillis(0));
        let delivery =
            Delivery { consumer: &consumer, is_pending: true, now: UnixMillis(5), version: Version::V8_2 };
        stream.deliver(b"g", StreamId::new(1, 1), &delivery);
        stream.deliver(b"g", StreamId::new(2, 1), &delivery);
        stream.group_mut(b"g").expect("made").acknowledge(StreamId::new(2, 1));
        let acked = Trim { references: References::Acked, ..trim(TrimStrategy::MaxLen(0), false, 0) };
        assert_eq!(stream.trim(&acked), 1);
        let delete = Trim { references: References::Delete, ..trim(TrimStrategy::MaxLen(1), false, 0) };
        assert_eq!(stream.trim(&delete), 2);
        assert!(stream.group(b"g").expect("kept").pending().is_empty());
    }
}
