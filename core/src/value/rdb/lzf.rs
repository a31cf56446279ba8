//! LZF, the compression of texts in a dump: literals, and references to what stood before.
//!
//! Control byte below 32: so many and one more literal bytes follow. Else: three bits of length (7: a byte with more follows) and
//! thirteen of distance. To give the server's bytes, repetitions are looked for in the same way as there: in a table of the last
//! place of each hash of three bytes.

const HASH_BITS: u32 = 16;
const LITERALS_MAX: usize = 32;
const DISTANCE_MAX: usize = 1 << 13;
const MATCH_MAX: usize = (1 << 8) + (1 << 3);

/// The compressed bytes; None when they need more than `room`, or nearly so much.
pub(super) fn compress(input: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut output = Output { bytes: Vec::with_capacity(room), literals: 0 };
    let mut table = vec![0u32; 1 << HASH_BITS];
    let mut at = 0;
    // Places are kept one higher, 0 means none.
    while at + 2 < input.len() {
        let slot = &mut table[hash(&input[at..])];
        let found = std::mem::replace(slot, at as u32 + 1) as usize;
        let distance = (at + 1).wrapping_sub(found).wrapping_sub(1);
        let is_match =
            found > 1 && distance < DISTANCE_MAX && input[found - 1..found + 2] == input[at..at + 3];
        if !is_match {
            output.literal(input[at], room)?;
            at += 1;
            continue;
        }
        let len = match_len(input, found - 1, at);
        output.reference(len, distance, room)?;
        at += len;
        if at + 2 >= input.len() {
            break;
        }
        // Only the last two places within the match are entered into the table.
        for entered in at - 2..at {
            table[hash(&input[entered..])] = entered as u32 + 1;
        }
    }
    output.finish(&input[at..], room)
}

fn hash(bytes: &[u8]) -> usize {
    let value = u32::from(bytes[0]) << 16 | u32::from(bytes[1]) << 8 | u32::from(bytes[2]);
    ((value >> (24 - HASH_BITS)).wrapping_sub(value.wrapping_mul(5)) & ((1 << HASH_BITS) - 1)) as usize
}

/// How far the bytes at two places agree, at least 3.
fn match_len(input: &[u8], earlier: usize, at: usize) -> usize {
    /// So far is compared without looking at the limit, where that is safe.
    const UNCHECKED: usize = 18;
    // Of the bytes that are left, the last two are not counted in.
    let most = MATCH_MAX.min(input.len() - at - 2);
    let most = if most > UNCHECKED - 2 { most.max(UNCHECKED + 1) } else { most.max(3) };
    (3..most).find(|&len| input[earlier + len] != input[at + len]).unwrap_or(most)
}

struct Output {
    bytes: Vec<u8>,
    /// Literals at the end that have no control byte in front of them yet.
    literals: usize,
}

impl Output {
    /// Fails a little before the room is really used up, as in the server: this decides which texts are not compressed at all.
    fn literal(&mut self, byte: u8, room: usize) -> Option<()> {
        (self.bytes.len() + 1 < room).then_some(())?;
        self.push_literal(byte);
        Some(())
    }

    fn push_literal(&mut self, byte: u8) {
        self.bytes.push(byte);
        self.literals += 1;
        if self.literals == LITERALS_MAX {
            self.end_literals();
        }
    }

    fn end_literals(&mut self) {
        if self.literals > 0 {
            let start = self.bytes.len() - self.literals;
            self.bytes.insert(start, self.literals as u8 - 1);
            self.literals = 0;
        }
    }

    fn reference(&mut self, len: usize, distance: usize, room: usize) -> Option<()> {
        const BYTES_MAX: usize = 3;
        self.end_literals();
        (self.bytes.len() + BYTES_MAX + 1 < room).then_some(())?;
        let (len, high) = (len - 2, (distance >> 8) as u8);
        if len < 7 {
            self.bytes.push(high | (len as u8) << 5);
        } else {
            self.bytes.extend([high | 7 << 5, (len - 7) as u8]);
        }
        self.bytes.push(distance as u8);
        Some(())
    }

    /// The last few bytes, which are literals in any case.
    fn finish(mut self, tail: &[u8], room: usize) -> Option<Vec<u8>> {
        const BYTES_MAX: usize = 3;
        (self.bytes.len() + 1 + BYTES_MAX <= room).then_some(())?;
        tail.iter().for_each(|&byte| self.push_literal(byte));
        self.end_literals();
        Some(self.bytes)
    }
}

/// What was compressed to these bytes; None when they are broken or give another length.
pub(super) fn decompress(input: &[u8], len: usize) -> Option<Vec<u8>> {
    let mut output = Vec::new();
    let mut rest = input;
    while let Some((&control, after)) = rest.split_first() {
        let count = usize::from(control);
        if count < LITERALS_MAX {
            let (literals, after) = after.split_at_checked(count + 1)?;
            output.extend_from_slice(literals);
            rest = after;
        } else {
            let (more, after) = if count >> 5 == 7 { after.split_first()? } else { (&0, after) };
            let (&low, after) = after.split_first()?;
            let start = output.len().checked_sub(((count & 0x1f) << 8 | usize::from(low)) + 1)?;
            for at in 0..(count >> 5) + usize::from(*more) + 2 {
                output.push(output[start + at]);
            }
            rest = after;
        }
        if output.len() > len {
            return None;
        }
    }
    (output.len() == len).then_some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compressed part of what DUMP gave at 7.0.15.
    #[test]
    fn compression_gives_the_servers_bytes() {
        let check = |text: &str, compressed: &[u8]| {
            assert_eq!(compress(text.as_bytes(), text.len() - 4).as_deref(), Some(compressed), "{text}");
            assert_eq!(decompress(compressed, text.len()).as_deref(), Some(text.as_bytes()));
        };
        check(&"a".repeat(30), b"\x01aa\xe0\x11\x00\x01aa");
        check(&"x".repeat(21), b"\x01xx\xe0\n\x00");
        check("abcabcabcabcabcabcabcabcabc123", b"\x03abca\xe0\x0e\x02\x02123");
        let fox = "The quick brown fox jumps over the lazy dog. The quick brown fox";
        check(fox, b"\x1fThe quick brown fox jumps over t \x1e\nlazy dog. T \r\xe0\x04,\x01ox");
        assert_eq!(compress(b"abcdefghijklmnopqrstuvwxy", 21), None);
    }

    #[test]
    fn broken_bytes_are_refused() {
        for broken in [&b"\x05ab"[..], b"\xe0", b"\x20\x05", b"\x00a\xe0\xff\x00"] {
            assert_eq!(decompress(broken, 3), None);
        }
    }
}
