//! A reply as a value, independent of the protocol a client speaks.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Bytes;

use super::Flat;

/// A short text that is mostly a constant (`OK`, an error line); any bytes but CR and LF.
pub type Text = Cow<'static, [u8]>;

/// The protocol version a client has chosen with HELLO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    #[default]
    Resp2,
    Resp3,
}

/// What a command answers. RESP2 lacks some of the kinds: encoding degrades them as Redis does
/// (map and set to array, double and verbatim to bulk string, boolean to integer, both nulls apart).
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Status(Text),
    /// The whole line without the leading `-`, e.g. `ERR syntax error`.
    Error(Text),
    Int(i64),
    Bulk(Bytes),
    /// `$-1` in RESP2, `_` in RESP3.
    Nil,
    /// `*-1` in RESP2, `_` in RESP3.
    NilArray,
    Array(Vec<Reply>),
    Map(Vec<(Reply, Reply)>),
    Set(Vec<Reply>),
    Push(Vec<Reply>),
    Double(f64),
    /// A double that is sent with up to 17 decimals and never with an exponent: coordinates before 8.0.
    LongDouble(f64),
    Bool(bool),
    BigNumber(Bytes),
    Verbatim {
        format: [u8; 3],
        text: Bytes,
    },
    /// A reply with attributes in front, which only RESP3 clients see.
    Attribute {
        pairs: Vec<(Reply, Reply)>,
        reply: Box<Reply>,
    },
    /// A reply in the form of that protocol, whatever the client speaks when it is sent: an element of a transaction in which
    /// HELLO came later.
    Fixed {
        protocol: Protocol,
        reply: Box<Reply>,
    },
    /// An array, map or set whose insides nest very deep, part by part in the order in which they are sent. Only below
    /// dozens of other levels.
    Deep(Arc<[Flat]>),
}

impl Reply {
    pub const OK: Reply = Reply::Status(Cow::Borrowed(b"OK"));

    pub fn status(text: &'static str) -> Self {
        Self::Status(Cow::Borrowed(text.as_bytes()))
    }

    /// An error line; line breaks, which would break the protocol, become blanks.
    pub fn error(line: impl Into<String>) -> Self {
        Self::quoting_error(line.into().into_bytes())
    }

    /// As [`Reply::error`], for a line that quotes what a client has sent.
    pub fn quoting_error(mut line: Vec<u8>) -> Self {
        for byte in &mut line {
            if matches!(byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
        Self::Error(Cow::Owned(line))
    }

    pub fn bulk(text: impl Into<Bytes>) -> Self {
        Self::Bulk(text.into())
    }

    /// A bulk string, or the null bulk string where there is none.
    pub fn bulk_or_nil(text: Option<Bytes>) -> Self {
        text.map_or(Self::Nil, Self::Bulk)
    }

    /// An array of bulk strings.
    pub fn bulks<T: Into<Bytes>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Array(texts.into_iter().map(Self::bulk).collect())
    }

    /// The reply in the form of that protocol, unless it has one already.
    pub fn fixed(self, protocol: Protocol) -> Self {
        match self {
            Self::Fixed { .. } => self,
            reply => Self::Fixed { protocol, reply: reply.into() },
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }
}

impl From<bool> for Reply {
    /// Redis's `:1` and `:0`.
    fn from(yes: bool) -> Self {
        Self::Int(yes.into())
    }
}

impl From<i64> for Reply {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<usize> for Reply {
    fn from(count: usize) -> Self {
        Self::Int(count as i64)
    }
}
