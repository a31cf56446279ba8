//! Bytes to values. Whatever the bytes are, the answer is a value or none.

use super::wire::Reader;
use super::{kind, stream};
use crate::Bytes;
use crate::clock::UnixMillis;
use crate::value::listpack::{self, Element};
use crate::value::number::parse_f64;
use crate::value::{EncodingLimits, End, HashValue, ListValue, SetValue, StringValue, Value, ZSetValue};

pub(super) fn value(body: &[u8], limits: &EncodingLimits) -> Option<Value> {
    let mut reader = Reader(body);
    let value = match reader.byte()? {
        kind::STRING => StringValue::new(reader.text()?).into(),
        kind::LIST_QUICKLIST => read_list(&mut reader, limits)?.into(),
        kind @ (kind::SET | kind::SET_INTSET | kind::SET_LISTPACK) => {
            read_set(kind, &mut reader, limits)?.into()
        }
        kind @ (kind::ZSET | kind::ZSET_LISTPACK) => read_zset(kind, &mut reader, limits)?.into(),
        kind @ (kind::HASH | kind::HASH_LISTPACK) => read_hash(kind, &mut reader, limits)?.into(),
        kind @ (kind::HASH_EXPIRING | kind::HASH_LISTPACK_EXPIRING) => {
            read_expiring_hash(kind, &mut reader, limits)?.into()
        }
        kind @ (kind::STREAM_7_0 | kind::STREAM) => stream::read(kind, &mut reader)?.into(),
        _ => return None,
    };
    let value: Value = value;
    // An empty collection cannot be kept; RESTORE of one fails.
    (reader.is_at_end() && !value.is_empty_collection()).then_some(value)
}

fn read_list(reader: &mut Reader, limits: &EncodingLimits) -> Option<ListValue> {
    const PLAIN: u64 = 1;
    const PACKED: u64 = 2;
    let mut list = ListValue::new(limits);
    for _ in 0..reader.count()? {
        let kind = reader.len()?;
        let bytes = reader.text()?;
        match kind {
            PLAIN => list.push(End::Right, &[bytes], limits),
            PACKED => {
                for element in listpack::read(&bytes)? {
                    list.push(End::Right, &[element.into_text()], limits);
                }
            }
            _ => return None,
        }
    }
    Some(list)
}

fn read_set(kind: u8, reader: &mut Reader, limits: &EncodingLimits) -> Option<SetValue> {
    let members: Vec<Bytes> = match kind {
        kind::SET => (0..reader.count()?).map(|_| reader.text()).collect::<Option<_>>()?,
        kind::SET_INTSET => read_intset(&reader.text()?)?,
        _ => listpack::read(&reader.text()?)?.into_iter().map(Element::into_text).collect(),
    };
    let mut set = match kind {
        kind::SET_LISTPACK => SetValue::new_listpack(members.len(), limits),
        _ if members.len() > limits.set_max_intset_entries => SetValue::new_table(),
        _ => SetValue::default(),
    };
    members.into_iter().all(|member| set.add(member, limits)).then_some(set)
}

fn read_intset(bytes: &[u8]) -> Option<Vec<Bytes>> {
    let width = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let len = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?);
    if !matches!(width, 2 | 4 | 8) || bytes.len() != 8 + width as usize * len as usize {
        return None;
    }
    let numbers = bytes[8..].chunks(width as usize).map(|chunk| {
        let mut wide = [0; 8];
        wide[8 - chunk.len()..].copy_from_slice(chunk);
        i64::from_le_bytes(wide) >> (64 - 8 * chunk.len())
    });
    Some(numbers.map(|number| Bytes::from(number.to_string())).collect())
}

fn read_hash(kind: u8, reader: &mut Reader, limits: &EncodingLimits) -> Option<HashValue> {
    let mut hash = HashValue::new();
    if kind == kind::HASH {
        for _ in 0..reader.count()? {
            let (name, value) = (reader.text()?, reader.text()?);
            hash.set(name, value, limits).then_some(())?;
        }
    } else {
        let elements = listpack::read(&reader.text()?)?;
        let (pairs, rest) = elements.as_chunks::<2>();
        rest.is_empty().then_some(())?;
        for [name, value] in pairs {
            hash.set(name.clone().into_text(), value.clone().into_text(), limits).then_some(())?;
        }
    }
    Some(hash)
}

fn read_expiring_hash(kind: u8, reader: &mut Reader, limits: &EncodingLimits) -> Option<HashValue> {
    let first = reader.u64_le()?;
    let mut hash = HashValue::new();
    let mut expiries: Vec<(Bytes, i64)> = Vec::new();
    let mut add = |name: Bytes, value: Bytes, at: i64| {
        if at > 0 {
            expiries.push((name.clone(), at));
        }
        hash.set(name, value, limits).then_some(())
    };
    if kind == kind::HASH_EXPIRING {
        for _ in 0..reader.count()? {
            let after_first = reader.len()?;
            let at = if after_first == 0 { 0 } else { first.checked_add(after_first - 1)? };
            add(reader.text()?, reader.text()?, i64::try_from(at).ok()?)?;
        }
    } else {
        let elements = listpack::read(&reader.text()?)?;
        let (triples, rest) = elements.as_chunks::<3>();
        rest.is_empty().then_some(())?;
        for [name, value, at] in triples {
            add(name.clone().into_text(), value.clone().into_text(), at.as_integer()?)?;
        }
        hash.expect_expiry();
    }
    // Backwards, for one with an expiry goes before its equals.
    for (name, at) in expiries.iter().rev() {
        hash.set_expiry(name, Some(UnixMillis(*at)));
    }
    Some(hash)
}

fn read_zset(kind: u8, reader: &mut Reader, limits: &EncodingLimits) -> Option<ZSetValue> {
    let mut zset = ZSetValue::new();
    let mut add = |member: Bytes, score: f64| {
        (!score.is_nan() && zset.insert(member, score, limits).is_none()).then_some(())
    };
    if kind == kind::ZSET {
        for _ in 0..reader.count()? {
            add(reader.text()?, reader.f64()?)?;
        }
    } else {
        let elements = listpack::read(&reader.text()?)?;
        let (pairs, rest) = elements.as_chunks::<2>();
        rest.is_empty().then_some(())?;
        for [member, score] in pairs {
            add(member.clone().into_text(), parse_f64(&score.clone().into_text())?)?;
        }
    }
    Some(zset)
}
