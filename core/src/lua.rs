//! A Lua value as plain data, for onlookers. Knows no Lua: `script` takes it down.
//!
//! Invariant: it is bounded. What was left out is said, and told from what is not there.

/// A value as it was at one moment. Functions, threads and userdata are but their type's name.
#[derive(Clone, Debug, PartialEq)]
pub enum LuaValue {
    Nil,
    Boolean(bool),
    Number(f64),
    String(LuaText),
    Table(LuaTable),
    Other(&'static str),
}

/// The beginning of a string, and how long it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LuaText {
    pub bytes: Vec<u8>,
    pub len: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LuaTable {
    /// What stands at 1, 2, 3… up to the first nil.
    pub items: Vec<LuaValue>,
    /// All other pairs; integer keys first, in their order, then strings in theirs.
    pub rest: Vec<(LuaValue, LuaValue)>,
    /// There is more than was taken down.
    pub cut: bool,
}

impl LuaValue {
    pub fn text(bytes: &[u8]) -> Self {
        Self::String(LuaText { bytes: bytes.to_vec(), len: bytes.len() })
    }

    /// As `type()` names it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Boolean(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Table(_) => "table",
            Self::Other(name) => name,
        }
    }
}

impl LuaTable {
    /// The value at a key that is a string.
    pub fn field(&self, name: &str) -> Option<&LuaValue> {
        self.rest.iter().find_map(|(key, value)| match key {
            LuaValue::String(text) if text.bytes == name.as_bytes() => Some(value),
            _ => None,
        })
    }

    /// Values that stand behind the hole that ends the array, with their indexes.
    pub fn behind_hole(&self) -> impl Iterator<Item = (f64, &LuaValue)> {
        let end = self.items.len() as f64;
        self.rest.iter().filter_map(move |(key, value)| match key {
            LuaValue::Number(index) if *index > end && index.fract() == 0.0 => Some((*index, value)),
            _ => None,
        })
    }
}
