//! What is known of all the orders in which a story's clients can act.

use serde::{Deserialize, Serialize};

/// Which orders to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Where the reader stands: of a story's parts, the one that this is in is explored.
    pub position: usize,
    /// The steps up to there stay as they are, too.
    pub from_here: bool,
    /// Time may pass at any moment; else as the story says.
    pub clock_free: bool,
    pub method: Method,
    /// For drawn orders: the same seed draws the same ones.
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    #[default]
    All,
    /// Some are drawn by lot.
    Lot,
    /// Some are drawn, in which clients are held up for long.
    Priority,
}

/// What is known so far. Numbers of orders are texts: they may be larger than any number of JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explored {
    /// Of so many parts the one with this number, from 1.
    pub part: usize,
    pub parts: usize,
    pub done: bool,
    /// It gave up at so many states: nothing here is complete.
    pub bound: Option<usize>,
    /// The reader has ended it before everything was known.
    pub ended: bool,
    /// Orders were drawn, not counted.
    pub sampled: bool,
    pub orders: String,
    pub states: usize,
    /// In thousandths, about.
    pub progress: u32,
    pub checks: Vec<CheckResult>,
    /// The first ones: those in which a check fails, then the most frequent.
    pub outcomes: Vec<Outcome>,
    pub outcomes_total: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    /// The directive, `@ finally GET lock`.
    pub text: String,
    pub expected: String,
    /// In how many orders it fails; None where in none.
    pub failing: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub orders: String,
    /// In thousandths of all orders.
    pub share: u32,
    /// Keys and values, and what they have to live.
    pub data: Vec<String>,
    /// Each client's last reply, in the order of the story's clients.
    pub replies: Vec<String>,
    /// Clients that wait for ever.
    pub waiting: Vec<usize>,
    /// The checks that fail, by their place in [`Explored::checks`].
    pub fails: Vec<usize>,
    /// Who acts, one after the other; None is the clock.
    pub schedule: Vec<Option<usize>>,
}
