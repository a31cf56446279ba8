//! Glob patterns, and the patterns of replies that stories expect.

use playground_core::profile::Version;
use playground_core::resp::{Pattern, Reply, push_quoted, quote_arg, split_args};
use playground_core::value::glob::{Case, matches};

use super::same;
use crate::chance::Chance;

const ALPHABET: &[u8] = b"aab*?[]^-\\b";

pub(super) fn run(chance: &mut Chance) -> Result<(), String> {
    let pattern = chance.bytes_of(ALPHABET, 16);
    let text = chance.bytes_of(b"aabbc", 12);
    let found = matches(&pattern, &text, Case::Sensitive);
    // The ends of a range are lowered too, which may turn it round.
    if found && !pattern.contains(&b'[') && !matches(&pattern, &text, Case::Insensitive) {
        return Err(format!("{pattern:?} finds {text:?} only where case matters"));
    }
    let simple = pattern.iter().all(|byte| !b"[]\\^".contains(byte));
    if simple && !text.is_empty() {
        same("stars and question marks", &found, &wild(&pattern, &text))?;
    }
    let escaped: Vec<u8> = text.iter().flat_map(|byte| [b'\\', *byte]).collect();
    same("a text that is escaped finds itself", &matches(&escaped, &text, Case::Sensitive), &true)?;
    quoting(chance)?;
    let words = chance.bytes_of(b"\"\"(integer) ~=1-.*_<>[]", 24);
    if let Ok(pattern) = Pattern::parse(&String::from_utf8_lossy(&words)) {
        let _ = pattern.matches(&Reply::bulk("x"), Version::default());
        let _ = pattern.matches(&Reply::Int(1), Version::default());
    }
    Ok(())
}

/// The plain definition, without classes and escapes.
fn wild(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], rest) => rest.is_empty(),
        ([b'*', more @ ..], _) => (0..=text.len()).any(|skipped| wild(more, &text[skipped..])),
        ([b'?', more @ ..], [_, rest @ ..]) => wild(more, rest),
        ([byte, more @ ..], [first, rest @ ..]) => byte == first && wild(more, rest),
        _ => false,
    }
}

/// What is quoted is one argument again.
fn quoting(chance: &mut Chance) -> Result<(), String> {
    let arg = chance.bytes(24);
    let mut quoted = String::new();
    push_quoted(&arg, &mut quoted);
    for text in [quoted, quote_arg(&arg)] {
        let args = split_args(text.as_bytes()).map_err(|_| format!("{text} can't be read"))?;
        same(
            "an argument that was quoted",
            &args.iter().map(|arg| arg.to_vec()).collect::<Vec<_>>(),
            &vec![arg.clone()],
        )?;
    }
    let _ = split_args(&chance.bytes_of(b"ab\"' \\x4", 24));
    Ok(())
}
