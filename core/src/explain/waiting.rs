//! Notes on blocked clients: who woke them, or that nobody did.

use super::moment::{Mark, Moment, is_nil, number, span};
use super::note::{Kind, Note};

const LESSON: &str = "23b-waiting-list.md";

static WOKEN: Kind = Kind {
    id: "woken",
    title: "The waiting client was woken",
    why: "A blocking command waits until one of its keys has something for it. Who has waited longest is served first, right after the command that brought it.",
    advice: "An element that was handed over is gone from the list: if the client dies now, it is lost. BLMOVE keeps a copy.",
    docs: "https://redis.io/docs/latest/commands/blpop/",
    example: LESSON,
};
static TIMED_OUT: Kind = Kind {
    id: "wait-timed-out",
    title: "Nobody came: the wait is over",
    why: "A blocking command with a timeout answers nil when nothing has come by then.",
    advice: "Ask again in a loop; a timeout of 0 waits for ever.",
    docs: "https://redis.io/docs/latest/commands/blpop/",
    example: LESSON,
};

pub(super) const KINDS: &[&Kind] = &[&WOKEN, &TIMED_OUT];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for mark in &moment.marks {
        let Mark::Unblocked { step, by } = mark else { continue };
        let times = moment.timeline.records()[*step].times;
        let waited = times.ended.map(|ended| span(ended - times.sent)).unwrap_or_default();
        match by {
            Some((client, waker)) => {
                let what = format!(
                    "It waited for {waited}, until {} sent step {}.",
                    moment.name(*client),
                    number(*waker)
                );
                notes.push(WOKEN.note(*step, what).mentioning([*waker]));
            }
            None => {
                let ended = moment.ops.iter().find(|op| op.step == *step);
                if ended.is_some_and(|op| is_nil(&op.reply)) {
                    notes.push(TIMED_OUT.note(*step, format!("Nothing came within {waited}.")));
                }
            }
        }
    }
}
