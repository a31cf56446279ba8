//! How much room texts take, without asking the browser: the page's monospaced type has one width.

use playground_model::step::Step;
use playground_model::story::Action;

use crate::strings::T;

/// Of one character on a chip, in pixels.
const CHAR: f64 = 7.0;
const PADDING: f64 = 18.0;
const CHIP_MIN: f64 = 46.0;
const CHIP_MAX: f64 = 170.0;

/// The length of a step's chip: command above, reply below.
pub(crate) fn chip(action: &Action, step: &Step) -> f64 {
    let label = match action {
        Action::Send { command, .. } => command.chars().count(),
        Action::Clock { text } => text.chars().count(),
        Action::Server { event } => (T.server_event)(*event).0.chars().count(),
    };
    let reply = step.reply.as_ref().and_then(|reply| reply.text.lines().next());
    let reply = reply.map_or(0, |line| line.chars().count());
    (label.max(reply) as f64 * CHAR + PADDING).clamp(CHIP_MIN, CHIP_MAX)
}
