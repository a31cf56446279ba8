//! A node of a stream: the entries that the server keeps in one listpack.
//!
//! A deleted entry stays in its node as a tombstone until all are deleted, as in the server: this decides how full a node is, hence what
//! approximate trimming removes, and what DUMP writes. Invariant: IDs ascend.

use std::sync::Arc;

use super::id::StreamId;
use crate::Bytes;
use crate::value::EncodingLimits;
use crate::value::listpack;

/// Field and value pairs in the order given.
pub type Fields = Arc<[(Bytes, Bytes)]>;

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub id: StreamId,
    pub fields: Fields,
    pub is_deleted: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The ID the node was begun with, from which the others are counted.
    master_id: StreamId,
    /// The fields of the entry the node was begun with; entries with the same ones do not repeat them.
    master_fields: Arc<[Bytes]>,
    entries: Vec<Entry>,
    deleted: usize,
    /// Without the counts of entries and deleted ones.
    listpack_bytes: usize,
}

impl Node {
    pub(super) fn new(first: Entry) -> Self {
        let names: Arc<[Bytes]> = first.fields.iter().map(|(name, _)| name.clone()).collect();
        Self::with_master(first.id, names, vec![first])
    }

    /// A node as a dump has it; its entries may be fewer than once were in it.
    pub fn with_master(master_id: StreamId, master_fields: Arc<[Bytes]>, entries: Vec<Entry>) -> Self {
        let deleted = entries.iter().filter(|entry| entry.is_deleted).count();
        let mut node = Self { master_id, master_fields, entries: Vec::new(), deleted, listpack_bytes: 0 };
        node.listpack_bytes = node.master_bytes();
        for entry in entries {
            node.push_counted(entry);
        }
        node
    }

    pub fn master_id(&self) -> StreamId {
        self.master_id
    }

    pub fn master_fields(&self) -> &Arc<[Bytes]> {
        &self.master_fields
    }

    /// All entries, tombstones included.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn live(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !entry.is_deleted)
    }

    /// Entries that are not deleted.
    pub fn live_len(&self) -> usize {
        self.entries.len() - self.deleted
    }

    pub(super) fn last_id(&self) -> StreamId {
        self.entries.last().expect("a node has entries").id
    }

    /// Whether the next entry, with texts of this length in all, starts a new node.
    pub(super) fn is_full(&self, texts_bytes: usize, limits: &EncodingLimits) -> bool {
        let over = |value: usize, limit: usize| limit > 0 && value >= limit;
        over(self.listpack_bytes() + texts_bytes, limits.stream_node_max_bytes)
            || over(self.entries.len(), limits.stream_node_max_entries)
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.push_counted(entry);
    }

    /// Makes a tombstone of an entry. False when there is none, or it is one already.
    pub(super) fn delete(&mut self, id: StreamId) -> bool {
        let Ok(at) = self.entries.binary_search_by_key(&id, |entry| entry.id) else { return false };
        let entry = &mut self.entries[at];
        let was_live = !std::mem::replace(&mut entry.is_deleted, true);
        self.deleted += usize::from(was_live);
        was_live
    }

    pub(super) fn get(&self, id: StreamId) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&id, |entry| entry.id).ok()?;
        Some(&self.entries[at]).filter(|entry| !entry.is_deleted)
    }

    pub fn has_master_fields(&self, fields: &Fields) -> bool {
        fields.iter().map(|(name, _)| name).eq(self.master_fields.iter())
    }

    /// The listpack's size in bytes.
    pub fn listpack_bytes(&self) -> usize {
        let counts = [self.live_len() as i64, self.deleted as i64].map(listpack::integer_element_bytes);
        self.listpack_bytes + counts[0] + counts[1]
    }

    fn push_counted(&mut self, entry: Entry) {
        self.listpack_bytes += self.entry_bytes(&entry);
        self.entries.push(entry);
    }

    /// Number of fields, the fields, end mark, and the listpack's own; without the two counts, whose sizes change.
    fn master_bytes(&self) -> usize {
        let names: usize = self.master_fields.iter().map(|name| listpack::element_bytes(name)).sum();
        let marks = [self.master_fields.len() as i64, 0].map(listpack::integer_element_bytes);
        listpack::EMPTY_BYTES + marks[0] + marks[1] + names
    }

    /// Flags, ID relative to the master's, fields unless they are the master's, values, length.
    fn entry_bytes(&self, entry: &Entry) -> usize {
        let same = self.has_master_fields(&entry.fields);
        let ms = entry.id.ms.wrapping_sub(self.master_id.ms) as i64;
        let seq = entry.id.seq.wrapping_sub(self.master_id.seq) as i64;
        let values: usize = entry.fields.iter().map(|(_, value)| listpack::element_bytes(value)).sum();
        let names: usize =
            if same { 0 } else { entry.fields.iter().map(|(name, _)| listpack::element_bytes(name)).sum() };
        let count = if same { 0 } else { listpack::integer_element_bytes(entry.fields.len() as i64) };
        let elements = entry.fields.len() + 3 + if same { 0 } else { entry.fields.len() + 1 };
        let integers =
            [0, ms, seq, elements as i64].map(listpack::integer_element_bytes).iter().sum::<usize>();
        integers + count + names + values
    }
}
