//! SCAN and its kin. A cursor is a place in an order that does not change while other keys come and go, so whatever is there
//! from the first call to the last is shown, and nothing is shown twice.

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, Group, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::number::{as_integer, format_f64, format_g};
use crate::value::{HashValue, SetValue, ZSetValue, glob};

use super::KEYSPACE;

const COLLECTION: CommandSpec = CommandSpec {
    arity: -3,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (2, 8, 0),
    reply: Shape::Array,
    tips: &["nondeterministic_output"],
    ..CommandSpec::BASE
};

const SCAN: CommandSpec = CommandSpec {
    name: "scan",
    arity: -2,
    flags: Flags::READONLY,
    since: (2, 8, 0),
    summary: "Lists the keys bit by bit: each reply has the cursor for the next call.",
    syntax: "SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]",
    reply: Shape::Array,
    tips: &["nondeterministic_output", "request_policy:special", "response_policy:special"],
    handler: scan,
    examples: &[Example { setup: "SET k v", run: "SCAN 0", shows: "1) \"0\"\n2) 1) \"k\"" }],
    ..KEYSPACE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hscan",
        categories: &["hash"],
        group: Group::Hash,
        summary: "Lists the fields of a hash bit by bit.",
        syntax: "HSCAN key cursor [MATCH pattern] [COUNT count] [NOVALUES]",
        handler: hscan,
        examples: &[Example { setup: "", run: "HSCAN nosuch 0", shows: "1) \"0\"\n2) (empty array)" }],
        ..COLLECTION
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { tips: &["nondeterministic_output", "request_policy:special"], ..SCAN },
        }),
        ..SCAN
    },
    CommandSpec {
        name: "sscan",
        categories: &["set"],
        group: Group::Set,
        summary: "Lists the members of a set bit by bit.",
        syntax: "SSCAN key cursor [MATCH pattern] [COUNT count]",
        handler: sscan,
        examples: &[Example { setup: "", run: "SSCAN nosuch 0", shows: "1) \"0\"\n2) (empty array)" }],
        ..COLLECTION
    },
    CommandSpec {
        name: "zscan",
        categories: &["sortedset"],
        group: Group::SortedSet,
        summary: "Lists the members of a sorted set bit by bit.",
        syntax: "ZSCAN key cursor [MATCH pattern] [COUNT count]",
        handler: zscan,
        examples: &[Example { setup: "", run: "ZSCAN nosuch 0", shows: "1) \"0\"\n2) (empty array)" }],
        ..COLLECTION
    },
];

/// A pattern of KEYS or MATCH; a lone star is no pattern at all.
pub(super) struct Filter(Option<Bytes>);

impl Filter {
    pub(super) fn new(pattern: &Bytes) -> Self {
        Self(Some(pattern.clone()).filter(|pattern| **pattern != *b"*"))
    }

    pub(super) fn admits(&self, text: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|pattern| glob::matches(pattern, text, glob::Case::Sensitive))
    }
}

struct Options {
    count: usize,
    filter: Filter,
    type_name: Option<Bytes>,
    no_values: bool,
}

/// Which of the commands reads its options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Keys,
    Hash,
    Other,
}

impl Options {
    fn parse(rest: &[Bytes], of: Of, version: Version) -> Result<Self, CommandError> {
        let mut options = Self { count: 10, filter: Filter(None), type_name: None, no_values: false };
        let mut words = Cursor::new(rest);
        while !words.is_done() {
            if words.take_word("count") {
                let count = args::int(words.next()?)?;
                options.count =
                    usize::try_from(count).ok().filter(|&it| it > 0).ok_or(CommandError::Syntax)?;
            } else if words.take_word("match") {
                options.filter = Filter::new(words.next()?);
            } else if of == Of::Keys && words.take_word("type") {
                options.type_name = Some(words.next()?.clone());
            } else if version >= Version::V7_4 && words.take_word("novalues") {
                if of != Of::Hash {
                    return Err(CommandError::Line("ERR NOVALUES option can only be used in HSCAN".into()));
                }
                options.no_values = true;
            } else {
                return Err(CommandError::Syntax);
            }
        }
        Ok(options)
    }
}

/// Reads a cursor as laxly as the server's C library does; until 7.2 even nothing at all counts as zero.
fn cursor(text: &[u8], version: Version) -> Result<u64, CommandError> {
    let old = version < Version::V7_4;
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    let strict = crate::value::number::parse_i64(text);
    let refused = if old { blanks > 0 } else { text.is_empty() || strict.is_some_and(|number| number < 0) };
    let (negative, digits) = match &text[blanks..] {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if refused || !(is_number || text.is_empty()) {
        return Err(CommandError::InvalidCursor);
    }
    let digit = |digit: &u8| u64::from(digit - b'0');
    let number = digits
        .iter()
        .try_fold(0u64, |number, byte| number.checked_mul(10)?.checked_add(digit(byte)))
        .ok_or(CommandError::InvalidCursor)?;
    Ok(if negative { number.wrapping_neg() } else { number })
}

fn page(next: u64, shown: Vec<Reply>) -> CommandResult {
    Ok(Reply::Array(vec![Reply::bulk(next.to_string()), Reply::Array(shown)]).into())
}

fn scan(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let cursor = cursor(&argv[1], ctx.version())?;
    let options = Options::parse(&argv[2..], Of::Keys, ctx.version())?;
    let mut keys: Vec<Bytes> = Vec::new();
    let (mut seen, mut last_hash, mut next) = (0, None, 0);
    for (id, entry) in ctx.db().iter_from(cursor) {
        // Keys of one hash share a cursor, so they are shown together.
        if seen >= options.count && last_hash != Some(id.hash()) {
            next = id.hash();
            break;
        }
        (seen, last_hash) = (seen + 1, Some(id.hash()));
        let of_type = options
            .type_name
            .as_ref()
            .is_none_or(|name| name.eq_ignore_ascii_case(entry.value.type_name().as_bytes()));
        if of_type && options.filter.admits(id.key()) {
            keys.push(id.key().clone());
        }
    }
    keys.retain(|key| ctx.exists(key));
    page(next, keys.into_iter().map(Reply::Bulk).collect())
}

fn hscan(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (cursor, version, now) = (cursor(&argv[2], ctx.version())?, ctx.version(), ctx.now);
    let Some(hash) = ctx.read::<HashValue>(&argv[1])? else { return page(0, Vec::new()) };
    let options = Options::parse(&argv[3..], Of::Hash, version)?;
    let (fields, next) = hash.scan(cursor, options.count);
    let living =
        fields.into_iter().filter(|(name, field)| !field.is_expired(now) && options.filter.admits(name));
    let shown = living.flat_map(|(name, field)| {
        let value = (!options.no_values).then(|| Reply::Bulk(field.value.clone()));
        std::iter::once(Reply::Bulk(name.clone())).chain(value)
    });
    page(next, shown.collect())
}

fn sscan(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (cursor, version) = (cursor(&argv[2], ctx.version())?, ctx.version());
    let Some(set) = ctx.read::<SetValue>(&argv[1])? else { return page(0, Vec::new()) };
    let options = Options::parse(&argv[3..], Of::Other, version)?;
    let (members, next) = set.scan(cursor, options.count);
    let shown = members.into_iter().filter(|member| options.filter.admits(member));
    page(next, shown.map(Reply::Bulk).collect())
}

fn zscan(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (cursor, version) = (cursor(&argv[2], ctx.version())?, ctx.version());
    let Some(zset) = ctx.read::<ZSetValue>(&argv[1])? else { return page(0, Vec::new()) };
    let options = Options::parse(&argv[3..], Of::Other, version)?;
    // A listpack's entries are shown as they are kept, integers in full. A big set's scores are printed as older servers
    // did, in all versions.
    let is_small = zset.encoding() == "listpack";
    let score = |score: f64| match as_integer(score) {
        Some(integer) if is_small => integer.to_string(),
        _ if is_small => format_f64(score, version),
        _ => format_g(score, 17),
    };
    let (members, next) = zset.scan(cursor, options.count);
    let shown = members.into_iter().filter(|(member, _)| options.filter.admits(member));
    let pairs = shown.flat_map(|(member, value)| [Reply::Bulk(member.clone()), Reply::bulk(score(value))]);
    page(next, pairs.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::commands::tests::run;
    use crate::server::{Options, Server};

    #[test]
    fn a_scan_shows_every_key_that_stays_once_while_others_come_and_go() {
        let mut server = Server::new(Options::default());
        for number in 0..200 {
            run(&mut server, &format!("SET stays{number} 1"));
            run(&mut server, &format!("SET goes{number} 1"));
        }
        let (mut cursor, mut seen, mut round) = (Bytes::from("0"), BTreeSet::new(), 0);
        loop {
            let page = run(&mut server, &format!("SCAN {} COUNT 7", cursor.to_text()));
            let Some(Reply::Array(parts)) = page else { panic!("{page:?}") };
            let [Reply::Bulk(next), Reply::Array(keys)] = &*parts else { panic!("{parts:?}") };
            for key in keys {
                assert!(seen.insert(format!("{key:?}")), "{key:?} is shown twice");
            }
            for number in round * 4..round * 4 + 4 {
                run(&mut server, &format!("DEL goes{number}"));
                run(&mut server, &format!("SET comes{number} 1"));
            }
            (cursor, round) = (next.clone(), round + 1);
            if *cursor == *b"0" {
                break;
            }
        }
        let stayed = seen.iter().filter(|key| key.contains("stays")).count();
        assert_eq!((stayed, round > 20), (200, true));
    }

    /// Answers of 7.0.15 and 8.2.3.
    #[test]
    fn cursors_are_read_as_laxly_as_by_the_server() {
        let check = |text: &str, old: Option<u64>, new: Option<u64>| {
            assert_eq!(cursor(text.as_bytes(), Version::V7_0).ok(), old, "{text:?}");
            assert_eq!(cursor(text.as_bytes(), Version::V8_2).ok(), new, "{text:?}");
        };
        check("0", Some(0), Some(0));
        check("", Some(0), None);
        check(" 0", None, Some(0));
        check("+5", Some(5), Some(5));
        check("-1", Some(u64::MAX), None);
        check("18446744073709551615", Some(u64::MAX), Some(u64::MAX));
        check("18446744073709551616", None, None);
        check("5x", None, None);
    }
}
