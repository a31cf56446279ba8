//! DUMP and RESTORE: a value as the bytes that a server of some version writes into its snapshot.
//!
//! Type byte, value, RDB version (2 bytes), CRC64 of all before (8 bytes). What 7.0 to 8.2 write is read; what is written, they read.

mod decode;
mod encode;
mod lzf;
mod stream;
mod wire;

use super::crc::crc64;
use super::{EncodingLimits, Value};
use crate::Bytes;
use crate::profile::Version;
use wire::{Reader, Writer};

const FOOTER_BYTES: usize = 10;
/// The opcode before a function library.
const FUNCTION: u8 = 245;
/// What release candidates of 7.0 wrote.
const OLD_FUNCTION: u8 = 246;

/// Type bytes.
mod kind {
    pub(super) const STRING: u8 = 0;
    pub(super) const SET: u8 = 2;
    pub(super) const HASH: u8 = 4;
    pub(super) const ZSET: u8 = 5;
    pub(super) const SET_INTSET: u8 = 11;
    pub(super) const STREAM_7_0: u8 = 19;
    pub(super) const HASH_LISTPACK: u8 = 16;
    pub(super) const ZSET_LISTPACK: u8 = 17;
    pub(super) const LIST_QUICKLIST: u8 = 18;
    pub(super) const SET_LISTPACK: u8 = 20;
    pub(super) const STREAM: u8 = 21;
    pub(super) const HASH_EXPIRING: u8 = 24;
    pub(super) const HASH_LISTPACK_EXPIRING: u8 = 25;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreError {
    /// `ERR DUMP payload version or checksum are wrong`
    VersionOrChecksum,
    /// `ERR Bad data format`
    BadFormat,
}

/// The bytes DUMP answers.
pub fn dump(value: &Value, limits: &EncodingLimits) -> Vec<u8> {
    let mut writer = Writer::default();
    encode::value(value, limits, &mut writer);
    seal(writer.0, limits.version)
}

/// The value RESTORE makes of a dump.
pub fn restore(payload: &[u8], limits: &EncodingLimits) -> Result<Value, RestoreError> {
    let body = open(payload, limits.version)?;
    decode::value(body, limits).ok_or(RestoreError::BadFormat)
}

/// The bytes FUNCTION DUMP answers for the libraries' codes.
pub fn dump_functions<'a>(codes: impl Iterator<Item = &'a Bytes>, version: Version) -> Vec<u8> {
    let mut writer = Writer::default();
    for code in codes {
        writer.byte(FUNCTION);
        writer.text(code);
    }
    seal(writer.0, version)
}

/// What is wrong with a payload of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionsError {
    /// `ERR given type is not a function`
    NotAFunction,
    /// `ERR Pre-GA function format not supported`
    OldFormat,
    /// `ERR Failed loading library payload`
    Cut,
}

/// The libraries' codes that FUNCTION RESTORE loads, up to the first one that is broken. A text that is cut is read on into
/// the footer, as servers do.
pub fn restore_functions(
    payload: &[u8],
    version: Version,
) -> Result<Vec<Result<Bytes, FunctionsError>>, RestoreError> {
    let footer_bytes = payload.len() - open(payload, version)?.len();
    let mut reader = Reader(payload);
    let mut codes: Vec<Result<Bytes, FunctionsError>> = Vec::new();
    while reader.0.len() > footer_bytes && codes.last().is_none_or(Result::is_ok) {
        codes.push(match reader.byte() {
            Some(FUNCTION) => reader.text().ok_or(FunctionsError::Cut),
            Some(OLD_FUNCTION) => Err(FunctionsError::OldFormat),
            _ => Err(FunctionsError::NotAFunction),
        });
    }
    Ok(codes)
}

/// The RDB version that a server writes; it reads up to that.
fn rdb_version(version: Version) -> u16 {
    match version {
        Version::V7_0 => 10,
        Version::V7_2 => 11,
        Version::V7_4 | Version::V8_0 | Version::V8_2 | Version::V8_4 => 12,
        Version::V8_6 => 13,
    }
}

fn seal(mut body: Vec<u8>, version: Version) -> Vec<u8> {
    body.extend(rdb_version(version).to_le_bytes());
    let checksum = crc64(0, &body);
    body.extend(checksum.to_le_bytes());
    body
}

/// The same payload with a checksum that fits, whatever it had: for a server that does not look at it.
pub fn with_own_checksum(payload: &[u8]) -> Vec<u8> {
    let covered = &payload[..payload.len().saturating_sub(8)];
    [covered, &crc64(0, covered).to_le_bytes()].concat()
}

fn open(payload: &[u8], version: Version) -> Result<&[u8], RestoreError> {
    let (body, footer) = payload
        .len()
        .checked_sub(FOOTER_BYTES)
        .and_then(|at| payload.split_at_checked(at))
        .ok_or(RestoreError::VersionOrChecksum)?;
    let written_by = u16::from_le_bytes([footer[0], footer[1]]);
    let (covered, checksum) = payload.split_at(payload.len() - 8);
    let is_sound = crc64(0, covered).to_le_bytes() == checksum;
    if written_by > rdb_version(version) || !is_sound {
        return Err(RestoreError::VersionOrChecksum);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::UnixMillis;
    use crate::value::{End, HashValue, ListValue, SetValue, StringValue, ZSetValue};

    /// DUMP's answer at 7.0.15 and 8.2.3 without version and checksum; the value comes back from it.
    fn check(version: Version, value: impl Into<Value>, body: &[u8]) {
        let limits = EncodingLimits::new(version);
        let value = value.into();
        let payload = dump(&value, &limits);
        assert_eq!(
            payload[..payload.len() - FOOTER_BYTES].escape_ascii().to_string(),
            body.escape_ascii().to_string()
        );
        assert_eq!(restore(&payload, &limits), Ok(value));
    }

    fn texts(texts: &[&str]) -> Vec<Bytes> {
        texts.iter().map(|&text| Bytes::from(text)).collect()
    }

    #[test]
    fn strings_are_dumped_as_the_server_does() {
        let check = |text: &str, body: &[u8]| check(Version::V7_0, StringValue::new(Bytes::from(text)), body);
        check("5", b"\x00\xc0\x05");
        check("-128", b"\x00\xc0\x80");
        check("300", b"\x00\xc1,\x01");
        check("70000", b"\x00\xc2p\x11\x01\x00");
        check("5000000000", b"\x00\n5000000000");
        check("", b"\x00\x00");
        check(&"a".repeat(30), b"\x00\xc3\t\x1e\x01aa\xe0\x11\x00\x01aa");
        let whole = dump(&StringValue::new(Bytes::from("hello")).into(), &EncodingLimits::new(Version::V8_2));
        assert_eq!(whole, b"\x00\x05hello\x0c\x00\xa8\x04\xeb\xb6\x9f\x1e\xbeC");
    }

    #[test]
    fn small_collections_are_dumped_as_the_server_does() {
        for version in [Version::V7_0, Version::V8_2] {
            let limits = EncodingLimits::new(version);
            let mut list = ListValue::new(&limits);
            list.push(End::Right, &texts(&["a", "1", "b"]), &limits);
            check(version, list, b"\x12\x01\x02\x0f\x0f\0\0\0\x03\0\x81a\x02\x01\x01\x81b\x02\xff");
            let mut set = SetValue::default();
            texts(&["3", "1", "2"]).into_iter().for_each(|member| assert!(set.add(member, &limits)));
            check(version, set, b"\x0b\x0e\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x03\0");
            let mut hash = HashValue::new();
            hash.set(Bytes::from("a"), Bytes::from("1"), &limits);
            hash.set(Bytes::from("b"), Bytes::from("xyz"), &limits);
            check(version, hash, b"\x10\x14\x14\0\0\0\x04\0\x81a\x02\x01\x01\x81b\x02\x83xyz\x04\xff");
            let mut zset = ZSetValue::new();
            for (member, score) in [("a", 1.0), ("b", 2.5), ("c", 1e20)] {
                zset.insert(Bytes::from(member), score, &limits);
            }
            check(
                version,
                zset,
                b"\x11\x1e\x1e\0\0\0\x06\0\x81a\x02\x01\x01\x81b\x02\x832.5\x04\x81c\x02\x851e+20\x06\xff",
            );
        }
    }

    #[test]
    fn expiries_of_fields_are_dumped_as_the_server_does() {
        let limits = EncodingLimits::new(Version::V8_2);
        let mut hash = HashValue::new();
        hash.set(Bytes::from("a"), Bytes::from("1"), &limits);
        hash.set(Bytes::from("b"), Bytes::from("xyz"), &limits);
        hash.set_expiry(b"b", Some(UnixMillis(1_893_456_000_000)));
        let body = b"\x19\x00\xb4\xc5\xda\xb8\x01\x00\x00  \0\0\0\x06\0\x81b\x02\x83xyz\x04\xf4\x00\xb4\xc5\xda\xb8\x01\x00\x00\t\x81a\x02\x01\x01\x00\x01\xff";
        check(Version::V8_2, hash, body);
        let limits = EncodingLimits { hash_max_listpack_entries: 1, ..limits };
        let mut hash = HashValue::new();
        hash.set(Bytes::from("b"), Bytes::from("xyz"), &limits);
        hash.set(Bytes::from("a"), Bytes::from("1"), &limits);
        hash.set_expiry(b"b", Some(UnixMillis(1_893_456_000_000)));
        let payload = dump(&hash.clone().into(), &limits);
        assert!(
            payload.starts_with(b"\x18\x00\xb4\xc5\xda\xb8\x01\x00\x00\x02\x01\x01b\x03xyz\x00\x01a\xc0\x01")
        );
        assert_eq!(restore(&payload, &limits), Ok(hash.into()));
    }

    /// XADD of three entries, XDEL of the second, a group that has read the first: DUMP at 8.2.3.
    #[test]
    fn streams_come_back_byte_for_byte() {
        let limits = EncodingLimits::new(Version::V8_2);
        let body = b"\x15\x01\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01??\0\0\0\x18\0\x02\x01\x01\x01\x01\x01\x81f\x02\0\x01\x02\x01\0\x01\0\x01\x81v\x02\x04\x01\x03\x01\0\x01\x01\x01\x82v2\x03\x04\x01\0\x01\x04\x01\0\x01\x02\x01\x81g\x02\x82v2\x03\x81h\x02\x07\x01\x08\x01\xff\x02\x05\x01\x01\x01\x01\x02\x03\x01\x01g\x01\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\x1c\x06s.\xa2\x01\0\0\x01\x02\x01c\x1c\x06s.\xa2\x01\0\0\x1c\x06s.\xa2\x01\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\x01d\x1c\x06s.\xa2\x01\0\0\xff\xff\xff\xff\xff\xff\xff\xff\0";
        let payload = seal(body.to_vec(), Version::V8_2);
        let value = restore(&payload, &limits).expect("sound");
        assert_eq!(dump(&value, &limits), payload);
        let Value::Stream(stream) = value else { panic!("no stream") };
        assert_eq!((stream.len(), stream.entries_added(), stream.groups().len()), (2, 3, 1));
    }

    #[test]
    fn functions_are_dumped_as_the_server_does() {
        let code = Bytes::from("#!lua name=l\nredis.register_function('f',function() end)");
        let payload = dump_functions(std::iter::once(&code), Version::V7_0);
        assert!(payload.starts_with(b"\xf58#!lua name=l\n"));
        assert!(payload.ends_with(b"\n\x00\x83m\x99\xfa\xebAI}"));
        assert_eq!(restore_functions(&payload, Version::V7_0), Ok(vec![Ok(code)]));
        assert_eq!(restore_functions(&payload[1..], Version::V7_0), Err(RestoreError::VersionOrChecksum));
        assert_eq!(dump_functions(std::iter::empty(), Version::V8_6).len(), FOOTER_BYTES);
    }

    #[test]
    fn newer_and_broken_payloads_are_refused() {
        let value = StringValue::new(Bytes::from("hello")).into();
        let newer = dump(&value, &EncodingLimits::new(Version::V8_2));
        let limits = EncodingLimits::new(Version::V7_0);
        assert_eq!(restore(&newer, &limits), Err(RestoreError::VersionOrChecksum));
        let older = dump(&value, &limits);
        assert_eq!(restore(&older, &EncodingLimits::new(Version::V8_2)), Ok(value));
        assert_eq!(restore(b"", &limits), Err(RestoreError::VersionOrChecksum));
        for body in [
            &b""[..],
            b"\x63",
            b"\x00",
            b"\x00\x05hell",
            b"\x12\x00",
            b"\x02\x02\x01a\x01a",
            b"\x12\x01\x02\x01\xff",
        ] {
            let payload = seal(body.to_vec(), Version::V7_0);
            assert_eq!(restore(&payload, &limits), Err(RestoreError::BadFormat), "{}", body.escape_ascii());
        }
    }

    /// Every byte of every kind of dump changed in turn, behind a checksum made to fit: an answer, never a panic.
    #[test]
    fn no_bytes_break_the_reader() {
        let limits = EncodingLimits::new(Version::V8_2);
        let stream = b"\x15\x01\x10\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\x1d\x1d\0\0\0\x0a\0\x01\x01\0\x01\x01\x01\x81f\x02\0\x01\x02\x01\0\x01\0\x01\x81v\x02\x04\x01\xff\x01\x01\x01\x01\x01\0\0\x01\0";
        let bodies = [
            &b"\x00\xc3\t\x1e\x01aa\xe0\x11\x00\x01aa"[..],
            b"\x12\x01\x02\x0f\x0f\0\0\0\x03\0\x81a\x02\x01\x01\x81b\x02\xff",
            b"\x0b\x0e\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x03\0",
            b"\x05\x01\x01c@\x8c\xb5x\x1d\xaf\x15D",
            b"\x18\x00\xb4\xc5\xda\xb8\x01\x00\x00\x02\x01\x01b\x03xyz\x00\x01a\xc0\x01",
            b"\x19\x00\xb4\xc5\xda\xb8\x01\x00\x00  \0\0\0\x06\0\x81b\x02\x83xyz\x04\xf4\x00\xb4\xc5\xda\xb8\x01\x00\x00\t\x81a\x02\x01\x01\x00\x01\xff",
            stream,
        ];
        for body in bodies {
            for at in 0..body.len() {
                for byte in 0..=u8::MAX {
                    let mut changed = body.to_vec();
                    changed[at] = byte;
                    let _ = restore(&seal(changed, Version::V8_2), &limits);
                }
                let _ = restore(&seal(body[..at].to_vec(), Version::V8_2), &limits);
            }
        }
    }
}
