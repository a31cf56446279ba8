//! Expected replies: what redis-cli prints, read back, with named slack where a reply can't be known beforehand.
//!
//! | written | matches |
//! |---|---|
//! | `(any)` | every reply |
//! | `(any integer)`, `(any string)`, `(any error)`, `(any array)` | every reply of that kind |
//! | `(integer) 280..300` | an integer between the two, both included |
//! | `(text) "…"` | a status or verbatim string that would be misread bare |
//! | `(in any order)`, then an array, set or map on the next lines | the same elements, wherever they stand |
//! | `(pairs in any order)`, then an array | the same, two elements at a time: a map as RESP2 sends it |
//!
//! Blanks at the end of an error or a status are of no account, for editors remove them.

use std::fmt;
use std::ops::RangeInclusive;

use crate::Bytes;
use crate::profile::Version;
use crate::value::number::{LongDouble, format_f64, parse_i64};

use super::Reply;
use super::quote::split_words;

/// How deep an expected reply may be nested: reading it takes stack.
const DEPTH_MAX: usize = 250;

#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    Any,
    AnyInt,
    AnyString,
    AnyError,
    AnyArray,
    IntWithin(RangeInclusive<i64>),
    /// A status or verbatim string.
    Text(Bytes),
    Error(String),
    Int(i64),
    Bulk(Bytes),
    Nil,
    Bool(bool),
    /// The digits as printed.
    Double(String),
    BigNumber(String),
    /// `1) `, and `1> ` as newer redis-cli show a push.
    Array(Vec<Pattern>),
    Set(Vec<Pattern>),
    Map(Vec<(Pattern, Pattern)>),
    InAnyOrder(Box<Pattern>),
    PairsInAnyOrder(Vec<Pattern>),
}

/// Text that is no reply. Line and column count from 0; the column is in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// Reads what redis-cli prints on a terminal for one reply.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let mut reader = Reader { lines, line: 0, column: 0, depth: 0 };
        let order = reader.lines[0].trim_end();
        if order != "(in any order)" && order != "(pairs in any order)" {
            return reader.whole();
        }
        let in_pairs = order.starts_with("(pairs");
        if !reader.next_line(0) {
            return Err(reader.error("an array, set or map must follow on the next line"));
        }
        match reader.whole()? {
            Self::Array(items) if in_pairs && items.len() % 2 == 0 => Ok(Self::PairsInAnyOrder(items)),
            listed @ (Self::Array(_) | Self::Set(_) | Self::Map(_)) if !in_pairs => {
                Ok(Self::InAnyOrder(Box::new(listed)))
            }
            _ => Err(PatternError {
                line: 0,
                column: 0,
                message: format!("{order} does not go with the reply that follows"),
            }),
        }
    }

    /// Whether a reply, [as it was sent](Reply::as_sent) by a server of that version, is as expected.
    pub fn matches(&self, reply: &Reply, version: Version) -> bool {
        let all = |patterns: &[Self], items: &[Reply]| {
            patterns.len() == items.len()
                && patterns.iter().zip(items).all(|(pattern, item)| pattern.matches(item, version))
        };
        match (self, reply) {
            (Self::Any, _)
            | (Self::AnyInt, Reply::Int(_))
            | (Self::AnyString, Reply::Bulk(_) | Reply::Verbatim { .. })
            | (Self::AnyError, Reply::Error(_))
            | (Self::AnyArray, Reply::Array(_) | Reply::Push(_) | Reply::Deep(_))
            | (Self::Nil, Reply::Nil | Reply::NilArray) => true,
            (Self::IntWithin(range), Reply::Int(number)) => range.contains(number),
            (Self::Int(expected), Reply::Int(number)) => expected == number,
            (Self::Text(expected), Reply::Status(text)) => same_but_end(expected, text),
            (Self::Text(expected), Reply::Verbatim { text, .. }) => same_but_end(expected, text),
            (Self::Error(expected), Reply::Error(line)) => same_but_end(expected.as_bytes(), line),
            (Self::Bulk(expected), Reply::Bulk(text)) => expected == text,
            (Self::Bool(expected), Reply::Bool(yes)) => expected == yes,
            (Self::Double(expected), Reply::Double(number)) => *expected == format_f64(*number, version),
            (Self::Double(expected), Reply::LongDouble(number)) => {
                *expected == LongDouble::from(*number).to_text()
            }
            (Self::BigNumber(expected), Reply::BigNumber(digits)) => expected.as_bytes() == &**digits,
            (Self::Array(patterns), Reply::Array(items) | Reply::Push(items)) => all(patterns, items),
            (Self::Set(patterns), Reply::Set(items)) => all(patterns, items),
            (Self::Map(patterns), Reply::Map(pairs)) => {
                patterns.len() == pairs.len()
                    && patterns.iter().zip(pairs).all(|(pattern, pair)| pair_matches(pattern, pair, version))
            }
            (Self::InAnyOrder(listed), _) => matches_in_any_order(listed, reply, version),
            (Self::PairsInAnyOrder(patterns), Reply::Array(items)) => {
                let (patterns, _) = patterns.as_chunks::<2>();
                let (pairs, rest) = items.as_chunks::<2>();
                rest.is_empty()
                    && matches_somewhere(patterns, pairs, |[key, value], [k, v]| {
                        key.matches(k, version) && value.matches(v, version)
                    })
            }
            _ => false,
        }
    }

    /// Whether it allows more than one reply.
    pub fn has_slack(&self) -> bool {
        match self {
            Self::Any | Self::AnyInt | Self::AnyString | Self::AnyError | Self::AnyArray => true,
            Self::IntWithin(_) | Self::InAnyOrder(_) | Self::PairsInAnyOrder(_) => true,
            Self::Array(items) | Self::Set(items) => items.iter().any(Self::has_slack),
            Self::Map(pairs) => pairs.iter().any(|(key, value)| key.has_slack() || value.has_slack()),
            _ => false,
        }
    }
}

fn same_but_end(expected: &[u8], text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    String::from_utf8_lossy(expected).trim_end() == text.trim_end()
}

fn pair_matches(pattern: &(Pattern, Pattern), pair: &(Reply, Reply), version: Version) -> bool {
    pattern.0.matches(&pair.0, version) && pattern.1.matches(&pair.1, version)
}

fn matches_in_any_order(listed: &Pattern, reply: &Reply, version: Version) -> bool {
    let one = |pattern: &Pattern, item: &Reply| pattern.matches(item, version);
    match (listed, reply) {
        (Pattern::Array(patterns), Reply::Array(items) | Reply::Push(items))
        | (Pattern::Set(patterns), Reply::Set(items)) => matches_somewhere(patterns, items, one),
        (Pattern::Map(patterns), Reply::Map(pairs)) => {
            matches_somewhere(patterns, pairs, |pattern, pair| pair_matches(pattern, pair, version))
        }
        _ => false,
    }
}

/// Whether every item can be given to a pattern of its own, in the order the patterns are written.
fn matches_somewhere<P, T>(patterns: &[P], items: &[T], matches: impl Fn(&P, &T) -> bool) -> bool {
    let mut left: Vec<&T> = items.iter().collect();
    patterns.len() == items.len()
        && patterns.iter().all(|pattern| {
            let found = left.iter().position(|item| matches(pattern, item));
            found.is_some_and(|at| {
                left.remove(at);
                true
            })
        })
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    line: usize,
    column: usize,
    depth: usize,
}

/// The number in front of an element: ` 9) `.
struct Index {
    number: usize,
    /// Blanks and digits.
    width: usize,
    mark: char,
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Result<Pattern, PatternError> {
        let pattern = self.value(0, false)?;
        if !self.rest().trim_end().is_empty() {
            return Err(self.error("the reply has ended here, and more follows"));
        }
        if self.next_line(0) {
            return Err(
                self.error("the reply has ended on the line before: is the index or its indent right?")
            );
        }
        Ok(pattern)
    }

    /// `indent`: where further lines of the value begin. A key ends before ` => `.
    fn value(&mut self, indent: usize, is_key: bool) -> Result<Pattern, PatternError> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.error(&format!("nested more than {DEPTH_MAX} levels")));
        }
        let rest = self.rest();
        let pattern = match index(rest) {
            Some(index) if index.number == 1 => self.elements(indent, &index, is_key),
            _ if rest.starts_with('"') => Ok(Pattern::Bulk(self.quoted()?)),
            _ if rest.starts_with('(') => self.kind(is_key),
            _ => self.word(is_key).map(|text| Pattern::Text(Bytes::from(text))),
        }?;
        self.depth -= 1;
        Ok(pattern)
    }

    fn elements(&mut self, indent: usize, first: &Index, is_key: bool) -> Result<Pattern, PatternError> {
        let inner = indent + first.width + 2;
        let mut items = Vec::new();
        let mut pairs = Vec::new();
        for number in 1.. {
            self.column += first.width + 2;
            if first.mark == '#' {
                let key = self.value(inner, true)?;
                self.arrow(inner)?;
                pairs.push((key, self.value(inner, is_key)?));
            } else {
                items.push(self.value(inner, is_key)?);
            }
            if !self.goes_on(indent, first, number + 1) {
                break;
            }
        }
        Ok(match first.mark {
            '#' => Pattern::Map(pairs),
            '~' => Pattern::Set(items),
            _ => Pattern::Array(items),
        })
    }

    /// Moves to the next element if the next line holds it.
    fn goes_on(&mut self, indent: usize, first: &Index, number: usize) -> bool {
        let next = self.lines.get(self.line + 1).and_then(|line| below(line, indent)).and_then(index);
        let is_next = next
            .is_some_and(|next| (next.number, next.width, next.mark) == (number, first.width, first.mark));
        is_next && self.rest().trim_end().is_empty() && self.next_line(indent)
    }

    /// ` => `, and to the next line where the value begins there.
    fn arrow(&mut self, inner: usize) -> Result<(), PatternError> {
        let rest = self.rest();
        if rest.starts_with(" => ") && rest.len() > 4 {
            self.column += 4;
            return Ok(());
        }
        if rest.trim_end() != " =>" {
            return Err(self.error("expected ` => ` and the value of this key"));
        }
        let found = self.lines.get(self.line + 1).is_some_and(|line| below(line, inner).is_some());
        if found && self.next_line(inner) {
            Ok(())
        } else {
            Err(self.error("expected the value of this key on the next line, indented below the key"))
        }
    }

    fn quoted(&mut self) -> Result<Bytes, PatternError> {
        let rest = self.rest();
        // Only the first word counts, so a quote further on must not spoil it: it is cut off first.
        let end = closing_quote(rest).ok_or_else(|| self.error("this string has no closing quote"))?;
        let words = split_words(&rest.as_bytes()[..end]);
        let word = words.ok().and_then(|mut words| words.pop());
        self.column += end;
        Ok(word.map(|word| word.text).unwrap_or_default())
    }

    fn kind(&mut self, is_key: bool) -> Result<Pattern, PatternError> {
        const FIXED: &[(&str, Pattern)] = &[
            ("(nil)", Pattern::Nil),
            ("(true)", Pattern::Bool(true)),
            ("(false)", Pattern::Bool(false)),
            ("(empty array)", Pattern::Array(Vec::new())),
            ("(empty push)", Pattern::Array(Vec::new())),
            ("(empty set)", Pattern::Set(Vec::new())),
            ("(empty hash)", Pattern::Map(Vec::new())),
            ("(any)", Pattern::Any),
            ("(any integer)", Pattern::AnyInt),
            ("(any string)", Pattern::AnyString),
            ("(any error)", Pattern::AnyError),
            ("(any array)", Pattern::AnyArray),
        ];
        let rest = self.rest();
        if let Some((text, pattern)) = FIXED.iter().find(|(text, _)| rest.starts_with(text)) {
            self.column += text.len();
            return Ok(pattern.clone());
        }
        let mut after = |prefix: &str| {
            let found = rest.starts_with(prefix);
            self.column += if found { prefix.len() } else { 0 };
            found
        };
        if after("(integer) ") {
            self.integer(is_key)
        } else if after("(double) ") {
            Ok(Pattern::Double(self.word(is_key)?))
        } else if after("(big number) ") {
            Ok(Pattern::BigNumber(self.word(is_key)?))
        } else if after("(text) ") {
            Ok(Pattern::Text(self.quoted()?))
        } else if after("(error)") {
            // An error may be empty, and its blank lost.
            self.column += usize::from(self.rest().starts_with(' '));
            Ok(Pattern::Error(self.word(is_key).unwrap_or_default()))
        } else {
            Err(self.error("no reply begins like this: expected e.g. (integer) 1, (error) …, (nil), (any)"))
        }
    }

    fn integer(&mut self, is_key: bool) -> Result<Pattern, PatternError> {
        let start = self.column;
        let word = self.word(is_key)?;
        let number = |text: &str| parse_i64(text.as_bytes());
        let pattern = match word.split_once("..") {
            None => number(&word).map(Pattern::Int),
            Some((low, high)) => {
                number(low).zip(number(high)).map(|(low, high)| Pattern::IntWithin(low..=high))
            }
        };
        pattern.ok_or_else(|| {
            self.column = start;
            self.error("expected an integer, or a range such as 280..300")
        })
    }

    /// What is left of the line; in a key, up to the arrow.
    fn word(&mut self, is_key: bool) -> Result<String, PatternError> {
        let rest = self.rest();
        let end = rest.find(" =>").filter(|_| is_key).unwrap_or(rest.len());
        let word = rest[..end].trim_end();
        if word.is_empty() {
            return Err(self.error("expected a reply"));
        }
        self.column += end;
        Ok(word.to_owned())
    }

    fn rest(&self) -> &'a str {
        self.lines[self.line].get(self.column..).unwrap_or_default()
    }

    fn next_line(&mut self, column: usize) -> bool {
        let exists = self.line + 1 < self.lines.len();
        if exists {
            self.line += 1;
            self.column = column;
        }
        exists
    }

    fn error(&self, message: &str) -> PatternError {
        PatternError { line: self.line, column: self.column, message: message.to_owned() }
    }
}

/// The line without its indent, if it is indented that far.
fn below(line: &str, indent: usize) -> Option<&str> {
    let rest = line.get(indent..)?;
    line[..indent].bytes().all(|byte| byte == b' ').then_some(rest)
}

fn index(text: &str) -> Option<Index> {
    let unpadded = text.trim_start_matches(' ');
    let digits = unpadded.bytes().take_while(u8::is_ascii_digit).count();
    let number = unpadded[..digits].parse().ok()?;
    let mut after = unpadded[digits..].chars();
    let mark = after.next().filter(|mark| ")~#>".contains(*mark))?;
    let width = text.len() - unpadded.len() + digits;
    (after.next() == Some(' ')).then_some(Index { number, width, mark })
}

/// Behind the quote that closes the string the text begins with.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return Some(at + 1),
            b'\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::transcript_text;

    #[track_caller]
    fn parsed(text: &str) -> Pattern {
        Pattern::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error:?}"))
    }

    /// Replies of every kind, nested at random.
    fn any_reply(seed: &mut u64, depth: usize) -> Reply {
        let mut below = |limit: u64| {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*seed >> 33) % limit
        };
        let kind = below(if depth == 0 { 9 } else { 14 });
        let count = below(12);
        let texts =
            ["", "a", "a b", "1) x", "A> b", "a => b", "x\ny", "\"q\"", "(nil)", "# r", "ä", "\\", " "];
        let text = texts[below(texts.len() as u64) as usize];
        let mut items = |count| (0..count).map(|_| any_reply(seed, depth - 1)).collect::<Vec<_>>();
        match kind {
            0 => Reply::Status(text.as_bytes().to_vec().into()),
            1 => Reply::error(format!("ERR {}", text.replace(['\n', '='], " "))),
            2 => Reply::Int(count as i64 - 3),
            3 => Reply::bulk(text),
            4 => Reply::Nil,
            5 => Reply::Double(count as f64 / 3.0),
            6 => Reply::Bool(count > 5),
            7 => Reply::BigNumber(Bytes::from("123456789012345678901234567890")),
            8 => Reply::Verbatim { format: *b"txt", text: Bytes::from(text) },
            9 | 10 => Reply::Array(items(count)),
            11 => Reply::Set(items(count)),
            12 => Reply::Push(items(count)),
            _ => Reply::Map(items(count).into_iter().map(|key| (key, Reply::Int(1))).collect()),
        }
    }

    #[test]
    fn what_is_printed_reads_back_as_the_same_reply() {
        let mut seed = 1;
        for _ in 0..3000 {
            let reply = any_reply(&mut seed, 3);
            let text = transcript_text(&reply, Version::V8_6);
            assert!(parsed(&text).matches(&reply, Version::V8_6), "{text}\n{reply:?}\n{:?}", parsed(&text));
        }
    }

    #[track_caller]
    fn check(text: &str, reply: Reply, expected: bool) {
        assert_eq!(parsed(text).matches(&reply, Version::V8_6), expected, "{text}");
    }

    #[test]
    fn a_different_reply_does_not_match() {
        check("OK", Reply::bulk("OK"), false);
        check("\"OK\"", Reply::OK, false);
        check("(integer) 1", Reply::Int(2), false);
        check("(nil)", Reply::bulk(""), false);
        check("1) (integer) 1", Reply::Array(vec![Reply::Int(1), Reply::Int(2)]), false);
        check("1) (integer) 1", Reply::Set(vec![Reply::Int(1)]), false);
        check("(double) 0.1", Reply::bulk("0.1"), false);
    }

    #[test]
    fn slack_has_names() {
        check("(any)", Reply::Nil, true);
        check("(any integer)", Reply::Int(7), true);
        check("(any integer)", Reply::bulk("7"), false);
        check("(integer) 280..300", Reply::Int(280), true);
        check("(integer) 280..300", Reply::Int(301), false);
        check(
            "1) (any string)\n2) (integer) -2..-1",
            Reply::Array(vec![Reply::bulk("x"), Reply::Int(-1)]),
            true,
        );
        let bulks = |texts: &[&str]| Reply::bulks(texts.iter().copied());
        check("(in any order)\n1) \"a\"\n2) \"b\"", bulks(&["b", "a"]), true);
        check("(in any order)\n1) \"a\"\n2) \"b\"", bulks(&["b", "b"]), false);
        let pairs = "(pairs in any order)\n1) \"a\"\n2) \"1\"\n3) \"b\"\n4) \"2\"";
        check(pairs, bulks(&["b", "2", "a", "1"]), true);
        check(pairs, bulks(&["b", "1", "a", "2"]), false);
        check("(in any order)\n1# a => OK", Reply::Map(vec![(Reply::status("a"), Reply::OK)]), true);
        assert!(parsed("1) (any)").has_slack() && !parsed("1) OK").has_slack());
    }

    #[test]
    fn blanks_that_an_editor_removes_do_not_matter() {
        check("(error) ERR args beginning with:", Reply::error("ERR args beginning with: "), true);
        check("(error)", Reply::error(""), true);
        check(
            "1# \"k\" =>\n   1) OK\n   2) OK",
            Reply::Map(vec![(Reply::bulk("k"), Reply::Array(vec![Reply::OK, Reply::OK]))]),
            true,
        );
    }

    #[test]
    fn text_that_is_no_reply_is_pointed_at() {
        let refused = |text: &str, line, column| {
            let error = Pattern::parse(text).expect_err(text);
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        };
        refused("(integer) x", 0, 10);
        refused("(intger) 1", 0, 0);
        refused("\"abc", 0, 0);
        refused("\"abc\"d", 0, 5);
        refused("OK\nOK", 1, 0);
        refused("1) OK\n3) OK", 1, 0);
        refused("1) 1) OK\n  2) OK", 1, 0);
        refused("1# \"k\"", 0, 6);
        refused("1# \"k\" =>\nOK", 0, 6);
        refused("", 0, 0);
        refused("(in any order)", 0, 0);
        refused("(in any order)\nOK", 0, 0);
        refused(&"1) ".repeat(1000), 0, 750);
    }
}
