//! A reply in other forms than redis-cli's: as the bytes of both protocols, and as JSON.

use playground_core::profile::Version;
use playground_core::resp::{Protocol, Reply, encode};
use playground_core::server::EventKind;
use playground_core::timeline::{Seen, Timeline};
use playground_core::value::number::LongDouble;
use playground_model::message::ReplyViews;

use crate::print::shortened;

const CHARS_MAX: usize = 20_000;

/// Of the reply to a step that came during that or a later one; None where there was none.
pub(crate) fn views(timeline: &Timeline, step: usize, during: usize) -> Option<ReplyViews> {
    let sender = timeline.scenario().steps.get(step)?.send()?.client;
    let record = timeline.records().get(during)?;
    let late = record.late.iter().find(|(answered, _)| *answered == step).map(|(_, seen)| seen);
    let seen = if step == during { record.observed.reply.as_ref() } else { late };
    let Some(Seen::Reply(seen)) = seen else { return None };
    let version = timeline.version();
    // The event has the reply before the client's protocol took something from it.
    let full = record.events.iter().find_map(|event| match &event.kind {
        EventKind::Replied { client, reply, protocol } => {
            let is_it =
                timeline.client_of(*client) == Some(sender) && reply.as_sent(*protocol, version) == *seen;
            is_it.then_some(reply)
        }
        _ => None,
    });
    let reply = full.unwrap_or(seen);
    let mut json = String::new();
    write_json(reply, 0, &mut json);
    Some(ReplyViews {
        resp2: bytes(reply, Protocol::Resp2, version),
        resp3: bytes(reply, Protocol::Resp3, version),
        json: shortened(json, CHARS_MAX),
    })
}

/// Every byte visible, and a new line where the protocol begins one.
fn bytes(reply: &Reply, protocol: Protocol, version: Version) -> String {
    let mut sent = Vec::new();
    encode(reply, protocol, version, &mut sent);
    let mut text = String::new();
    for byte in sent.into_iter().take(CHARS_MAX) {
        match byte {
            b'\r' => text.push_str("\\r"),
            b'\n' => text.push_str("\\n\n"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    shortened(text.trim_end().to_owned(), CHARS_MAX)
}

fn write_json(reply: &Reply, depth: usize, out: &mut String) {
    let each = |items: &[Reply], out: &mut String| {
        write_list(items.len(), ('[', ']'), depth, out, |index, out| {
            write_json(&items[index], depth + 1, out);
        });
    };
    match reply {
        Reply::Status(text) => out.push_str(&string(text)),
        Reply::Error(line) => out.push_str(&format!("{{ \"error\": {} }}", string(line))),
        Reply::Int(number) => out.push_str(&number.to_string()),
        Reply::Bulk(text) | Reply::BigNumber(text) | Reply::Verbatim { text, .. } => {
            out.push_str(&string(text))
        }
        Reply::Nil | Reply::NilArray => out.push_str("null"),
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => each(items, out),
        Reply::Map(pairs) => write_list(pairs.len(), ('{', '}'), depth, out, |index, out| {
            let (key, value) = &pairs[index];
            let mut name = String::new();
            write_json(key, depth + 1, &mut name);
            // JSON has no other names than texts.
            let is_text = name.starts_with('"');
            out.push_str(&if is_text { name } else { string(name.as_bytes()) });
            out.push_str(": ");
            write_json(value, depth + 1, out);
        }),
        Reply::Double(number) if number.is_finite() => out.push_str(&number.to_string()),
        Reply::Double(number) => out.push_str(&string(number.to_string().as_bytes())),
        Reply::LongDouble(number) => out.push_str(&LongDouble::from(*number).to_text()),
        Reply::Bool(yes) => out.push_str(&yes.to_string()),
        Reply::Attribute { reply, .. } | Reply::Fixed { reply, .. } => write_json(reply, depth, out),
        // Nobody reads so deep.
        Reply::Deep(_) => out.push_str("[\"…\"]"),
    }
}

fn write_list(
    count: usize,
    (open, close): (char, char),
    depth: usize,
    out: &mut String,
    mut item: impl FnMut(usize, &mut String),
) {
    out.push(open);
    for index in 0..count {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        item(index, out);
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
    out.push(close);
}

/// A text of JSON; bytes that are no UTF-8 are shown by U+FFFD, as most libraries do.
fn string(bytes: &[u8]) -> String {
    serde_json::to_string(&*String::from_utf8_lossy(bytes)).expect("a text can be written")
}
