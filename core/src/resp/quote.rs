//! redis-cli's quoting: a line to arguments, and an argument to text that gives it back.

use std::fmt::Write as _;
use std::ops::Range;

use crate::Bytes;

/// One argument of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: Bytes,
    /// Where it stands in the line, quotes included, in bytes.
    pub span: Range<usize>,
    /// Whether any part of it was in quotes.
    pub quoted: bool,
}

/// A line whose quotes don't close, or close in the middle of an argument (`"a"b`). Where, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnbalancedQuotes {
    /// The opening quote.
    pub opened: usize,
    /// The byte behind a closing quote that is not a blank; `None` where the quote never closes.
    pub followed: Option<usize>,
}

/// The arguments of a line, as redis-cli and a server's inline requests read them.
pub fn split_args(line: &[u8]) -> Result<Vec<Bytes>, UnbalancedQuotes> {
    Ok(split_words(line)?.into_iter().map(|word| word.text).collect())
}

/// As [`split_args`], with the place of every argument.
pub fn split_words(line: &[u8]) -> Result<Vec<Word>, UnbalancedQuotes> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at += line[at..].iter().take_while(|byte| is_blank(**byte)).count();
        if at == line.len() {
            return Ok(words);
        }
        let word = word(line, at)?;
        at = word.span.end;
        words.push(word);
    }
}

fn word(line: &[u8], start: usize) -> Result<Word, UnbalancedQuotes> {
    let mut text = Vec::new();
    let mut quoted = false;
    let mut at = start;
    while let Some(&byte) = line.get(at).filter(|byte| !is_blank(**byte)) {
        if byte == b'"' || byte == b'\'' {
            quoted = true;
            at = quoted_part(line, at, &mut text)?;
        } else {
            text.push(byte);
            at += 1;
        }
    }
    Ok(Word { text: Bytes::from(text), span: start..at, quoted })
}

/// Reads from an opening quote to behind its closing one, after which only a blank or the end may come.
fn quoted_part(line: &[u8], opened: usize, text: &mut Vec<u8>) -> Result<usize, UnbalancedQuotes> {
    let quote = line[opened];
    let mut at = opened + 1;
    loop {
        match line[at..] {
            [] => return Err(UnbalancedQuotes { opened, followed: None }),
            [byte, ref rest @ ..] if byte == quote => {
                return match rest.first() {
                    Some(next) if !is_blank(*next) => {
                        Err(UnbalancedQuotes { opened, followed: Some(at + 1) })
                    }
                    _ => Ok(at + 1),
                };
            }
            [b'\\', b'x', high, low, ..] if quote == b'"' && is_hex(high) && is_hex(low) => {
                text.push(hex(high) << 4 | hex(low));
                at += 4;
            }
            [b'\\', escaped, ..] if quote == b'"' => {
                text.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => other,
                });
                at += 2;
            }
            // In single quotes only the quote itself can be escaped.
            [b'\\', b'\'', ..] => {
                text.push(b'\'');
                at += 2;
            }
            [byte, ..] => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

/// C's `isspace`.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// Appends the text in double quotes, as redis-cli prints a bulk string: escapes, and `\x..` for all that is not ASCII.
pub fn push_quoted(text: &[u8], out: &mut String) {
    out.push('"');
    for &byte in text {
        push_escaped(byte, out);
    }
    out.push('"');
}

fn push_escaped(byte: u8, out: &mut String) {
    match byte {
        b'\\' | b'"' => out.extend(['\\', char::from(byte)]),
        b'\n' => out.push_str("\\n"),
        b'\r' => out.push_str("\\r"),
        b'\t' => out.push_str("\\t"),
        0x07 => out.push_str("\\a"),
        0x08 => out.push_str("\\b"),
        b' '..=b'~' => out.push(char::from(byte)),
        _ => {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
}

/// The argument as one would type it: bare where that is possible, else in double quotes; UTF-8 stays readable.
///
/// A leading `$` is quoted, for a bare one names a script in a scenario.
pub fn quote_arg(arg: &[u8]) -> String {
    let text = String::from_utf8_lossy(arg);
    let is_bare = |c: char| !c.is_whitespace() && !c.is_control() && !"\"'\u{fffd}".contains(c);
    if !text.is_empty() && !text.starts_with('$') && text.chars().all(is_bare) {
        return text.into_owned();
    }
    let mut out = String::from('"');
    for chunk in arg.utf8_chunks() {
        for c in chunk.valid().chars() {
            match u8::try_from(c) {
                Ok(byte) if c.is_ascii() => push_escaped(byte, &mut out),
                _ if c.is_control() => c.to_string().bytes().for_each(|byte| push_escaped(byte, &mut out)),
                _ => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| push_escaped(*byte, &mut out));
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let args = split_args(line.as_bytes()).expect("the quotes close");
        assert_eq!(args, expected.iter().map(|arg| Bytes::from(*arg)).collect::<Vec<_>>(), "{line}");
    }

    /// Each was asked of redis-cli 7.0.15 with ECHO.
    #[test]
    fn lines_are_split_as_redis_cli_does() {
        check("  GET   k ", &["GET", "k"]);
        check("", &[]);
        check(r#""a\x41\n\t\a\b\r\q\"""#, &["aA\n\t\x07\x08\rq\""]);
        check(r#"'it\'s \n "x"'"#, &[r#"it's \n "x""#]);
        check(r"a\x41b", &[r"a\x41b"]);
        check(r#""\x4""#, &["x4"]);
        check(r#""\xzz""#, &["xzz"]);
        check(r#""" ''"#, &["", ""]);
        check("a'b c'", &["ab c"]);
        check(r#""\\""#, &["\\"]);
        check("\"ä\"", &["ä"]);
    }

    #[test]
    fn quotes_that_do_not_close_are_pointed_at() {
        let refused = |line: &str, opened, followed| {
            assert_eq!(split_args(line.as_bytes()), Err(UnbalancedQuotes { opened, followed }), "{line}");
        };
        refused("ECHO \"abc", 5, None);
        refused("ECHO \"abc\"d", 5, Some(10));
        refused("ECHO 'abc'd", 5, Some(10));
        refused("ECHO ab\"c d\"e", 7, Some(12));
        refused(r"ECHO '\\'", 5, None);
        refused("ECHO \"abc\\", 5, None);
    }

    #[test]
    fn words_know_their_place_and_their_quotes() {
        let words = split_words(b" GET \"a b\"").unwrap();
        assert_eq!((words[0].span.clone(), words[0].quoted), (1..4, false));
        assert_eq!((words[1].span.clone(), words[1].quoted), (5..10, true));
    }

    #[test]
    fn quoted_arguments_read_back_as_themselves() {
        let back = |arg: &[u8]| {
            let quoted = quote_arg(arg);
            assert_eq!(split_args(quoted.as_bytes()), Ok(vec![Bytes::from(arg)]), "{quoted}");
            quoted
        };
        assert_eq!(back(b"plain"), "plain");
        assert_eq!(back(b""), "\"\"");
        assert_eq!(back(b"a b"), "\"a b\"");
        assert_eq!(back(b"it's"), "\"it's\"");
        assert_eq!(back(b"a\\n"), "a\\n");
        assert_eq!(back(b"a\\ \n"), "\"a\\\\ \\n\"");
        assert_eq!(back(b"$name"), "\"$name\"");
        assert_eq!(back("grün".as_bytes()), "grün");
        assert_eq!(back("grün blau".as_bytes()), "\"grün blau\"");
        assert_eq!(back(b"\xff\x00"), "\"\\xff\\x00\"");
        assert_eq!(back("\u{85} \u{fffd}".as_bytes()), "\"\\xc2\\x85 \u{fffd}\"");
        (0..=255u8).for_each(|byte| drop(back(&[byte])));
    }
}
