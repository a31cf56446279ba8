//! Why a step ended as it did.

use serde::{Deserialize, Serialize};

/// Texts may have code in backticks; steps are counted from 1 in them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub id: String,
    /// The step during which it came about: the step's own index, or that of a later one.
    pub during: usize,
    pub title: String,
    /// What happened here.
    pub what: String,
    /// The rule behind it.
    pub why: String,
    pub advice: String,
    /// An address of Redis's documentation.
    pub docs: String,
    /// The name of an example.
    pub example: String,
    /// Other steps that have part in it.
    pub mentions: Vec<usize>,
}

/// How the value of a script became a reply, line by line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversion {
    pub during: usize,
    pub lines: Vec<ConversionLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConversionLine {
    pub depth: usize,
    /// The Lua value in pieces, each with whether it is kept.
    pub lua: Vec<(String, bool)>,
    /// None: nothing comes of it.
    pub reply: Option<String>,
    /// The rule's name.
    pub rule: String,
    /// Whether something of the value is lost.
    pub loses: bool,
}
