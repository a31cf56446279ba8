//! A binary-safe, immutable, cheaply cloned string: every key, value and argument is one.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use triomphe::ThinArc;

/// Shared bytes: a clone costs a reference count at most, so snapshots share all texts.
#[derive(Clone)]
pub struct Bytes(Form);

/// Two machine words either way: most keys and small values need no memory beside the map that holds them.
#[derive(Clone)]
enum Form {
    Short { len: u8, bytes: [u8; SHORT_BYTES_MAX] },
    Long(ThinArc<(), u8>),
}

/// What is left of two words beside the form and the length.
const SHORT_BYTES_MAX: usize = 14;

impl Bytes {
    fn new(bytes: &[u8]) -> Self {
        if bytes.len() > SHORT_BYTES_MAX {
            return Self(Form::Long(ThinArc::from_header_and_slice((), bytes)));
        }
        let mut short = [0; SHORT_BYTES_MAX];
        short[..bytes.len()].copy_from_slice(bytes);
        Self(Form::Short { len: bytes.len() as u8, bytes: short })
    }

    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Form::Short { len, bytes } => &bytes[..usize::from(*len)],
            Form::Long(shared) => &shared.slice,
        }
    }

    /// The text for people: bytes that are not UTF-8 show as U+FFFD.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(self).into_owned()
    }

    /// A client's word as it stands in an error line: it ends at its first NUL, as strings of C do. See [`word`].
    pub fn to_word(&self) -> String {
        word(self)
    }
}

/// Whether a word is among these, in any case, as options of commands are looked for.
pub fn has_word<'a>(words: impl IntoIterator<Item = &'a [u8]>, word: &str) -> bool {
    words.into_iter().any(|each| each.eq_ignore_ascii_case(word.as_bytes()))
}

/// Bytes below 0x80 stand for themselves, the others are 0x80 characters from here on. The range is private to applications,
/// and since all other bytes go there too, what a client sends cannot be taken for it.
const HIGH_BYTES: u32 = 0xF700;

/// Any bytes up to the first NUL as a text that [`word_bytes`] turns back into them.
pub fn word(bytes: &[u8]) -> String {
    let high = |byte: u8| char::from_u32(HIGH_BYTES + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let until_nul = bytes.iter().take_while(|byte| **byte != 0);
    until_nul.map(|&byte| if byte.is_ascii() { char::from(byte) } else { high(byte) }).collect()
}

/// The bytes of a text that has words of clients in it.
pub fn word_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character).checked_sub(HIGH_BYTES).map(u8::try_from) {
            Some(Ok(byte)) => bytes.push(byte),
            _ => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

impl Default for Bytes {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl Borrow<[u8]> for Bytes {
    fn borrow(&self) -> &[u8] {
        self
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Bytes {}

impl PartialOrd for Bytes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bytes {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

/// As a slice does, which maps may be asked with.
impl Hash for Bytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(&bytes)
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self::new(text.as_bytes())
    }
}

impl PartialEq<[u8]> for Bytes {
    fn eq(&self, other: &[u8]) -> bool {
        self.as_slice() == other
    }
}

impl PartialEq<&str> for Bytes {
    fn eq(&self, other: &&str) -> bool {
        self.as_slice() == other.as_bytes()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hold_any_length_in_two_words() {
        assert!(size_of::<Option<Bytes>>() <= 16, "and there is room to tell that there are none");
        for len in 0..40 {
            let text: Vec<u8> = (0..len).collect();
            let bytes = Bytes::from(text.clone());
            assert_eq!((&*bytes, &*bytes.clone()), (&*text, &*text));
            assert!(bytes < Bytes::from([&text[..], b"\0"].concat()), "{len}: what is longer sorts behind");
        }
    }
}
