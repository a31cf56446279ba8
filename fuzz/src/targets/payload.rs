//! DUMP payloads: what real ones become when they are changed, with a checksum that holds.

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::Reply;
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use playground_core::value::crc::crc64;
use playground_core::value::rdb;

use crate::chance::Chance;

/// How values come to be that are dumped.
const MAKERS: &[&str] = &[
    "SET k text",
    "SET k 12345",
    "APPEND k aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "RPUSH k a b 1 -5 99999999999 ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
    "SADD k 1 2 3",
    "SADD k 1 2 3 a bb",
    "SADD k 70000 5000000000",
    "HSET k f v g 1 h 2.5",
    "ZADD k 1 a 2.5 b -inf c",
    "XADD k 1-1 f v g w",
    "EVAL \"for i = 1, 300 do redis.call('RPUSH', 'k', i) end\" 0",
    "EVAL \"for i = 1, 600 do redis.call('SADD', 'k', i) end\" 0",
    "EVAL \"for i = 1, 200 do redis.call('ZADD', 'k', i, 'm' .. i) end\" 0",
    "EVAL \"for i = 1, 600 do redis.call('HSET', 'k', i, i) end\" 0",
    "EVAL \"for i = 1, 250 do redis.call('XADD', 'k', i .. '-0', 'f', i) end redis.call('XGROUP', 'CREATE', 'k', 'g', 0) redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'COUNT', 3, 'STREAMS', 'k', '>')\" 0",
    "PFADD k a b c",
];

/// Looked at and changed once it is restored.
const USES: &[&str] = &[
    "TYPE r",
    "OBJECT ENCODING r",
    "DEBUG OBJECT r",
    "MEMORY USAGE r SAMPLES 0",
    "DUMP r",
    "STRLEN r",
    "GET r",
    "LRANGE r 0 -1",
    "SMEMBERS r",
    "HGETALL r",
    "ZRANGE r 0 -1 WITHSCORES",
    "XINFO STREAM r FULL",
    "XRANGE r - +",
    "SORT r ALPHA",
    "SCAN 0",
    "PFCOUNT r",
    "COPY r s REPLACE",
    "RPUSH r x",
    "LPOP r",
    "SADD r x",
    "SPOP r",
    "HSET r x y",
    "HDEL r f",
    "ZADD r 1 x",
    "ZPOPMIN r",
    "XADD r * f v",
    "XREADGROUP GROUP g c COUNT 2 STREAMS r >",
    "XTRIM r MAXLEN 1",
    "APPEND r x",
    "LTRIM r 1 1",
    "RENAME r k",
];

/// A payload is refused, or is a value that can be used, dumped and restored again.
pub(super) fn run(chance: &mut Chance) -> Result<(), String> {
    let version = *chance.pick(&Version::ALL);
    let mut server = Server::new(Options { version, ..Options::default() });
    let maker = *chance.pick(MAKERS);
    send(&mut server, split(maker));
    if version >= Version::V7_4 && chance.one_in(3) {
        send(&mut server, split("HPEXPIRE k 100000 FIELDS 2 f 7"));
    }
    let Some(Reply::Bulk(payload)) = send(&mut server, split("DUMP k")) else {
        return Err("DUMP gave nothing".to_owned());
    };
    let mut payload = payload.to_vec();
    chance.mutate(&mut payload);
    if let Some(end) = payload.len().checked_sub(8) {
        let sum = crc64(0, &payload[..end]);
        payload[end..].copy_from_slice(&sum.to_le_bytes());
    }
    let limits = server.state().encoding_limits();
    if let Ok(value) = rdb::restore(&payload, &limits) {
        if value.is_empty_collection() {
            return Err(format!("{payload:?} is an empty collection"));
        }
        let again = rdb::dump(&value, &limits);
        let value_again =
            rdb::restore(&again, &limits).map_err(|error| format!("{payload:?}: {error:?} in {again:?}"))?;
        if value != value_again {
            return Err(format!("{value:?} is {value_again:?} when it is dumped and restored\n{payload:?}"));
        }
    }
    send(&mut server, vec!["RESTORE".into(), "r".into(), "0".into(), Bytes::from(payload.clone())]);
    for _ in 0..8 {
        let words = *chance.pick(USES);
        send(&mut server, split(words));
        server.audit().map_err(|broken| format!("{broken}\nafter {words} of {payload:?}"))?;
    }
    Ok(())
}

fn split(line: &str) -> Vec<Bytes> {
    playground_core::resp::split_args(line.as_bytes()).unwrap_or_default()
}

fn send(server: &mut Server, argv: Vec<Bytes>) -> Option<Reply> {
    let input = Input { at: server.now(), kind: InputKind::Command { client: ClientId(1), argv } };
    server.apply(input).into_iter().find_map(|event| match event.kind {
        EventKind::Replied { reply, .. } => Some(reply),
        _ => None,
    })
}
