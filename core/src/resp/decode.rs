//! Bytes to replies: the client's side, for `verify` and for tests.
//!
//! Knows nothing of sockets: it is given what has arrived and says whether that is a whole reply yet.

use std::fmt;

use crate::Bytes;
use crate::value::number::parse_i64;

use super::{Kind, Nest, Reply};

/// How deep replies may be nested. Scripts can nest some 8,000 levels; beyond this a peer is hostile.
const DEPTH_MAX: usize = 10_000;

/// What no server of either protocol sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a reply: {}", self.0)
    }
}

impl std::error::Error for DecodeError {}

/// An array, map, set, push or attribute whose elements are still to come.
struct Open {
    kind: u8,
    left: usize,
}

/// Reads one reply off the front: the reply and the number of bytes it took, or `None` while it is not whole.
///
/// Attributes (`|`) are left out. Nesting takes no stack, so a hostile peer can't overflow it.
pub fn decode(bytes: &[u8]) -> Result<Option<(Reply, usize)>, DecodeError> {
    let mut reader = Reader { bytes, at: 0 };
    let mut open: Vec<Open> = Vec::new();
    let mut nest = Nest::default();
    loop {
        let mut done = match reader.item()? {
            None => return Ok(None),
            Some(Item::Leaf(reply)) => nest.leaf(reply),
            Some(Item::Opens(kind, left)) => {
                if open.len() == DEPTH_MAX {
                    return Err(DecodeError(format!("nested more than {DEPTH_MAX} levels")));
                }
                open.push(Open { kind, left: left + 1 });
                nest.open(kind_of(kind));
                None
            }
        };
        // What is full ends, and with it what it was the last element of. An attribute is none.
        while let Some(level) = open.last_mut() {
            level.left -= 1;
            if level.left > 0 {
                break;
            }
            let is_attribute = level.kind == b'|';
            open.pop();
            if is_attribute {
                nest.abandon();
                break;
            }
            done = nest.close();
        }
        if let Some(reply) = done {
            return Ok(Some((reply, reader.at)));
        }
    }
}

fn kind_of(mark: u8) -> Kind {
    match mark {
        b'~' => Kind::Set,
        b'>' => Kind::Push,
        b'%' => Kind::Map,
        _ => Kind::Array,
    }
}

enum Item {
    Leaf(Reply),
    /// The kind, and how many replies follow.
    Opens(u8, usize),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn item(&mut self) -> Result<Option<Item>, DecodeError> {
        let Some(line) = self.line() else { return Ok(None) };
        let [kind, rest @ ..] = line else { return Err(DecodeError("an empty line".to_owned())) };
        let bad = |what: &str| Err(DecodeError(format!("{what} {:?}", String::from_utf8_lossy(line))));
        let leaf = match kind {
            b'+' => Reply::Status(rest.to_vec().into()),
            b'-' => Reply::Error(rest.to_vec().into()),
            b':' => match parse_i64(rest) {
                Some(number) => Reply::Int(number),
                None => return bad("integer"),
            },
            b'_' => Reply::Nil,
            b'#' => Reply::Bool(rest == b"t"),
            b',' => match double(rest) {
                Some(number) => Reply::Double(number),
                None => return bad("double"),
            },
            b'(' => Reply::BigNumber(Bytes::from(rest)),
            b'$' | b'=' | b'*' | b'%' | b'~' | b'>' | b'|' => match parse_i64(rest) {
                Some(-1) if *kind == b'*' => Reply::NilArray,
                Some(-1) if *kind == b'$' => Reply::Nil,
                Some(count) if count >= 0 => return self.sized(*kind, count as usize),
                _ => return bad("length"),
            },
            _ => return bad("kind"),
        };
        Ok(Some(Item::Leaf(leaf)))
    }

    fn sized(&mut self, kind: u8, count: usize) -> Result<Option<Item>, DecodeError> {
        match kind {
            b'$' => Ok(self.blob(count).map(|text| Item::Leaf(Reply::bulk(text)))),
            b'=' => match self.blob(count) {
                None => Ok(None),
                Some([a, b, c, b':', text @ ..]) => {
                    let text = Bytes::from(text);
                    Ok(Some(Item::Leaf(Reply::Verbatim { format: [*a, *b, *c], text })))
                }
                Some(_) => Err(DecodeError("verbatim string without a format".to_owned())),
            },
            b'%' | b'|' => match count.checked_mul(2) {
                Some(count) => Ok(Some(Item::Opens(kind, count))),
                None => Err(DecodeError(format!("length {count}"))),
            },
            _ => Ok(Some(Item::Opens(kind, count))),
        }
    }

    fn line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let end = rest.windows(2).position(|pair| pair == b"\r\n")?;
        self.at += end + 2;
        Some(&rest[..end])
    }

    fn blob(&mut self, len: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(len)?;
        let text = self.bytes.get(self.at..end)?;
        self.bytes.get(end..end.checked_add(2)?)?;
        self.at = end + 2;
        Some(text)
    }
}

/// Rust reads every form the servers write, but keeps no sign of a `-nan`.
fn double(text: &[u8]) -> Option<f64> {
    match text {
        b"-nan" => Some(-f64::NAN),
        _ => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_may_arrive_in_any_number_of_pieces() {
        let bytes = b"*3\r\n%1\r\n$1\r\na\r\n=6\r\ntxt:hi\r\n~1\r\n,1.5\r\n>0\r\n+rest";
        let whole = bytes.len() - b"+rest".len();
        for len in 0..whole {
            assert_eq!(decode(&bytes[..len]), Ok(None), "{len} bytes are not a whole reply");
        }
        let (reply, len) = decode(bytes).unwrap().unwrap();
        assert_eq!(len, whole);
        let hi = Reply::Verbatim { format: *b"txt", text: Bytes::from("hi") };
        assert_eq!(
            reply,
            Reply::Array(vec![
                Reply::Map(vec![(Reply::bulk("a"), hi)]),
                Reply::Set(vec![Reply::Double(1.5)]),
                Reply::Push(vec![]),
            ])
        );
    }

    #[test]
    fn attributes_are_left_out() {
        assert_eq!(decode(b"|1\r\n+ttl\r\n:3600\r\n*1\r\n|0\r\n:1\r\n").unwrap().unwrap().0, {
            Reply::Array(vec![Reply::Int(1)])
        });
    }

    #[test]
    fn what_no_server_sends_is_refused() {
        for bytes in ["x\r\n", ":1.5\r\n", "$-2\r\n", "*abc\r\n", ",x\r\n", "=2\r\nab\r\n", "\r\n"] {
            assert!(decode(bytes.as_bytes()).is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn no_bytes_make_the_decoder_panic() {
        let pieces = [
            "*",
            "$",
            "%",
            "~",
            ">",
            "|",
            "=",
            ":",
            "+",
            "_",
            "-1",
            "2",
            "\r\n",
            "a",
            "txt:",
            "9223372036854775807",
        ];
        let mut seed: u64 = 5;
        let mut below = |limit: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % limit
        };
        for _ in 0..20_000 {
            let bytes: String = (0..below(12)).map(|_| pieces[below(pieces.len())]).collect();
            let _ = decode(bytes.as_bytes());
        }
    }

    #[test]
    fn a_hostile_nesting_is_refused_before_it_takes_memory() {
        assert!(decode("*1\r\n".repeat(DEPTH_MAX + 1).as_bytes()).is_err());
    }
}
