//! Reading arguments: numbers as strictly as Redis does, option words in any case.

use crate::Bytes;
use crate::error::CommandError;
use crate::value::number;

pub fn int(argument: &[u8]) -> Result<i64, CommandError> {
    number::parse_i64(argument).ok_or(CommandError::NotAnInteger)
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
