//! The elements of a dump: lengths, texts, integers.

use super::lzf;
use crate::Bytes;
use crate::value::number::parse_i64;

/// Texts up to this length are not compressed.
const UNCOMPRESSED_BYTES_MAX: usize = 20;
/// So much has to be saved by compression.
const SAVED_BYTES_MIN: usize = 4;
/// Texts up to this length may be stored as integers.
const INTEGER_TEXT_BYTES_MAX: usize = 11;

#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(super) fn len(&mut self, len: u64) {
        match len {
            0..=63 => self.0.push(len as u8),
            64..=16_383 => self.0.extend([0x40 | (len >> 8) as u8, len as u8]),
            _ => match u32::try_from(len) {
                Ok(len) => {
                    self.0.push(0x80);
                    self.0.extend(len.to_be_bytes());
                }
                Err(_) => {
                    self.0.push(0x81);
                    self.0.extend(len.to_be_bytes());
                }
            },
        }
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        if text.len() <= INTEGER_TEXT_BYTES_MAX
            && let Some(number) = parse_i64(text).and_then(|number| i32::try_from(number).ok())
        {
            return self.integer(number);
        }
        if text.len() > UNCOMPRESSED_BYTES_MAX
            && let Some(compressed) = lzf::compress(text, text.len() - SAVED_BYTES_MIN)
        {
            self.0.push(0xc3);
            self.len(compressed.len() as u64);
            self.len(text.len() as u64);
            return self.0.extend(compressed);
        }
        self.len(text.len() as u64);
        self.0.extend_from_slice(text);
    }

    pub(super) fn u64_le(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn f64(&mut self, number: f64) {
        self.u64_le(number.to_bits());
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn integer(&mut self, number: i32) {
        let bytes = number.to_le_bytes();
        match number {
            -128..=127 => self.raw(&[0xc0, bytes[0]]),
            -32_768..=32_767 => self.raw(&[0xc1, bytes[0], bytes[1]]),
            _ => {
                self.byte(0xc2);
                self.raw(&bytes);
            }
        }
    }
}

/// Reads what a [`Writer`] or a server wrote; None where the bytes are broken or end.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn raw(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.raw(N)?.try_into().ok()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn u64_le(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.u64_le().map(f64::from_bits)
    }

    pub(super) fn len(&mut self) -> Option<u64> {
        let first = self.byte()?;
        self.len_after(first)
    }

    /// A length that counts things of at least one byte each, of which there cannot be more than bytes left.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.len()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    pub(super) fn text(&mut self) -> Option<Bytes> {
        let first = self.byte()?;
        let number = match first {
            0xc0 => i32::from(self.byte()? as i8),
            0xc1 => i32::from(i16::from_le_bytes(self.array()?)),
            0xc2 => i32::from_le_bytes(self.array()?),
            0xc3 => return self.compressed_text(),
            _ => {
                let len = usize::try_from(self.len_after(first)?).ok()?;
                return self.raw(len).map(Bytes::from);
            }
        };
        Some(Bytes::from(number.to_string()))
    }

    fn compressed_text(&mut self) -> Option<Bytes> {
        /// No compressed byte stands for more than this many.
        const EXPANSION_MAX: usize = 264;
        let compressed_len = usize::try_from(self.len()?).ok()?;
        let len = usize::try_from(self.len()?).ok()?;
        let compressed = self.raw(compressed_len)?;
        if len > compressed_len.saturating_mul(EXPANSION_MAX) {
            return None;
        }
        lzf::decompress(compressed, len).map(Bytes::from)
    }

    fn len_after(&mut self, first: u8) -> Option<u64> {
        match first {
            0x00..=0x3f => Some(u64::from(first)),
            0x40..=0x7f => Some(u64::from(first & 0x3f) << 8 | u64::from(self.byte()?)),
            0x80 => self.array().map(|bytes| u64::from(u32::from_be_bytes(bytes))),
            0x81 => self.array().map(u64::from_be_bytes),
            _ => None,
        }
    }
}
