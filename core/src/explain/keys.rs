//! Notes on keys and values: types, expiry, numbers.

use crate::profile::Version;
use crate::resp::{Reply, quote_arg};
use crate::server::KeyChange;
use crate::value::Value;
use crate::value::number::format_f64;

use super::moment::{Moment, Op, entry, list, number, span};
use super::note::{Kind, Note};

static WRONG_TYPE: Kind = Kind {
    id: "wrongtype",
    title: "WRONGTYPE: the key holds something else",
    why: "A key has one type, that of the command which made it. Commands of other types refuse it; only SET, DEL and the like take any.",
    advice: "Give each kind of data a prefix of its own; TYPE tells what a key holds.",
    docs: "https://redis.io/docs/latest/develop/using-commands/keyspace/",
    example: "14-call-and-pcall.md",
};
static EXPIRED: Kind = Kind {
    id: "key-expired",
    title: "The key had expired",
    why: "A key with a time to live is gone from its exact millisecond on, whether or not somebody looks.",
    advice: "Do not hold a decision longer than the lease it rests on; check and act in one step.",
    docs: "https://redis.io/docs/latest/commands/expire/",
    example: "01-lock-stolen.md",
};
static EXPIRY_REMOVED: Kind = Kind {
    id: "ttl-removed",
    title: "The time to live is gone",
    why: "SET replaces a key as a whole, its expiry too: without EX, PX or KEEPTTL the new value stays for ever. INCR, APPEND, HSET and others leave the expiry alone.",
    advice: "Write SET key value KEEPTTL, or give the time again.",
    docs: "https://redis.io/docs/latest/commands/set/",
    example: "07-fixed-window.md",
};
static NOT_A_NUMBER: Kind = Kind {
    id: "not-an-integer",
    title: "The value is no integer",
    why: "INCR and its kind work on strings that are whole 64-bit numbers, written without blanks, signs of plus or leading zeros.",
    advice: "Keep counters in keys of their own; INCRBYFLOAT counts in decimals.",
    docs: "https://redis.io/docs/latest/commands/incr/",
    example: "12-errors-in-scripts.md",
};
static MANY_DIGITS: Kind = Kind {
    id: "many-digits",
    title: "So many digits: a binary fraction",
    why: "Scores and such are doubles. 0.1 and 0.2 have no exact form in binary, and the shortest text that gives their sum back has 17 digits.",
    advice: "Count in the smallest unit (cents, milliseconds) with whole numbers.",
    docs: "https://redis.io/docs/latest/commands/zincrby/",
    example: "11-what-scripts-return.md",
};

pub(super) const KINDS: &[&Kind] = &[&WRONG_TYPE, &EXPIRED, &EXPIRY_REMOVED, &NOT_A_NUMBER, &MANY_DIGITS];

pub(super) fn detect(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let mut told = Vec::new();
    for op in &moment.ops {
        if op.code() == Some("WRONGTYPE") && !super::moment::is_script(&op.argv) {
            notes.push(wrong_type(moment, op));
        }
        not_a_number(moment, op, notes);
        many_digits(moment, op, notes);
        if let Some(note) = expired(moment, op, &told) {
            told.extend(moment.keys(op));
            notes.push(note);
        }
    }
    expiry_removed(moment, notes);
}

fn wrong_type(moment: &Moment<'_>, op: &Op) -> Note {
    let mut texts = Vec::new();
    let mut mentions = Vec::new();
    for key in moment.keys(op) {
        let held = entry(moment.after, op.db, &key).or_else(|| entry(moment.before, op.db, &key));
        let Some(held) = held else { continue };
        let made = moment.ledger.deeds.get(&(op.db, key.clone())).and_then(|deeds| {
            let born =
                deeds.iter().rposition(|deed| deed.change != KeyChange::Written).map_or(0, |at| at + 1);
            deeds.get(born)
        });
        let since = made.map_or(String::new(), |deed| format!(" since step {}", number(deed.step)));
        mentions.extend(made.map(|deed| deed.step));
        texts.push(format!("`{}` holds a {}{since}", quote_arg(&key), held.value.type_name()));
    }
    let what = format!("{}; `{}` is for another type.", list(&texts), op.argv[0].to_text().to_uppercase());
    WRONG_TYPE.note(op.step, what).mentioning(mentions)
}

fn expired(moment: &Moment<'_>, op: &Op, told: &[crate::Bytes]) -> Option<Note> {
    if matches!(op.code(), Some("BUSY" | "READONLY" | "OOM")) || super::moment::is_script(&op.argv) {
        return None;
    }
    let mut keys = moment.keys(op).into_iter().filter(|key| !told.contains(key));
    let (key, expired) = keys.find_map(|key| {
        Some((moment.ledger.expired.get(&(op.db, key.clone()))?, key)).map(|(e, k)| (k, e))
    })?;
    let (written, mentions) = match &expired.written {
        Some(deed) => {
            let who = deed.client.map_or("the server", |client| moment.name(client));
            (format!(" {who} had written it in step {}.", number(deed.step)), vec![deed.step])
        }
        None => (String::new(), Vec::new()),
    };
    let ago = span(moment.record.times.sent.saturating_sub(expired.at));
    let what = format!(
        "`{}` expired at {}, {ago} before this step.{written}",
        quote_arg(&key),
        moment.moment(expired.at)
    );
    Some(EXPIRED.note(op.step, what).mentioning(mentions))
}

fn expiry_removed(moment: &Moment<'_>, notes: &mut Vec<Note>) {
    let mut told = Vec::new();
    for change in moment.changes.iter().filter(|change| change.change == KeyChange::Written) {
        let place = (change.db, &change.key);
        let (Some(was), Some(is)) =
            (entry(moment.before, place.0, place.1), entry(moment.after, place.0, place.1))
        else {
            continue;
        };
        let gone_meanwhile = moment
            .changes
            .iter()
            .any(|other| (other.db, &other.key) == place && other.change != KeyChange::Written);
        let (Some(until), None) = (was.expires_at, is.expires_at) else { continue };
        if gone_meanwhile || told.contains(&place) {
            continue;
        }
        told.push(place);
        let overwrites = |op: &&Op| {
            moment.keys_where(op, |flags| flags.contains(&"OW") || op.is("set")).contains(&change.key)
        };
        let Some(op) = moment.ops.iter().find(overwrites) else { continue };
        let left = span(until.micros().saturating_sub(moment.record.times.sent));
        let what = format!(
            "`{}` replaced `{}`, which would have expired in {left}; now it stays.",
            op.text(),
            quote_arg(&change.key)
        );
        notes.push(EXPIRY_REMOVED.note(op.step, what));
    }
}

fn not_a_number(moment: &Moment<'_>, op: &Op, notes: &mut Vec<Note>) {
    let counts = ["incr", "decr", "incrby", "decrby"].iter().any(|name| op.is(name));
    if !counts || op.code() != Some("ERR") {
        return;
    }
    let Some(key) = op.argv.get(1) else { return };
    let Some(held) = entry(moment.after, op.db, key) else { return };
    let Value::String(string) = &held.value else { return };
    let text = string.as_slice();
    let is_number = std::str::from_utf8(&text).is_ok_and(|text| text.parse::<i64>().is_ok());
    if !is_number {
        let shown = quote_arg(&text[..text.len().min(40)]);
        let what = format!("`{}` is {shown}, which `{}` can't count on.", quote_arg(key), op.text());
        notes.push(NOT_A_NUMBER.note(op.step, what));
    }
}

fn many_digits(moment: &Moment<'_>, op: &Op, notes: &mut Vec<Note>) {
    let Reply::Double(number) = op.reply else { return };
    let text = format_f64(number, moment.version().max(Version::V7_0));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if text.contains('.') && !text.contains('e') && digits >= 16 {
        notes.push(MANY_DIGITS.note(op.step, format!("`{}` gives {text}.", op.text())));
    }
}
