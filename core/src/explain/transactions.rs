//! Notes on MULTI, EXEC and WATCH.

use crate::resp::{Reply, quote_arg};
use crate::server::KeyChange;

use super::moment::{Moment, Op, is_nil, is_queued, list, number};
use super::note::{Kind, Note};

const TRANSACTIONS: &str = "https://redis.io/docs/latest/develop/using-commands/transactions/";

static QUEUED: Kind = Kind {
    id: "queued-not-read",
    title: "QUEUED is not an answer yet",
    why: "Between MULTI and EXEC commands are only queued. No value is there to decide by: the whole list is fixed before the first of them runs.",
    advice: "Read before MULTI and guard with WATCH, or decide in a script.",
    docs: TRANSACTIONS,
    example: "25-multi-does-not-branch.md",
};
static WATCH_BROKEN: Kind = Kind {
    id: "exec-nil",
    title: "EXEC answered nil: a watched key was changed",
    why: "WATCH makes EXEC run all or nothing: if one of the keys was touched since, nothing runs and the reply is nil. It is no error.",
    advice: "Read again and try again, in a loop; or do it in a script, which needs no retry.",
    docs: TRANSACTIONS,
    example: "26-watch.md",
};
static ABORTED: Kind = Kind {
    id: "exec-abort",
    title: "EXECABORT: a command was refused while queueing",
    why: "A command that can't even be queued (unknown, wrong number of arguments, no memory) spoils the whole transaction: nothing of it runs.",
    advice: "Look at the replies to the queued commands, not only at EXEC's.",
    docs: TRANSACTIONS,
    example: "26-watch.md",
};
static NO_ROLLBACK: Kind = Kind {
    id: "exec-no-rollback",
    title: "An error inside EXEC undoes nothing",
    why: "Commands that fail while EXEC runs leave the others alone: those before and behind it take effect.",
    advice: "Look at each element of EXEC's reply. Where all or nothing is needed, check in a script before the first write.",
    docs: TRANSACTIONS,
    example: "13-no-rollback.md",
};

pub(super) const KINDS: &[&Kind] = &[&QUEUED, &WATCH_BROKEN, &ABORTED, &NO_ROLLBACK];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    queued(moment, notes);
    for op in moment.direct("exec") {
        match &op.reply {
            reply if is_nil(reply) => notes.push(watch_broken(moment, op)),
            Reply::Error(_) if op.code() == Some("EXECABORT") => notes.push(aborted(moment, op)),
            Reply::Array(replies) => no_rollback(moment, op, replies, notes),
            _ => {}
        }
    }
}

fn queued(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let Some(op) = moment.ops.iter().find(|op| is_queued(&op.reply) && !moment.writes(op)) else { return };
    let told = moment.ledger.transactions.get(&op.client).is_some_and(|known| known.told_that_reads_wait);
    if !told && !moment.keys(op).is_empty() && !super::moment::is_script(&op.argv) {
        let what = format!("`{}` will be answered by EXEC; what follows can't depend on it.", op.text());
        notes.push(QUEUED.note(op.step, what));
    }
}

fn watch_broken(moment: &Moment<'_>, op: &Op) -> Note {
    let mut texts = Vec::new();
    let mut mentions = Vec::new();
    for (place, since) in moment.ledger.watches.get(&op.client).into_iter().flatten() {
        let key = quote_arg(&place.1);
        for deed in moment.ledger.deeds_since(place, *since) {
            let how = match deed.change {
                KeyChange::Written => "was written",
                KeyChange::Deleted => "was deleted",
                KeyChange::Expired => "expired",
                KeyChange::Evicted => "was evicted",
            };
            let by = deed.client.map_or(String::new(), |client| format!(" by {}", moment.name(client)));
            let command =
                if deed.command.is_empty() { String::new() } else { format!(": `{}`", deed.command) };
            texts.push(format!("`{key}` {how}{by} in step {}{command}", number(deed.step)));
            mentions.push(deed.step);
        }
        for change in moment.changes.iter().filter(|change| (change.db, &change.key) == (place.0, &place.1)) {
            if change.change == KeyChange::Expired {
                texts.push(format!("`{key}` expired at {}", moment.moment(change.at)));
            }
        }
    }
    let what = match &texts[..] {
        [] => "A watched key was changed since WATCH.".to_owned(),
        texts => format!("{}.", list(&texts[..texts.len().min(3)])),
    };
    WATCH_BROKEN.note(op.step, what).mentioning(mentions)
}

fn aborted(moment: &Moment<'_>, op: &Op) -> Note {
    let refused = moment.ledger.transactions.get(&op.client).map(|known| &known.refused[..]);
    match refused {
        Some([(step, command), ..]) => {
            let what = format!("`{command}` was refused in step {}; nothing has run.", number(*step));
            ABORTED.note(op.step, what).mentioning([*step])
        }
        _ => ABORTED.note(op.step, "EXEC itself was refused; nothing has run."),
    }
}

fn no_rollback(moment: &Moment<'_>, op: &Op, replies: &[Reply], notes: &mut Vec<Note>) {
    let Some(failed) = replies.iter().position(Reply::is_error) else { return };
    let kept = moment.changes.iter().any(|change| change.by.is_some_and(|(_, step)| step == op.step));
    if kept {
        let command =
            moment.ops.iter().filter(|other| other.step == op.step && other.way == super::moment::Way::Exec);
        let command = command.map(Op::text).nth(failed).unwrap_or_default();
        let what = format!(
            "Number {} of {}, `{command}`, failed; the others took effect.",
            failed + 1,
            replies.len()
        );
        notes.push(NO_ROLLBACK.note(op.step, what));
    }
}
