//! The core's values as the page shows them: texts that are binary safe and of bounded length.

use playground_core::Bytes;
use playground_core::keyspace::Entry;
use playground_core::lua::LuaValue;
use playground_core::profile::Version;
use playground_core::resp::{Protocol, Reply, encode, push_quoted, quote_arg, terminal_text};
use playground_core::timeline::Seen;
use playground_core::value::Value as Held;
use playground_core::value::number::{format_f64, format_g};
use playground_core::value::stream::StreamId;
use playground_model::frame::Value;
use playground_model::step::{Brief, ReplyKind};

/// Elements of a collection that are sent to the page.
const ELEMENTS_MAX: usize = 100;
/// Bytes of a text that are sent to the page; those inside of collections are shorter.
const TEXT_BYTES_MAX: usize = 2_000;
const ELEMENT_BYTES_MAX: usize = 200;
const BRIEF_CHARS_MAX: usize = 60;
/// Characters of a Lua value.
pub(crate) const LUA_CHARS_MAX: usize = 400;
/// Characters of a reply; a client prints as much as it gets, a page would not.
const REPLY_CHARS_MAX: usize = 20_000;

/// A key as one would type it.
pub(crate) fn key(key: &Bytes) -> String {
    quote_arg(&key[..key.len().min(ELEMENT_BYTES_MAX)])
}

/// A command as one would type it.
pub(crate) fn command(argv: &[Bytes]) -> String {
    let words: Vec<String> = argv.iter().map(key).collect();
    words.join(" ")
}

pub(crate) fn seen(seen: &Seen, version: Version) -> (String, ReplyKind) {
    match seen {
        Seen::Reply(reply) => (reply_text(reply, version), kind(reply)),
        Seen::Closed => (seen.text(version), ReplyKind::Closed),
        Seen::Refused => (seen.text(version), ReplyKind::Refused),
        Seen::Skipped => (seen.text(version), ReplyKind::Skipped),
    }
}

pub(crate) fn reply_text(reply: &Reply, version: Version) -> String {
    shortened(terminal_text(reply, version), REPLY_CHARS_MAX)
}

pub(crate) fn kind(reply: &Reply) -> ReplyKind {
    match reply {
        Reply::Error(line) if line.starts_with(b"BUSY ") => ReplyKind::Busy,
        Reply::Error(_) => ReplyKind::Error,
        Reply::Nil | Reply::NilArray => ReplyKind::Nil,
        _ => ReplyKind::Value,
    }
}

/// How many bytes or elements there are, and the first ones.
pub(crate) fn value(held: &Held, version: Version) -> (usize, Value) {
    match held {
        Held::String(string) => (string.len(), Value::Text(quoted(&string.as_slice(), TEXT_BYTES_MAX))),
        Held::List(list) => (list.len(), Value::List(list.iter().take(ELEMENTS_MAX).map(element).collect())),
        Held::Set(set) => {
            let members = set.iter().take(ELEMENTS_MAX).map(|member| element(&member));
            (set.len(), Value::Set(members.collect()))
        }
        Held::Hash(hash) => {
            let pairs = hash.iter().take(ELEMENTS_MAX);
            let pairs = pairs.map(|(name, field)| (element(name), element(&field.value)));
            (hash.len(), Value::Hash(pairs.collect()))
        }
        Held::ZSet(zset) => {
            let pairs = zset.iter().take(ELEMENTS_MAX);
            let pairs = pairs.map(|(member, score)| (element(member), format_f64(score, version)));
            (zset.len(), Value::Sorted(pairs.collect()))
        }
        Held::Stream(stream) => {
            let all = stream.range(StreamId::MIN, StreamId::MAX).take(ELEMENTS_MAX);
            let entries = all.map(|(id, fields)| {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{} {}", element(name), element(value)))
                    .collect();
                (id.to_string(), fields.join(" "))
            });
            (stream.len(), Value::Stream(entries.collect()))
        }
    }
}

/// Value and expiry in a few words; `start_us` is the story's begin since the Unix epoch.
pub(crate) fn brief(entry: &Entry, version: Version, start_us: u64) -> Brief {
    let (_, value) = value(&entry.value, version);
    let expires_us = entry.expires_at.map(|at| at.0.saturating_mul(1_000).saturating_sub(start_us as i64));
    Brief { value: shortened(value.brief(), BRIEF_CHARS_MAX), expires_us }
}

/// A Lua value as one would write it, in one line.
pub(crate) fn lua(value: &LuaValue) -> String {
    match value {
        LuaValue::Nil => "nil".to_owned(),
        LuaValue::Boolean(yes) => yes.to_string(),
        LuaValue::Number(number) => format_g(*number, 14),
        LuaValue::String(text) => {
            let mut quoted = String::new();
            push_quoted(&text.bytes, &mut quoted);
            if text.bytes.len() < text.len {
                quoted.push('…');
            }
            quoted
        }
        LuaValue::Table(table) => {
            let items = table.items.iter().map(lua);
            let rest = table.rest.iter().map(|(key, value)| format!("{} = {}", lua_key(key), lua(value)));
            let cut = table.cut.then(|| "…".to_owned());
            let parts: Vec<String> = items.chain(rest).chain(cut).collect();
            format!("{{{}}}", parts.join(", "))
        }
        LuaValue::Other(kind) => (*kind).to_owned(),
    }
}

fn lua_key(key: &LuaValue) -> String {
    let is_name = |bytes: &[u8]| {
        let first = bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        first && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    match key {
        LuaValue::String(text) if is_name(&text.bytes) => String::from_utf8_lossy(&text.bytes).into_owned(),
        other => format!("[{}]", lua(other)),
    }
}

/// The bytes of a reply, with what cannot be read escaped.
pub(crate) fn resp(reply: &Reply, protocol: Protocol, version: Version) -> String {
    let mut bytes = Vec::new();
    encode(reply, protocol, version, &mut bytes);
    let text = quoted(&bytes, TEXT_BYTES_MAX);
    text.trim_matches('"').to_owned()
}

fn element(bytes: &Bytes) -> String {
    quoted(bytes, ELEMENT_BYTES_MAX)
}

fn quoted(bytes: &[u8], bytes_max: usize) -> String {
    let mut text = String::new();
    push_quoted(&bytes[..bytes.len().min(bytes_max)], &mut text);
    if bytes.len() > bytes_max {
        text.push('…');
    }
    text
}

pub(crate) fn shortened(mut text: String, chars_max: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(chars_max) {
        text.truncate(end);
        text.push('…');
    }
    text
}
