//! XCLAIM and XAUTOCLAIM: pending entries change hands.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Pending, StreamId};

use super::{groups, options, range};

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

/// The stream, which must have the group.
fn stream<'a>(ctx: &'a mut Ctx<'_>, key: &Bytes, group: &Bytes) -> Result<&'a mut StreamValue, CommandError> {
    let no_group = || CommandError::NoGroup { key: key.to_word(), group: group.to_word() };
    let stream = ctx.write::<StreamValue>(key)?.ok_or_else(no_group)?;
    if stream.group(group).is_none() { Err(no_group()) } else { Ok(stream) }
}

/// How a claim changes an entry.
struct Terms {
    min_idle_millis: i64,
    delivered_at: UnixMillis,
    deliveries: Option<u64>,
    just_id: bool,
    /// Makes an entry pending that was not.
    force: bool,
}

enum Claimed {
    Yes,
    No,
    /// The entry does not exist any more; the group is rid of it.
    Gone {
        was_pending: bool,
    },
}

fn claim_one(
    stream: &mut StreamValue,
    group: &Bytes,
    consumer: &Bytes,
    id: StreamId,
    terms: &Terms,
    now: UnixMillis,
) -> Claimed {
    let exists = stream.get(id).is_some();
    let Some(group) = stream.group_mut(group) else { return Claimed::No };
    if !exists {
        return Claimed::Gone { was_pending: group.acknowledge(id) };
    }
    let deliveries = match group.pending().get(&id) {
        Some(pending) => {
            let idle = now.0 - pending.delivered_at.0;
            if terms.min_idle_millis > 0 && idle < terms.min_idle_millis {
                return Claimed::No;
            }
            pending.deliveries
        }
        None if terms.force => 1,
        None => return Claimed::No,
    };
    let deliveries = terms.deliveries.unwrap_or(deliveries + u64::from(!terms.just_id));
    group.assign(id, Pending { consumer: consumer.clone(), delivered_at: terms.delivered_at, deliveries });
    if let Some(consumer) = group.consumer_mut(consumer) {
        consumer.active_at = Some(now);
    }
    Claimed::Yes
}

fn answer(stream: &StreamValue, id: StreamId, just_id: bool) -> Reply {
    match stream.get(id) {
        Some(fields) if !just_id => range::entry(id, fields),
        _ => range::id(id),
    }
}

pub(super) fn xclaim(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, group, consumer) = (&argv[1], &argv[2], &argv[3]);
    stream(ctx, key, group)?;
    let min_idle = args::int(&argv[4]).map_err(|_| line("ERR Invalid min-idle-time argument for XCLAIM"))?;
    let ids: Vec<StreamId> = argv[5..].iter().map_while(|text| StreamId::parse(text, 0)).collect();
    let (terms, last_id) = xclaim_options(&argv[5 + ids.len()..], min_idle, ctx.now)?;
    let (now, version) = (ctx.now, ctx.version());
    if let Some(found) = stream(ctx, key, group)?.group_mut(group) {
        found.last_id = found.last_id.max(last_id);
    }
    // Before 7.2 a consumer comes into being only once something is claimed for it.
    let eager = version >= Version::V7_2 || may_claim(ctx, key, group, &ids, &terms, usize::MAX)?;
    if eager {
        groups::consumer_for(ctx, key, group, consumer)?;
    }
    let stream = stream(ctx, key, group)?;
    let mut answers = Vec::with_capacity(ids.len());
    for id in ids {
        if let Claimed::Yes = claim_one(stream, group, consumer, id, &terms, now) {
            answers.push(answer(stream, id, terms.just_id));
        }
    }
    ctx.touched(key);
    Ok(Reply::Array(answers).into())
}

/// Whether anything will be claimed before so many entries have turned out to be gone.
fn may_claim(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    group: &Bytes,
    ids: &[StreamId],
    terms: &Terms,
    gone_max: usize,
) -> Result<bool, CommandError> {
    let now = ctx.now;
    let stream = stream(ctx, key, group)?;
    let Some(group) = stream.group(group) else { return Ok(false) };
    let mut gone = 0;
    for id in ids {
        if gone == gone_max {
            break;
        }
        if stream.get(*id).is_none() {
            gone += usize::from(group.pending().contains_key(id));
            continue;
        }
        let fits = group.pending().get(id).map_or(terms.force, |pending| {
            terms.min_idle_millis <= 0 || now.0 - pending.delivered_at.0 >= terms.min_idle_millis
        });
        if fits {
            return Ok(true);
        }
    }
    Ok(false)
}

fn xclaim_options(
    words: &[Bytes],
    min_idle_millis: i64,
    now: UnixMillis,
) -> Result<(Terms, StreamId), CommandError> {
    let mut terms =
        Terms { min_idle_millis, delivered_at: now, deliveries: None, just_id: false, force: false };
    let (mut last_id, mut delivered_at) = (StreamId::MIN, None);
    let mut rest = args::Cursor::new(words);
    while let Some(word) = rest.peek() {
        let has_value = rest.remaining().len() > 1;
        rest.next()?;
        if args::is(word, "force") {
            terms.force = true;
        } else if args::is(word, "justid") {
            terms.just_id = true;
        } else if args::is(word, "idle") && has_value {
            let invalid = |_| line("ERR Invalid IDLE option argument for XCLAIM");
            delivered_at = Some(now.0.wrapping_sub(args::int(rest.next()?).map_err(invalid)?));
        } else if args::is(word, "time") && has_value {
            let invalid = |_| line("ERR Invalid TIME option argument for XCLAIM");
            delivered_at = Some(args::int(rest.next()?).map_err(invalid)?);
        } else if args::is(word, "retrycount") && has_value {
            let invalid = |_| line("ERR Invalid RETRYCOUNT option argument for XCLAIM");
            terms.deliveries = u64::try_from(args::int(rest.next()?).map_err(invalid)?).ok();
        } else if args::is(word, "lastid") && has_value {
            last_id = options::id(rest.next()?)?;
        } else {
            return Err(CommandError::UnrecognizedClaimOption(word.to_word()));
        }
    }
    if let Some(at) = delivered_at.filter(|at| (0..=now.0).contains(at)) {
        terms.delivered_at = UnixMillis(at);
    }
    Ok((terms, last_id))
}

/// A server makes room for so many IDs at once, and this is what an address space has room for.
const CLAIMABLE_MAX: u64 = 1 << 43;

pub(super) fn xautoclaim(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, group, consumer) = (&argv[1], &argv[2], &argv[3]);
    let min_idle =
        args::int(&argv[4]).map_err(|_| line("ERR Invalid min-idle-time argument for XAUTOCLAIM"))?;
    let (start, excluded) = range::bound(&argv[5], 0)?;
    let start = if excluded { start.next() } else { Some(start) };
    let start = start.ok_or_else(|| line("ERR invalid start ID for the interval"))?;
    let (count, just_id) = xautoclaim_options(&argv[6..])?;
    stream(ctx, key, group)?;
    if count as u64 > CLAIMABLE_MAX {
        let text = "ERR Insufficient memory, failed allocating transient memory, COUNT too high.";
        return Err(line(text));
    }
    let (now, version) = (ctx.now, ctx.version());
    let terms =
        Terms { min_idle_millis: min_idle, delivered_at: now, deliveries: None, just_id, force: false };
    let from_start: Vec<StreamId> = stream(ctx, key, group)?
        .group(group)
        .into_iter()
        .flat_map(|group| group.pending().range(start..).map(|(id, _)| *id))
        .collect();
    if version >= Version::V7_2 || may_claim(ctx, key, group, &from_start, &terms, count)? {
        groups::consumer_for(ctx, key, group, consumer)?;
    }
    let stream = stream(ctx, key, group)?;
    /// For each entry asked for so many are looked at.
    const ATTEMPTS: usize = 10;
    let candidates: Vec<StreamId> = stream
        .group(group)
        .into_iter()
        .flat_map(|group| group.pending().range(start..).map(|(id, _)| *id))
        .take(count.saturating_mul(ATTEMPTS).saturating_add(1))
        .collect();
    let (mut claimed, mut gone, mut looked_at) = (Vec::new(), Vec::new(), 0);
    for id in candidates.iter().take(count.saturating_mul(ATTEMPTS)) {
        if claimed.len() + gone.len() == count {
            break;
        }
        looked_at += 1;
        match claim_one(stream, group, consumer, *id, &terms, now) {
            Claimed::Yes => claimed.push(answer(stream, *id, just_id)),
            Claimed::Gone { was_pending: true } => gone.push(range::id(*id)),
            Claimed::Gone { .. } | Claimed::No => {}
        }
    }
    let cursor = candidates.get(looked_at).copied().unwrap_or(StreamId::MIN);
    ctx.touched(key);
    Ok(Reply::Array(vec![range::id(cursor), Reply::Array(claimed), Reply::Array(gone)]).into())
}

fn xautoclaim_options(words: &[Bytes]) -> Result<(usize, bool), CommandError> {
    /// So that a count times the attempts still fits.
    const COUNT_MAX: i64 = i64::MAX / 16;
    let (mut count, mut just_id) = (100, false);
    let mut rest = args::Cursor::new(words);
    while let Some(word) = rest.peek() {
        let has_value = rest.remaining().len() > 1;
        rest.next()?;
        if args::is(word, "count") && has_value {
            let asked = args::int(rest.next()?).ok().filter(|count| (1..=COUNT_MAX).contains(count));
            count = asked.ok_or_else(|| line("ERR COUNT must be > 0"))? as usize;
        } else if args::is(word, "justid") {
            just_id = true;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok((count, just_id))
}
