//! Replies to bytes. Knows both protocols and how RESP2 makes do without the kinds it lacks.

use crate::profile::Version;
use crate::value::number::{LongDouble, format_f64};

use super::nest::map_flat;
use super::{Flat, Kind, Protocol, Reply};

/// Appends the bytes that a client of that protocol is sent.
pub fn encode(reply: &Reply, protocol: Protocol, version: Version, out: &mut Vec<u8>) {
    let resp3 = protocol == Protocol::Resp3;
    match reply {
        Reply::Status(text) => line(b'+', text, out),
        Reply::Error(text) => line(b'-', text, out),
        Reply::Int(number) => head(b':', *number, out),
        Reply::Bulk(text) => blob(b'$', text, out),
        Reply::Nil if resp3 => out.extend_from_slice(b"_\r\n"),
        Reply::NilArray if resp3 => out.extend_from_slice(b"_\r\n"),
        Reply::Nil => out.extend_from_slice(b"$-1\r\n"),
        Reply::NilArray => out.extend_from_slice(b"*-1\r\n"),
        Reply::Array(items) => sequence(Kind::Array, items, protocol, version, out),
        Reply::Set(items) => sequence(Kind::Set, items, protocol, version, out),
        Reply::Push(items) => sequence(Kind::Push, items, protocol, version, out),
        Reply::Map(pairs) => {
            opening(Kind::Map, pairs.len(), protocol, out);
            for (key, value) in pairs {
                encode(key, protocol, version, out);
                encode(value, protocol, version, out);
            }
        }
        Reply::Deep(parts) => {
            for part in &**parts {
                match part {
                    Flat::Opens(kind, count) => opening(*kind, *count, protocol, out),
                    Flat::Leaf(reply) => encode(reply, protocol, version, out),
                }
            }
        }
        Reply::Double(number) => double(&format_f64(*number, version), resp3, out),
        Reply::LongDouble(number) => double(&LongDouble::from(*number).to_text(), resp3, out),
        Reply::Bool(yes) if resp3 => line(b'#', if *yes { b"t" } else { b"f" }, out),
        Reply::Bool(yes) => head(b':', i64::from(*yes), out),
        Reply::BigNumber(digits) if resp3 => line(b'(', digits, out),
        Reply::BigNumber(digits) => blob(b'$', digits, out),
        Reply::Verbatim { format, text } if resp3 => {
            head(b'=', text.len() as i64 + 4, out);
            out.extend_from_slice(format);
            out.push(b':');
            out.extend_from_slice(text);
            out.extend_from_slice(b"\r\n");
        }
        Reply::Verbatim { text, .. } => blob(b'$', text, out),
        Reply::Attribute { pairs, reply } => {
            if resp3 {
                head(b'|', pairs.len() as i64, out);
                for (key, value) in pairs {
                    encode(key, protocol, version, out);
                    encode(value, protocol, version, out);
                }
            }
            encode(reply, protocol, version, out);
        }
        Reply::Fixed { protocol, reply } => encode(reply, *protocol, version, out),
    }
}

/// What a protocol makes of a kind with so many elements (of a map: pairs).
fn degraded(kind: Kind, count: usize, protocol: Protocol) -> (Kind, usize) {
    match (protocol, kind) {
        (Protocol::Resp3, kind) => (kind, count),
        (Protocol::Resp2, Kind::Map) => (Kind::Array, 2 * count),
        (Protocol::Resp2, _) => (Kind::Array, count),
    }
}

fn opening(kind: Kind, count: usize, protocol: Protocol, out: &mut Vec<u8>) {
    let (kind, count) = degraded(kind, count, protocol);
    let mark = match kind {
        Kind::Array => b'*',
        Kind::Map => b'%',
        Kind::Set => b'~',
        Kind::Push => b'>',
    };
    head(mark, count as i64, out);
}

fn sequence(kind: Kind, items: &[Reply], protocol: Protocol, version: Version, out: &mut Vec<u8>) {
    opening(kind, items.len(), protocol, out);
    for item in items {
        encode(item, protocol, version, out);
    }
}

fn double(text: &str, resp3: bool, out: &mut Vec<u8>) {
    if resp3 { line(b',', text.as_bytes(), out) } else { blob(b'$', text.as_bytes(), out) }
}

fn blob(kind: u8, text: &[u8], out: &mut Vec<u8>) {
    head(kind, text.len() as i64, out);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

fn line(kind: u8, text: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

/// A kind and a number: an integer reply, or the length or count that opens a longer one.
fn head(kind: u8, number: i64, out: &mut Vec<u8>) {
    /// i64::MIN has 19 digits and a sign.
    const DIGITS_MAX: usize = 20;
    let mut digits = [0; DIGITS_MAX];
    let mut start = DIGITS_MAX;
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push(kind);
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
    out.extend_from_slice(b"\r\n");
}

impl Reply {
    /// The reply with only the kinds that reach a client of that protocol, as a decoder would give it back.
    pub fn as_sent(&self, protocol: Protocol, version: Version) -> Reply {
        let each = |items: &[Reply]| items.iter().map(|item| item.as_sent(protocol, version)).collect();
        let sent = |reply: &Reply| reply.as_sent(protocol, version);
        match (self, protocol) {
            (Self::Array(items), _) => Self::Array(each(items)),
            (Self::Set(items) | Self::Push(items), Protocol::Resp2) => Self::Array(each(items)),
            (Self::Set(items), Protocol::Resp3) => Self::Set(each(items)),
            (Self::Push(items), Protocol::Resp3) => Self::Push(each(items)),
            (Self::Map(pairs), Protocol::Resp2) => {
                Self::Array(pairs.iter().flat_map(|(key, value)| [sent(key), sent(value)]).collect())
            }
            (Self::Map(pairs), Protocol::Resp3) => {
                Self::Map(pairs.iter().map(|(key, value)| (sent(key), sent(value))).collect())
            }
            (Self::Double(number), Protocol::Resp2) => Self::bulk(format_f64(*number, version)),
            (Self::LongDouble(number), Protocol::Resp2) => Self::bulk(LongDouble::from(*number).to_text()),
            (Self::Bool(yes), Protocol::Resp2) => Self::Int((*yes).into()),
            (Self::BigNumber(text) | Self::Verbatim { text, .. }, Protocol::Resp2) => {
                Self::Bulk(text.clone())
            }
            (Self::NilArray, Protocol::Resp3) => Self::Nil,
            (Self::Deep(parts), _) => {
                Self::Deep(map_flat(parts, |kind, count| degraded(kind, count, protocol), sent))
            }
            // Decoders drop attributes.
            (Self::Attribute { reply, .. }, _) => sent(reply),
            (Self::Fixed { protocol, reply }, _) => reply.as_sent(*protocol, version),
            (other, _) => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;
    use crate::resp::decode;

    #[track_caller]
    fn check(reply: Reply, resp2: &str, resp3: &str) {
        for (protocol, expected) in [(Protocol::Resp2, resp2), (Protocol::Resp3, resp3)] {
            let mut bytes = Vec::new();
            encode(&reply, protocol, Version::V8_6, &mut bytes);
            assert_eq!(bytes.escape_ascii().to_string(), expected.as_bytes().escape_ascii().to_string());
            let (back, len) = decode(&bytes).expect("what is encoded can be decoded").expect("and is whole");
            assert_eq!((back, len), (reply.as_sent(protocol, Version::V8_6), bytes.len()));
        }
    }

    #[test]
    fn kinds_of_resp2_are_the_same_in_both_protocols() {
        check(Reply::OK, "+OK\r\n", "+OK\r\n");
        check(Reply::error("ERR syntax error"), "-ERR syntax error\r\n", "-ERR syntax error\r\n");
        check(Reply::Int(i64::MIN), ":-9223372036854775808\r\n", ":-9223372036854775808\r\n");
        check(Reply::Int(0), ":0\r\n", ":0\r\n");
        check(Reply::bulk("a\r\nb"), "$4\r\na\r\nb\r\n", "$4\r\na\r\nb\r\n");
        check(
            Reply::Array(vec![Reply::Int(1), Reply::Array(vec![])]),
            "*2\r\n:1\r\n*0\r\n",
            "*2\r\n:1\r\n*0\r\n",
        );
    }

    #[test]
    fn the_two_nulls_are_one_in_resp3() {
        check(Reply::Nil, "$-1\r\n", "_\r\n");
        check(Reply::NilArray, "*-1\r\n", "_\r\n");
    }

    #[test]
    fn resp2_makes_do_without_the_kinds_of_resp3() {
        let map = vec![(Reply::bulk("a"), Reply::Double(0.1))];
        check(Reply::Map(map), "*2\r\n$1\r\na\r\n$3\r\n0.1\r\n", "%1\r\n$1\r\na\r\n,0.1\r\n");
        check(Reply::Set(vec![Reply::Bool(true)]), "*1\r\n:1\r\n", "~1\r\n#t\r\n");
        check(Reply::Push(vec![Reply::Bool(false)]), "*1\r\n:0\r\n", ">1\r\n#f\r\n");
        check(Reply::BigNumber(Bytes::from("12")), "$2\r\n12\r\n", "(12\r\n");
        check(Reply::Double(f64::NEG_INFINITY), "$4\r\n-inf\r\n", ",-inf\r\n");
        let verbatim = Reply::Verbatim { format: *b"txt", text: Bytes::from("hi") };
        check(verbatim, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n");
    }

    #[test]
    fn a_fixed_reply_keeps_its_form() {
        let bools = || Reply::Array(vec![Reply::Bool(true), Reply::NilArray]);
        check(bools().fixed(Protocol::Resp3), "*2\r\n#t\r\n_\r\n", "*2\r\n#t\r\n_\r\n");
        check(bools().fixed(Protocol::Resp2), "*2\r\n:1\r\n*-1\r\n", "*2\r\n:1\r\n*-1\r\n");
        assert_eq!(bools().fixed(Protocol::Resp3).fixed(Protocol::Resp2), bools().fixed(Protocol::Resp3));
    }

    #[test]
    fn doubles_have_seventeen_digits_before_7_2() {
        let mut bytes = Vec::new();
        encode(&Reply::Double(0.1), Protocol::Resp3, Version::V7_0, &mut bytes);
        assert_eq!(bytes, b",0.10000000000000001\r\n");
    }

    /// GEOPOS of 7.0.15 and what came of it in RESP3.
    #[test]
    fn long_doubles_have_seventeen_decimals() {
        let mut bytes = Vec::new();
        for number in [13.361389338970184, -2.682209014892578e-6] {
            encode(&Reply::LongDouble(number), Protocol::Resp3, Version::V7_0, &mut bytes);
        }
        assert_eq!(bytes, b",13.36138933897018433\r\n,-0.00000268220901489\r\n");
    }
}
