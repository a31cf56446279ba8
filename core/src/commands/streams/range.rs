//! XLEN, XRANGE and XREVRANGE, and how entries are answered.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Fields, StreamId};

pub(super) fn xlen(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let len = ctx.read::<StreamValue>(&argv[1])?.map_or(0, StreamValue::len);
    Ok(Reply::from(len).into())
}

pub(super) fn xrange(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    range(ctx, argv, &argv[2], &argv[3], false)
}

pub(super) fn xrevrange(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    range(ctx, argv, &argv[3], &argv[2], true)
}

fn range(ctx: &mut Ctx<'_>, argv: &[Bytes], start: &Bytes, end: &Bytes, reverse: bool) -> CommandResult {
    let (start, end) = interval(start, end)?;
    let mut count = usize::MAX;
    let mut rest = args::Cursor::new(&argv[4..]);
    while !rest.is_done() {
        if !rest.take_word("count") {
            return Err(CommandError::Syntax);
        }
        count = usize::try_from(args::int(rest.next()?)?).unwrap_or(0);
    }
    let Some(stream) = ctx.read::<StreamValue>(&argv[1])? else {
        return Ok(Reply::Array(Vec::new()).into());
    };
    if count == 0 {
        return Ok(Reply::NilArray.into());
    }
    let entries = stream.range(start, end);
    Ok(if reverse {
        Reply::Array(entries.rev().take(count).map(|(id, fields)| entry(id, fields)).collect())
    } else {
        Reply::Array(entries.take(count).map(|(id, fields)| entry(id, fields)).collect())
    }
    .into())
}

/// Both ends of a range; `(` leaves the ID itself out.
pub(super) fn interval(start: &Bytes, end: &Bytes) -> Result<(StreamId, StreamId), CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    let (first, excluded) = bound(start, 0)?;
    let first = if excluded { first.next() } else { Some(first) };
    let first = first.ok_or_else(|| line("ERR invalid start ID for the interval"))?;
    let (last, excluded) = bound(end, u64::MAX)?;
    let last = if excluded { last.previous() } else { Some(last) };
    Ok((first, last.ok_or_else(|| line("ERR invalid end ID for the interval"))?))
}

/// One end, and whether it is left out. `-` and `+` can't be.
pub(super) fn bound(text: &Bytes, missing_seq: u64) -> Result<(StreamId, bool), CommandError> {
    let id = match text.strip_prefix(b"(") {
        Some(rest) if text.len() > 1 => StreamId::parse(rest, missing_seq).map(|id| (id, true)),
        _ => StreamId::parse_bound(text, missing_seq).map(|id| (id, false)),
    };
    id.ok_or(CommandError::InvalidStreamId)
}

pub(super) fn id(id: StreamId) -> Reply {
    Reply::bulk(id.to_string())
}

/// An ID with its fields, flat.
pub(super) fn entry(at: StreamId, fields: &Fields) -> Reply {
    let words = fields.iter().flat_map(|(name, value)| [name.clone(), value.clone()]);
    Reply::Array(vec![id(at), Reply::bulks(words)])
}
