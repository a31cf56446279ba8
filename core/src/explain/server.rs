//! Notes on the server itself: busy with a script, a replica, restarted.

use crate::resp::quote_arg;
use crate::server::KeyChange;
use crate::state::Running;
use crate::timeline::Action;

use super::moment::{Mark, Moment, Op, Way, is_script, list, number, span};
use super::note::{Kind, Note};

const EVAL_INTRO: &str = "https://redis.io/docs/latest/develop/programmability/eval-intro/";

static BUSY_BEGAN: Kind = Kind {
    id: "busy-began",
    title: "From here on others are answered BUSY",
    why: "The server does one thing at a time. Up to busy-reply-threshold others just wait; past it they get an error at once, so that somebody can end the script.",
    advice: "Keep scripts short: bound every loop, and do large work in pieces.",
    docs: EVAL_INTRO,
    example: "21-busy.md",
};
static BUSY: Kind = Kind {
    id: "busy",
    title: "BUSY: a script is running",
    why: "Past busy-reply-threshold the server answers BUSY to all but a few commands. The command was not run and will not be.",
    advice: "Still answered: SCRIPT KILL (FUNCTION KILL for a function), SHUTDOWN NOSAVE, and what touches no data, such as HELLO, AUTH, MULTI or WATCH.",
    docs: EVAL_INTRO,
    example: "21-busy.md",
};
static WRONG_KILL: Kind = Kind {
    id: "wrong-kill",
    title: "SCRIPT KILL is for scripts, FUNCTION KILL for functions",
    why: "Each of the two ends only its own kind; the BUSY error names the one that works.",
    advice: "Read which command the error names, and send that one.",
    docs: "https://redis.io/docs/latest/commands/function-kill/",
    example: "23-loop-inside-pcall.md",
};
static UNKILLABLE: Kind = Kind {
    id: "unkillable",
    title: "UNKILLABLE: the script has written",
    why: "To end it now would leave half of its changes behind, so the server refuses. Only the end of the process is left, without saving.",
    advice: "Wait, or SHUTDOWN NOSAVE and lose what was not saved. Better: no loop of unknown length behind a write.",
    docs: "https://redis.io/docs/latest/commands/script-kill/",
    example: "22-unkillable.md",
};
static KILLED: Kind = Kind {
    id: "script-killed",
    title: "The script was killed",
    why: "SCRIPT KILL ends a script that has not written yet. It has changed nothing, so it can be sent again.",
    advice: "Find out why it ran so long before it is sent again.",
    docs: "https://redis.io/docs/latest/commands/script-kill/",
    example: "21-busy.md",
};
static WAITED: Kind = Kind {
    id: "waited-for-script",
    title: "The answer is late: a script was running",
    why: "A script is atomic because nothing else runs meanwhile, so every client waits for it, also those with other keys.",
    advice: "Keep scripts short. One that takes 100 ms holds up everybody for 100 ms.",
    docs: EVAL_INTRO,
    example: "24-long-script.md",
};
static READ_ONLY: Kind = Kind {
    id: "readonly-replica",
    title: "READONLY: this is a replica",
    why: "A replica copies its master; a write of its own would be lost with the next copy, so it is refused.",
    advice: "Send writes to the master; after a failover ask again who it is.",
    docs: "https://redis.io/docs/latest/operate/oss_and_stack/management/replication/",
    example: "29-replica.md",
};
static DATA_LOST: Kind = Kind {
    id: "data-lost",
    title: "What was not saved is lost",
    why: "Data lives in memory. Without persistence a new process begins empty.",
    advice: "Turn on RDB or AOF where the data matters, or treat it as a cache that may be empty.",
    docs: "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/",
    example: "22b-shutdown-nosave.md",
};
static EXPIRED_LATE: Kind = Kind {
    id: "expired-after-script",
    title: "The key outlived its time while a script ran",
    why: "Within a script time stands still for expiry: a key that was there at its start is there to its end.",
    advice: "Rely on it inside a script; do not take the end of a lease as exact while scripts run long.",
    docs: EVAL_INTRO,
    example: "30-time-stands-still.md",
};

pub(super) const KINDS: &[&Kind] =
    &[&BUSY_BEGAN, &BUSY, &WRONG_KILL, &UNKILLABLE, &KILLED, &WAITED, &READ_ONLY, &DATA_LOST, &EXPIRED_LATE];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for mark in &moment.marks {
        if let Mark::BusyBegan { step, client } = mark {
            let threshold = span(moment.after.busy_threshold());
            let what = format!("{}'s script has run for {threshold} by now.", moment.name(*client));
            notes.push(BUSY_BEGAN.note(*step, what));
        }
    }
    busy(moment, notes);
    killed(moment, notes);
    waited(moment, notes);
    for op in moment.failed("READONLY") {
        let what = format!("`{}` writes, and this server is a replica.", op.text());
        if !notes.iter().any(|note| note.kind.id == READ_ONLY.id && note.step == op.step) {
            notes.push(READ_ONLY.note(op.step, what));
        }
    }
    data_lost(moment, notes);
    expired_late(moment, notes);
}

/// The script that ran when a command of this step was refused.
fn runner<'a>(moment: &'a Moment<'_>) -> Option<&'a Running> {
    moment.after.running.as_ref().or(moment.before.running.as_ref())
}

fn busy(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for op in moment.failed("BUSY") {
        let Some(running) = runner(moment) else { continue };
        let who = moment.owner(running.client).map_or("another client", |client| moment.name(client));
        let since = moment.moment(running.plan.started_at);
        let kind = if running.is_function() { "function" } else { "script" };
        let is_kill = op.is_sub("script", "kill") || op.is_sub("function", "kill");
        if is_kill {
            let what = format!("{who}'s {kind} is running, and `{}` is not for it.", op.text());
            notes.push(WRONG_KILL.note(op.step, what));
        } else {
            let what = format!("{who}'s {kind} has been running since {since}; `{}` was not run.", op.text());
            notes.push(BUSY.note(op.step, what));
        }
    }
    for op in moment.failed("UNKILLABLE") {
        let Some(client) = runner(moment).and_then(|running| moment.owner(running.client)) else { continue };
        let written = written_by(moment, client);
        let what = match written.first() {
            Some(key) => format!("{}'s script has written {key} already.", moment.name(client)),
            None => format!("{}'s script has run a command that writes.", moment.name(client)),
        };
        notes.push(UNKILLABLE.note(op.step, what));
    }
}

/// Keys that the script under way has changed.
fn written_by(moment: &Moment<'_>, client: usize) -> Vec<String> {
    let sends = (0..=moment.step)
        .rev()
        .filter_map(|step| Some((step, moment.timeline.scenario().steps[step].send()?)));
    let own = |(step, send): (usize, &crate::timeline::Send)| {
        (send.client == client && is_script(&send.argv)).then_some(step)
    };
    let Some(step) = sends.filter_map(own).next() else { return Vec::new() };
    let shown = |key: &crate::Bytes| format!("`{}`", quote_arg(key));
    let now = moment.changes.iter().filter(|change| change.by == Some((client, step)));
    let earlier = moment.ledger.deeds.iter().filter(|(_, deeds)| deeds.iter().any(|deed| deed.step == step));
    now.map(|change| shown(&change.key)).chain(earlier.map(|((_, key), _)| shown(key))).collect()
}

fn killed(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let is_kill =
        |op: &&Op| (op.is_sub("script", "kill") || op.is_sub("function", "kill")) && op.code().is_none();
    let now = moment.ops.iter().find(is_kill).map(|op| (op.client, op.step));
    let Some((killer, by)) = now.or(moment.ledger.killer) else { return };
    for script in moment.scripts().filter(|script| script.code().is_some() && script.step != by) {
        let was_running = moment.before.running.as_ref().and_then(|running| moment.owner(running.client));
        if was_running != Some(script.client) {
            continue;
        }
        let what = format!("{} killed it in step {}.", moment.name(killer), number(by));
        notes.push(KILLED.note(script.step, what).mentioning([by]));
    }
}

/// The step of another client whose script kept the server from beginning with a command.
fn holder(moment: &Moment<'_>, op: &Op) -> Option<(usize, usize)> {
    /// Steps that are looked at: a script that is further back was not waited for.
    const BACK_MAX: usize = 256;
    let sent = moment.timeline.records()[op.step].times.sent;
    let earlier = (op.step.saturating_sub(BACK_MAX)..op.step).rev();
    earlier.filter_map(|step| Some((step, moment.timeline.scenario().steps[step].send()?))).find_map(
        |(step, send)| {
            let times = moment.timeline.records()[step].times;
            let at_work = times.started? <= sent && times.ended.is_none_or(|ended| ended > sent);
            let is_other = send.client != op.client;
            (at_work && is_other && is_script(&send.argv)).then_some((send.client, step))
        },
    )
}

fn waited(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for op in moment.ops.iter().filter(|op| op.way == Way::Direct) {
        let times = moment.timeline.records()[op.step].times;
        let Some(started) = times.started.filter(|started| (*started - times.sent).0 >= 1_000) else {
            continue;
        };
        let Some((client, step)) = holder(moment, op) else { continue };
        let what = format!(
            "Sent at {}, begun at {}: {} went by while {}'s script ran.",
            moment.moment(times.sent),
            moment.moment(started),
            span(started - times.sent),
            moment.name(client)
        );
        notes.push(WAITED.note(op.step, what).mentioning([step]));
    }
}

fn data_lost(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    if !matches!(moment.action(), Action::Restart { keep_data: false }) {
        return;
    }
    let keys = moment.before.dbs.iter().flat_map(|db| db.iter());
    let shown: Vec<String> = keys.take(4).map(|(key, _)| format!("`{}`", quote_arg(key))).collect();
    let total: usize = moment.before.dbs.iter().map(crate::keyspace::Db::len).sum();
    match total {
        0 => {}
        1..=4 => notes.push(DATA_LOST.note(moment.step, format!("Gone: {}.", list(&shown)))),
        _ => notes.push(DATA_LOST.note(moment.step, format!("{total} keys are gone."))),
    }
}

fn expired_late(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    for change in moment.changes.iter().filter(|change| change.change == KeyChange::Expired) {
        let entry = super::moment::entry(moment.before, change.db, &change.key);
        let Some(due) = entry.and_then(|entry| entry.expires_at).map(|at| at.micros()) else {
            continue;
        };
        let late = change.at.saturating_sub(due);
        // A key lives to the end of its last millisecond.
        if late.0 >= 2_000 {
            let what = format!(
                "`{}` was to expire at {}; it went {} later, when the server was free.",
                quote_arg(&change.key),
                moment.moment(due),
                span(late)
            );
            notes.push(EXPIRED_LATE.note(moment.step, what));
        }
    }
}
