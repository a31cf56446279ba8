//! A test for Node.js that plays the story to a real server through ioredis.
//!
//! One connection for each client. Replies are compared as RESP2 values; where the story allows anything, nothing is.

use std::fmt::Write as _;

use crate::Bytes;
use crate::resp::{Flat, Reply, Step, steps};
use crate::timeline::Seen;

use super::played::{ActKind, Played};
use super::transcript::event;

const HEAD: &str = r#"// Needs a Redis whose keys, scripts and functions may be deleted, and `npm install ioredis`:
//   REDIS_URL=redis://127.0.0.1:6379 node --test FILE
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import Redis from 'ioredis';

const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
const connect = () => new Redis(url, { retryStrategy: null });
// An error is a reply like any other here.
const plain = (value) => {
  if (value instanceof Error) return `(error) ${value.message}`;
  return Array.isArray(value) ? value.map(plain) : value;
};
const sent = (client, ...argv) => {
  const answer = client.call(...argv).then(plain, plain);
  return { answer, then: (done, failed) => answer.then(done, failed) };
};

"#;

pub(super) fn write(played: &Played<'_>) -> String {
    let mut code = HEAD.to_owned();
    let title = string(&played.scenario.meta.title);
    let mut line = |text: String| {
        code.push_str(&text);
        code.push('\n');
    };
    line(format!("test({title}, async () => {{"));
    let names: Vec<String> =
        (0..played.scenario.clients.len()).map(|client| variable(played, client)).collect();
    let made: Vec<String> = names.iter().map(|_| "connect()".to_owned()).collect();
    line(format!("  const [{}] = [{}];", names.join(", "), made.join(", ")));
    line("  try {".to_owned());
    let first = names.first().cloned().unwrap_or_else(|| "connect()".to_owned());
    for command in ["'FLUSHALL'", "'SCRIPT', 'FLUSH'", "'FUNCTION', 'FLUSH'"] {
        line(format!("    await {first}.call({command});"));
    }
    for (name, value) in &played.scenario.setup.config {
        line(format!("    await {first}.call('CONFIG', 'SET', {}, {});", string(name), string(value)));
    }
    for act in &played.acts {
        act_lines(played, act.step, &act.kind).into_iter().for_each(|text| line(format!("    {text}")));
    }
    line("  } finally {".to_owned());
    line(format!("    for (const client of [{}]) client.disconnect();", names.join(", ")));
    line("  }".to_owned());
    line("});".to_owned());
    code
}

fn act_lines(played: &Played<'_>, step: usize, kind: &ActKind) -> Vec<String> {
    match kind {
        ActKind::Remark(remark) => vec![format!("// {remark}")],
        ActKind::Skipped(text) => vec![format!("// not sent: {text}")],
        ActKind::Send { argv, .. } if speaks_resp3(argv) => {
            vec![
                "// The story goes on in RESP3, which ioredis does not speak.".to_owned(),
                "return;".to_owned(),
            ]
        }
        ActKind::Send { client, argv, reply, slack, .. } => {
            let words: Vec<String> = argv.iter().map(bytes).collect();
            let call = format!("sent({}, {})", variable(played, *client), words.join(", "));
            match reply.as_ref().and_then(expected).filter(|_| !slack) {
                Some(expected) => vec![format!("assert.deepEqual(await {call}, {expected});")],
                None if reply.is_some() => vec![format!("await {call};")],
                None => vec![format!("const step{} = {call};", step + 1), "await sleep(50);".to_owned()],
            }
        }
        ActKind::Receive { seen, answers: Some(answers), .. } => match expected(seen) {
            Some(expected) => vec![format!("assert.deepEqual(await step{}, {expected});", answers + 1)],
            None => vec![format!("await step{};", answers + 1)],
        },
        ActKind::Receive { client, .. } => vec![format!("// {} receives a message", played.name(*client))],
        ActKind::Wait(time) => vec![format!("await sleep({});", time.0.div_ceil(1_000))],
        other => {
            vec![format!("// {}: this can't be replayed by a client.", event(other)), "return;".to_owned()]
        }
    }
}

fn speaks_resp3(argv: &[Bytes]) -> bool {
    matches!(argv, [name, version, ..] if name.eq_ignore_ascii_case(b"hello") && version.as_slice() == b"3")
}

/// The client's name as a variable.
fn variable(played: &Played<'_>, client: usize) -> String {
    format!("client{}", played.name(client).replace('-', "_"))
}

/// A reply as ioredis gives it; None where the connection ends.
fn expected(seen: &Seen) -> Option<String> {
    match seen {
        Seen::Reply(reply) => Some(value(reply)),
        Seen::Closed | Seen::Refused | Seen::Skipped => None,
    }
}

fn value(reply: &Reply) -> String {
    match reply {
        Reply::Status(text) => string(&String::from_utf8_lossy(text)),
        Reply::Error(text) => string(&format!("(error) {}", String::from_utf8_lossy(text))),
        // Numbers beyond 2^53 lose digits in JavaScript, on both sides alike.
        Reply::Int(number) => number.to_string(),
        Reply::Bulk(text) | Reply::Verbatim { text, .. } | Reply::BigNumber(text) => bytes(text),
        Reply::Nil | Reply::NilArray => "null".to_owned(),
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => list(items.iter().map(value)),
        Reply::Map(pairs) => list(pairs.iter().flat_map(|(key, held)| [value(key), value(held)])),
        Reply::Double(number) | Reply::LongDouble(number) => string(&number.to_string()),
        Reply::Bool(yes) => i32::from(*yes).to_string(),
        Reply::Attribute { reply, .. } | Reply::Fixed { reply, .. } => value(reply),
        Reply::Deep(parts) => flat(parts),
    }
}

fn flat(parts: &[Flat]) -> String {
    let mut text = String::new();
    for step in steps(parts) {
        if !matches!(step, Step::Closes) && !text.is_empty() && !text.ends_with('[') {
            text.push_str(", ");
        }
        match step {
            Step::Opens => text.push('['),
            Step::Leaf(reply) => text.push_str(&value(reply)),
            Step::Closes => text.push(']'),
        }
    }
    text
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn bytes(text: &Bytes) -> String {
    string(&String::from_utf8_lossy(text))
}

/// A text as JavaScript writes it.
fn string(text: &str) -> String {
    let mut quoted = "'".to_owned();
    for letter in text.chars() {
        match letter {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => {
                write!(quoted, "\\u{:04x}", letter as u32).expect("a string can be written to");
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('\'');
    quoted
}
