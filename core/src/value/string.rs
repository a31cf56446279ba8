//! A string value: an integer, a text as it was set, or a buffer that commands change in place.

use std::borrow::Cow;
use std::sync::Arc;

use super::number::parse_i64;
use crate::Bytes;
use crate::profile::Version;

/// What of a string value's surroundings decides whether the server embeds it.
#[derive(Clone, Copy, Debug)]
pub struct Holder {
    pub version: Version,
    pub key_bytes: usize,
    pub has_expiry: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StringValue(Form);

#[derive(Clone, Debug)]
enum Form {
    Integer(i64),
    /// An integer that is no other key's, small as it may be.
    OwnInteger(i64),
    Text(Bytes),
    /// What APPEND, SETRANGE, SETBIT and the like work on; grows without copying while it is not shared.
    Buffer(Arc<Vec<u8>>),
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) | (Self::OwnInteger(a), Self::OwnInteger(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Buffer(a), Self::Buffer(b)) => a == b,
            _ => false,
        }
    }
}

impl StringValue {
    /// A value as SET stores it: a text that is an integer's own spelling is kept as the integer.
    pub fn new(text: Bytes) -> Self {
        match parse_i64(&text) {
            Some(number) => Self(Form::Integer(number)),
            None => Self(Form::Text(text)),
        }
    }

    pub fn from_integer(number: i64) -> Self {
        Self(Form::Integer(number))
    }

    /// A text that is not kept as an integer even where it reads as one: what INCRBYFLOAT leaves.
    pub fn from_text(text: Bytes) -> Self {
        Self(Form::Text(text))
    }

    /// A value as the commands that build it byte by byte leave it: never kept as an integer, OBJECT ENCODING says raw.
    pub fn from_buffer(bytes: Vec<u8>) -> Self {
        Self(Form::Buffer(Arc::new(bytes)))
    }

    /// The text as a shared string; free of copying for a text as it was set.
    pub fn to_bytes(&self) -> Bytes {
        match &self.0 {
            Form::Integer(number) | Form::OwnInteger(number) => Bytes::from(number.to_string()),
            Form::Text(text) => text.clone(),
            Form::Buffer(buffer) => Bytes::from(buffer.as_slice()),
        }
    }

    /// The text to look at; only an integer's is made for it.
    pub fn as_slice(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Form::Integer(number) | Form::OwnInteger(number) => Cow::Owned(number.to_string().into_bytes()),
            Form::Text(text) => Cow::Borrowed(text),
            Form::Buffer(buffer) => Cow::Borrowed(buffer),
        }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number INCR and its like work on, by the strict reading of [`parse_i64`].
    pub fn as_integer(&self) -> Option<i64> {
        match &self.0 {
            Form::Integer(number) | Form::OwnInteger(number) => Some(*number),
            Form::Text(text) => parse_i64(text),
            Form::Buffer(buffer) => parse_i64(buffer),
        }
    }

    /// The integer, where the value is kept as one.
    pub fn kept_integer(&self) -> Option<i64> {
        match self.0 {
            Form::Integer(number) | Form::OwnInteger(number) => Some(number),
            Form::Text(_) | Form::Buffer(_) => None,
        }
    }

    /// Whether it is one of the small numbers that before 8.2 all keys share.
    pub fn is_shared_integer(&self) -> bool {
        const SHARED: std::ops::Range<i64> = 0..10_000;
        matches!(self.0, Form::Integer(number) if SHARED.contains(&number))
    }

    /// From here on the value is shared with no other key: what COPY makes, or what is set under an eviction policy that
    /// needs to know of each key when it was used.
    pub fn make_own(&mut self) {
        if let Form::Integer(number) = self.0 {
            self.0 = Form::OwnInteger(number);
        }
    }

    /// The bytes to change in place. The value is `raw` from here on, even if nothing is changed.
    pub fn make_buffer(&mut self) -> &mut Vec<u8> {
        if !matches!(self.0, Form::Buffer(_)) {
            self.0 = Form::Buffer(Arc::new(self.as_slice().into_owned()));
        }
        match &mut self.0 {
            Form::Buffer(buffer) => Arc::make_mut(buffer),
            _ => unreachable!("was made a buffer above"),
        }
    }

    /// APPEND: the new length in bytes.
    pub fn append(&mut self, tail: &[u8]) -> usize {
        let buffer = self.make_buffer();
        buffer.extend_from_slice(tail);
        buffer.len()
    }

    /// SETRANGE: zero bytes fill a gap before `offset`. The new length in bytes. The caller checks the size limit.
    pub fn set_range(&mut self, offset: usize, part: &[u8]) -> usize {
        let buffer = self.make_buffer();
        let end = offset + part.len();
        if buffer.len() < end {
            buffer.resize(end, 0);
        }
        buffer[offset..end].copy_from_slice(part);
        buffer.len()
    }

    /// The name OBJECT ENCODING answers for it under this key.
    pub fn encoding(&self, holder: Holder) -> &'static str {
        match &self.0 {
            Form::Integer(_) | Form::OwnInteger(_) => "int",
            Form::Text(text) if text.len() <= holder.embedded_bytes_max() => "embstr",
            Form::Text(_) | Form::Buffer(_) => "raw",
        }
    }
}

impl Holder {
    /// The longest text that shares the object's allocation of 64 bytes; since 8.2 the key and its expiry lie there too.
    fn embedded_bytes_max(self) -> usize {
        if self.version < Version::V8_2 {
            return 44;
        }
        let key_header = if self.key_bytes < 32 { 1 } else { 3 };
        let taken = 16 + 1 + key_header + self.key_bytes + 1 + usize::from(self.has_expiry) * 8 + 3 + 1;
        64usize.saturating_sub(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(version: Version, key_bytes: usize, has_expiry: bool) -> Holder {
        Holder { version, key_bytes, has_expiry }
    }

    #[test]
    fn encodings_follow_how_the_value_came_about() {
        let holder = holder(Version::V7_0, 1, false);
        let mut string = StringValue::new(Bytes::from("12"));
        assert_eq!(string.encoding(holder), "int");
        assert_eq!(string.append(b"3"), 3);
        assert_eq!((string.encoding(holder), string.as_integer()), ("raw", Some(123)));
        assert_eq!(StringValue::new(Bytes::from("9223372036854775808")).encoding(holder), "embstr");
        assert_eq!(string.set_range(5, b"x"), 6);
        assert_eq!(string.to_bytes(), Bytes::from("123\0\0x"));
    }

    /// The longest embstr, found by trying lengths at 7.0.15 and 8.2.3.
    #[test]
    fn since_8_2_key_and_expiry_share_the_room_of_an_embedded_text() {
        let check = |holder: Holder, longest: usize| {
            let of_len = |len: usize| StringValue::new(Bytes::from("a".repeat(len))).encoding(holder);
            assert_eq!((of_len(longest), of_len(longest + 1)), ("embstr", "raw"), "{holder:?}");
        };
        check(holder(Version::V7_0, 100, true), 44);
        check(holder(Version::V8_2, 1, false), 40);
        check(holder(Version::V8_2, 10, false), 31);
        check(holder(Version::V8_2, 1, true), 32);
    }
}
