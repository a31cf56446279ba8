//! Notes on keys that are used as locks, and on decisions that were overtaken.

use crate::resp::Reply;
use crate::resp::quote_arg;
use crate::server::KeyChange;

use super::moment::{Moment, Op, Way, is_nil, number};
use super::note::{Kind, Note};

const LOCKS: &str = "https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/";

static OTHERS_LOCK: Kind = Kind {
    id: "lock-of-another",
    title: "Somebody else's lock was removed",
    why: "DEL asks nobody whose key it is. Whoever is late deletes the lock of the one who came next, and a third can enter beside it.",
    advice: "Put a token of your own into the lock, and delete it in a script only if the token is still there.",
    docs: LOCKS,
    example: "01-lock-stolen.md",
};
static NOT_SET: Kind = Kind {
    id: "set-nx-nil",
    title: "nil: the lock is taken",
    why: "SET with NX sets nothing where the key exists, and says so with nil instead of OK; SETNX says it with 0.",
    advice: "Take nil for “try again later”, not for an error, and do not delete the key.",
    docs: "https://redis.io/docs/latest/commands/set/",
    example: "02-compare-and-delete.md",
};
static OVERTAKEN: Kind = Kind {
    id: "read-then-write",
    title: "The write rests on a value that is gone",
    why: "Between a read and the write that follows from it, others can change the key. Each command is atomic, two of them are not.",
    advice: "Do both in one script, or WATCH the key and write inside MULTI … EXEC.",
    docs: "https://redis.io/docs/latest/develop/using-commands/transactions/",
    example: "06-get-then-incr.md",
};

pub(super) const KINDS: &[&Kind] = &[&OTHERS_LOCK, &NOT_SET, &OVERTAKEN];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let stolen = others_locks(moment, notes);
    for op in &moment.ops {
        not_set(moment, op, notes);
        if !stolen {
            overtaken(moment, op, notes);
        }
    }
}

fn others_locks(moment: &Moment<'_>, notes: &mut Vec<Note>) -> bool {
    let mut found = false;
    for change in moment.changes.iter().filter(|change| change.change == KeyChange::Deleted) {
        let place = (change.db, change.key.clone());
        let (Some((by, step)), Some(lease)) = (change.by, moment.ledger.leases.get(&place)) else { continue };
        if lease.client == by {
            continue;
        }
        found = true;
        let what = format!(
            "{} deleted `{}`, which {} had taken in step {}.",
            moment.name(by),
            quote_arg(&change.key),
            moment.name(lease.client),
            number(lease.step)
        );
        notes.push(OTHERS_LOCK.note(step, what).mentioning([lease.step]));
    }
    found
}

fn not_set(moment: &Moment<'_>, op: &Op, notes: &mut Vec<Note>) {
    let refused = (op.is("set") && op.has_option(3, "nx") && !op.has_option(3, "get") && is_nil(&op.reply))
        || (op.is("setnx") && op.reply == Reply::Int(0));
    if !refused {
        return;
    }
    let key = &op.argv[1];
    let place = (op.db, key.clone());
    let held = moment.ledger.leases.get(&place);
    let note = match (held, moment.ledger.last_write(&place)) {
        (Some(lease), _) => {
            let (who, step) = (moment.name(lease.client), lease.step);
            let what = format!("`{}` is held by {who} since step {}.", quote_arg(key), number(step));
            NOT_SET.note(op.step, what).mentioning([step])
        }
        (None, Some(deed)) => {
            let what = format!("`{}` exists since step {}.", quote_arg(key), number(deed.step));
            NOT_SET.note(op.step, what).mentioning([deed.step])
        }
        (None, None) => NOT_SET.note(op.step, format!("`{}` exists.", quote_arg(key))),
    };
    notes.push(note);
}

/// A command that looks before it writes needs no read in front of it.
fn checks_itself(op: &Op) -> bool {
    const CONDITIONS: &[&str] = &["nx", "xx", "ifeq", "ifne", "ifdeq", "ifdne"];
    op.is("setnx") || op.is("delex") || (op.is("set") && CONDITIONS.iter().any(|word| op.has_option(3, word)))
}

/// A client writes a key that it has read and that somebody else has changed since.
fn overtaken(moment: &Moment<'_>, op: &Op, notes: &mut Vec<Note>) {
    if op.way != Way::Direct
        || op.code().is_some()
        || super::moment::is_script(&op.argv)
        || checks_itself(op)
        || !moment.writes(op)
    {
        return;
    }
    for key in moment.keys(op) {
        let place = (op.db, key);
        let Some(read) = moment.ledger.reads.get(&(op.client, place.clone())) else { continue };
        let changed = moment.changes.iter().any(|change| {
            (change.db, &change.key) == (place.0, &place.1) && change.by == Some((op.client, op.step))
        });
        let mut since = moment.ledger.deeds_since(&place, *read);
        let other = since.find(|deed| deed.client.is_some_and(|client| client != op.client));
        let Some((deed, client)) = other.and_then(|deed| Some((deed, deed.client?))).filter(|_| changed)
        else {
            continue;
        };
        let (me, them) = (moment.name(op.client), moment.name(client));
        let what = format!(
            "{me} read `{}` in step {}; {them} changed it in step {}, before {me} wrote.",
            quote_arg(&place.1),
            number(*read),
            number(deed.step)
        );
        notes.push(OVERTAKEN.note(op.step, what).mentioning([*read, deed.step]));
        return;
    }
}
