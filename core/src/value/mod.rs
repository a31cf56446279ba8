//! The values a key can hold, as pure data types.
//!
//! They know no keys, clients, clock, configuration or protocol: whoever calls hands in the moment, the random index and the
//! [`EncodingLimits`]. Invariants: every order that can be seen is a function of the operations applied (never of an address or
//! a random hash seed); small collections keep the order of the real server's compact encodings; an encoding once left for a bigger one is
//! not taken up again except where the server does so.

pub mod bitfield;
pub mod bits;
pub mod crc;
pub mod encoding;
pub mod geo;
pub mod glob;
pub mod hash;
pub mod hll;
pub mod index;
pub mod lcs;
pub mod list;
pub mod listpack;
pub mod memory;
pub mod number;
pub mod rdb;
pub mod set;
pub mod sha256;
pub mod stream;
pub mod string;
pub mod table;
pub mod zset;

use std::sync::Arc;

pub use encoding::EncodingLimits;
pub use hash::HashValue;
pub use list::{End, ListValue};
pub use set::SetValue;
pub use stream::StreamValue;
pub use string::{Holder, StringValue};
pub use zset::ZSetValue;

use crate::clock::UnixMillis;

/// What a key holds. A clone costs reference counts; take `Arc::make_mut` to write.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    String(StringValue),
    List(Arc<ListValue>),
    Set(Arc<SetValue>),
    Hash(Arc<HashValue>),
    ZSet(Arc<ZSetValue>),
    Stream(Arc<StreamValue>),
}

impl Value {
    /// The name TYPE answers.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Hash(_) => "hash",
            Self::ZSet(_) => "zset",
            Self::Stream(_) => "stream",
        }
    }

    /// The name OBJECT ENCODING answers.
    pub fn encoding(&self, holder: Holder) -> &'static str {
        match self {
            Self::String(string) => string.encoding(holder),
            Self::List(list) => list.encoding(),
            Self::Set(set) => set.encoding(),
            Self::Hash(hash) => hash.encoding(),
            Self::ZSet(zset) => zset.encoding(),
            Self::Stream(stream) => stream.encoding(),
        }
    }

    /// Whether a blocking command can wait for a value of this type.
    pub fn can_be_awaited(&self) -> bool {
        matches!(self, Self::List(_) | Self::ZSet(_) | Self::Stream(_))
    }

    /// True for a collection without elements: such a value must not stay in the keyspace. Strings and streams may be empty.
    pub fn is_empty_collection(&self) -> bool {
        match self {
            Self::String(_) | Self::Stream(_) => false,
            Self::List(list) => list.is_empty(),
            Self::Set(set) => set.is_empty(),
            Self::Hash(hash) => hash.is_empty(),
            Self::ZSet(zset) => zset.is_empty(),
        }
    }
}

impl Value {
    /// When the first of a hash's fields runs out.
    pub fn next_field_expiry(&self) -> Option<UnixMillis> {
        match self {
            Self::Hash(hash) => hash.next_expiry(),
            _ => None,
        }
    }
}

impl From<StringValue> for Value {
    fn from(string: StringValue) -> Self {
        Self::String(string)
    }
}

impl From<ListValue> for Value {
    fn from(list: ListValue) -> Self {
        Self::List(Arc::new(list))
    }
}

impl From<SetValue> for Value {
    fn from(set: SetValue) -> Self {
        Self::Set(Arc::new(set))
    }
}

impl From<HashValue> for Value {
    fn from(hash: HashValue) -> Self {
        Self::Hash(Arc::new(hash))
    }
}

impl From<ZSetValue> for Value {
    fn from(zset: ZSetValue) -> Self {
        Self::ZSet(Arc::new(zset))
    }
}

impl From<StreamValue> for Value {
    fn from(stream: StreamValue) -> Self {
        Self::Stream(Arc::new(stream))
    }
}

/// A type of value, for lookups that insist on one.
pub trait Typed: Clone + Sized {
    fn of(value: &Value) -> Option<&Self>;
    /// For writing: unshares the value where a snapshot holds it too.
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    fn wrap(value: Arc<Self>) -> Value;
}

impl Typed for StringValue {
    fn of(value: &Value) -> Option<&Self> {
        if let Value::String(string) = value { Some(string) } else { None }
    }

    fn of_mut(value: &mut Value) -> Option<&mut Self> {
        if let Value::String(string) = value { Some(string) } else { None }
    }

    fn wrap(value: Arc<Self>) -> Value {
        Value::String(Arc::unwrap_or_clone(value))
    }
}

macro_rules! typed {
    ($($variant:ident: $type:ty),*) => {$(
        impl Typed for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }

            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                if let Value::$variant(inner) = value { Some(Arc::make_mut(inner)) } else { None }
            }

            fn wrap(value: Arc<Self>) -> Value {
                Value::$variant(value)
            }
        }
    )*};
}

typed!(List: ListValue, Set: SetValue, Hash: HashValue, ZSet: ZSetValue, Stream: StreamValue);
