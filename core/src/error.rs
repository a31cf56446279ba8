//! Every error line a command can answer, with its exact text. Handlers never format an error themselves.

use std::borrow::Cow;
use std::fmt;

use crate::resp::Reply;

/// An error a command answers. `Display` gives the whole line without the leading `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    Syntax,
    WrongType,
    NotAnInteger,
    NotAFloat,
    NoSuchKey,
    /// The command's full name, in lower case: `get`, `config|set`.
    WrongArity(String),
    /// `invalid expire time in 'set' command`.
    InvalidExpireTime(&'static str),
    /// A line that needs no arguments and stands nowhere else.
    Line(Cow<'static, str>),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("ERR syntax error"),
            Self::WrongType => {
                f.write_str("WRONGTYPE Operation against a key holding the wrong kind of value")
            }
            Self::NotAnInteger => f.write_str("ERR value is not an integer or out of range"),
            Self::NotAFloat => f.write_str("ERR value is not a valid float"),
            Self::NoSuchKey => f.write_str("ERR no such key"),
            Self::WrongArity(name) => write!(f, "ERR wrong number of arguments for '{name}' command"),
            Self::InvalidExpireTime(name) => write!(f, "ERR invalid expire time in '{name}' command"),
            Self::Line(line) => f.write_str(line),
        }
    }
}

impl From<CommandError> for Reply {
    fn from(error: CommandError) -> Self {
        Reply::error(error.to_string())
    }
}
