//! What a value takes in the server's memory: the answer of MEMORY USAGE, structure by structure, as its allocator rounds them.
//!
//! Exact where measured (7.0.15 and 8.2.3) but for what is random there: the levels of a skiplist are taken at their expectation,
//! a table that is being moved to a bigger one counts as moved, and a string that was changed in place as if it had no room to spare.

use super::stream::{Group, Node};
use super::string::Holder;
use super::{HashValue, ListValue, SetValue, StreamValue, StringValue, Value, ZSetValue, listpack};
use crate::profile::Version;

const OBJECT: usize = 16;
const POINTER: usize = 8;
const DICT: usize = 56;
const DICT_ENTRY: usize = 24;
const QUICKLIST: usize = 40;
const QUICKLIST_NODE: usize = 40;
const LISTPACK_EX: usize = 24;
/// An expiring field's moment and its place among the others.
const FIELD_EXPIRY: usize = 16;
const INTSET_HEADER: usize = 8;

/// Bytes of a key with its value. From big collections `samples` elements are measured and the rest is taken to be like them; 0: all.
pub fn usage(value: &Value, holder: Holder, samples: usize) -> usize {
    let allocator = Allocator(holder.version);
    let samples = if samples == 0 { usize::MAX } else { samples };
    let own = match value {
        Value::String(string) => return of_string(string, holder),
        Value::List(list) => of_list(list, allocator, samples),
        Value::Set(set) => of_set(set, allocator, samples),
        Value::Hash(hash) => of_hash(hash, allocator, samples),
        Value::ZSet(zset) => of_zset(zset, allocator, samples),
        Value::Stream(stream) => of_stream(stream, allocator, samples),
    };
    of_key(holder, 0) + own
}

/// jemalloc, as Debian builds it for 7.0 and as the newer servers bring it along.
#[derive(Clone, Copy)]
struct Allocator(Version);

impl Allocator {
    /// What the allocator really gives for so many bytes: four sizes between powers of two, and no finer steps than its quantum.
    fn allocated(self, bytes: usize) -> usize {
        const SMALLEST: usize = 8;
        let quantum = if self.0 < Version::V7_2 { 16 } else { 8 };
        if bytes <= SMALLEST {
            return SMALLEST;
        }
        bytes.next_multiple_of((bytes.next_power_of_two() / 8).max(quantum))
    }

    fn text(self, text: &[u8]) -> usize {
        self.allocated(text_bytes(text.len()))
    }
}

/// A text with its header and end mark.
fn text_bytes(len: usize) -> usize {
    let header = match len {
        0..32 => 1,
        32..256 => 3,
        256..65_536 => 5,
        _ => 9,
    };
    header + len + 1
}

/// A text that may grow: even a short one has the longer header.
fn growing_text_bytes(len: usize) -> usize {
    text_bytes(len).max(3 + len + 1)
}

/// The key, and the object that points to the value. Since 8.2 they are one, with the expiry, and what of the value is embedded.
fn of_key(holder: Holder, embedded: usize) -> usize {
    let allocator = Allocator(holder.version);
    let key = text_bytes(holder.key_bytes);
    if holder.version >= Version::V8_2 {
        let expiry = if holder.has_expiry { 8 } else { 0 };
        allocator.allocated(OBJECT + expiry + 1 + key + embedded)
    } else {
        allocator.allocated(key) + DICT_ENTRY + allocator.allocated(OBJECT + embedded)
    }
}

fn of_string(string: &StringValue, holder: Holder) -> usize {
    let text = growing_text_bytes(string.len());
    match string.encoding(holder) {
        "int" => of_key(holder, 0),
        "embstr" => of_key(holder, text),
        _ => of_key(holder, 0) + Allocator(holder.version).allocated(text),
    }
}

/// The sum for `len` elements of which some are measured.
fn sampled(sizes: impl Iterator<Item = usize>, len: usize, samples: usize) -> usize {
    let (sum, measured) =
        sizes.take(samples).fold((0, 0), |(sum, measured), size| (sum + size, measured + 1));
    if measured == 0 { 0 } else { (sum as f64 / measured as f64 * len as f64) as usize }
}

/// A hash table without its elements.
fn dict(len: usize) -> usize {
    const SLOTS_MIN: usize = 4;
    DICT + len.next_power_of_two().max(SLOTS_MIN) * POINTER
}

fn of_list(list: &ListValue, allocator: Allocator, samples: usize) -> usize {
    if list.encoding() == "listpack" {
        return allocator.allocated(list.listpack_bytes());
    }
    let nodes = list.node_bytes();
    let sizes = nodes.iter().map(|&bytes| QUICKLIST_NODE + allocator.allocated(bytes));
    QUICKLIST + sampled(sizes, nodes.len(), samples)
}

fn of_set(set: &SetValue, allocator: Allocator, samples: usize) -> usize {
    match set.encoding() {
        "intset" => allocator.allocated(INTSET_HEADER + set.len() * set.intset_width()),
        "listpack" => {
            let members: usize = set.iter().map(|member| listpack::element_bytes(&member)).sum();
            allocator.allocated(listpack::EMPTY_BYTES + members)
        }
        _ => {
            dict(set.len())
                + sampled(set.iter().map(|member| allocator.text(&member) + DICT_ENTRY), set.len(), samples)
        }
    }
}

fn of_hash(hash: &HashValue, allocator: Allocator, samples: usize) -> usize {
    let pair_bytes = || {
        hash.iter()
            .map(|(name, field)| listpack::element_bytes(name) + listpack::element_bytes(&field.value))
            .sum::<usize>()
    };
    match hash.encoding() {
        "listpack" => allocator.allocated(listpack::EMPTY_BYTES + pair_bytes()),
        "listpackex" => {
            let moment = |at: Option<crate::clock::UnixMillis>| {
                listpack::integer_element_bytes(at.map_or(0, |at| at.0))
            };
            let moments: usize = hash.iter().map(|(_, field)| moment(field.expires_at)).sum();
            LISTPACK_EX + allocator.allocated(listpack::EMPTY_BYTES + pair_bytes() + moments)
        }
        _ => {
            let sizes = hash.iter().map(|(name, field)| {
                let expiry = if field.expires_at.is_some() { FIELD_EXPIRY } else { 0 };
                allocator.text(name) + allocator.text(&field.value) + expiry + DICT_ENTRY
            });
            dict(hash.len()) + sampled(sizes, hash.len(), samples)
        }
    }
}

fn of_zset(zset: &ZSetValue, allocator: Allocator, samples: usize) -> usize {
    const ZSET: usize = 16;
    const SKIPLIST: usize = 32;
    const NODE: usize = 24;
    const LEVEL: usize = 16;
    const LEVELS_MAX: usize = 32;
    if zset.encoding() == "listpack" {
        let pair_bytes =
            |member: &[u8], score| listpack::element_bytes(member) + score_bytes(score, allocator.0);
        let pairs: usize = zset.iter().map(|(member, score)| pair_bytes(member, score)).sum();
        return allocator.allocated(listpack::EMPTY_BYTES + pairs);
    }
    let entry = if allocator.0 >= Version::V8_2 { 16 } else { DICT_ENTRY };
    let texts = zset.iter().map(|(member, _)| allocator.text(member) + entry);
    // A quarter of the nodes has a second level, a quarter of those a third, and so on.
    let with_level = |level: usize| if level <= LEVELS_MAX { zset.len() >> (2 * (level - 1)) } else { 0 };
    let nodes: usize = (1..=LEVELS_MAX)
        .map(|level| (with_level(level) - with_level(level + 1)) * allocator.allocated(NODE + level * LEVEL))
        .sum();
    let header = allocator.allocated(NODE + LEVELS_MAX * LEVEL);
    ZSET + SKIPLIST + dict(zset.len()) + header + nodes + sampled(texts, zset.len(), samples)
}

fn score_bytes(score: f64, version: Version) -> usize {
    match super::number::as_integer(score) {
        Some(integer) => listpack::integer_element_bytes(integer),
        None => listpack::element_bytes(super::number::format_f64(score, version).as_bytes()),
    }
}

fn of_stream(stream: &StreamValue, allocator: Allocator, samples: usize) -> usize {
    let has_idempotence_fields = allocator.0 >= Version::V8_2;
    let own = if has_idempotence_fields { 112 } else { 80 };
    let tree = radix_tree(stream.node_count(), stream.radix_tree_node_count());
    let groups: usize = stream.groups.values().map(|group| of_group(group, allocator.0)).sum();
    own + tree + of_nodes(&stream.nodes, allocator, samples) + groups
}

/// The last node is counted by itself, for it is not full and its listpack is made bigger than need be.
fn of_nodes(nodes: &[std::sync::Arc<Node>], allocator: Allocator, samples: usize) -> usize {
    const PREPARED_BYTES: usize = 4096;
    let Some((last, full)) = nodes.split_last() else { return 0 };
    let last = allocator.allocated(last.listpack_bytes().max(PREPARED_BYTES));
    last + sampled(full.iter().map(|node| allocator.allocated(node.listpack_bytes())), full.len(), samples)
}

fn of_group(group: &Group, version: Version) -> usize {
    const GROUP: usize = 40;
    let nack = if version >= Version::V8_2 { 32 } else { 24 };
    let consumer = if version >= Version::V7_2 { 32 } else { 24 };
    let ids: Vec<[u8; 16]> = group.pending().keys().map(|id| id.to_be_bytes()).collect();
    let consumers = group.consumers().iter().map(|(name, each)| {
        let ids: Vec<[u8; 16]> = each.pending().iter().map(|id| id.to_be_bytes()).collect();
        consumer + name.len() + id_tree(&ids)
    });
    GROUP + id_tree(&ids) + nack * ids.len() + consumers.sum::<usize>()
}

fn id_tree(ids: &[[u8; 16]]) -> usize {
    radix_tree(ids.len(), super::stream::radix_nodes(ids))
}

/// The server's own estimate: so much a key, so much a node.
fn radix_tree(keys: usize, nodes: usize) -> usize {
    const KEY: usize = 16;
    const NODE: usize = 4 + 30 * POINTER;
    keys * KEY + nodes * NODE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use crate::clock::UnixMillis;
    use crate::value::stream::StreamId;
    use crate::value::{EncodingLimits, End};

    /// MEMORY USAGE k SAMPLES 0 at 7.0.15 and 8.2.3, where what is made by `make` lies under a key of one byte.
    fn check<V: Into<Value>>(make: impl Fn(&EncodingLimits) -> V, expected: [usize; 2]) {
        let measured = [Version::V7_0, Version::V8_2].map(|version| {
            let value = make(&EncodingLimits::new(version)).into();
            usage(&value, Holder { version, key_bytes: 1, has_expiry: false }, 0)
        });
        assert_eq!(measured, expected);
    }

    #[test]
    fn strings_take_what_the_server_says() {
        let check =
            |len: usize, expected| check(|_| StringValue::new(Bytes::from("a".repeat(len))), expected);
        check(1, [64, 32]);
        check(20, [80, 48]);
        check(40, [96, 64]);
        check(44, [96, 72]);
        check(45, [112, 80]);
        check(1000, [1072, 1048]);
        check(100_000, [114_736, 114_712]);
        self::check(|_| StringValue::from_integer(5), [48, 24]);
    }

    #[test]
    fn keys_count_too() {
        let check = |key_bytes, has_expiry, expected: [usize; 2]| {
            let measured = [Version::V7_0, Version::V8_2].map(|version| {
                usage(
                    &StringValue::new(Bytes::from("aaaaaaaaaa")).into(),
                    Holder { version, key_bytes, has_expiry },
                    0,
                )
            });
            assert_eq!(measured, expected, "{key_bytes} {has_expiry}");
        };
        check(1, false, [64, 40]);
        check(1, true, [64, 48]);
        check(31, false, [104, 64]);
        check(32, false, [104, 72]);
        check(100, false, [168, 144]);
        check(300, false, [376, 400]);
    }

    #[test]
    fn collections_take_what_the_server_says() {
        let list = |count: usize, len: usize| {
            move |limits: &EncodingLimits| {
                let mut list = ListValue::new(limits);
                list.push(End::Right, &vec![Bytes::from("a".repeat(len)); count], limits);
                list
            }
        };
        check(list(1, 1), [144, 40]);
        check(list(10, 10), [256, 152]);
        check(list(100, 100), [10_920, 10_896]);
        check(list(1, 9000), [10_368, 10_344]);
        let ints = |count: i64| {
            move |limits: &EncodingLimits| {
                let mut set = SetValue::default();
                (0..count)
                    .for_each(|number| assert!(set.add(Bytes::from((number + 100_000).to_string()), limits)));
                set
            }
        };
        check(ints(100), [496, 472]);
        let hash = |count: usize, value_len: usize| {
            move |limits: &EncodingLimits| {
                let mut hash = HashValue::new();
                for number in 0..count {
                    hash.set(
                        Bytes::from(format!("m{}", 2 * number)),
                        Bytes::from("x".repeat(value_len)),
                        limits,
                    );
                }
                hash
            }
        };
        check(hash(1, 1), [64, 40]);
        check(hash(1, 70), [248, 224]);
        check(hash(1000, 5), [48_296, 48_272]);
        let zset = |name: &'static str| {
            move |limits: &EncodingLimits| {
                let mut zset = ZSetValue::new();
                zset.insert(Bytes::from(name), 1.0, limits);
                zset
            }
        };
        check(zset("a"), [64, 40]);
        check(zset("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), [976, 936]);
    }

    #[test]
    fn streams_and_their_groups_take_what_the_server_says() {
        let stream = |count: u64, has_group: bool| {
            move |limits: &EncodingLimits| {
                let mut stream = StreamValue::new();
                for ms in 1..=count {
                    stream.add(StreamId::new(ms, 1), [(Bytes::from("f"), Bytes::from("v"))].into(), limits);
                }
                if has_group {
                    let mut group = Group::new(StreamId::MIN, None);
                    group.create_consumer(&Bytes::from("cccc"), UnixMillis(0));
                    stream.create_group(Bytes::from("g"), group);
                }
                stream
            }
        };
        check(stream(1, false), [4728, 4736]);
        check(stream(1, true), [5284, 5300]);
        check(stream(101, false), [7000, 7008]);
        check(stream(351, false), [10_812, 10_820]);
    }

    #[test]
    fn a_few_samples_stand_for_all() {
        let limits = EncodingLimits::default();
        let mut set = SetValue::default();
        for number in 0..100_000 {
            set.add(Bytes::from(format!("m{number:06}")), &limits);
        }
        let holder = Holder { version: limits.version, key_bytes: 1, has_expiry: false };
        let value = set.into();
        assert_eq!(usage(&value, holder, 5), usage(&value, holder, 0));
    }
}
