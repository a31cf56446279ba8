//! A binary-safe, immutable, cheaply cloned string: every key, value and argument is one.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Shared bytes: a clone costs a reference count, so snapshots share all texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(Arc<[u8]>);

impl Bytes {
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The text for people: bytes that are not UTF-8 show as U+FFFD.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// A client's word as it stands in an error line: it ends at its first NUL, as strings of C do. See [`word`].
    pub fn to_word(&self) -> String {
        word(&self.0)
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
        Self(Arc::from([]))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Borrow<[u8]> for Bytes {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(Arc::from(bytes))
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::from(bytes))
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(Arc::from(text.as_bytes()))
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self(Arc::from(text.into_bytes()))
    }
}

impl PartialEq<[u8]> for Bytes {
    fn eq(&self, other: &[u8]) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Bytes {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == other.as_bytes()
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
