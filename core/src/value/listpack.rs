//! The listpack: elements one behind the other in one string, as the server keeps small collections and dumps them.
//!
//! Total size (4 bytes), number of elements (2), the elements, an end mark. An element that is an integer's own spelling is stored as
//! the integer. Behind each stands its length, so that the list can be walked backwards.

use super::number::parse_i64;
use crate::Bytes;

const HEADER_BYTES: usize = 6;
const END_MARK: u8 = 0xff;
/// Bytes of a listpack without elements.
pub const EMPTY_BYTES: usize = HEADER_BYTES + 1;
/// The number of elements where there are too many for the two bytes.
const LEN_UNKNOWN: u16 = u16::MAX;
/// A text longer than the longest integer is not tried as one.
const INTEGER_TEXT_BYTES_MAX: usize = 20;

/// Bytes that an element takes, with its length marks.
pub fn element_bytes(element: &[u8]) -> usize {
    let encoded = match as_integer(element) {
        Some(number) => integer_bytes(number),
        None => match element.len() {
            0..=63 => 1 + element.len(),
            64..=4095 => 2 + element.len(),
            len => 5 + len,
        },
    };
    encoded + back_length_bytes(encoded)
}

/// Bytes that an integer takes as an element.
pub fn integer_element_bytes(number: i64) -> usize {
    let encoded = integer_bytes(number);
    encoded + back_length_bytes(encoded)
}

fn as_integer(element: &[u8]) -> Option<i64> {
    if element.len() <= INTEGER_TEXT_BYTES_MAX { parse_i64(element) } else { None }
}

fn integer_bytes(number: i64) -> usize {
    match number {
        0..=127 => 1,
        -4096..=4095 => 2,
        -32_768..=32_767 => 3,
        -8_388_608..=8_388_607 => 4,
        -2_147_483_648..=2_147_483_647 => 5,
        _ => 9,
    }
}

fn back_length_bytes(encoded: usize) -> usize {
    match encoded {
        0..=127 => 1,
        128..=16_382 => 2,
        16_383..=2_097_150 => 3,
        2_097_151..=268_435_454 => 4,
        _ => 5,
    }
}

/// Writes a listpack from front to back.
pub struct Writer {
    bytes: Vec<u8>,
    len: usize,
}

impl Writer {
    pub fn new() -> Self {
        Self { bytes: vec![0; HEADER_BYTES], len: 0 }
    }

    pub fn push(&mut self, element: &[u8]) {
        if let Some(number) = as_integer(element) {
            return self.push_integer(number);
        }
        let start = self.bytes.len();
        match element.len() {
            len @ 0..=63 => self.bytes.push(0x80 | len as u8),
            len @ 64..=4095 => self.bytes.extend([0xe0 | (len >> 8) as u8, len as u8]),
            len => {
                self.bytes.push(0xf0);
                self.bytes.extend((len as u32).to_le_bytes());
            }
        }
        self.bytes.extend_from_slice(element);
        self.end_element(start);
    }

    pub fn push_integer(&mut self, number: i64) {
        let start = self.bytes.len();
        let little_endian = number.to_le_bytes();
        match integer_bytes(number) {
            1 => self.bytes.push(number as u8),
            2 => self.bytes.extend([0xc0 | (number >> 8) as u8 & 0x1f, number as u8]),
            3 => self.push_wide(0xf1, &little_endian[..2]),
            4 => self.push_wide(0xf2, &little_endian[..3]),
            5 => self.push_wide(0xf3, &little_endian[..4]),
            _ => self.push_wide(0xf4, &little_endian),
        }
        self.end_element(start);
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(END_MARK);
        let total = self.bytes.len() as u32;
        let len = u16::try_from(self.len).unwrap_or(LEN_UNKNOWN);
        self.bytes[..4].copy_from_slice(&total.to_le_bytes());
        self.bytes[4..HEADER_BYTES].copy_from_slice(&len.to_le_bytes());
        self.bytes
    }

    fn push_wide(&mut self, mark: u8, number: &[u8]) {
        self.bytes.push(mark);
        self.bytes.extend_from_slice(number);
    }

    /// Writes the length of what was written since `start`, seven bits a byte, highest first; all bytes but the first are marked.
    fn end_element(&mut self, start: usize) {
        let encoded = self.bytes.len() - start;
        let len = back_length_bytes(encoded);
        for at in (0..len).rev() {
            let mark = if at == len - 1 { 0 } else { 0x80 };
            self.bytes.push((encoded >> (7 * at)) as u8 & 0x7f | mark);
        }
        self.len += 1;
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

/// An element as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    Text(Bytes),
    Integer(i64),
}

impl Element {
    pub fn into_text(self) -> Bytes {
        match self {
            Self::Text(text) => text,
            Self::Integer(number) => Bytes::from(number.to_string()),
        }
    }

    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Text(_) => None,
            Self::Integer(number) => Some(*number),
        }
    }
}

/// The elements of a listpack; None when the bytes are none.
pub fn read(bytes: &[u8]) -> Option<Vec<Element>> {
    let total = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    let len = u16::from_le_bytes(bytes.get(4..HEADER_BYTES)?.try_into().ok()?);
    if total as usize != bytes.len() {
        return None;
    }
    let mut elements = Vec::new();
    let mut rest = &bytes[HEADER_BYTES..];
    while *rest.first()? != END_MARK {
        let (element, encoded) = read_element(rest)?;
        elements.push(element);
        rest = rest.get(encoded + back_length_bytes(encoded)..)?;
    }
    let is_sound = rest.len() == 1 && (len == LEN_UNKNOWN || usize::from(len) == elements.len());
    is_sound.then_some(elements)
}

/// The element at the start of the bytes, and how many of them it takes without the length behind it.
fn read_element(bytes: &[u8]) -> Option<(Element, usize)> {
    let first = *bytes.first()?;
    let text = |start: usize, len: usize| {
        let text = bytes.get(start..start.checked_add(len)?)?;
        Some((Element::Text(Bytes::from(text)), start + len))
    };
    let integer = |len: usize| {
        let mut wide = [0; 8];
        wide[8 - len..].copy_from_slice(bytes.get(1..1 + len)?);
        // Shifted down from the top, the sign fills the rest.
        Some((Element::Integer(i64::from_le_bytes(wide) >> (64 - 8 * len)), 1 + len))
    };
    match first {
        0x00..=0x7f => Some((Element::Integer(i64::from(first)), 1)),
        0x80..=0xbf => text(1, usize::from(first & 0x3f)),
        0xc0..=0xdf => {
            let bits = i64::from(first & 0x1f) << 8 | i64::from(*bytes.get(1)?);
            Some((Element::Integer(bits << 51 >> 51), 2))
        }
        0xe0..=0xef => text(2, usize::from(first & 0x0f) << 8 | usize::from(*bytes.get(1)?)),
        0xf0 => text(5, u32::from_le_bytes(bytes.get(1..5)?.try_into().ok()?) as usize),
        0xf1 => integer(2),
        0xf2 => integer(3),
        0xf3 => integer(4),
        0xf4 => integer(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Read back from what was written, and as long as foreseen.
    #[test]
    fn elements_come_back_and_their_size_is_known() {
        let numbers = [
            0,
            127,
            128,
            -1,
            4095,
            -4096,
            4096,
            32_767,
            -32_768,
            32_768,
            -8_388_608,
            8_388_608,
            i64::MAX,
            i64::MIN,
        ];
        let mut elements: Vec<Bytes> = numbers.iter().map(|number| Bytes::from(number.to_string())).collect();
        elements.extend([0, 1, 63, 64, 4095, 4096, 20_000].map(|len| Bytes::from("x".repeat(len))));
        elements.push(Bytes::from("007"));
        let mut writer = Writer::new();
        elements.iter().for_each(|element| writer.push(element));
        let bytes = writer.finish();
        let size: usize = elements.iter().map(|element| element_bytes(element)).sum();
        assert_eq!(bytes.len(), EMPTY_BYTES + size);
        let back: Vec<Bytes> =
            read(&bytes).expect("well-formed").into_iter().map(Element::into_text).collect();
        assert_eq!(back, elements);
    }

    #[test]
    fn broken_bytes_are_refused() {
        let mut writer = Writer::new();
        writer.push(b"hello");
        let bytes = writer.finish();
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut]), None);
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] = 0xfe;
            read(&broken);
        }
    }
}
