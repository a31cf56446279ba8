//! RESP both ways: requests as a server reads them, replies as a client does.

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::{Protocol, Reply, RequestParser, decode, encode};

use super::same;
use crate::chance::Chance;

const ALPHABET: &[u8] = b"*$0123456789-\r\n\r\n\"' PINGset\\x";

/// Requests are the same however the bytes are cut, and good ones are read as they were written.
pub(super) fn requests(chance: &mut Chance) -> Result<(), String> {
    let mut bytes = Vec::new();
    let mut written = Vec::new();
    for _ in 0..=chance.below(3) {
        let argv: Vec<Bytes> = (0..=chance.below(4)).map(|_| Bytes::from(chance.bytes(20))).collect();
        write_request(&argv, &mut bytes);
        written.push(argv);
    }
    let (read, broken) = read_requests(&[&bytes]);
    same("requests that were written", &(written, None), &(read, broken))?;
    match chance.below(3) {
        0 => bytes = chance.bytes_of(ALPHABET, 80),
        _ => chance.mutate(&mut bytes),
    }
    let at = chance.below(bytes.len() + 1);
    let (start, end) = bytes.split_at(at);
    let singly: Vec<&[u8]> = bytes.chunks(1).collect();
    let whole = read_requests(&[&bytes]);
    same("requests cut in two", &whole, &read_requests(&[start, end]))?;
    same("requests byte by byte", &whole, &read_requests(&singly))
}

fn write_request(argv: &[Bytes], out: &mut Vec<u8>) {
    out.extend(format!("*{}\r\n", argv.len()).bytes());
    for arg in argv {
        out.extend(format!("${}\r\n", arg.len()).bytes());
        out.extend_from_slice(arg);
        out.extend(b"\r\n");
    }
}

fn read_requests(parts: &[&[u8]]) -> (Vec<Vec<Bytes>>, Option<String>) {
    let mut parser = RequestParser::default();
    let mut read = Vec::new();
    for part in parts {
        parser.feed(part);
        loop {
            match parser.next_request() {
                Ok(Some(argv)) => read.push(argv),
                Ok(None) => break,
                Err(error) => return (read, Some(error.to_string())),
            }
        }
    }
    (read, None)
}

/// What is encoded is decoded to the same bytes; a part of it is no whole reply; nonsense is refused.
pub(super) fn replies(chance: &mut Chance) -> Result<(), String> {
    let version = *chance.pick(&Version::ALL);
    let reply = reply(chance, 4);
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let mut bytes = Vec::new();
        encode(&reply, protocol, version, &mut bytes);
        let decoded = decode(&bytes).map_err(|error| format!("{bytes:?}: {error}"))?;
        let Some((decoded, length)) = decoded else { return Err(format!("{bytes:?} is not whole")) };
        same("its length", &length, &bytes.len())?;
        let mut again = Vec::new();
        encode(&decoded, protocol, version, &mut again);
        // Attributes are left out by the decoder.
        if !has_attribute(&reply) {
            same("its bytes", &bytes, &again)?;
        }
        let part = &bytes[..chance.below(bytes.len())];
        if let Ok(Some(_)) = decode(part) {
            return Err(format!("{part:?}, a part of {bytes:?}, is a whole reply"));
        }
        chance.mutate(&mut bytes);
        let _ = decode(&bytes);
    }
    Ok(())
}

fn has_attribute(reply: &Reply) -> bool {
    match reply {
        Reply::Attribute { .. } => true,
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => items.iter().any(has_attribute),
        Reply::Map(pairs) => pairs.iter().any(|(key, value)| has_attribute(key) || has_attribute(value)),
        _ => false,
    }
}

fn reply(chance: &mut Chance, depth: usize) -> Reply {
    let line = |chance: &mut Chance| {
        let mut bytes = chance.bytes(12);
        bytes.retain(|byte| !matches!(byte, b'\r' | b'\n'));
        bytes.into()
    };
    let kinds = if depth == 0 { 10 } else { 15 };
    let items =
        |chance: &mut Chance| (0..chance.below(4)).map(|_| reply(chance, depth - 1)).collect::<Vec<_>>();
    let pairs = |chance: &mut Chance| {
        (0..chance.below(3)).map(|_| (reply(chance, depth - 1), reply(chance, depth - 1))).collect::<Vec<_>>()
    };
    match chance.below(kinds) {
        0 => Reply::Status(line(chance)),
        1 => Reply::Error(line(chance)),
        2 => Reply::Int(chance.next() as i64 >> chance.below(64)),
        3 => Reply::Bulk(chance.bytes(20).into()),
        4 => Reply::Nil,
        5 => Reply::NilArray,
        6 => Reply::Double(f64::from_bits(chance.next())),
        7 => Reply::Bool(chance.one_in(2)),
        8 => Reply::BigNumber(Bytes::from(chance.next().to_string().as_str())),
        9 => Reply::Verbatim { format: *b"txt", text: chance.bytes(20).into() },
        10 => Reply::Array(items(chance)),
        11 => Reply::Set(items(chance)),
        12 => Reply::Push(items(chance)),
        13 => Reply::Map(pairs(chance)),
        _ => Reply::Attribute { pairs: pairs(chance), reply: Box::new(reply(chance, depth - 1)) },
    }
}
