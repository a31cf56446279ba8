//! What SET, GETEX and MSETEX take behind their operands: conditions and expiry.

use xxhash_rust::xxh3::xxh3_64;

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::Ctx;
use crate::commands::expiry::Unit;
use crate::error::CommandError;
use crate::profile::Version;
use crate::value::StringValue;

/// Whose options are read: not every command takes every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Set,
    GetEx,
    MSetEx,
}

#[derive(Default)]
pub(super) struct Options {
    pub existence: Option<Existence>,
    pub comparison: Option<Comparison>,
    pub get: bool,
    pub expiry: Expiry,
}

/// NX and XX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existence {
    Missing,
    Present,
}

/// IFEQ, IFNE, IFDEQ, IFDNE with what the old value is compared to.
pub(super) struct Comparison {
    by_digest: bool,
    wants_equal: bool,
    operand: Bytes,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Expiry {
    #[default]
    Unset,
    Keep,
    Persist,
    At(Unit, Bytes),
}

impl Options {
    pub(super) fn parse(rest: &[Bytes], grammar: Grammar, version: Version) -> Result<Self, CommandError> {
        let mut options = Self::default();
        let mut words = Cursor::new(rest);
        while !words.is_done() {
            let word = words.next()?;
            let known = options.take_flag(word, grammar)
                || options.take_expiry(word, &mut words, grammar)
                || (version >= Version::V8_4
                    && grammar == Grammar::Set
                    && options.take_comparison(word, &mut words));
            if !known {
                return Err(CommandError::Syntax);
            }
        }
        Ok(options)
    }

    fn take_flag(&mut self, word: &[u8], grammar: Grammar) -> bool {
        let sets = grammar != Grammar::GetEx;
        if sets && args::is(word, "nx") && self.existence != Some(Existence::Present) {
            self.existence = Some(Existence::Missing);
        } else if sets && args::is(word, "xx") && self.existence != Some(Existence::Missing) {
            self.existence = Some(Existence::Present);
        } else if grammar == Grammar::Set && args::is(word, "get") {
            self.get = true;
        } else {
            return false;
        }
        true
    }

    /// An expiry may be repeated, the last one counts; two kinds of it don't go together.
    fn take_expiry(&mut self, word: &[u8], words: &mut Cursor<'_>, grammar: Grammar) -> bool {
        let new = if args::is(word, "keepttl") && grammar != Grammar::GetEx {
            Expiry::Keep
        } else if args::is(word, "persist") && grammar == Grammar::GetEx {
            Expiry::Persist
        } else if let (Some(unit), Some(text)) = (Unit::from_set_option(word), words.peek()) {
            Expiry::At(unit, text.clone())
        } else {
            return false;
        };
        if !self.expiry.may_become(&new) {
            return false;
        }
        if matches!(new, Expiry::At(..)) {
            words.skip();
        }
        self.expiry = new;
        true
    }

    fn take_comparison(&mut self, word: &[u8], words: &mut Cursor<'_>) -> bool {
        let comparison = words.peek().and_then(|operand| Comparison::parse(word, operand));
        let Some(comparison) = comparison else { return false };
        if self.existence.is_some() || self.comparison.as_ref().is_some_and(|old| !old.is_like(&comparison)) {
            return false;
        }
        words.skip();
        self.comparison = Some(comparison);
        true
    }
}

impl Expiry {
    fn may_become(&self, new: &Self) -> bool {
        match (self, new) {
            (Self::Unset, _) => true,
            (Self::At(old, _), Self::At(new, _)) => old == new,
            (old, new) => old == new,
        }
    }

    /// The moment that is asked for, if one is; `command` is named in the error.
    pub(super) fn deadline(
        &self,
        now: UnixMillis,
        command: &'static str,
    ) -> Result<Option<UnixMillis>, CommandError> {
        match self {
            Self::At(unit, text) => unit.deadline(text, now, command).map(Some),
            _ => Ok(None),
        }
    }

    /// EXAT and PXAT name a moment that may have passed already.
    pub(super) fn is_absolute(&self) -> bool {
        matches!(self, Self::At(Unit::UnixSeconds | Unit::UnixMillis, _))
    }
}

impl Comparison {
    pub(super) fn parse(word: &[u8], operand: &Bytes) -> Option<Self> {
        let (by_digest, wants_equal) = match &*word.to_ascii_lowercase() {
            b"ifeq" => (false, true),
            b"ifne" => (false, false),
            b"ifdeq" => (true, true),
            b"ifdne" => (true, false),
            _ => return None,
        };
        Some(Self { by_digest, wants_equal, operand: operand.clone() })
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.by_digest, self.wants_equal) == (other.by_digest, other.wants_equal)
    }

    /// Whether the condition holds; a missing key is unequal to everything.
    pub(super) fn holds(&self, ctx: &mut Ctx<'_>, key: &Bytes) -> Result<bool, CommandError> {
        let Some(current) = ctx.write::<StringValue>(key)? else { return Ok(!self.wants_equal) };
        let current = current.as_slice();
        let equal = if self.by_digest {
            check_digest(&self.operand)?;
            self.operand.eq_ignore_ascii_case(digest(&current).as_bytes())
        } else {
            *current == *self.operand
        };
        Ok(equal == self.wants_equal)
    }
}

/// Only the length is looked at: what is no hexadecimal number equals no digest.
fn check_digest(text: &[u8]) -> Result<(), CommandError> {
    const DIGITS: usize = 16;
    if text.len() == DIGITS {
        Ok(())
    } else {
        Err(CommandError::Line("ERR must be exactly 16 hexadecimal characters".into()))
    }
}

/// XXH3 with 64 bits, in hexadecimal: what DIGEST answers.
pub(super) fn digest(text: &[u8]) -> String {
    format!("{:016x}", xxh3_64(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers to DIGEST: 8.6.3's, and such as client libraries' tests expect of 8.4.
    #[test]
    fn the_digest_is_the_servers() {
        let check = |text: &str, expected: &str| assert_eq!(digest(text.as_bytes()), expected, "{text:?}");
        check("v", "f7042be43fb80714");
        check("", "2d06800538d394c2");
        check("hello", "9555e8555c62dcfd");
        check("v8", "0cc76dbb41381419");
    }
}
