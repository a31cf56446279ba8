//! Setting several strings at once, all or none.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{Begin, CommandSpec, Earlier, Example, Find, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

use super::options::{Existence, Expiry, Grammar, Options};
use super::{STRING, set};

const MSETNX: CommandSpec = CommandSpec {
    earlier: Some(&Earlier {
        before: Version::V7_2,
        spec: CommandSpec { tips: &["request_policy:multi_shard", "response_policy:agg_min"], ..MSETNX_NOW },
    }),
    ..MSETNX_NOW
};

const MSETNX_NOW: CommandSpec = CommandSpec {
    name: "msetnx",
    arity: -3,
    flags: Flags::WRITE.or(Flags::DENYOOM),
    keys: &[KeySpec::range(1, -1, 2, &["OW", "insert"])],
    since: (1, 0, 1),
    summary: "Sets several strings, but only if none of the keys exists.",
    syntax: "MSETNX key value [key value ...]",
    reply: Shape::Int,
    handler: msetnx,
    examples: &[Example { setup: "SET a 1", run: "MSETNX a 2 b 2", shows: "(integer) 0" }],
    ..STRING
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "mset",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::range(1, -1, 2, &["OW", "update"])],
        since: (1, 0, 1),
        summary: "Sets several strings.",
        syntax: "MSET key value [key value ...]",
        reply: Shape::Status,
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        handler: mset,
        examples: &[Example { setup: "", run: "MSET a 1 b 2", shows: "OK" }],
        ..STRING
    },
    CommandSpec {
        name: "msetex",
        arity: -4,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec {
            begin: Begin::Index(1),
            find: Find::Count { count_at: 0, first_at: 1, step: 2 },
            flags: &["OW", "update"],
            notes: "",
        }],
        since: (8, 4, 0),
        summary: "Sets several strings with one condition and one expiry for all.",
        syntax: "MSETEX numkeys key value [key value ...] [NX | XX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
        reply: Shape::Int,
        tips: &["request_policy:multi_shard", "response_policy:all_succeeded"],
        handler: msetex,
        examples: &[
            Example { setup: "", run: "MSETEX 2 a 1 b 2 EX 10", shows: "(integer) 1" },
            Example { setup: "SET a 1", run: "MSETEX 2 a 2 b 2 NX", shows: "(integer) 0" },
        ],
        ..STRING
    },
    MSETNX,
];

/// The keys and values of MSET and MSETNX, which must come in pairs.
fn check_pairs(ctx: &Ctx<'_>, rest: &[Bytes]) -> Result<(), CommandError> {
    if rest.len() % 2 == 1 { Err(CommandError::WrongArity(ctx.spec.name.into())) } else { Ok(()) }
}

fn in_pairs(rest: &[Bytes]) -> impl Iterator<Item = (&Bytes, &Bytes)> {
    rest.chunks_exact(2).map(|pair| (&pair[0], &pair[1]))
}

fn mset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    check_pairs(ctx, &argv[1..])?;
    for (key, value) in in_pairs(&argv[1..]) {
        set::put(ctx, key, value, &Expiry::Unset, None);
    }
    Ok(Reply::OK.into())
}

fn msetnx(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let pairs = &argv[1..];
    check_pairs(ctx, pairs)?;
    if in_pairs(pairs).any(|(key, _)| ctx.exists(key)) {
        return Ok(Reply::Int(0).into());
    }
    for (key, value) in in_pairs(pairs) {
        set::put(ctx, key, value, &Expiry::Unset, None);
    }
    Ok(Reply::Int(1).into())
}

fn msetex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    const COUNT_MAX: i64 = i32::MAX as i64;
    let count = args::int(&argv[1]).ok().filter(|count| (1..=COUNT_MAX).contains(count));
    let count = count.and_then(|count| usize::try_from(count).ok());
    let count = count.ok_or(CommandError::Line("ERR invalid numkeys value".into()))?;
    let operands = count.checked_mul(2).filter(|&operands| operands <= argv.len() - 2);
    let operands = operands.ok_or(CommandError::Line("ERR wrong number of key-value pairs".into()))?;
    let (pairs, rest) = argv[2..].split_at(operands);
    let options = Options::parse(rest, Grammar::MSetEx, ctx.version())?;
    let deadline = options.expiry.deadline(ctx.now, "msetex")?;
    let refused = match options.existence {
        Some(Existence::Missing) => in_pairs(pairs).any(|(key, _)| ctx.exists(key)),
        Some(Existence::Present) => !in_pairs(pairs).all(|(key, _)| ctx.exists(key)),
        None => false,
    };
    if refused {
        return Ok(Reply::Int(0).into());
    }
    // Point of no return.
    for (key, value) in in_pairs(pairs) {
        set::put(ctx, key, value, &options.expiry, deadline);
    }
    Ok(Reply::Int(1).into())
}
