//! Stream entry IDs: `milliseconds-sequence`.

use std::fmt;

use crate::clock::UnixMillis;
use crate::value::number::parse_u64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    pub ms: u64,
    pub seq: u64,
}

impl StreamId {
    pub const MIN: Self = Self { ms: 0, seq: 0 };
    pub const MAX: Self = Self { ms: u64::MAX, seq: u64::MAX };
    /// A longer text is no ID.
    const TEXT_BYTES_MAX: usize = 127;

    pub fn new(ms: u64, seq: u64) -> Self {
        Self { ms, seq }
    }

    /// Reads `ms-seq`, or `ms` alone with the sequence that is missing: 0 for the start of a range, `u64::MAX` for its end.
    /// None where the server answers `Invalid stream ID specified as stream command argument`.
    pub fn parse(text: &[u8], missing_seq: u64) -> Option<Self> {
        let (ms, seq) = Self::split(text)?;
        let seq = seq.map_or(Some(missing_seq), parse_u64)?;
        Some(Self { ms, seq })
    }

    /// As [`Self::parse`], but `-` and `+` are the lowest and the highest ID.
    pub fn parse_bound(text: &[u8], missing_seq: u64) -> Option<Self> {
        match text {
            b"-" => Some(Self::MIN),
            b"+" => Some(Self::MAX),
            text => Self::parse(text, missing_seq),
        }
    }

    /// Reads `ms-*`, which leaves the sequence to the stream: the milliseconds.
    pub fn parse_open(text: &[u8]) -> Option<u64> {
        let (ms, seq) = Self::split(text)?;
        (seq == Some(b"*")).then_some(ms)
    }

    /// The text up to a NUL, cut at the first `-`.
    fn split(text: &[u8]) -> Option<(u64, Option<&[u8]>)> {
        if text.len() > Self::TEXT_BYTES_MAX {
            return None;
        }
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        match text.iter().position(|&byte| byte == b'-') {
            Some(dash) => Some((parse_u64(&text[..dash])?, Some(&text[dash + 1..]))),
            None => Some((parse_u64(text)?, None)),
        }
    }

    /// The ID right after this one; None after the highest.
    pub fn next(self) -> Option<Self> {
        match self.seq.checked_add(1) {
            Some(seq) => Some(Self { seq, ..self }),
            None => Some(Self { ms: self.ms.checked_add(1)?, seq: 0 }),
        }
    }

    /// The ID right before this one; None before the lowest.
    pub fn previous(self) -> Option<Self> {
        match self.seq.checked_sub(1) {
            Some(seq) => Some(Self { seq, ..self }),
            None => Some(Self { ms: self.ms.checked_sub(1)?, seq: u64::MAX }),
        }
    }

    /// The ID an entry added at this moment to a stream that ended with this one gets for `*`; None when there is none left.
    pub fn following(self, now: UnixMillis) -> Option<Self> {
        let ms = now.0.max(0) as u64;
        if ms > self.ms { Some(Self { ms, seq: 0 }) } else { self.next() }
    }

    /// The 16 bytes, high ones first, under which the server files the ID.
    pub fn to_be_bytes(self) -> [u8; 16] {
        (u128::from(self.ms) << 64 | u128::from(self.seq)).to_be_bytes()
    }

    pub fn from_be_bytes(bytes: [u8; 16]) -> Self {
        let bits = u128::from_be_bytes(bytes);
        Self { ms: (bits >> 64) as u64, seq: bits as u64 }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ID that XADD took the text for at 7.0.15 and 8.2.3.
    #[test]
    fn ids_are_read_as_the_server_reads_them() {
        let check = |text: &str, shown: Option<&str>| {
            let id = StreamId::parse(text.as_bytes(), 0).map(|id| id.to_string());
            assert_eq!(id.as_deref(), shown, "{text:?}");
        };
        check("5-5", Some("5-5"));
        check("5", Some("5-0"));
        check(" 5-5", Some("5-5"));
        check("+5-05", Some("5-5"));
        check("5--0", Some("5-0"));
        check("5--05", Some("5-18446744073709551611"));
        check("5\0-5", Some("5-0"));
        check("18446744073709551615-18446744073709551615", Some("18446744073709551615-18446744073709551615"));
        for refused in [
            "",
            "-",
            "+",
            "$",
            "*",
            "5-",
            "-5-5",
            "5-5-5",
            "5-*",
            "18446744073709551616-1",
            "0x5-1",
            "5-5 ",
            "5\t-1",
            "a",
            "\x005",
            &"1".repeat(129),
        ] {
            check(refused, None);
        }
        assert_eq!(StreamId::parse_open(b"5-*"), Some(5));
        assert_eq!(StreamId::parse_open(b"5"), None);
    }

    #[test]
    fn neighbours_carry_and_end() {
        assert_eq!(StreamId::new(1, u64::MAX).next(), Some(StreamId::new(2, 0)));
        assert_eq!(StreamId::new(2, 0).previous(), Some(StreamId::new(1, u64::MAX)));
        assert_eq!((StreamId::MAX.next(), StreamId::MIN.previous()), (None, None));
        assert_eq!(StreamId::new(5, 3).following(UnixMillis(4)), Some(StreamId::new(5, 4)));
        assert_eq!(StreamId::new(5, 3).following(UnixMillis(6)), Some(StreamId::new(6, 0)));
    }
}
