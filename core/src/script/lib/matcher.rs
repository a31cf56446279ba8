//! Lua 5.1's pattern matcher, with its backtracking on a heap of its own and its steps counted.
//!
//! Why not Lua's own: it is C code in which count hooks do not fire, so one `("a"):rep(1e6):find(".-b")` runs for
//! minutes, and its recursion on the pattern can exhaust the stack. Here each pattern item leaves at most one
//! [`Choice`] behind, so the heap is never longer than the pattern. Behaviour and messages are those of Lua 5.1: a NUL
//! ends the pattern, and a malformed item is noticed only when the match gets to it.

use std::ffi::c_int;

use super::scratch::Scratch;
use super::stack::Stack;
use crate::limits::SCRIPT_STEPS_PER_INSTRUCTION;

const CAPTURES_MAX: usize = 32;
/// Steps between two charges.
const CHARGE_STEPS: u64 = 4_096;
/// Choices held without asking Lua for memory; simple patterns have fewer items.
const CHOICES_INLINE: usize = 16;

const ESCAPE: u8 = b'%';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Open,
    /// `()`: only its position counts.
    Position,
    Closed(usize),
}

#[derive(Clone, Copy)]
struct Capture {
    start: usize,
    extent: Extent,
}

/// What to do when the rest of the match fails.
#[derive(Clone, Copy)]
enum Choice {
    /// Go on with the pattern from `next` at `at`.
    Retry { at: usize, next: usize },
    /// A greedy repetition: give back one of the `spare` characters from `at` on.
    Shrink { at: usize, spare: usize, next: usize },
    /// A lazy repetition of the item at `item`: take one more character.
    Widen { at: usize, item: usize, end: usize },
    /// Undo the opening of the latest capture.
    Unopen,
    /// Undo the closing of a capture.
    Unclose { capture: usize },
}

/// One pattern at work on one subject.
pub(super) struct Matcher<'a> {
    lua: Stack,
    pub(super) subject: &'a [u8],
    pattern: &'a [u8],
    captures: [Capture; CAPTURES_MAX],
    level: usize,
    inline: [Choice; CHOICES_INLINE],
    inline_length: usize,
    spilled: Option<Scratch<Choice>>,
    steps: u64,
}

impl<'a> Matcher<'a> {
    /// May push one value on the stack later, which the caller's final `set_top` or return removes.
    pub(super) fn new(lua: Stack, subject: &'a [u8], pattern: &'a [u8]) -> Self {
        Self {
            lua,
            subject,
            pattern: super::stack::until_nul(pattern),
            captures: [Capture { start: 0, extent: Extent::Open }; CAPTURES_MAX],
            level: 0,
            inline: [Choice::Unopen; CHOICES_INLINE],
            inline_length: 0,
            spilled: None,
            steps: 0,
        }
    }

    /// Makes room on the Lua stack for the choices of a long pattern; called before anything else is pushed.
    pub(super) fn reserve(&mut self) {
        if self.pattern.len() > CHOICES_INLINE {
            self.spilled = Some(Scratch::new(self.lua, CHOICES_INLINE * 2));
        }
    }

    /// The end of the match that begins at `at` with the pattern from `from` on.
    pub(super) fn match_at(&mut self, at: usize, from: usize) -> Option<usize> {
        self.level = 0;
        self.inline_length = 0;
        while self.pop_spilled().is_some() {}
        let mut place = Some((at, from));
        loop {
            place = match place {
                Some((at, next)) if next >= self.pattern.len() => return Some(at),
                Some((at, next)) => self.step(at, next),
                None => Some(self.backtrack()?),
            };
        }
    }

    /// Pushes capture `index`, or the whole match where the pattern has none.
    pub(super) fn push_capture(&self, index: usize, start: usize, end: usize) {
        if index >= self.level {
            if index != 0 {
                self.lua.raise(&[b"invalid capture index"]);
            }
            return self.lua.push_bytes(&self.subject[start..end]);
        }
        let capture = self.captures[index];
        match capture.extent {
            Extent::Open => self.lua.raise(&[b"unfinished capture"]),
            Extent::Position => self.lua.push_number(capture.start as f64 + 1.0),
            Extent::Closed(length) => {
                self.lua.push_bytes(&self.subject[capture.start..capture.start + length]);
            }
        }
    }

    /// Pushes all captures, or the whole match where there is none and `whole` tells where it is.
    pub(super) fn push_captures(&self, whole: Option<(usize, usize)>) -> c_int {
        let count = if self.level == 0 && whole.is_some() { 1 } else { self.level };
        self.lua.check_reserve(count as c_int, c"too many captures");
        let (start, end) = whole.unwrap_or_default();
        for index in 0..count {
            self.push_capture(index, start, end);
        }
        count as c_int
    }

    /// One item of the pattern; the place to go on from, or nothing where it fails.
    fn step(&mut self, at: usize, item: usize) -> Option<(usize, usize)> {
        self.count(1);
        match self.byte(item) {
            b'(' if self.byte(item + 1) == b')' => self.open(at, item + 2, Extent::Position),
            b'(' => self.open(at, item + 1, Extent::Open),
            b')' => self.close(at, item + 1),
            ESCAPE => match self.byte(item + 1) {
                b'b' => Some((self.balance(at, item + 2)?, item + 4)),
                b'f' => self.frontier(at, item + 2),
                digit @ b'0'..=b'9' => Some((self.back_reference(at, digit)?, item + 2)),
                _ => self.repeat(at, item),
            },
            b'$' if item + 1 == self.pattern.len() => (at == self.subject.len()).then_some((at, item + 1)),
            _ => self.repeat(at, item),
        }
    }

    fn backtrack(&mut self) -> Option<(usize, usize)> {
        loop {
            self.count(1);
            match self.pop_choice()? {
                Choice::Retry { at, next } => return Some((at, next)),
                Choice::Shrink { spare: 0, .. } => {}
                Choice::Shrink { at, spare, next } => {
                    let spare = spare - 1;
                    self.push_choice(Choice::Shrink { at, spare, next });
                    return Some((at + spare, next));
                }
                Choice::Widen { at, item, end } => {
                    if self.single(at, item, end) {
                        self.push_choice(Choice::Widen { at: at + 1, item, end });
                        return Some((at + 1, end + 1));
                    }
                }
                Choice::Unopen => self.level -= 1,
                Choice::Unclose { capture } => self.captures[capture].extent = Extent::Open,
            }
        }
    }

    /// A single-character item and the repetition sign behind it.
    fn repeat(&mut self, at: usize, item: usize) -> Option<(usize, usize)> {
        let end = self.class_end(item);
        match self.byte(end) {
            b'?' => {
                if self.single(at, item, end) {
                    self.push_choice(Choice::Retry { at, next: end + 1 });
                    return Some((at + 1, end + 1));
                }
                Some((at, end + 1))
            }
            b'*' => self.greedy(at, item, end),
            b'+' => self.single(at, item, end).then(|| self.greedy(at + 1, item, end)).flatten(),
            b'-' => {
                self.push_choice(Choice::Widen { at, item, end });
                Some((at, end + 1))
            }
            _ => self.single(at, item, end).then_some((at + 1, end)),
        }
    }

    fn greedy(&mut self, at: usize, item: usize, end: usize) -> Option<(usize, usize)> {
        let mut spare = 0;
        while self.single(at + spare, item, end) {
            self.count(1);
            spare += 1;
        }
        self.push_choice(Choice::Shrink { at, spare, next: end + 1 });
        Some((at + spare, end + 1))
    }

    fn open(&mut self, at: usize, next: usize, extent: Extent) -> Option<(usize, usize)> {
        if self.level >= CAPTURES_MAX {
            self.lua.raise(&[b"too many captures"]);
        }
        self.captures[self.level] = Capture { start: at, extent };
        self.level += 1;
        self.push_choice(Choice::Unopen);
        Some((at, next))
    }

    fn close(&mut self, at: usize, next: usize) -> Option<(usize, usize)> {
        let open = self.captures[..self.level].iter().rposition(|capture| capture.extent == Extent::Open);
        let Some(capture) = open else { self.lua.raise(&[b"invalid pattern capture"]) };
        self.captures[capture].extent = Extent::Closed(at - self.captures[capture].start);
        self.push_choice(Choice::Unclose { capture });
        Some((at, next))
    }

    /// `%bxy`; `item` is where x stands.
    fn balance(&mut self, at: usize, item: usize) -> Option<usize> {
        let (open, close) = (self.byte(item), self.byte(item + 1));
        if open == 0 || close == 0 {
            self.lua.raise(&[b"unbalanced pattern"]);
        }
        if self.subject.get(at) != Some(&open) {
            return None;
        }
        let mut depth = 1;
        for place in at + 1..self.subject.len() {
            self.count(1);
            let byte = self.subject[place];
            if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Some(place + 1);
                }
            } else if byte == open {
                depth += 1;
            }
        }
        None
    }

    /// `%f[set]`; `item` is where the bracket stands.
    fn frontier(&mut self, at: usize, item: usize) -> Option<(usize, usize)> {
        if self.byte(item) != b'[' {
            self.lua.raise(&[b"missing '[' after '%f' in pattern"]);
        }
        let end = self.class_end(item);
        let before = if at == 0 { 0 } else { self.subject[at - 1] };
        let here = self.subject.get(at).copied().unwrap_or(0);
        (!self.in_set(before, item, end - 1) && self.in_set(here, item, end - 1)).then_some((at, end))
    }

    fn back_reference(&mut self, at: usize, digit: u8) -> Option<usize> {
        let index = usize::from(digit).wrapping_sub(usize::from(b'1'));
        let capture = match self.captures[..self.level].get(index) {
            Some(capture) if capture.extent != Extent::Open => *capture,
            _ => self.lua.raise(&[b"invalid capture index"]),
        };
        let Extent::Closed(length) = capture.extent else { return None };
        self.count(length as u64 / 16);
        let text = &self.subject[capture.start..capture.start + length];
        self.subject[at..].starts_with(text).then_some(at + length)
    }

    /// Where the single-character item that begins at `item` ends.
    fn class_end(&self, item: usize) -> usize {
        let mut end = item + 1;
        match self.byte(item) {
            ESCAPE => {
                if self.byte(end) == 0 {
                    self.lua.raise(&[b"malformed pattern (ends with '%')"]);
                }
                end + 1
            }
            b'[' => {
                if self.byte(end) == b'^' {
                    end += 1;
                }
                loop {
                    // The first character belongs to the set even where it is a ].
                    let byte = self.byte(end);
                    if byte == 0 {
                        self.lua.raise(&[b"malformed pattern (missing ']')"]);
                    }
                    end += 1;
                    if byte == ESCAPE && self.byte(end) != 0 {
                        end += 1;
                    }
                    if self.byte(end) == b']' {
                        return end + 1;
                    }
                }
            }
            _ => end,
        }
    }

    /// Whether the character at `at` is there and matches the item.
    fn single(&mut self, at: usize, item: usize, end: usize) -> bool {
        let Some(&byte) = self.subject.get(at) else { return false };
        match self.byte(item) {
            b'.' => true,
            ESCAPE => in_class(byte, self.byte(item + 1)),
            b'[' => self.in_set(byte, item, end - 1),
            other => other == byte,
        }
    }

    /// Whether the set between the brackets at `item` and `close` has the character.
    fn in_set(&mut self, byte: u8, item: usize, close: usize) -> bool {
        let mut place = item + 1;
        let inverted = self.byte(place) == b'^';
        if inverted {
            place += 1;
        }
        self.count((close - item) as u64 / 8);
        while place < close {
            let found = match self.byte(place) {
                ESCAPE => {
                    place += 1;
                    in_class(byte, self.byte(place))
                }
                low if self.byte(place + 1) == b'-' && place + 2 < close => {
                    place += 2;
                    (low..=self.byte(place)).contains(&byte)
                }
                other => other == byte,
            };
            if found {
                return !inverted;
            }
            place += 1;
        }
        inverted
    }

    /// The pattern's byte; 0 past its end.
    fn byte(&self, place: usize) -> u8 {
        self.pattern.get(place).copied().unwrap_or(0)
    }

    fn push_choice(&mut self, choice: Choice) {
        match &mut self.spilled {
            Some(spilled) => spilled.push(choice),
            None => {
                self.inline[self.inline_length] = choice;
                self.inline_length += 1;
            }
        }
    }

    fn pop_choice(&mut self) -> Option<Choice> {
        if self.spilled.is_some() {
            return self.pop_spilled();
        }
        self.inline_length = self.inline_length.checked_sub(1)?;
        Some(self.inline[self.inline_length])
    }

    fn pop_spilled(&mut self) -> Option<Choice> {
        self.spilled.as_mut()?.pop()
    }

    fn count(&mut self, steps: u64) {
        self.steps += steps;
        if self.steps >= CHARGE_STEPS {
            let steps = std::mem::take(&mut self.steps);
            self.lua.charge(steps / SCRIPT_STEPS_PER_INSTRUCTION);
        }
    }
}

/// `%a` and its like; the C locale's classes.
fn in_class(byte: u8, class: u8) -> bool {
    let found = match class.to_ascii_lowercase() {
        b'a' => byte.is_ascii_alphabetic(),
        b'c' => byte.is_ascii_control(),
        b'd' => byte.is_ascii_digit(),
        b'l' => byte.is_ascii_lowercase(),
        b'p' => byte.is_ascii_punctuation(),
        b's' => is_space(byte),
        b'u' => byte.is_ascii_uppercase(),
        b'w' => byte.is_ascii_alphanumeric(),
        b'x' => byte.is_ascii_hexdigit(),
        b'z' => byte == 0,
        _ => return class == byte,
    };
    found != class.is_ascii_uppercase()
}

/// C's `isspace`.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
