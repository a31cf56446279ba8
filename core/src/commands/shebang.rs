//! The first line of scripts and libraries: `#!lua flags=no-writes`, `#!lua name=mylib`.

use crate::Bytes;
use crate::error::CommandError;
use crate::state::ScriptFlags;

/// What a script's shebang says; None where it has none.
pub(crate) fn of_script(source: &[u8]) -> Result<Option<ScriptFlags>, CommandError> {
    if !source.starts_with(b"#!") {
        return Ok(None);
    }
    let Some(end) = source.iter().position(|&byte| byte == b'\n') else {
        return Err(CommandError::Line("ERR Invalid script shebang".into()));
    };
    let text = String::from_utf8_lossy(&source[..end]).into_owned();
    let mut words = text.split_ascii_whitespace();
    let engine = words.next().unwrap_or_default();
    if engine != "#!lua" {
        return Err(CommandError::ScriptEngine(engine.into()));
    }
    let mut flags = ScriptFlags::default();
    for word in words {
        let Some(names) = word.strip_prefix("flags=") else {
            return Err(CommandError::ScriptOption(word.into()));
        };
        if names.is_empty() {
            continue;
        }
        for name in names.split(',') {
            if !flags.set(name.as_bytes()) {
                return Err(CommandError::ScriptFlag(name.into()));
            }
        }
    }
    Ok(Some(flags))
}

/// The library's name from its shebang.
pub(crate) fn of_library(source: &[u8]) -> Result<Bytes, CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    if !source.starts_with(b"#!") {
        return Err(line("ERR Missing library metadata"));
    }
    let Some(end) = source.iter().position(|&byte| byte == b'\n') else {
        return Err(line("ERR Invalid library metadata"));
    };
    let words = crate::resp::split_args(&source[..end]).map_err(|_| line("ERR Invalid library metadata"))?;
    let mut words = words.into_iter();
    let first = words.next().ok_or_else(|| line("ERR Invalid library metadata"))?;
    let engine = Bytes::from(&first[2..]);
    let mut name: Option<Bytes> = None;
    for word in words {
        match word.get(..5) {
            Some(key) if key.eq_ignore_ascii_case(b"name=") => {
                if name.is_some() {
                    return Err(line("ERR Invalid metadata value, name argument was given multiple times"));
                }
                name = Some(Bytes::from(&word[5..]));
            }
            _ => return Err(CommandError::LibraryOption(word.to_word())),
        }
    }
    let name = name.ok_or_else(|| line("ERR Library name was not given"))?;
    let valid = !name.is_empty() && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !valid {
        return Err(CommandError::LibraryName);
    }
    if !engine.eq_ignore_ascii_case(b"lua") {
        return Err(CommandError::LibraryEngine(engine.to_word()));
    }
    Ok(name)
}
