//! Values to bytes, in the form that fits their encoding.

use super::wire::Writer;
use super::{kind, stream};
use crate::Bytes;
use crate::clock::UnixMillis;
use crate::profile::Version;
use crate::value::hash::Field;
use crate::value::number::{as_integer, format_f64, parse_i64};
use crate::value::{EncodingLimits, HashValue, ListValue, SetValue, Value, ZSetValue, listpack};

pub(super) fn value(value: &Value, limits: &EncodingLimits, out: &mut Writer) {
    match value {
        Value::String(string) => {
            out.byte(kind::STRING);
            out.text(&string.as_slice());
        }
        Value::List(list) => write_list(list, limits, out),
        Value::Set(set) => write_set(set, out),
        Value::Hash(hash) => write_hash(hash, out),
        Value::ZSet(zset) => write_zset(zset, limits, out),
        Value::Stream(stream) => stream::write(stream, limits.version, out),
    }
}

/// A list's nodes: a listpack of elements each, or one big element alone.
fn write_list(list: &ListValue, limits: &EncodingLimits, out: &mut Writer) {
    const PLAIN: u64 = 1;
    const PACKED: u64 = 2;
    out.byte(kind::LIST_QUICKLIST);
    let nodes = list.nodes();
    out.len(nodes.len() as u64);
    for node in nodes {
        let has_plain = limits.version >= Version::V7_2 && node.len() == 1;
        let alone =
            list.get(node.start).filter(|element| has_plain && limits.list_node_exceeds(element.len(), 1));
        match alone {
            Some(element) => {
                out.len(PLAIN);
                out.text(element);
            }
            None => {
                out.len(PACKED);
                out.text(&packed(list.range(node)));
            }
        }
    }
}

fn write_set(set: &SetValue, out: &mut Writer) {
    match set.encoding() {
        "intset" => {
            out.byte(kind::SET_INTSET);
            let numbers: Vec<i64> = set.iter().filter_map(|member| parse_i64(&member)).collect();
            out.text(&intset(&numbers, set.intset_width()));
        }
        "listpack" => {
            out.byte(kind::SET_LISTPACK);
            let members: Vec<Bytes> = set.iter().collect();
            out.text(&packed(members.iter()));
        }
        _ => {
            out.byte(kind::SET);
            out.len(set.len() as u64);
            set.iter().for_each(|member| out.text(&member));
        }
    }
}

/// Width of the numbers, how many there are, and they.
fn intset(numbers: &[i64], width: usize) -> Vec<u8> {
    let mut bytes = (width as u32).to_le_bytes().to_vec();
    bytes.extend((numbers.len() as u32).to_le_bytes());
    for number in numbers {
        bytes.extend_from_slice(&number.to_le_bytes()[..width]);
    }
    bytes
}

fn write_hash(hash: &HashValue, out: &mut Writer) {
    match hash.encoding() {
        "listpack" => {
            out.byte(kind::HASH_LISTPACK);
            out.text(&packed(hash.iter().flat_map(|(name, field)| [name, &field.value])));
        }
        "listpackex" => {
            out.byte(kind::HASH_LISTPACK_EXPIRING);
            out.u64_le(millis(hash.next_expiry()));
            let mut fields = listpack::Writer::new();
            for (name, field) in hash.iter() {
                fields.push(name);
                fields.push(&field.value);
                fields.push_integer(field.expires_at.map_or(0, |at| at.0));
            }
            out.text(&fields.finish());
        }
        _ if hash.expiring_len() > 0 => {
            out.byte(kind::HASH_EXPIRING);
            let first = millis(hash.next_expiry());
            out.u64_le(first);
            out.len(hash.len() as u64);
            for (name, field) in hash.iter() {
                out.len(after_first(field, first));
                out.text(name);
                out.text(&field.value);
            }
        }
        _ => {
            out.byte(kind::HASH);
            out.len(hash.len() as u64);
            for (name, field) in hash.iter() {
                out.text(name);
                out.text(&field.value);
            }
        }
    }
}

/// A field's expiry as milliseconds after the first one, counted from 1; 0 for none.
fn after_first(field: &Field, first: u64) -> u64 {
    field.expires_at.map_or(0, |at| (at.0 as u64).wrapping_sub(first).wrapping_add(1))
}

fn millis(at: Option<UnixMillis>) -> u64 {
    at.map_or(0, |at| at.0 as u64)
}

fn write_zset(zset: &ZSetValue, limits: &EncodingLimits, out: &mut Writer) {
    if zset.encoding() == "listpack" {
        out.byte(kind::ZSET_LISTPACK);
        let mut pairs = listpack::Writer::new();
        for (member, score) in zset.iter() {
            pairs.push(member);
            match as_integer(score) {
                Some(integer) => pairs.push_integer(integer),
                None => pairs.push(format_f64(score, limits.version).as_bytes()),
            }
        }
        return out.text(&pairs.finish());
    }
    out.byte(kind::ZSET);
    out.len(zset.len() as u64);
    // From the highest on: so each goes to the front when the list is built again.
    for (member, score) in zset.iter().rev() {
        out.text(member);
        out.f64(score);
    }
}

fn packed<'a>(elements: impl Iterator<Item = &'a Bytes>) -> Vec<u8> {
    let mut writer = listpack::Writer::new();
    elements.for_each(|element| writer.push(element));
    writer.finish()
}
