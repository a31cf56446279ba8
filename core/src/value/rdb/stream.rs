//! A stream's dump: its nodes as listpacks, its counters, its groups.

use std::sync::Arc;

use super::kind;
use super::wire::{Reader, Writer};
use crate::Bytes;
use crate::clock::UnixMillis;
use crate::profile::Version;
use crate::value::StreamValue;
use crate::value::listpack::{self, Element};
use crate::value::stream::{Consumer, Entry, Fields, Group, Node, Pending, StreamId};

const DELETED: i64 = 1;
const SAME_FIELDS: i64 = 2;
/// What stands for an unknown number of entries read, and for a consumer that never got an entry.
const UNKNOWN: u64 = u64::MAX;

pub(super) fn write(stream: &StreamValue, version: Version, out: &mut Writer) {
    let has_active_times = version >= Version::V7_2;
    out.byte(if has_active_times { kind::STREAM } else { kind::STREAM_7_0 });
    out.len(stream.nodes.len() as u64);
    for node in &stream.nodes {
        out.text(&node.master_id().to_be_bytes());
        out.text(&pack(node));
    }
    out.len(stream.len as u64);
    for id in [stream.last_id, stream.first_id().unwrap_or_default(), stream.max_deleted_id] {
        out.len(id.ms);
        out.len(id.seq);
    }
    out.len(stream.entries_added);
    out.len(stream.groups.len() as u64);
    for (name, group) in &stream.groups {
        out.text(name);
        write_group(group, has_active_times, out);
    }
}

fn pack(node: &Node) -> Vec<u8> {
    let mut out = listpack::Writer::new();
    let master = node.master_id();
    out.push_integer(node.live_len() as i64);
    out.push_integer((node.entries().len() - node.live_len()) as i64);
    out.push_integer(node.master_fields().len() as i64);
    node.master_fields().iter().for_each(|name| out.push(name));
    out.push_integer(0);
    for entry in node.entries() {
        let is_same = node.has_master_fields(&entry.fields);
        let deleted = if entry.is_deleted { DELETED } else { 0 };
        out.push_integer(deleted | if is_same { SAME_FIELDS } else { 0 });
        out.push_integer(entry.id.ms.wrapping_sub(master.ms) as i64);
        out.push_integer(entry.id.seq.wrapping_sub(master.seq) as i64);
        let len = entry.fields.len() as i64;
        if !is_same {
            out.push_integer(len);
        }
        for (name, value) in entry.fields.iter() {
            if !is_same {
                out.push(name);
            }
            out.push(value);
        }
        out.push_integer(if is_same { len + 3 } else { 2 * len + 4 });
    }
    out.finish()
}

fn write_group(group: &Group, has_active_times: bool, out: &mut Writer) {
    out.len(group.last_id.ms);
    out.len(group.last_id.seq);
    out.len(group.entries_read.unwrap_or(UNKNOWN));
    out.len(group.pending().len() as u64);
    for (id, pending) in group.pending() {
        out.raw(&id.to_be_bytes());
        out.u64_le(pending.delivered_at.0 as u64);
        out.len(pending.deliveries);
    }
    out.len(group.consumers().len() as u64);
    for (name, consumer) in group.consumers() {
        out.text(name);
        out.u64_le(consumer.seen_at.0 as u64);
        if has_active_times {
            out.u64_le(consumer.active_at.map_or(UNKNOWN, |at| at.0 as u64));
        }
        out.len(consumer.pending().len() as u64);
        consumer.pending().iter().for_each(|id| out.raw(&id.to_be_bytes()));
    }
}

pub(super) fn read(kind: u8, reader: &mut Reader) -> Option<StreamValue> {
    let mut stream = StreamValue::new();
    for _ in 0..reader.count()? {
        let master = StreamId::from_be_bytes(reader.text()?.as_slice().try_into().ok()?);
        let node = unpack(master, &reader.text()?)?;
        let follows = stream
            .nodes
            .last()
            .is_none_or(|before| before.entries().last().map(|entry| entry.id) < Some(master));
        follows.then_some(())?;
        stream.nodes.push(Arc::new(node));
    }
    stream.len = usize::try_from(reader.len()?).ok()?;
    stream.last_id = read_id(reader)?;
    let _first_id = read_id(reader)?;
    stream.max_deleted_id = read_id(reader)?;
    stream.entries_added = reader.len()?;
    let live: usize = stream.nodes.iter().map(|node| node.live_len()).sum();
    (live == stream.len).then_some(())?;
    for _ in 0..reader.count()? {
        let name = reader.text()?;
        let group = read_group(kind == kind::STREAM, reader)?;
        stream.create_group(name, group).then_some(())?;
    }
    Some(stream)
}

fn read_id(reader: &mut Reader) -> Option<StreamId> {
    Some(StreamId { ms: reader.len()?, seq: reader.len()? })
}

fn read_group(has_active_times: bool, reader: &mut Reader) -> Option<Group> {
    let last_id = read_id(reader)?;
    let entries_read = Some(reader.len()?).filter(|&read| read != UNKNOWN);
    let mut group = Group::new(last_id, entries_read);
    let mut pending = Vec::new();
    for _ in 0..reader.count()? {
        let id = read_raw_id(reader)?;
        let delivered_at = UnixMillis(reader.u64_le()? as i64);
        pending.push((id, delivered_at, reader.len()?));
    }
    pending.sort_by_key(|(id, ..)| *id);
    for _ in 0..reader.count()? {
        let name = reader.text()?;
        let seen_at = UnixMillis(reader.u64_le()? as i64);
        group.create_consumer(&name, seen_at).then_some(())?;
        let active_at = if has_active_times { reader.u64_le()? } else { seen_at.0 as u64 };
        let consumer: &mut Consumer = group.consumer_mut(&name)?;
        consumer.active_at = (active_at != UNKNOWN).then_some(UnixMillis(active_at as i64));
        for _ in 0..reader.count()? {
            let id = read_raw_id(reader)?;
            let at = pending.binary_search_by_key(&id, |(id, ..)| *id).ok()?;
            let (_, delivered_at, deliveries) = pending[at];
            group.assign(id, Pending { consumer: name.clone(), delivered_at, deliveries });
        }
    }
    // An entry pending for nobody is broken.
    (group.pending().len() == pending.len()).then_some(group)
}

fn read_raw_id(reader: &mut Reader) -> Option<StreamId> {
    Some(StreamId::from_be_bytes(reader.raw(16)?.try_into().ok()?))
}

/// A walk over a listpack's elements.
struct Elements(std::vec::IntoIter<Element>);

impl Elements {
    fn integer(&mut self) -> Option<i64> {
        self.0.next()?.as_integer()
    }

    fn text(&mut self) -> Option<Bytes> {
        self.0.next().map(Element::into_text)
    }

    /// A number of elements to come, which cannot be more than there are.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.integer()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }
}

fn unpack(master: StreamId, bytes: &[u8]) -> Option<Node> {
    let mut elements = Elements(listpack::read(bytes)?.into_iter());
    let (live, deleted) = (elements.integer()?, elements.integer()?);
    let field_count = elements.count()?;
    let names: Arc<[Bytes]> = (0..field_count).map(|_| elements.text()).collect::<Option<_>>()?;
    (elements.integer()? == 0).then_some(())?;
    let mut entries: Vec<Entry> = Vec::new();
    while elements.0.len() > 0 {
        let flags = elements.integer()?;
        let ms = master.ms.wrapping_add(elements.integer()? as u64);
        let seq = master.seq.wrapping_add(elements.integer()? as u64);
        let fields: Fields = if flags & SAME_FIELDS != 0 {
            names.iter().map(|name| Some((name.clone(), elements.text()?))).collect::<Option<_>>()?
        } else {
            (0..elements.count()?)
                .map(|_| Some((elements.text()?, elements.text()?)))
                .collect::<Option<_>>()?
        };
        let _element_count = elements.integer()?;
        let entry = Entry { id: StreamId { ms, seq }, fields, is_deleted: flags & DELETED != 0 };
        entries.last().is_none_or(|before| before.id < entry.id).then_some(())?;
        entries.push(entry);
    }
    let deleted_found = entries.iter().filter(|entry| entry.is_deleted).count() as i64;
    let is_sound =
        !entries.is_empty() && deleted_found == deleted && entries.len() as i64 - deleted_found == live;
    is_sound.then(|| Node::with_master(master, names, entries))
}
