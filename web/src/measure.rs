//! How much room texts take, without asking the browser: the page's monospaced type has one width.

use playground_model::step::Step;
use playground_model::story::Action;

use crate::strings::T;

/// Of one character on a chip, in pixels.
const CHAR: f64 = 7.0;
const PADDING: f64 = 18.0;
const CHIP_MIN: f64 = 46.0;
const CHIP_MAX: f64 = 170.0;

/// From afar a chip is a mark of its client's colour.
const CHIP_FAR: f64 = 10.0;
/// Below this zoom chips shrink; from here on they show all of their text, within reason.
pub(crate) const ZOOM_FULL_TEXT: f64 = 1.5;
const CHIP_FULL: f64 = 420.0;

/// The length of a step's chip: command above, reply below.
pub(crate) fn chip(action: &Action, step: &Step, zoom: f64) -> f64 {
    let label = match action {
        Action::Send { command, .. } => command.chars().count(),
        Action::Clock { text } => text.chars().count(),
        Action::Server { event } => (T.server_event)(*event).0.chars().count(),
    };
    let reply = step.reply.as_ref().and_then(|reply| reply.text.lines().next());
    let reply = reply.map_or(0, |line| line.chars().count());
    let most = if zoom >= ZOOM_FULL_TEXT { CHIP_FULL } else { CHIP_MAX };
    let length = (label.max(reply) as f64 * CHAR + PADDING).clamp(CHIP_MIN, most);
    (length * zoom.min(1.0)).max(CHIP_FAR)
}

/// To one place behind the point. What writes numbers of every size, as the standard library does, is a large part of a page.
pub(crate) fn tenths(number: f64) -> String {
    let tenths = (number * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
}
