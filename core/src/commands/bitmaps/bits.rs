//! Single bits: setting, reading, counting, finding and combining them.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Param;
use crate::value::bits::{self, BitOp, Unit};
use crate::value::{StringValue, Value};

use super::{BITMAP, grown};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "bitcount",
        arity: -2,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 6, 0),
        summary: "Counts the set bits of a string, or of a part of it.",
        syntax: "BITCOUNT key [start end [BYTE | BIT]]",
        reply: Shape::Int,
        handler: bitcount,
        examples: &[
            Example { setup: "SET k foobar", run: "BITCOUNT k", shows: "(integer) 26" },
            Example { setup: "SET k foobar", run: "BITCOUNT k 5 30 BIT", shows: "(integer) 17" },
        ],
        ..BITMAP
    },
    CommandSpec {
        name: "bitop",
        arity: -4,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(2, &["OW", "update"]), KeySpec::range(3, -1, 1, &["RO", "access"])],
        since: (2, 6, 0),
        summary: "Combines strings bit by bit and stores the result.",
        syntax: "BITOP <AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE> destkey key [key ...]",
        reply: Shape::Int,
        handler: bitop,
        examples: &[Example { setup: "MSET a foo b bar", run: "BITOP AND d a b", shows: "(integer) 3" }],
        ..BITMAP
    },
    CommandSpec {
        name: "bitpos",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 8, 7),
        summary: "Finds the first bit that is 0 or 1.",
        syntax: "BITPOS key bit [start [end [BYTE | BIT]]]",
        reply: Shape::Int,
        handler: bitpos,
        examples: &[Example { setup: "SET k \"\\xff\\xf0\"", run: "BITPOS k 0", shows: "(integer) 12" }],
        ..BITMAP
    },
    CommandSpec {
        name: "getbit",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 2, 0),
        summary: "Answers one bit of a string; beyond its end all are 0.",
        syntax: "GETBIT key offset",
        reply: Shape::Int,
        handler: getbit,
        examples: &[Example { setup: "SET k a", run: "GETBIT k 1", shows: "(integer) 1" }],
        ..BITMAP
    },
    CommandSpec {
        name: "setbit",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (2, 2, 0),
        summary: "Sets one bit of a string, which grows as far as needed; answers the old bit.",
        syntax: "SETBIT key offset value",
        reply: Shape::Int,
        handler: setbit,
        examples: &[Example { setup: "", run: "SETBIT k 7 1", shows: "(integer) 0" }],
        ..BITMAP
    },
];

/// A bit's position; the string that holds it must not be longer than `proto-max-bulk-len`.
fn offset(ctx: &Ctx<'_>, text: &[u8]) -> Result<u64, CommandError> {
    let bytes_max = ctx.state.config.int(Param::PROTO_MAX_BULK_LEN);
    args::int(text)
        .ok()
        .filter(|offset| *offset >= 0 && offset >> 3 < bytes_max)
        .map(|offset| offset as u64)
        .ok_or(CommandError::BitOffset)
}

fn setbit(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let offset = offset(ctx, &argv[2])?;
    let bit = match args::int(&argv[3]) {
        Ok(bit @ (0 | 1)) => bit == 1,
        _ => return Err(CommandError::Line("ERR bit is not an integer or out of range".into())),
    };
    let (bytes, grew) = grown(ctx, key, (offset / 8 + 1) as usize)?;
    let old = bits::set_bit(bytes, offset, bit);
    if grew || old != bit {
        ctx.changed(key, Class::STRING, "setbit");
    }
    Ok(Reply::from(old).into())
}

fn getbit(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let offset = offset(ctx, &argv[2])?;
    let value = ctx.read::<StringValue>(&argv[1])?;
    Ok(Reply::from(value.is_some_and(|value| bits::get_bit(&value.as_slice(), offset))).into())
}

/// Since 7.2 wrong arguments are an error even where the key is missing; before, the key was looked at first.
fn checks_arguments_first(ctx: &Ctx<'_>) -> bool {
    ctx.version() >= Version::V7_2
}

fn bitcount(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if checks_arguments_first(ctx) {
        count_range(&argv[2..])?;
    }
    let Some(value) = ctx.read::<StringValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let range = match count_range(&argv[2..]) {
        // Before 7.2 the unit was not even looked at where the range is empty by itself.
        Err(_) if is_backward(&argv[2..]) => return Ok(Reply::Int(0).into()),
        range => range?,
    };
    Ok(Reply::Int(bits::count_bits(&value.as_slice(), range) as i64).into())
}

fn count_range(words: &[Bytes]) -> Result<Option<(i64, i64, Unit)>, CommandError> {
    match words {
        [] => Ok(None),
        [start, end, unit @ ..] if unit.len() <= 1 => {
            let (start, end) = (args::int(start)?, args::int(end)?);
            Ok(Some((start, end, range_unit(unit.first())?)))
        }
        _ => Err(CommandError::Syntax),
    }
}

/// Whether both ends count from the string's end, and the start lies behind the end.
fn is_backward(words: &[Bytes]) -> bool {
    matches!(words, [start, end, _] if matches!(
        (args::int(start), args::int(end)), (Ok(start), Ok(end)) if start < 0 && end < 0 && start > end))
}

fn range_unit(word: Option<&Bytes>) -> Result<Unit, CommandError> {
    match word {
        None => Ok(Unit::Byte),
        Some(word) if args::is(word, "byte") => Ok(Unit::Byte),
        Some(word) if args::is(word, "bit") => Ok(Unit::Bit),
        Some(_) => Err(CommandError::Syntax),
    }
}

fn bitpos(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let bit = match args::int(&argv[2])? {
        0 => false,
        1 => true,
        _ => return Err(CommandError::Line("ERR The bit argument must be 1 or 0.".into())),
    };
    if checks_arguments_first(ctx) {
        position_range(&argv[3..])?;
    }
    let Some(value) = ctx.read::<StringValue>(&argv[1])? else {
        return Ok(Reply::Int(if bit { -1 } else { 0 }).into());
    };
    let (start, end, unit) = position_range(&argv[3..])?;
    let found = bits::find_bit(&value.as_slice(), bit, start, end, unit);
    Ok(Reply::Int(found.map_or(-1, |position| position as i64)).into())
}

fn position_range(words: &[Bytes]) -> Result<(i64, Option<i64>, Unit), CommandError> {
    let (start, end, unit) = match words {
        [] => return Ok((0, None, Unit::Byte)),
        [start] => (start, None, None),
        [start, end] => (start, Some(end), None),
        [start, end, unit] => (start, Some(end), Some(unit)),
        _ => return Err(CommandError::Syntax),
    };
    let start = args::int(start)?;
    let unit = range_unit(unit)?;
    Ok((start, end.map(|end| args::int(end)).transpose()?, unit))
}

fn bitop(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (target, keys) = (&argv[2], &argv[3..]);
    let op = operation(ctx.version(), &argv[1], keys.len())?;
    let mut sources = Vec::new();
    for key in keys {
        sources.push(ctx.read::<StringValue>(key)?.map(StringValue::to_bytes).unwrap_or_default());
    }
    let sources: Vec<&[u8]> = sources.iter().map(Bytes::as_slice).collect();
    let result = bits::bit_op(op, &sources);
    let len = result.len();
    if len == 0 {
        ctx.delete(target, "del");
    } else {
        ctx.insert_value(target, Value::String(StringValue::from_buffer(result)), None);
        ctx.changed(target, Class::STRING, "set");
    }
    Ok(Reply::from(len).into())
}

fn operation(version: Version, word: &[u8], sources: usize) -> Result<BitOp, CommandError> {
    const SINCE_8_2: &[(&str, BitOp)] =
        &[("diff", BitOp::Diff), ("diff1", BitOp::Diff1), ("andor", BitOp::AndOr), ("one", BitOp::One)];
    const ALWAYS: &[(&str, BitOp)] =
        &[("and", BitOp::And), ("or", BitOp::Or), ("xor", BitOp::Xor), ("not", BitOp::Not)];
    let offered = if version >= Version::V8_2 { SINCE_8_2 } else { &[] };
    let known = ALWAYS.iter().chain(offered).find(|(name, _)| args::is(word, name));
    let &(name, op) = known.ok_or(CommandError::Syntax)?;
    match op {
        BitOp::Not if sources != 1 => {
            Err(CommandError::Line("ERR BITOP NOT must be called with a single source key.".into()))
        }
        BitOp::Diff | BitOp::Diff1 | BitOp::AndOr if sources < 2 => {
            Err(CommandError::TooFewBitSources(name.to_ascii_uppercase()))
        }
        op => Ok(op),
    }
}
