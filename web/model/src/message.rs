//! The messages between the page and the engine. Each request has one answer; errors are answers too.
//!
//! Enums are written as serde does by itself, the variant around its content: a tag beside the content would have to be
//! looked for first, and doubles the code that reads, which is a tenth of the page.

use serde::{Deserialize, Serialize};

use crate::debug;
use crate::explore::{Explored, Plan};
use crate::frame::Frame;
use crate::offer::CommandHelp;
use crate::step::{Lease, Step};
use crate::story::Story;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Reads a scenario and does nothing else. Answered by [`Answer::Story`], however broken the text.
    Read { text: String },
    /// Reads a scenario and stands before its first step, or before the first one that is not as in the story before it.
    /// Answered by [`Answer::Story`].
    Load {
        text: String,
        /// So many steps of the story before are known to whoever asks, who keeps them as far as nothing has changed.
        known: usize,
        /// Steps that an engine was lost over: they are told of, and not carried out again.
        spoilt: Vec<usize>,
    },
    /// Carries out the next step. Answered by [`Answer::Ran`].
    Run,
    /// The state at a position that has been reached. Answered by [`Answer::Frame`].
    Look {
        position: usize,
        /// So many keys are told at most.
        rows: usize,
    },
    /// Puts a command into the text, so that it is sent at a position. Answered by [`Answer::Text`] or
    /// [`Answer::Refused`]; the engine still stands by the text it was given.
    Insert { position: usize, client: String, command: String },
    /// Writes into the text what came back, wherever it says something else or nothing. Answered by [`Answer::Text`].
    Accept {
        /// Only what is expected at this line, counted from 1.
        line: Option<usize>,
    },
    /// The story in a form that others take: `transcript`, `shell`, `rust`, `js` or `svg`. Answered by [`Answer::Text`].
    Export { form: String },
    /// The reply to a step, that came during that or a later one, in other forms. Answered by [`Answer::Views`].
    Reply { step: usize, during: usize },
    /// What can be typed to the story's server. Answered by [`Answer::Commands`].
    Commands,
    /// Opens the recording of a script that a step has run: which of the step's runs. Answered by [`Answer::Recording`].
    Record { step: usize, run: usize },
    /// Moves through the recording, starting from a point. Answered by [`Answer::Moment`].
    Trace {
        from: usize,
        to: debug::Move,
        breakpoints: Vec<debug::Breakpoint>,
        /// Expressions, and the function they are evaluated in: so many levels out of the innermost one.
        watch: Vec<String>,
        level: usize,
    },
    /// Begins to run the loaded story in other orders, in place of an earlier exploration. Answered by [`Answer::Explored`].
    Explore { plan: Plan },
    /// Goes on with that for a moment. Answered by [`Answer::Explored`].
    ExploreOn,
    /// Ends it; what is known stays. Answered by [`Answer::Explored`].
    ExploreEnd,
    /// One order with an outcome, as a story of its own. Answered by [`Answer::Text`].
    Witness { outcome: usize },
    /// A command as it is typed into redis-cli, to a server beside the story. Answered by [`Answer::Reply`].
    Command { line: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Story(Box<Story>),
    Ran(Box<Ran>),
    Frame(Box<Frame>),
    Explored(Box<Explored>),
    Recording(Box<debug::Recording>),
    Moment(Box<debug::Moment>),
    Text {
        text: String,
    },
    Views(ReplyViews),
    Commands {
        commands: Vec<CommandHelp>,
    },
    /// As redis-cli prints it on a terminal; none where the client waits.
    Reply {
        text: Option<String>,
    },
    /// A typed command cannot be sent; `column` counts characters of it from 1.
    Refused {
        message: String,
        help: String,
        column: usize,
    },
    /// The request could not be carried out; `text` is for a person.
    Error {
        text: String,
    },
}

/// What one step has brought. Records replace those of the same index that were told before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// The step itself, and earlier ones that it let begin, end or be answered.
    pub steps: Vec<(usize, Step)>,
    /// Lives of keys that began, were changed or ended.
    pub leases: Vec<(usize, Lease)>,
    /// The state behind the step, where it is small: then nobody has to ask for it.
    pub frame: Option<Frame>,
    /// Whether this was the last step.
    pub done: bool,
}

/// A reply in other forms than redis-cli's. In bytes those that are not printed are written as in C.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplyViews {
    pub resp2: String,
    pub resp3: String,
    pub json: String,
}
