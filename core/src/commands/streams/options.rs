//! What XADD and XTRIM say about IDs and trimming.

use crate::Bytes;
use crate::commands::args;
use crate::error::CommandError;
use crate::profile::Version;
use crate::value::EncodingLimits;
use crate::value::stream::{References, StreamId, Trim, TrimStrategy};

/// The options in front of XADD's ID, or all of XTRIM's.
#[derive(Debug)]
pub(super) struct Options {
    pub trim: Option<Trim>,
    pub no_mkstream: bool,
    pub idempotent: Option<Idempotent>,
    /// How many arguments they took.
    pub taken: usize,
}

/// IDMP and IDMPAUTO: who sends the entry, and by which ID it is known should it be sent again.
#[derive(Clone, Debug)]
pub(super) struct Idempotent {
    pub producer: Bytes,
    /// None: the entry's content is its ID.
    pub iid: Option<Bytes>,
}

/// Which ID an entry is to get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedId {
    /// `*`
    Auto,
    /// `ms-*`
    AutoSequence(u64),
    Exact(StreamId),
}

impl WantedId {
    pub(super) fn parse(text: &Bytes) -> Result<Self, CommandError> {
        if *text == "*" {
            return Ok(Self::Auto);
        }
        if let Some(ms) = StreamId::parse_open(text) {
            return Ok(Self::AutoSequence(ms));
        }
        id(text).map(Self::Exact)
    }
}

/// A whole ID; a missing sequence is 0.
pub(super) fn id(text: &[u8]) -> Result<StreamId, CommandError> {
    StreamId::parse(text, 0).ok_or(CommandError::InvalidStreamId)
}

/// All of these are IDs.
pub(super) fn ids(texts: &[Bytes]) -> Result<Vec<StreamId>, CommandError> {
    texts.iter().map(|text| id(text)).collect()
}

/// `KEEPREF`, `DELREF` or `ACKED`.
pub(super) fn references(word: &[u8], version: Version) -> Option<References> {
    if version < Version::V8_2 {
        return None;
    }
    [("keepref", References::Keep), ("delref", References::Delete), ("acked", References::Acked)]
        .into_iter()
        .find_map(|(name, references)| args::is(word, name).then_some(references))
}

/// Collects options until they are used up or, for XADD, until something that is to be the ID.
struct Parser<'a> {
    rest: args::Cursor<'a>,
    strategy: Option<TrimStrategy>,
    approximate: bool,
    limit: Option<u64>,
    references: Option<References>,
    no_mkstream: bool,
    idempotent: Option<Idempotent>,
}

pub(super) fn parse(words: &[Bytes], adds: bool, limits: &EncodingLimits) -> Result<Options, CommandError> {
    let mut parser = Parser {
        rest: args::Cursor::new(words),
        strategy: None,
        approximate: false,
        limit: None,
        references: None,
        no_mkstream: false,
        idempotent: None,
    };
    while let Some(word) = parser.rest.peek() {
        if !parser.option(word, adds, limits.version)? {
            if !adds {
                return Err(CommandError::Syntax);
            }
            if *word != "*" {
                WantedId::parse(word)?;
            }
            break;
        }
    }
    let taken = words.len() - parser.rest.remaining().len();
    let trim = parser.trim(adds, limits)?;
    Ok(Options { no_mkstream: parser.no_mkstream, idempotent: parser.idempotent, taken, trim })
}

impl Parser<'_> {
    /// Takes one option; false where the word is none.
    fn option(&mut self, word: &Bytes, adds: bool, version: Version) -> Result<bool, CommandError> {
        let has_value = self.rest.remaining().len() > 1;
        if adds && *word == "*" {
            return Ok(false);
        }
        if args::is(word, "maxlen") && has_value {
            self.threshold(|text| {
                let length = args::int(text)?;
                let negative = || CommandError::Line("ERR The MAXLEN argument must be >= 0.".into());
                u64::try_from(length).map(TrimStrategy::MaxLen).map_err(|_| negative())
            })?;
        } else if args::is(word, "minid") && has_value {
            self.threshold(|text| id(text).map(TrimStrategy::MinId))?;
        } else if args::is(word, "limit") && has_value {
            self.rest.next()?;
            let limit = args::int(self.rest.next()?)?;
            let negative = || CommandError::Line("ERR The LIMIT argument must be >= 0.".into());
            self.limit = Some(u64::try_from(limit).map_err(|_| negative())?);
        } else if adds && args::is(word, "nomkstream") {
            self.rest.next()?;
            self.no_mkstream = true;
        } else if adds && version >= Version::V8_6 && args::is(word, "idmpauto") && has_value {
            self.idempotent("IDMPAUTO", false)?;
        } else if adds
            && version >= Version::V8_6
            && args::is(word, "idmp")
            && self.rest.remaining().len() > 2
        {
            self.idempotent("IDMP", true)?;
        } else if self.references.is_none()
            && let Some(references) = references(word, version)
        {
            self.rest.next()?;
            self.references = Some(references);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn idempotent(&mut self, name: &str, has_iid: bool) -> Result<(), CommandError> {
        if self.idempotent.is_some() {
            return Err(CommandError::Line("ERR IDMP/IDMPAUTO specified multiple times".into()));
        }
        self.rest.next()?;
        let empty =
            |what: &str| CommandError::Line(format!("ERR {name} requires a non-empty {what} ID").into());
        let mut text = |what: &str| {
            let text = self.rest.next()?;
            if text.is_empty() { Err(empty(what)) } else { Ok(text.clone()) }
        };
        let producer = text("producer")?;
        let iid = if has_iid { Some(text("idempotent")?) } else { None };
        self.idempotent = Some(Idempotent { producer, iid });
        Ok(())
    }

    fn threshold(
        &mut self,
        read: impl Fn(&Bytes) -> Result<TrimStrategy, CommandError>,
    ) -> Result<(), CommandError> {
        if self.strategy.is_some() {
            let text = "ERR syntax error, MAXLEN and MINID options at the same time are not compatible";
            return Err(CommandError::Line(text.into()));
        }
        self.rest.next()?;
        self.approximate = false;
        if self.rest.remaining().len() > 1 {
            match self.rest.peek() {
                Some(sign) if *sign == "~" => {
                    self.approximate = true;
                    self.rest.next()?;
                }
                Some(sign) if *sign == "=" => {
                    self.rest.next()?;
                }
                _ => {}
            }
        }
        self.strategy = Some(read(self.rest.next()?)?);
        Ok(())
    }

    fn trim(&self, adds: bool, limits: &EncodingLimits) -> Result<Option<Trim>, CommandError> {
        let line = |text: &'static str| Err(CommandError::Line(text.into()));
        const NOT_APPROXIMATE: &str = "ERR syntax error, LIMIT cannot be used without the special ~ option";
        // A limit of 0 counts as none as long as nothing is to be trimmed, but is looked at again after that.
        let Some(strategy) = self.strategy else {
            if self.limit.is_some_and(|limit| limit > 0) {
                return line("ERR syntax error, LIMIT cannot be used without specifying a trimming strategy");
            }
            if !adds {
                return line("ERR syntax error, XTRIM must be called with a trimming strategy");
            }
            return if self.limit.is_some() { line(NOT_APPROXIMATE) } else { Ok(None) };
        };
        if self.limit.is_some() && !self.approximate {
            return line(NOT_APPROXIMATE);
        }
        let unlimited = if self.approximate { Trim::default_limit(limits) } else { 0 };
        Ok(Some(Trim {
            strategy,
            is_approximate: self.approximate,
            limit: self.limit.unwrap_or(unlimited),
            references: self.references.unwrap_or_default(),
        }))
    }
}
