//! Finds backticks that stand outside of strings and comments: they are no Lua, and the parser ends the process at one.

/// The byte of the first such backtick, or of a string before it that does not end; None where there is nothing to fear.
pub(crate) fn stray(text: &str) -> Option<usize> {
    if !text.contains('`') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b'`' => return Some(at),
            quote @ (b'"' | b'\'') => match end_of_string(&bytes[at + 1..], quote) {
                Some(length) => at + 1 + length,
                None => return Some(at),
            },
            b'-' if bytes[at..].starts_with(b"--") => match long_bracket(&bytes[at + 2..]) {
                Some(level) => end_of_long(bytes, at + 2, level)?,
                None => at + bytes[at..].iter().position(|byte| *byte == b'\n')?,
            },
            b'[' => match long_bracket(&bytes[at..]) {
                Some(level) => end_of_long(bytes, at, level)?,
                None => at + 1,
            },
            _ => at + 1,
        };
    }
    None
}

/// How many bytes of a string follow its first quote, the last one included; None where its line ends before.
fn end_of_string(rest: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match rest.get(at)? {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// The number of `=` between the brackets of `[==[`, if this is one.
fn long_bracket(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"[")?;
    let level = rest.iter().take_while(|byte| **byte == b'=').count();
    (rest.get(level) == Some(&b'[')).then_some(level)
}

/// Where the text behind a long string or comment begins; None where it never ends, which all that follows belongs to.
fn end_of_long(bytes: &[u8], from: usize, level: usize) -> Option<usize> {
    let close = [b"]".as_slice(), &b"=".repeat(level), b"]"].concat();
    let start = from + level + 2;
    let found = bytes[start..].windows(close.len()).position(|window| window == close)?;
    Some(start + found + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_backticks_in_the_code_itself_are_found() {
        let check = |text: &str, expected| assert_eq!(stray(text), expected, "{text}");
        check("return 1", None);
        check("return `", Some(7));
        check("return '`', \"`\", [[`]], [==[`]]`]==] -- `", None);
        check("--[[ ` ]] x = '\\'`' --[=[ ` ]=] `", Some(32));
        check("x = '`\ny", Some(4));
        check("--[[ `", None);
        check("-- `\n`", Some(5));
    }
}
