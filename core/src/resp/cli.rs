//! Replies as redis-cli prints them, on a terminal and in a pipe. Measured with redis-cli 7.0.15.
//!
//! Expects replies [as they were sent](Reply::as_sent): what a RESP2 client never sees is not degraded here.
//! Bytes that are not UTF-8 show as U+FFFD where redis-cli would print them raw.

use std::fmt::Write as _;

use crate::profile::Version;
use crate::value::number::{LongDouble, format_f64};

use super::quote::push_quoted;
use super::{Flat, Reply, Step, steps};

/// The text on a terminal, without the last line end. The version decides how doubles look.
///
/// A big number, on which redis-cli gives up, shows as `(big number) 123`; not-a-number as `(double) nan`.
pub fn terminal_text(reply: &Reply, version: Version) -> String {
    let mut out = String::new();
    Printer { version, quote_odd_texts: false, out: &mut out }.print(reply, 0);
    out
}

/// The text in a scenario: [`terminal_text`], but a bare text (a status, a verbatim string) that could be taken for something
/// else shows as `(text) "…"`. [`Pattern::parse`](super::Pattern::parse) reads it back.
pub fn transcript_text(reply: &Reply, version: Version) -> String {
    let mut out = String::new();
    Printer { version, quote_odd_texts: true, out: &mut out }.print(reply, 0);
    out
}

/// The text in a pipe, without the last line end: no quotes, no kinds, no indexes.
pub fn raw_text(reply: &Reply, version: Version) -> String {
    let mut out = String::new();
    push_raw(reply, version, &mut out);
    out
}

struct Printer<'a> {
    version: Version,
    quote_odd_texts: bool,
    out: &'a mut String,
}

impl Printer<'_> {
    /// Lines after the first are indented by `indent` blanks.
    fn print(&mut self, reply: &Reply, indent: usize) {
        match reply {
            Reply::Status(text) => self.bare(text),
            Reply::Error(line) => {
                self.out.push_str("(error) ");
                self.out.push_str(&String::from_utf8_lossy(line));
            }
            Reply::Int(number) => {
                let _ = write!(self.out, "(integer) {number}");
            }
            Reply::Bulk(text) => push_quoted(text, self.out),
            Reply::Nil | Reply::NilArray => self.out.push_str("(nil)"),
            Reply::Bool(yes) => {
                let _ = write!(self.out, "({yes})");
            }
            Reply::Double(number) => {
                self.out.push_str("(double) ");
                self.out.push_str(&format_f64(*number, self.version));
            }
            Reply::LongDouble(number) => {
                self.out.push_str("(double) ");
                self.out.push_str(&LongDouble::from(*number).to_text());
            }
            Reply::BigNumber(digits) => {
                self.out.push_str("(big number) ");
                self.out.push_str(&digits.to_text());
            }
            Reply::Verbatim { text, .. } => self.bare(text),
            Reply::Attribute { reply, .. } | Reply::Fixed { reply, .. } => self.print(reply, indent),
            Reply::Array(items) => self.sequence(items, ')', "(empty array)", indent),
            Reply::Set(items) => self.sequence(items, '~', "(empty set)", indent),
            Reply::Push(items) => self.sequence(items, ')', "(empty push)", indent),
            Reply::Map(pairs) => self.map(pairs, indent),
            Reply::Deep(_) if self.quote_odd_texts => self.out.push_str("(any array)"),
            Reply::Deep(parts) => {
                let _ = write!(self.out, "({} more levels)", levels(parts));
            }
        }
    }

    fn bare(&mut self, text: &[u8]) {
        if self.quote_odd_texts && !reads_back(text) {
            self.out.push_str("(text) ");
            push_quoted(text, self.out);
        } else {
            self.out.push_str(&String::from_utf8_lossy(text));
        }
    }

    fn sequence(&mut self, items: &[Reply], mark: char, empty: &str, indent: usize) {
        if items.is_empty() {
            self.out.push_str(empty);
        }
        let width = digits(items.len());
        for (at, item) in items.iter().enumerate() {
            self.index(at, width, mark, indent);
            self.print(item, indent + width + 2);
        }
    }

    fn map(&mut self, pairs: &[(Reply, Reply)], indent: usize) {
        if pairs.is_empty() {
            self.out.push_str("(empty hash)");
        }
        let width = digits(pairs.len());
        let inner = indent + width + 2;
        for (at, (key, value)) in pairs.iter().enumerate() {
            self.index(at, width, '#', indent);
            self.print(key, inner);
            self.out.push_str(" => ");
            if spans_lines(value) {
                let _ = write!(self.out, "\n{:inner$}", "");
            }
            self.print(value, inner);
        }
    }

    fn index(&mut self, at: usize, width: usize, mark: char, indent: usize) {
        if at > 0 {
            let _ = write!(self.out, "\n{:indent$}", "");
        }
        let _ = write!(self.out, "{:>width$}{mark} ", at + 1);
    }
}

/// Whether a bare text is taken for nothing but itself, as a line of a scenario too: `OK`, `QUEUED`, `Background saving started`.
fn reads_back(text: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphabetic();
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !b"<>=".contains(byte) || *byte == b' ';
    text.first().is_some_and(is_word) && text.iter().all(is_plain) && !text.ends_with(b" ")
}

/// How deep the parts of a flat reply nest.
fn levels(parts: &[Flat]) -> usize {
    let (mut depth, mut deepest) = (0, 0);
    for step in steps(parts) {
        match step {
            Step::Opens => depth += 1,
            Step::Leaf(_) => {}
            Step::Closes => depth -= 1,
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn digits(count: usize) -> usize {
    count.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Whether an aggregate takes more than one line, by its shape: such a value of a map begins on a line of its own.
fn spans_lines(reply: &Reply) -> bool {
    match reply {
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => match items.as_slice() {
            [] => false,
            [only] => spans_lines(only),
            _ => true,
        },
        Reply::Map(pairs) => match pairs.as_slice() {
            [] => false,
            [(_, value)] => spans_lines(value),
            _ => true,
        },
        _ => false,
    }
}

fn push_raw(reply: &Reply, version: Version, out: &mut String) {
    let mut each = |items: &[Reply]| {
        for (at, item) in items.iter().enumerate() {
            out.push_str(if at > 0 { "\n" } else { "" });
            push_raw(item, version, out);
        }
    };
    match reply {
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => each(items),
        Reply::Map(pairs) => {
            for (at, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if at > 0 { "\n" } else { "" });
                push_raw(key, version, out);
                out.push(' ');
                push_raw(value, version, out);
            }
        }
        Reply::Status(text) => out.push_str(&String::from_utf8_lossy(text)),
        Reply::Error(line) => {
            out.push_str(&String::from_utf8_lossy(line));
            out.push('\n');
        }
        Reply::Bulk(text) | Reply::BigNumber(text) | Reply::Verbatim { text, .. } => {
            out.push_str(&text.to_text());
        }
        Reply::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Reply::Double(number) => out.push_str(&format_f64(*number, version)),
        Reply::LongDouble(number) => out.push_str(&LongDouble::from(*number).to_text()),
        Reply::Bool(yes) => {
            let _ = write!(out, "({yes})");
        }
        Reply::Attribute { reply, .. } | Reply::Fixed { reply, .. } => push_raw(reply, version, out),
        Reply::Deep(parts) => {
            let leaves = parts.iter().filter_map(|part| match part {
                Flat::Leaf(reply) => Some(reply),
                Flat::Opens(..) => None,
            });
            for (at, leaf) in leaves.enumerate() {
                out.push_str(if at > 0 { "\n" } else { "" });
                push_raw(leaf, version, out);
            }
        }
        Reply::Nil | Reply::NilArray => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::decode;

    /// What redis-cli 7.0.15 (`-3`) printed when a server sent it the bytes: on a terminal, and in a pipe.
    const MEASURED: &[(&str, &str, &str)] = &[
        ("+OK\r\n", "OK", "OK"),
        ("-ERR foo bar\r\n", "(error) ERR foo bar", "ERR foo bar\n"),
        (":12\r\n", "(integer) 12", "12"),
        ("$5\r\nhe\"lo\r\n", "\"he\\\"lo\"", "he\"lo"),
        ("$-1\r\n", "(nil)", ""),
        ("*-1\r\n", "(nil)", ""),
        ("_\r\n", "(nil)", ""),
        ("#t\r\n", "(true)", "(true)"),
        ("#f\r\n", "(false)", "(false)"),
        (",1.5\r\n", "(double) 1.5", "1.5"),
        (",inf\r\n", "(double) inf", "inf"),
        (",0.10000000000000001\r\n", "(double) 0.10000000000000001", "0.10000000000000001"),
        ("=8\r\ntxt:a\"b\n\r\n", "a\"b\n", "a\"b\n"),
        ("*0\r\n", "(empty array)", ""),
        ("%0\r\n", "(empty hash)", ""),
        ("~0\r\n", "(empty set)", ""),
        ("*2\r\n:1\r\n$1\r\na\r\n", "1) (integer) 1\n2) \"a\"", "1\na"),
        (
            "*10\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n:1\r\n*2\r\n:1\r\n*2\r\n:4\r\n:5\r\n",
            " 1) (integer) 1\n 2) (integer) 1\n 3) (integer) 1\n 4) (integer) 1\n 5) (integer) 1\n 6) (integer) 1\n 7) (integer) 1\n 8) (integer) 1\n 9) (integer) 1\n10) 1) (integer) 1\n    2) 1) (integer) 4\n       2) (integer) 5",
            "1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n4\n5",
        ),
        (
            "*2\r\n*0\r\n*2\r\n+OK\r\n-ERR x\r\n",
            "1) (empty array)\n2) 1) OK\n   2) (error) ERR x",
            "\nOK\nERR x\n",
        ),
        (
            "%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n*2\r\n:1\r\n:2\r\n",
            "1# \"a\" => (integer) 1\n2# \"b\" => \n   1) (integer) 1\n   2) (integer) 2",
            "a 1\nb 1\n2",
        ),
        ("~2\r\n$1\r\na\r\n~2\r\n:1\r\n:2\r\n", "1~ \"a\"\n2~ 1~ (integer) 1\n   2~ (integer) 2", "a\n1\n2"),
        (
            "%1\r\n*2\r\n:1\r\n:2\r\n%1\r\n+a\r\n+b\r\n",
            "1# 1) (integer) 1\n   2) (integer) 2 => 1# a => b",
            "1\n2 a b",
        ),
        ("*2\r\n=6\r\ntxt:ab\r\n=6\r\ntxt:cd\r\n", "1) ab\n2) cd", "ab\ncd"),
        (
            "*3\r\n%2\r\n+a\r\n*2\r\n:1\r\n:2\r\n+b\r\n:1\r\n_\r\n#t\r\n",
            "1) 1# a => \n      1) (integer) 1\n      2) (integer) 2\n   2# b => (integer) 1\n2) (nil)\n3) (true)",
            "a 1\n2\nb 1\n\n(true)",
        ),
        ("*2\r\n=9\r\ntxt:ab\ncd\r\n:1\r\n", "1) ab\ncd\n2) (integer) 1", "ab\ncd\n1"),
        (
            "%10\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:10\r\n*2\r\n:1\r\n:2\r\n",
            " 1# (integer) 1 => (integer) 2\n 2# (integer) 1 => (integer) 2\n 3# (integer) 1 => (integer) 2\n 4# (integer) 1 => (integer) 2\n 5# (integer) 1 => (integer) 2\n 6# (integer) 1 => (integer) 2\n 7# (integer) 1 => (integer) 2\n 8# (integer) 1 => (integer) 2\n 9# (integer) 1 => (integer) 2\n10# (integer) 10 => \n    1) (integer) 1\n    2) (integer) 2",
            "1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n1 2\n10 1\n2",
        ),
        (
            "%6\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n:1\r\n:2\r\n",
            "1# (integer) 1 => (integer) 2\n2# (integer) 1 => (integer) 2\n3# (integer) 1 => (integer) 2\n4# (integer) 1 => (integer) 2\n5# (integer) 1 => (integer) 2\n6# (integer) 1 => (integer) 2",
            "1 2\n1 2\n1 2\n1 2\n1 2\n1 2",
        ),
        ("$0\r\n\r\n", "\"\"", ""),
        ("+\r\n", "", ""),
        ("-\r\n", "(error) ", "\n"),
        ("*1\r\n,3.5\r\n", "1) (double) 3.5", "3.5"),
        (
            "%2\r\n+a\r\n%2\r\n+b\r\n:1\r\n+c\r\n*2\r\n:1\r\n:2\r\n+d\r\n~2\r\n:1\r\n:2\r\n",
            "1# a => \n   1# b => (integer) 1\n   2# c => \n      1) (integer) 1\n      2) (integer) 2\n2# d => \n   1~ (integer) 1\n   2~ (integer) 2",
            "a b 1\nc 1\n2\nd 1\n2",
        ),
        (
            "*2\r\n%1\r\n+a\r\n*1\r\n:1\r\n%1\r\n+a\r\n*0\r\n",
            "1) 1# a => 1) (integer) 1\n2) 1# a => (empty array)",
            "a 1\na ",
        ),
        ("%1\r\n+k\r\n>2\r\n:1\r\n:2\r\n", "1# k => \n   1) (integer) 1\n   2) (integer) 2", "k 1\n2"),
        ("*1\r\n>2\r\n:1\r\n:2\r\n", "1) 1) (integer) 1\n   2) (integer) 2", "1\n2"),
        ("*1\r\n>0\r\n", "1) (empty push)", ""),
        (
            "%1\r\n%1\r\n+x\r\n*2\r\n:1\r\n:2\r\n*1\r\n_\r\n",
            "1# 1# x => \n      1) (integer) 1\n      2) (integer) 2 => 1) (nil)",
            "x 1\n2 ",
        ),
        (
            "%1\r\n+a\r\n*1\r\n*2\r\n:1\r\n:2\r\n",
            "1# a => \n   1) 1) (integer) 1\n      2) (integer) 2",
            "a 1\n2",
        ),
        (
            "%1\r\n+a\r\n*1\r\n%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n",
            "1# a => \n   1) 1# (integer) 1 => (integer) 2\n      2# (integer) 3 => (integer) 4",
            "a 1 2\n3 4",
        ),
        (
            "%1\r\n+a\r\n%1\r\n+b\r\n*2\r\n:1\r\n:2\r\n",
            "1# a => \n   1# b => \n      1) (integer) 1\n      2) (integer) 2",
            "a b 1\n2",
        ),
        ("%1\r\n+a\r\n*0\r\n", "1# a => (empty array)", "a "),
        ("%1\r\n+a\r\n_\r\n", "1# a => (nil)", "a "),
        ("%1\r\n+a\r\n=9\r\ntxt:ab\ncd\r\n", "1# a => ab\ncd", "a ab\ncd"),
        (
            "%1\r\n+a\r\n%1\r\n*2\r\n:1\r\n:2\r\n:3\r\n",
            "1# a => 1# 1) (integer) 1\n      2) (integer) 2 => (integer) 3",
            "a 1\n2 3",
        ),
        ("%1\r\n+a\r\n*1\r\n=9\r\ntxt:ab\ncd\r\n", "1# a => 1) ab\ncd", "a ab\ncd"),
        ("*1\r\n=9\r\ntxt:ab\ncd\r\n", "1) ab\ncd", "ab\ncd"),
        (
            "*2\r\n*2\r\n=9\r\ntxt:ab\ncd\r\n:1\r\n:1\r\n",
            "1) 1) ab\ncd\n   2) (integer) 1\n2) (integer) 1",
            "ab\ncd\n1\n1",
        ),
        (
            "%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n*1\r\n*0\r\n",
            "1# a => (integer) 1\n2# b => 1) 1) (empty array)",
            "a 1\nb ",
        ),
        ("*1\r\n-ERR a\r\n", "1) (error) ERR a", "ERR a\n"),
    ];

    #[test]
    fn replies_look_as_redis_cli_prints_them() {
        for (bytes, terminal, pipe) in MEASURED {
            let (reply, _) = decode(bytes.as_bytes()).unwrap().unwrap();
            assert_eq!(terminal_text(&reply, Version::V7_0), *terminal, "{bytes:?}");
            assert_eq!(raw_text(&reply, Version::V7_0), *pipe, "{bytes:?}");
        }
    }

    #[test]
    fn bytes_beyond_ascii_are_escaped() {
        let reply = Reply::bulk(b"\x00\x01\x07\x08\t\n\r\x1b\\'\x7f\xff".as_slice());
        let shown = "\"\\x00\\x01\\a\\b\\t\\n\\r\\x1b\\\\'\\x7f\\xff\"";
        assert_eq!(terminal_text(&reply, Version::V7_0), shown);
    }

    #[test]
    fn indexes_are_as_wide_as_the_widest() {
        let text = terminal_text(&Reply::Array(vec![Reply::Int(1); 100]), Version::V7_0);
        assert!(text.starts_with("  1) (integer) 1\n  2) "), "{text}");
        assert!(text.ends_with("\n 99) (integer) 1\n100) (integer) 1"), "{text}");
    }
}
