//! Redis's glob patterns, for KEYS, SCAN, PSUBSCRIBE, CONFIG GET and ACLs: `*`, `?`, `[abc]`, `[^a]`, `[a-z]`, `\x`.
//!
//! The quirks are the server's: an unclosed class ends with the pattern, a range may stand the wrong way round, and only the empty
//! pattern matches the empty string (KEYS and SCAN take a lone `*` as no pattern at all). Costs at most pattern × text steps.

/// A pattern with more stars than this, with something behind each, matches nothing.
const STARS_MAX: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    /// ASCII letters count the same in either case.
    Insensitive,
}

/// What to try next when the part behind the last star does not match: the same part one byte further on.
struct Retry<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
}

pub fn matches(pattern: &[u8], text: &[u8], case: Case) -> bool {
    let (mut pattern, mut text) = (pattern, text);
    // Only the last star needs a second try: an earlier one could but make room for what is found anyway.
    let mut retry: Option<Retry> = None;
    let mut stars = 0;
    loop {
        if text.is_empty() {
            // What is left cannot be matched, and less text would not help.
            return pattern.is_empty();
        }
        if let [b'*', rest @ ..] = pattern {
            pattern = skip_stars(rest);
            if pattern.is_empty() {
                return true;
            }
            stars += 1;
            if stars > STARS_MAX {
                return false;
            }
            retry = Some(Retry { pattern, text });
            continue;
        }
        match match_one(pattern, text[0], case) {
            Some(rest) => {
                pattern = rest;
                text = &text[1..];
                if text.is_empty() {
                    pattern = skip_stars(pattern);
                }
            }
            None => {
                let Some(last) = &mut retry else { return false };
                last.text = &last.text[1..];
                (pattern, text) = (last.pattern, last.text);
            }
        }
    }
}

fn skip_stars(pattern: &[u8]) -> &[u8] {
    let stars = pattern.iter().take_while(|&&byte| byte == b'*').count();
    &pattern[stars..]
}

/// Matches the pattern's first element, which is no star, with one byte: the rest of the pattern.
fn match_one(pattern: &[u8], byte: u8, case: Case) -> Option<&[u8]> {
    let equal = |literal: u8| match case {
        Case::Sensitive => literal == byte,
        Case::Insensitive => literal.eq_ignore_ascii_case(&byte),
    };
    match pattern {
        [] => None,
        [b'?', rest @ ..] => Some(rest),
        [b'[', class @ ..] => match_class(class, byte, case),
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => equal(*literal).then_some(rest),
    }
}

fn match_class(class: &[u8], byte: u8, case: Case) -> Option<&[u8]> {
    let fold = |byte: u8| if case == Case::Insensitive { byte.to_ascii_lowercase() } else { byte };
    let byte = fold(byte);
    let (is_negated, mut class) = match class {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut is_in = false;
    let rest = loop {
        class = match class {
            [] => break class,
            [b'\\', literal, rest @ ..] => {
                is_in |= fold(*literal) == byte;
                rest
            }
            [b']', rest @ ..] => break rest,
            [from, b'-', to, rest @ ..] => {
                let (from, to) = (fold(*from), fold(*to));
                is_in |= (from.min(to)..=from.max(to)).contains(&byte);
                rest
            }
            [literal, rest @ ..] => {
                is_in |= fold(*literal) == byte;
                rest
            }
        };
    };
    (is_in != is_negated).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the texts KEYS found at 7.0.15 and 8.2.3.
    #[test]
    fn patterns_match_what_keys_matches() {
        let check = |pattern: &str, found: &[&str], not_found: &[&str]| {
            for text in found {
                assert!(matches(pattern.as_bytes(), text.as_bytes(), Case::Sensitive), "{pattern} {text}");
            }
            for text in not_found {
                assert!(!matches(pattern.as_bytes(), text.as_bytes(), Case::Sensitive), "{pattern} {text}");
            }
        };
        check("h?llo", &["hello", "hallo"], &["hllo", "heello"]);
        check("h*llo", &["hllo", "heeeello"], &["hell"]);
        check("a**b", &["ab", "axb"], &["a"]);
        check("**", &["a"], &[""]);
        check("", &[""], &["a"]);
        check("*ab*abc", &["ababc", "xabyababc"], &["abab"]);
        check("[a", &["a"], &["[a", "b"]);
        check("[", &[], &["[", "a"]);
        check("[^", &["a", "^"], &[]);
        check("[^]", &["a", "^"], &[]);
        check("[a-", &["a", "-"], &["b"]);
        check("[a-]", &["a"], &["-", "b"]);
        check("[z-a]", &["m"], &["-"]);
        check("[]a]", &[], &["a", "]a", "]"]);
        check("[\\]]", &["]"], &["\\"]);
        check("[a\\", &["a", "\\"], &[]);
        check("[\\a-c]", &["a", "-", "c"], &["b", "\\"]);
        check("a\\", &["a\\"], &["a"]);
        check("*\\", &["\\", "a\\"], &["a"]);
        check("\\*", &["*"], &["a"]);
        check("x*[", &[], &["x[", "x"]);
    }

    #[test]
    fn case_can_be_ignored() {
        assert!(matches(b"MAXmemory*", b"maxMEMORY-policy", Case::Insensitive));
        assert!(matches(b"[A-C]", b"b", Case::Insensitive));
        assert!(!matches(b"[A-C]", b"b", Case::Sensitive));
    }

    /// Exponential for a matcher that tries every star again.
    #[test]
    fn many_stars_are_no_danger() {
        let text = "a".repeat(50_000);
        let pattern = format!("{}b", "a*".repeat(900));
        assert!(!matches(pattern.as_bytes(), text.as_bytes(), Case::Sensitive));
    }
}
