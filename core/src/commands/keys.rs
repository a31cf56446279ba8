//! Which arguments of a command are keys: read from its key specifications.

use crate::Bytes;

use super::args;
use super::spec::{Begin, CommandSpec, Find, KeySpec};

/// A key among the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPosition {
    pub index: usize,
    /// What the command does with it, as in the key specification.
    pub flags: &'static [&'static str],
}

/// The keys of a command, in the order of its specifications. None where they can't be told:
/// a count that is no number, zero or too large, or a place behind the last argument (PFMERGE without a source).
pub fn key_positions(spec: &CommandSpec, argv: &[Bytes]) -> Option<Vec<KeyPosition>> {
    if spec.name == "migrate" {
        return migrated(spec, argv);
    }
    let mut found = Vec::new();
    for key_spec in spec.keys {
        let Some(first) = begin(key_spec, argv) else {
            match key_spec.begin {
                Begin::Index(_) => return None,
                Begin::Keyword { .. } | Begin::Unknown => continue,
            }
        };
        for index in positions(key_spec, first, argv)? {
            found.push(KeyPosition { index, flags: actual_flags(spec, key_spec, argv) });
        }
    }
    found.extend(stored_by_sort(spec, argv));
    if spec.keys.iter().any(|key_spec| has_odd_count(key_spec, argv)) {
        // The server falls back to a function of the command's own then, which knows no flags and names the destination last.
        found.iter_mut().for_each(|key| key.flags = &[]);
        found.sort_by_key(|key| key.index == 1 && spec.keys.len() > 1);
    }
    Some(found)
}

/// Whether the count of keys only begins with a number (`1e3`).
fn has_odd_count(spec: &KeySpec, argv: &[Bytes]) -> bool {
    let Find::Count { count_at, .. } = spec.find else { return false };
    begin(spec, argv)
        .and_then(|first| argv.get(first + count_at))
        .is_some_and(|count| args::int(count).is_err())
}

/// What a command really does with its keys, where that depends on its options.
fn actual_flags(spec: &CommandSpec, keys: &KeySpec, argv: &[Bytes]) -> &'static [&'static str] {
    const VARIABLE: &str = "variable_flags";
    if !keys.flags.contains(&VARIABLE) {
        return keys.flags;
    }
    match spec.name {
        "set" if argv.iter().skip(3).any(|option| args::is(option, "get")) => &["RW", "access", "update"],
        "set" => &["OW", "update"],
        "bitfield" if argv.get(2..).is_some_and(only_reads_fields) => &["RO", "access"],
        "bitfield" => &["RW", "access", "update"],
        _ => keys.flags.strip_suffix(&[VARIABLE]).unwrap_or(keys.flags),
    }
}

/// Whether BITFIELD's operations are but whole GETs and OVERFLOWs; anything else may write.
fn only_reads_fields(operations: &[Bytes]) -> bool {
    let mut rest = operations;
    while let [word, operands @ ..] = rest {
        let count = match &*word.to_ascii_lowercase() {
            b"get" => 2,
            b"overflow" => 1,
            _ => return false,
        };
        let Some(next) = operands.get(count..) else { return false };
        rest = next;
    }
    true
}

/// Where a specification's keys begin; None where its keyword is missing.
fn begin(spec: &KeySpec, argv: &[Bytes]) -> Option<usize> {
    match spec.begin {
        Begin::Index(index) => Some(index).filter(|&index| index < argv.len()),
        Begin::Keyword { word, from } if from >= 0 => {
            let from = from as usize;
            let place = argv.get(from..)?.iter().position(|argument| args::is(argument, word))?;
            Some(from + place + 1).filter(|&index| index < argv.len())
        }
        Begin::Keyword { word, from } => {
            let end = argv.len().checked_sub(from.unsigned_abs() as usize - 1)?;
            let place = argv[..end].iter().rposition(|argument| args::is(argument, word))?;
            Some(place + 1).filter(|&index| index < argv.len())
        }
        Begin::Unknown => None,
    }
}

fn positions(spec: &KeySpec, first: usize, argv: &[Bytes]) -> Option<Vec<usize>> {
    match spec.find {
        Find::Range { last, step, limit } => {
            let end = if last >= 0 {
                first + last as usize
            } else if limit <= 1 {
                argv.len().checked_sub(last.unsigned_abs() as usize)?
            } else {
                // Only the first part of what follows is keys (the streams of XREAD).
                first + (argv.len() - first) / limit - 1
            };
            Some((first..=end.min(argv.len() - 1)).step_by(step.max(1)).collect())
        }
        Find::Count { count_at, first_at, step } => {
            let count = argv.get(first + count_at)?;
            let count = args::int(count).ok().or_else(|| leading_int(count))?;
            let start = first + first_at;
            let room = argv.len().saturating_sub(start).div_ceil(step.max(1));
            let count = usize::try_from(count).ok().filter(|count| (1..=room).contains(count))?;
            Some((0..count).map(|nth| start + nth * step.max(1)).collect())
        }
        Find::Unknown => Some(Vec::new()),
    }
}

/// The number that a text begins with, as C's `atoi` reads it: all that looks for keys takes.
fn leading_int(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let magnitude: i64 = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
    Some(if text.starts_with(b"-") { -magnitude } else { magnitude })
}

/// MIGRATE's one key or, where that is empty, those behind KEYS. None where it names both, or no key. The options are read only
/// where a word between the host and the last one is KEYS, whatever it stands for.
fn migrated(spec: &CommandSpec, argv: &[Bytes]) -> Option<Vec<KeyPosition>> {
    const HOST: usize = 1;
    const KEY: usize = 3;
    const OPTIONS: usize = 6;
    let flags = spec.keys.first()?.flags;
    let is_keys = |word: &Bytes| args::is(word, "keys");
    let mut index = if argv[HOST + 1..argv.len() - 1].iter().any(is_keys) { OPTIONS } else { argv.len() };
    while index < argv.len() {
        if is_keys(&argv[index]) {
            let keys = (index + 1..argv.len()).map(|index| KeyPosition { index, flags });
            return Some(keys.collect::<Vec<_>>()).filter(|keys| argv[KEY].is_empty() && !keys.is_empty());
        }
        let skipped = [("auth", 1), ("auth2", 2)].into_iter().find(|(word, _)| args::is(&argv[index], word));
        index += 1 + skipped.map_or(0, |(_, count)| count);
    }
    Some(vec![KeyPosition { index: KEY, flags }])
}

/// SORT's destination, which no specification can describe: the last STORE counts. The server reads on right behind the word, so
/// that what is called like an option there is taken for one.
fn stored_by_sort(spec: &CommandSpec, argv: &[Bytes]) -> Option<KeyPosition> {
    if spec.name != "sort" {
        return None;
    }
    let mut destination = None;
    let mut index = 2;
    while index < argv.len() {
        let skipped = [("limit", 2), ("get", 1), ("by", 1), ("store", 0)]
            .into_iter()
            .find(|(word, _)| args::is(&argv[index], word));
        if let Some(("store", _)) = skipped
            && index + 1 < argv.len()
        {
            destination = Some(index + 1);
        }
        index += 1 + skipped.map_or(0, |(_, count)| count);
    }
    destination.map(|index| KeyPosition { index, flags: &["OW", "update"] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::lookup;
    use crate::profile::Version;
    use crate::resp::split_args;

    /// Answers of 7.0.15 and 8.2.3 to COMMAND GETKEYSANDFLAGS; `!` where they can't tell.
    #[test]
    fn keys_are_found_as_the_server_finds_them() {
        let check = |line: &str, expected: &str| {
            let argv = split_args(line.as_bytes()).expect("well quoted");
            let spec = lookup(Version::V8_2, &argv).expect("a command");
            let found = key_positions(spec, &argv).map(|keys| {
                let flag = |key: &KeyPosition| key.flags.first().copied().unwrap_or("-");
                let texts = keys.iter().map(|key| format!("{} {}", argv[key.index].to_text(), flag(key)));
                texts.collect::<Vec<_>>().join(", ")
            });
            assert_eq!(found.as_deref().unwrap_or("!"), expected, "{line}");
        };
        check("MSET a 1 b 2", "a OW, b OW");
        check("BITOP AND d a b", "d OW, a RO, b RO");
        check("SET k get", "k OW");
        check("SET k v GET", "k RW");
        check("BITFIELD k GET u8 0", "k RO");
        check("BITFIELD k GET u8", "k RW");
        check("BITFIELD k OVERFLOW WRAP GET u8 0 SET u8 0 1", "k RW");
        check("SORT k BY w* STORE d", "k RO, d OW");
        check("EVAL script 2 a b arg", "a RW, b RW");
        check("EVAL script x a b", "!");
        check("EVAL script 1e3 a b", "a -");
        check("ZUNIONSTORE d 2 a b", "d OW, a RO, b RO");
        check("ZUNIONSTORE d 2x a b", "a -, b -, d -");
        check("ZUNIONSTORE d 0 a", "!");
        check("PFMERGE d", "!");
        check("SORT k STORE d STORE", "k RO, d OW");
        check("SORT k STORE STORE d", "k RO, d OW");
        check("SORT k STORE GET STORE d", "k RO, GET OW");
        check("MIGRATE h p k 0 9 AUTH KEYS", "k RW");
        check("MIGRATE h p \"\" 0 9 KEYS a b", "a RW, b RW");
        check("MIGRATE h p k 0 9 KEYS a", "!");
        check("MIGRATE h p k 0 9 KEYS", "k RW");
        check("MIGRATE h p k 0 9 COPY REPLACE KEYS", "k RW");
        check("MIGRATE KEYS p k 0 9 KEYS", "k RW");
        check("MIGRATE h p k KEYS 9 COPY KEYS", "!");
        check("MIGRATE h KEYS \"\" 0 9 KEYS", "!");
        check("MIGRATE h p k 0 9 AUTH2 KEYS KEYS", "k RW");
    }
}
