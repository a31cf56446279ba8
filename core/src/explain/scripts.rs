//! Notes on scripts and functions: the cache, errors, what they may do.

use crate::Bytes;
use crate::commands::Flags;
use crate::resp::{Reply, quote_arg};
use crate::server::KeyChange;
use crate::state::Sha1;

use super::ledger::Fate;
use super::moment::{Changed, Moment, Op, Way, list, number};
use super::note::{Kind, Note};

const EVAL_INTRO: &str = "https://redis.io/docs/latest/develop/programmability/eval-intro/";
const LUA_API: &str = "https://redis.io/docs/latest/develop/programmability/lua-api/";
const FUNCTIONS: &str = "https://redis.io/docs/latest/develop/programmability/functions-intro/";
const CACHE: &str = "17-script-cache.md";

const NOSCRIPT_ADVICE: &str = "Send EVAL with the text when EVALSHA answers NOSCRIPT; client libraries do it on request. In a pipeline the answer comes too late: use EVAL there.";

static NEVER_LOADED: Kind = Kind {
    id: "noscript-never-loaded",
    title: "NOSCRIPT: this server never saw the script",
    why: "EVALSHA only finds scripts that SCRIPT LOAD or EVAL has brought to this very server. The SHA1 is that of the exact text, every blank included.",
    advice: NOSCRIPT_ADVICE,
    docs: EVAL_INTRO,
    example: "17b-fallback.md",
};
static FLUSHED: Kind = Kind {
    id: "noscript-flushed",
    title: "NOSCRIPT: the cache was flushed",
    why: "SCRIPT FLUSH forgets all scripts, however they came into the cache.",
    advice: NOSCRIPT_ADVICE,
    docs: EVAL_INTRO,
    example: CACHE,
};
static RESTARTED: Kind = Kind {
    id: "noscript-restarted",
    title: "NOSCRIPT: the server was restarted or another took over",
    why: "The script cache lives in memory: it is neither saved to disk nor sent to replicas.",
    advice: NOSCRIPT_ADVICE,
    docs: EVAL_INTRO,
    example: CACHE,
};
static EVICTED: Kind = Kind {
    id: "noscript-evicted",
    title: "NOSCRIPT: the script was evicted",
    why: "From 7.4 on the server keeps about 500 scripts that EVAL has brought; the one not used for longest goes first. SCRIPT LOADed ones stay.",
    advice: "Keep the text constant and pass what changes as KEYS and ARGV, or SCRIPT LOAD what must stay.",
    docs: EVAL_INTRO,
    example: "18-script-cache-grows.md",
};
static NOT_A_SHA: Kind = Kind {
    id: "noscript-not-a-sha",
    title: "NOSCRIPT: that is no SHA1",
    why: "EVALSHA takes the 40 hexadecimal digits that SCRIPT LOAD answers, not the text and not a name.",
    advice: "Use EVAL for a text, FCALL for a name.",
    docs: EVAL_INTRO,
    example: CACHE,
};
static KEPT: Kind = Kind {
    id: "write-kept",
    title: "The script failed, its writes stay",
    why: "A script is atomic, but no transaction in the sense of databases: nothing is rolled back when it raises an error.",
    advice: "Check everything first, then write: after the first write nothing may fail.",
    docs: EVAL_INTRO,
    example: "13-no-rollback.md",
};
static CALL_RAISES: Kind = Kind {
    id: "call-raises",
    title: "An error in redis.call ends the script",
    why: "redis.call raises the error that the command answers; nothing behind it runs, and the client gets the error.",
    advice: "Use redis.pcall where the script can go on, and look at the `err` of what it gives.",
    docs: LUA_API,
    example: "14-call-and-pcall.md",
};
static SWALLOWED: Kind = Kind {
    id: "error-swallowed",
    title: "The script went on after an error",
    why: "redis.pcall hands the error to the script as a table with a field `err`. If nobody looks at it, nobody learns of it.",
    advice: "After redis.pcall: if type(reply) == 'table' and reply.err then return reply end.",
    docs: LUA_API,
    example: "14-call-and-pcall.md",
};
static UNDECLARED: Kind = Kind {
    id: "undeclared-key",
    title: "The script uses a key that it does not declare",
    why: "KEYS tells the server, before the script runs, which keys it will use: that is how a cluster finds the node and how access rules are checked. A stand-alone server does not complain.",
    advice: "Pass every key name in KEYS; values go into ARGV.",
    docs: EVAL_INTRO,
    example: "16-keys-and-argv.md",
};
static READ_ONLY: Kind = Kind {
    id: "read-only-script",
    title: "A script that may only read wanted to write",
    why: "EVAL_RO, EVALSHA_RO, FCALL_RO and the flag no-writes promise that nothing is changed; the server holds the script to it.",
    advice: "Use EVAL or FCALL where it is meant to write.",
    docs: "https://redis.io/docs/latest/commands/eval_ro/",
    example: "20-read-only-scripts.md",
};
static FUNCTION_STAYS: Kind = Kind {
    id: "function-stays",
    title: "Functions outlive a restart",
    why: "A library is part of the data: it is saved with it and sent to replicas. The script cache is not.",
    advice: "Load the library when you deploy, once; FCALL then never answers NOSCRIPT.",
    docs: FUNCTIONS,
    example: "19-functions.md",
};

pub(super) const KINDS: &[&Kind] = &[
    &NEVER_LOADED,
    &FLUSHED,
    &RESTARTED,
    &EVICTED,
    &NOT_A_SHA,
    &KEPT,
    &CALL_RAISES,
    &SWALLOWED,
    &UNDECLARED,
    &READ_ONLY,
    &FUNCTION_STAYS,
];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    moment.failed("NOSCRIPT").for_each(|op| notes.push(noscript(moment, op)));
    for script in moment.scripts() {
        errors(moment, script, notes);
        undeclared(moment, script, notes);
        read_only(moment, script, notes);
        function_stays(moment, script, notes);
    }
}

fn noscript(moment: &Moment<'_>, op: &Op) -> Note {
    let sha = op.argv.get(1).cloned().unwrap_or_default();
    let short = String::from_utf8_lossy(&sha[..sha.len().min(8)]).into_owned();
    let is_sha = Sha1::parse(&sha).is_some_and(|sha| sha.as_bytes().iter().all(u8::is_ascii_hexdigit));
    if !is_sha {
        return NOT_A_SHA.note(op.step, format!("{} has not 40 hexadecimal digits.", quote_arg(&sha)));
    }
    let (kind, step, what): (&'static Kind, _, String) = match moment.ledger.fate(&sha) {
        Some(Fate::Flushed { step }) => {
            (&FLUSHED, step, format!("{short}… was cached until SCRIPT FLUSH in step {}.", number(step)))
        }
        Some(Fate::Restarted { step }) => {
            (&RESTARTED, step, format!("{short}… was cached until the restart in step {}.", number(step)))
        }
        Some(Fate::FailedOver { step }) => (
            &RESTARTED,
            step,
            format!("{short}… was cached on the server that step {} replaced.", number(step)),
        ),
        Some(Fate::Evicted { step }) => (
            &EVICTED,
            step,
            format!("{short}… had to make room for a newer script in step {}.", number(step)),
        ),
        Some(Fate::Cached { .. }) | None => {
            let what = format!("No step before has brought {short}… to this server.");
            return NEVER_LOADED.note(op.step, what);
        }
    };
    kind.note(op.step, what).mentioning([step])
}

fn errors(moment: &Moment<'_>, script: &Op, notes: &mut Vec<Note>) {
    let failed = script.code().is_some();
    let failing: Vec<&Op> = moment.calls(script.step).filter(|call| call.code().is_some()).collect();
    if failed {
        let kept = kept_keys(moment, script);
        if !kept.is_empty() {
            let what = format!("{} had been changed before the error, and stays so.", list(&kept));
            notes.push(KEPT.note(script.step, what));
        }
        // A script that hands an error back has not been ended by it.
        let raised = !moment.returns.iter().any(|returned| returned.step == script.step);
        if let Some(call) = failing.last().filter(|_| raised) {
            let what = format!("`{}` answered an error, and the script ended there.", call.text());
            notes.push(CALL_RAISES.note(script.step, what));
        }
    } else if let Some(call) = failing.first() {
        let what = format!(
            "`{}` answered an error ({}…); the script went on and nothing in its reply is an error.",
            call.text(),
            call.code().unwrap_or_default()
        );
        notes.push(SWALLOWED.note(script.step, what));
    }
}

/// The keys that a step's scripts have changed, now or earlier.
fn kept_keys(moment: &Moment<'_>, script: &Op) -> Vec<String> {
    let step = script.step;
    let mut keys: Vec<String> = Vec::new();
    let mut add = |key: &Bytes| {
        let key = format!("`{}`", quote_arg(key));
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    if script.way == Way::Exec {
        // The other commands of the transaction have changed keys too.
        let written = moment.calls(step).filter(|call| call.code().is_none() && moment.writes(call));
        written.flat_map(|call| moment.keys(call)).for_each(|key| add(&key));
        return keys;
    }
    let is_kept = |change: KeyChange| matches!(change, KeyChange::Written | KeyChange::Deleted);
    for ((_, key), deeds) in &moment.ledger.deeds {
        if deeds.iter().any(|deed| deed.step == step && is_kept(deed.change)) {
            add(key);
        }
    }
    for Changed { key, change, by, .. } in &moment.changes {
        if by.is_some_and(|(_, of)| of == step) && is_kept(*change) {
            add(key);
        }
    }
    keys
}

fn undeclared(moment: &Moment<'_>, script: &Op, notes: &mut Vec<Note>) {
    let declared = moment.declared.get(&script.step).map(Vec::as_slice).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    for call in moment.calls(script.step) {
        for key in moment.keys(call) {
            let shown = format!("`{}`", quote_arg(&key));
            if !declared.contains(&key) && !found.contains(&shown) {
                found.push(shown);
            }
        }
    }
    // EXEC may run several scripts: one note tells of them all.
    let told = notes.iter().any(|note| note.kind.id == UNDECLARED.id && note.step == script.step);
    if found.is_empty() || told {
        return;
    }
    let few = &found[..found.len().min(3)];
    let more = if found.len() > 3 { format!(" and {} more", found.len() - 3) } else { String::new() };
    let keys = if more.is_empty() { list(few) } else { few.join(", ") + &more };
    notes.push(UNDECLARED.note(script.step, format!("{keys}: used, and not in KEYS.")));
}

fn read_only(moment: &Moment<'_>, script: &Op, notes: &mut Vec<Note>) {
    if script.code().is_none() {
        return;
    }
    let name = script.argv[0].to_ascii_lowercase();
    let flagged = || {
        let source = Sha1::parse(&script.argv[1]).and_then(|sha| moment.after.scripts.get(&sha));
        let source = source.map_or(&script.argv[1], |cached| &cached.source);
        let first = source.split(|byte| *byte == b'\n').next().unwrap_or_default();
        first.starts_with(b"#!") && first.windows(9).any(|word| word == b"no-writes")
    };
    if !name.ends_with(b"_ro") && !flagged() {
        return;
    }
    let wanted = |call: &&Op| {
        call.code().is_some()
            && moment
                .spec(call)
                .is_some_and(|spec| spec.flags.intersects(Flags::WRITE.or(Flags::MAY_REPLICATE)))
    };
    if let Some(call) = moment.calls(script.step).find(wanted) {
        let what = format!("`{}` writes, and was refused.", call.text());
        notes.push(READ_ONLY.note(script.step, what));
    }
}

fn function_stays(moment: &Moment<'_>, script: &Op, notes: &mut Vec<Note>) {
    let (Some(outlived), Some(loaded)) = (moment.ledger.functions_outlived, moment.ledger.functions_loaded)
    else {
        return;
    };
    let is_function = script.is("fcall") || script.is("fcall_ro");
    if is_function && script.way == Way::Direct && !matches!(script.reply, Reply::Error(_)) {
        let what = format!(
            "The library was loaded in step {} and is still there after step {}.",
            number(loaded),
            number(outlived)
        );
        notes.push(FUNCTION_STAYS.note(script.step, what).mentioning([loaded, outlived]));
    }
}
