//! Notes on maxmemory: what was refused, what was let through, what had to go.

use crate::commands::Flags;
use crate::resp::quote_arg;
use crate::server::KeyChange;
use crate::state::Param;

use super::moment::{Moment, Op, Way, is_queued, list};
use super::note::{Kind, Note};

const EVICTION: &str = "https://redis.io/docs/latest/develop/reference/eviction/";
const LESSON: &str = "28-maxmemory.md";

static OOM: Kind = Kind {
    id: "oom",
    title: "OOM: the memory limit is reached",
    why: "Over maxmemory, commands that may need more memory are refused where nothing may be evicted. Reading and deleting still work.",
    advice: "Delete, raise maxmemory, or choose a policy that evicts. Give keys a time to live.",
    docs: EVICTION,
    example: LESSON,
};
static PASSED: Kind = Kind {
    id: "oom-passed",
    title: "Over the limit, and let through all the same",
    why: "The limit is looked at before a command runs. One that needs no memory passes; and a script that has written already may go on, so that it is not cut in half.",
    advice: "In a script make room first (DEL, LREM, LTRIM), then write; or declare flags=allow-oom.",
    docs: EVICTION,
    example: LESSON,
};
static EVICTED: Kind = Kind {
    id: "key-evicted",
    title: "A key had to make room",
    why: "Over maxmemory the server removes keys by its policy before it runs the next command. Nobody is told, unless by a notification.",
    advice: "Treat every key as one that may be missing, or use noeviction and handle OOM.",
    docs: EVICTION,
    example: LESSON,
};

pub(super) const KINDS: &[&Kind] = &[&OOM, &PASSED, &EVICTED];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    const POLICY: Param = Param::named("maxmemory-policy");
    let policy = moment.after.config.text(POLICY).to_text();
    let limit = moment.after.config.int(Param::MAXMEMORY);
    let is_outer =
        |op: &Op| op.way == Way::Script || !moment.calls(op.step).any(|call| call.code() == Some("OOM"));
    for op in moment.failed("OOM").filter(|op| is_outer(op)) {
        let what = format!(
            "`{}` may need memory; the limit of {limit} bytes is passed and the policy is {policy}.",
            op.text()
        );
        notes.push(OOM.note(op.step, what));
    }
    if moment.after.is_over_limit() {
        passed(moment, notes);
    }
    let evicted = moment.changes.iter().filter(|change| change.change == KeyChange::Evicted);
    let keys: Vec<String> = evicted.map(|change| format!("`{}`", quote_arg(&change.key))).collect();
    if !keys.is_empty() {
        let shown = list(&keys[..keys.len().min(3)]);
        let more = if keys.len() > 3 { format!(" ({} in all)", keys.len()) } else { String::new() };
        notes.push(EVICTED.note(moment.step, format!("{policy} chose {shown}{more}.")));
    }
}

fn passed(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let mut told = Vec::new();
    for op in &moment.ops {
        let Some(spec) = moment.spec(op).filter(|spec| spec.has(Flags::WRITE)) else { continue };
        if op.code().is_some() || is_queued(&op.reply) || told.contains(&op.step) {
            continue;
        }
        let what = if !spec.has(Flags::DENYOOM) {
            format!("`{}` needs no memory of its own.", op.text())
        } else if op.way == Way::Script {
            format!("`{}` passed: the script had written before, or allows it with its flags.", op.text())
        } else {
            continue;
        };
        told.push(op.step);
        notes.push(PASSED.note(op.step, what));
    }
}
