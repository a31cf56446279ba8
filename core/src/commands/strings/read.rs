//! Reading strings: whole, in part, several at once, and what two of them have in common.

use std::ops::Range;

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::lcs::{self, CommonSubsequence, Match};
use crate::value::{StringValue, Typed, index};

use super::STRING;
use super::options::digest;

const GETRANGE: CommandSpec = CommandSpec {
    name: "getrange",
    arity: 4,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (2, 4, 0),
    summary: "Answers the part of a string between two positions.",
    syntax: "GETRANGE key start end",
    reply: Shape::Bulk,
    handler: getrange,
    examples: &[Example { setup: "SET k hello", run: "GETRANGE k 1 -2", shows: "\"ell\"" }],
    ..STRING
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "digest",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (8, 4, 0),
        summary: "Answers the XXH3 hash of a string in hexadecimal.",
        syntax: "DIGEST key",
        reply: Shape::BulkOrNil,
        handler: digest_command,
        examples: &[Example { setup: "SET k v", run: "DIGEST k", shows: "\"f7042be43fb80714\"" }],
        ..STRING
    },
    CommandSpec {
        name: "get",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        summary: "Answers the string at a key.",
        syntax: "GET key",
        reply: Shape::BulkOrNil,
        handler: get_command,
        examples: &[Example { setup: "SET k v", run: "GET k", shows: "\"v\"" }],
        ..STRING
    },
    GETRANGE,
    CommandSpec {
        name: "lcs",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::range(1, 1, 1, &["RO", "access"])],
        since: (7, 0, 0),
        summary: "Finds the longest common subsequence of two strings.",
        syntax: "LCS key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]",
        reply: Shape::OneOf(&[Shape::Bulk, Shape::Int, Shape::Map]),
        handler: lcs_command,
        examples: &[
            Example { setup: "MSET a ohmytext b mynewtext", run: "LCS a b", shows: "\"mytext\"" },
            Example { setup: "MSET a ohmytext b mynewtext", run: "LCS a b LEN", shows: "(integer) 6" },
        ],
        ..STRING
    },
    CommandSpec {
        name: "mget",
        arity: -2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::range(1, -1, 1, &["RO", "access"])],
        summary: "Answers the strings at several keys; nil where there is none.",
        syntax: "MGET key [key ...]",
        reply: Shape::Array,
        tips: &["request_policy:multi_shard"],
        handler: mget,
        examples: &[Example { setup: "SET a 1", run: "MGET a nosuch", shows: "1) \"1\"\n2) (nil)" }],
        ..STRING
    },
    CommandSpec {
        name: "strlen",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (2, 2, 0),
        summary: "Counts the bytes of a string.",
        syntax: "STRLEN key",
        reply: Shape::Int,
        handler: strlen,
        examples: &[Example { setup: "SET k hello", run: "STRLEN k", shows: "(integer) 5" }],
        ..STRING
    },
    CommandSpec {
        name: "substr",
        since: (1, 0, 0),
        summary: "The old name of GETRANGE.",
        syntax: "SUBSTR key start end",
        examples: &[Example { setup: "SET k hello", run: "SUBSTR k 0 1", shows: "\"he\"" }],
        ..GETRANGE
    },
];

/// The string as a reply: nil where the key is missing.
pub(super) fn get(ctx: &mut Ctx<'_>, key: &Bytes) -> Result<Reply, CommandError> {
    Ok(Reply::bulk_or_nil(ctx.read::<StringValue>(key)?.map(StringValue::to_bytes)))
}

fn get_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Ok(get(ctx, &argv[1])?.into())
}

fn digest_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let value = ctx.read::<StringValue>(&argv[1])?;
    Ok(value.map_or(Reply::Nil, |value| Reply::bulk(digest(&value.as_slice()))).into())
}

fn mget(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let strings = argv[1..].iter().map(|key| get(ctx, key).unwrap_or(Reply::Nil));
    Ok(Reply::Array(strings.collect()).into())
}

fn strlen(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let value = ctx.read::<StringValue>(&argv[1])?;
    Ok(Reply::from(value.map_or(0, StringValue::len)).into())
}

fn getrange(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (start, end) = (args::int(&argv[2])?, args::int(&argv[3])?);
    let Some(value) = ctx.read::<StringValue>(&argv[1])? else { return Ok(Reply::bulk("").into()) };
    let text = value.as_slice();
    Ok(Reply::bulk(&text[index::resolve_clamped_range(start, end, text.len())]).into())
}

#[derive(Default)]
struct LcsOptions {
    len: bool,
    idx: bool,
    with_match_len: bool,
    min_match_len: i64,
}

fn lcs_command(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    // Both keys are looked up before either is judged.
    let texts = [&argv[1], &argv[2]].map(|key| match ctx.lookup(key) {
        None => Some(Bytes::default()),
        Some(entry) => StringValue::of(&entry.value).map(StringValue::to_bytes),
    });
    let [Some(first), Some(second)] = texts else {
        return Err(CommandError::Line("ERR The specified keys must contain string values".into()));
    };
    let options = lcs_options(&argv[3..])?;
    let found = lcs::longest_common_subsequence(&first, &second).ok_or_else(|| {
        CommandError::Line(
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len".into(),
        )
    })?;
    let len = Reply::from(found.text.len());
    Ok(if options.idx {
        let matches = Reply::Array(matches(&found, &options));
        Reply::Map(vec![(Reply::bulk("matches"), matches), (Reply::bulk("len"), len)])
    } else if options.len {
        len
    } else {
        Reply::bulk(found.text)
    }
    .into())
}

fn lcs_options(rest: &[Bytes]) -> Result<LcsOptions, CommandError> {
    let mut options = LcsOptions::default();
    let mut words = Cursor::new(rest);
    while !words.is_done() {
        if words.take_word("idx") {
            options.idx = true;
        } else if words.take_word("len") {
            options.len = true;
        } else if words.take_word("withmatchlen") {
            options.with_match_len = true;
        } else if words.take_word("minmatchlen") {
            options.min_match_len = args::int(words.next()?)?;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if options.idx && options.len {
        return Err(CommandError::Line(
            "ERR If you want both the length and indexes, please just use IDX.".into(),
        ));
    }
    Ok(options)
}

fn matches(found: &CommonSubsequence, options: &LcsOptions) -> Vec<Reply> {
    let range =
        |range: &Range<usize>| Reply::Array(vec![Reply::from(range.start), Reply::from(range.end - 1)]);
    let long_enough = |run: &&Match| run.in_first.len() as i64 >= options.min_match_len;
    let shown = found.matches.iter().filter(long_enough).map(|run| {
        let mut parts = vec![range(&run.in_first), range(&run.in_second)];
        if options.with_match_len {
            parts.push(Reply::from(run.in_first.len()));
        }
        Reply::Array(parts)
    });
    shown.collect()
}
