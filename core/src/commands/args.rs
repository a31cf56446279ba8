//! Reading arguments: numbers as strictly as Redis does, option words in any case.

use crate::Bytes;
use crate::error::CommandError;
use crate::value::number;

pub fn int(argument: &[u8]) -> Result<i64, CommandError> {
    number::parse_i64(argument).ok_or(CommandError::NotAnInteger)
}

/// A number of 32 bits, as databases have; its range is told where only that is missed.
pub fn int32(argument: &[u8]) -> Result<i64, CommandError> {
    let number = int(argument)?;
    if i32::try_from(number).is_err() {
        return Err(CommandError::NotAnInt32);
    }
    Ok(number)
}

/// A number from zero on: counts.
pub fn non_negative(argument: &[u8]) -> Result<usize, CommandError> {
    let number = number::parse_i64(argument).and_then(|number| usize::try_from(number).ok());
    number.ok_or(CommandError::Negative)
}

/// A number from one on, as it stands behind COUNT.
pub fn positive_count(argument: &[u8]) -> Result<usize, CommandError> {
    positive(argument).ok_or(CommandError::CountNotPositive)
}

/// `numkeys key …`: the keys, and what follows them.
pub fn counted_keys(arguments: &[Bytes]) -> Result<(&[Bytes], Cursor<'_>), CommandError> {
    let [numkeys, rest @ ..] = arguments else { return Err(CommandError::Syntax) };
    let numkeys = positive(numkeys).ok_or(CommandError::NumkeysNotPositive)?;
    let (keys, rest) = rest.split_at_checked(numkeys).ok_or(CommandError::Syntax)?;
    Ok((keys, Cursor::new(rest)))
}

/// A number from one on.
pub fn positive(argument: &[u8]) -> Option<usize> {
    number::parse_i64(argument).and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0)
}

/// Whether an argument is this word, in any case.
pub fn is(argument: &[u8], word: &str) -> bool {
    argument.eq_ignore_ascii_case(word.as_bytes())
}

/// Walks over options one by one.
pub struct Cursor<'a> {
    rest: &'a [Bytes],
}

impl<'a> Cursor<'a> {
    pub fn new(rest: &'a [Bytes]) -> Self {
        Self { rest }
    }

    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn remaining(&self) -> &'a [Bytes] {
        self.rest
    }

    /// Takes the next argument if it is this word.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.rest.first().is_some_and(|argument| is(argument, word));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    /// Steps over the argument that was peeked at.
    pub fn skip(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    pub fn peek(&self) -> Option<&'a Bytes> {
        self.rest.first()
    }

    /// The next argument; a missing one is a syntax error.
    pub fn next(&mut self) -> Result<&'a Bytes, CommandError> {
        let (first, rest) = self.rest.split_first().ok_or(CommandError::Syntax)?;
        self.rest = rest;
        Ok(first)
    }
}
