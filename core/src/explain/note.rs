//! What a note is.

/// Why a step ended as it did, for somebody who is surprised.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub kind: &'static Kind,
    /// The step whose reply or effect it explains; it may have been answered during a later one.
    pub step: usize,
    /// What happened here, with the names of this story. Steps are counted from 1 in it.
    pub what: String,
    /// Other steps that have part in it, from 0.
    pub mentions: Vec<usize>,
}

/// What is the same in all notes of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Never changes: links and tests rely on it.
    pub id: &'static str,
    pub title: &'static str,
    /// The rule behind it.
    pub why: &'static str,
    pub advice: &'static str,
    /// A page of Redis's documentation.
    pub docs: &'static str,
    /// A lesson: a file of `examples/`.
    pub example: &'static str,
}

impl Kind {
    /// A note about a step.
    pub(super) fn note(&'static self, step: usize, what: impl Into<String>) -> Note {
        Note { kind: self, step, what: what.into(), mentions: Vec::new() }
    }
}

impl Note {
    pub(super) fn mentioning(mut self, steps: impl IntoIterator<Item = usize>) -> Self {
        self.mentions.extend(steps);
        self
    }
}
