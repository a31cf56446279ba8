//! Chance from a seed, and what is made with it: bytes, texts, mutations of what is known to be good.

/// The same seed gives the same choices on every machine.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// splitmix64.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True in one of `times` cases.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    pub(crate) fn bytes(&mut self, len_max: usize) -> Vec<u8> {
        (0..self.below(len_max + 1)).map(|_| self.byte()).collect()
    }

    /// Bytes that are often of these.
    pub(crate) fn bytes_of(&mut self, alphabet: &[u8], len_max: usize) -> Vec<u8> {
        let len = self.below(len_max + 1);
        (0..len).map(|_| if self.one_in(16) { self.byte() } else { *self.pick(alphabet) }).collect()
    }

    /// Changes a few places: bytes are turned, dropped, doubled, put in, moved, and cut off.
    pub(crate) fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let to = (at + self.below(16)).min(bytes.len());
            match self.below(8) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = *self.pick(EDGES),
                2 => drop(bytes.drain(at..to)),
                3 => drop(bytes.splice(at..at, [self.byte()])),
                4 => {
                    let part = bytes[at..to].to_vec();
                    let place = self.below(bytes.len() + 1);
                    drop(bytes.splice(place..place, part));
                }
                5 => bytes.truncate(at),
                6 => {
                    let number = self.number();
                    drop(bytes.splice(at..at, number.into_bytes()));
                }
                _ if at < bytes.len() => bytes[at] = self.byte(),
                _ => {}
            }
        }
    }

    /// As [`Chance::mutate`] for a text: whole lines, too.
    pub(crate) fn mutate_text(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        for _ in 0..self.below(3) {
            if lines.is_empty() {
                break;
            }
            let (one, other) = (self.below(lines.len()), self.below(lines.len()));
            match self.below(3) {
                0 => lines.swap(one, other),
                1 => drop(lines.remove(one)),
                _ => lines.insert(other, lines[one]),
            }
        }
        let mut bytes = lines.join("\n").into_bytes();
        bytes.push(b'\n');
        if self.one_in(2) {
            self.mutate(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A number as commands take it: often one at an edge.
    pub(crate) fn number(&mut self) -> String {
        match self.below(4) {
            0 => (*self.pick(NUMBERS)).to_owned(),
            1 => (self.next() as i64 >> self.below(64)).to_string(),
            _ => (self.below(12) as i64 - 2).to_string(),
        }
    }
}

const EDGES: &[u8] =
    &[0, 1, 9, 10, 13, 32, 0x7f, 0x80, 0xc0, 0xfe, 0xff, b'*', b'$', b'\\', b'"', b'[', b'%'];

const NUMBERS: &[&str] = &[
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "18446744073709551615",
    "2147483648",
    "-2147483649",
    "4294967295",
    "1e308",
    "-1e308",
    "inf",
    "-inf",
    "nan",
    "0x10",
    "1.5",
    "-0",
    "+1",
    "01",
    " 1",
    "",
    "5e-324",
    "9007199254740993",
    "1767225600000",
    "1767225600001",
];
