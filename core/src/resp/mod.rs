//! RESP2 and RESP3: replies as values, their bytes, and their text as redis-cli prints it; requests both ways.

mod cli;
mod decode;
mod encode;
mod nest;
mod pattern;
mod quote;
mod reply;
mod request;

pub use cli::{raw_text, terminal_text, transcript_text};
pub use decode::{DecodeError, decode};
pub use encode::encode;
pub(crate) use nest::Nest;
pub use nest::{Flat, Kind, Step, steps};
pub use pattern::{Pattern, PatternError};
pub use quote::{UnbalancedQuotes, Word, push_quoted, quote_arg, split_args, split_words};
pub use reply::{Protocol, Reply, Text};
pub use request::{ProtocolError, RequestLimits, RequestParser};
