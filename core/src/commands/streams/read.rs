//! XREAD and XREADGROUP, waiting included.

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx, Origin, Outcome};
use crate::commands::waiting;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::state::{Awaited, Blocked};
use crate::value::StreamValue;
use crate::value::stream::{Delivery, Fields, Group, Pending, StreamId};

use super::{groups, options, range};

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

pub(super) fn xread(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    run(ctx, argv, false)
}

pub(super) fn xreadgroup(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    run(ctx, argv, true)
}

/// What a call asks for.
struct Request<'a> {
    group: Option<(&'a Bytes, &'a Bytes)>,
    /// Entries of each stream at most.
    count: usize,
    /// None: it does not wait.
    block: Option<Option<Micros>>,
    no_ack: bool,
    /// CLAIM: entries that have been pending for so many milliseconds are taken over first.
    claim_ms: Option<i64>,
    keys: &'a [Bytes],
    /// The places of the IDs among the arguments.
    ids: &'a [Bytes],
}

fn parse<'a>(ctx: &Ctx<'_>, argv: &'a [Bytes], in_group: bool) -> Result<Request<'a>, CommandError> {
    let (mut group, mut count, mut block, mut no_ack, mut claim_ms) = (None, usize::MAX, None, false, None);
    let mut at = 1;
    let streams = loop {
        let Some(word) = argv.get(at) else { return Err(CommandError::Syntax) };
        let left = argv.len() - at - 1;
        if args::is(word, "block") && left > 0 {
            if ctx.version() < Version::V7_2 && ctx.origin == Origin::Script {
                return Err(CommandError::BlockInScript(argv[0].to_text()));
            }
            block = Some(timeout(ctx, &argv[at + 1])?);
            at += 2;
        } else if args::is(word, "count") && left > 0 {
            let asked = args::int(&argv[at + 1])?;
            count = usize::try_from(asked).ok().filter(|count| *count > 0).unwrap_or(usize::MAX);
            at += 2;
        } else if in_group && ctx.version() >= Version::V8_4 && args::is(word, "claim") && left > 0 {
            let millis = args::int(&argv[at + 1]).map_err(|_| line("ERR min-idle-time is not an integer"))?;
            if millis < 0 {
                return Err(line("ERR min-idle-time must be a positive integer"));
            }
            claim_ms = Some(millis);
            at += 2;
        } else if args::is(word, "streams") && left > 0 {
            break &argv[at + 1..];
        } else if args::is(word, "group") && left > 1 {
            if !in_group {
                return Err(line(
                    "ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.",
                ));
            }
            group = Some((&argv[at + 1], &argv[at + 2]));
            at += 3;
        } else if args::is(word, "noack") {
            if !in_group {
                return Err(line(
                    "ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.",
                ));
            }
            no_ack = true;
            at += 1;
        } else {
            return Err(CommandError::Syntax);
        }
    };
    if !streams.len().is_multiple_of(2) {
        let newer = ctx.version() >= Version::V7_2;
        return Err(CommandError::UnbalancedStreams(newer.then_some(ctx.spec.name)));
    }
    if in_group && group.is_none() {
        return Err(line("ERR Missing GROUP option for XREADGROUP"));
    }
    let (keys, ids) = streams.split_at(streams.len() / 2);
    Ok(Request { group, count, block, no_ack, claim_ms, keys, ids })
}

fn timeout(ctx: &Ctx<'_>, text: &[u8]) -> Result<Option<Micros>, CommandError> {
    let millis = args::int(text).map_err(|_| line("ERR timeout is not an integer or out of range"))?;
    waiting::deadline_after(ctx, millis.into())
}

/// From where a stream is read.
#[derive(Clone, Copy, Debug)]
enum From {
    After(StreamId),
    /// `+`: the last entry alone.
    Last,
    /// `>`: what the group has not delivered yet.
    New,
}

fn run(ctx: &mut Ctx<'_>, argv: &[Bytes], in_group: bool) -> CommandResult {
    let request = parse(ctx, argv, in_group)?;
    if let (Some(key), Some((group, _))) = (ctx.only_key.clone(), request.group) {
        check_still_there(ctx, &key, group)?;
    }
    let mut starts = Vec::with_capacity(request.keys.len());
    for (key, id) in request.keys.iter().zip(request.ids) {
        // Before 7.2 a client that waits looks only at the key that was written.
        let passed_over = !waiting::may_take_from(ctx, key);
        starts.push(if passed_over { From::New } else { start(ctx, key, id, request.group)? });
    }
    let mut answers = Vec::new();
    for (key, from) in request.keys.iter().zip(&starts) {
        if !waiting::may_take_from(ctx, key) {
            continue;
        }
        let entries = match request.group {
            None => plain(ctx, key, *from, request.count)?,
            Some((group, consumer)) => {
                let reader = Reader { group, consumer, no_ack: request.no_ack, claim_ms: request.claim_ms };
                of_group(ctx, key, *from, request.count, &reader)?
            }
        };
        if let Some(entries) = entries {
            answers.push((Reply::Bulk(key.clone()), entries));
        }
    }
    if !answers.is_empty() {
        return Ok(by_stream(answers, ctx.protocol).into());
    }
    match request.block {
        Some(deadline) => {
            let retry_at = next_claim(ctx, &request);
            wait(ctx, argv, &request, &starts, deadline, retry_at)
        }
        None => Ok(Reply::NilArray.into()),
    }
}

fn by_stream(answers: Vec<(Reply, Reply)>, protocol: Protocol) -> Reply {
    if protocol == Protocol::Resp3 {
        return Reply::Map(answers);
    }
    Reply::Array(answers.into_iter().map(|(key, entries)| Reply::Array(vec![key, entries])).collect())
}

/// The command waits as one in which `$` and `+` stand for what they stood for when it came.
fn wait(
    ctx: &Ctx<'_>,
    argv: &[Bytes],
    request: &Request<'_>,
    starts: &[From],
    deadline: Option<Micros>,
    retry_at: Option<Micros>,
) -> CommandResult {
    let awaited = if request.group.is_some() { Awaited::StreamGroup } else { Awaited::Stream };
    let mut settled = argv.to_vec();
    let first_id = argv.len() - starts.len();
    for (place, from) in settled[first_id..].iter_mut().zip(starts) {
        if let From::After(id) = from {
            *place = Bytes::from(id.to_string());
        }
    }
    let outcome = waiting::wait(ctx, &settled, request.keys, awaited, deadline, Reply::NilArray)?;
    Ok(match outcome {
        Outcome::Block(blocked) => {
            Outcome::Block(Box::new(Blocked { timeout_reply: Reply::NilArray, retry_at, ..*blocked }))
        }
        other => other,
    })
}

/// Before 7.2 a client that waits in a group is told why it can't go on.
fn check_still_there(ctx: &mut Ctx<'_>, key: &Bytes, group: &Bytes) -> Result<(), CommandError> {
    let gone = || line("UNBLOCKED the stream key no longer exists");
    let stream = ctx.write::<StreamValue>(key).map_err(|_| gone())?.ok_or_else(gone)?;
    if stream.group(group).is_none() {
        return Err(line("NOGROUP the consumer group this client was blocked on no longer exists"));
    }
    Ok(())
}

/// Reads an ID; looks at the stream where the ID depends on it, and insists on the group.
fn start(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    text: &Bytes,
    group: Option<(&Bytes, &Bytes)>,
) -> Result<From, CommandError> {
    const MEANINGLESS: [&str; 2] = [
        "ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.",
        "ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.",
    ];
    let knows_plus = ctx.version() >= Version::V7_4;
    let stream = ctx.read::<StreamValue>(key)?;
    if let Some((group, _)) = group
        && stream.is_none_or(|stream| stream.group(group).is_none())
    {
        return Err(CommandError::NoGroupToRead { key: key.to_word(), group: group.to_word() });
    }
    match &**text {
        b"$" if group.is_some() => Err(line(MEANINGLESS[0])),
        b"+" if group.is_some() && knows_plus => Err(line(MEANINGLESS[1])),
        b"$" => Ok(From::After(stream.map_or(StreamId::MIN, StreamValue::last_id))),
        b"+" if knows_plus => {
            let last = stream.map_or(StreamId::MIN, StreamValue::last_id);
            let empty = stream.is_none_or(StreamValue::is_empty);
            Ok(if empty { From::After(last) } else { From::Last })
        }
        b">" if group.is_none() => Err(line(
            "ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.",
        )),
        b">" => Ok(From::New),
        _ => options::id(text).map(From::After),
    }
}

/// Before 7.2 a client that has waited is answered as soon as the stream's last ID has moved on, entries or not.
fn is_woken(ctx: &Ctx<'_>) -> bool {
    ctx.only_key.is_some()
}

fn plain(ctx: &mut Ctx<'_>, key: &Bytes, from: From, count: usize) -> Result<Option<Reply>, CommandError> {
    let woken = is_woken(ctx);
    let Some(stream) = ctx.read::<StreamValue>(key)? else { return Ok(None) };
    let moved_on = woken && matches!(from, From::After(id) if stream.last_id() > id);
    let entries: Vec<Reply> = match from {
        From::Last => {
            let last = stream.range(StreamId::MIN, StreamId::MAX).next_back();
            last.into_iter().map(|(id, fields)| range::entry(id, fields)).collect()
        }
        From::After(id) => {
            after(stream, id).take(count).map(|(id, fields)| range::entry(id, fields)).collect()
        }
        From::New => Vec::new(),
    };
    Ok(Some(entries).filter(|entries| moved_on || !entries.is_empty()).map(Reply::Array))
}

fn after(stream: &StreamValue, id: StreamId) -> impl Iterator<Item = (StreamId, &Fields)> {
    let first = id.next();
    first.into_iter().flat_map(|first| stream.range(first, StreamId::MAX))
}

struct Reader<'a> {
    group: &'a Bytes,
    consumer: &'a Bytes,
    no_ack: bool,
    claim_ms: Option<i64>,
}

fn of_group(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    from: From,
    count: usize,
    reader: &Reader<'_>,
) -> Result<Option<Reply>, CommandError> {
    let (version, now, woken) = (ctx.version(), ctx.now, is_woken(ctx));
    let Some(stream) = ctx.write::<StreamValue>(key)? else { return Ok(None) };
    let Some(group) = stream.group(reader.group) else { return Ok(None) };
    let last_delivered = group.last_id;
    let top = stream.range(StreamId::MIN, StreamId::MAX).next_back().map(|(id, _)| id);
    let top = if woken { Some(stream.last_id()) } else { top };
    let has_new = top.is_some_and(|top| top > last_delivered);
    let claimable = match (from, reader.claim_ms) {
        (From::New, Some(millis)) => claimable(stream, group, millis, now, count),
        _ => Vec::new(),
    };
    let nothing = matches!(from, From::New) && !has_new && claimable.is_empty();
    // Before 7.2 a consumer comes into being only once there is something to answer.
    if nothing && version < Version::V7_2 {
        return Ok(None);
    }
    groups::consumer_for(ctx, key, reader.group, reader.consumer)?;
    if nothing {
        return Ok(None);
    }
    if let From::After(id) = from {
        return history(ctx, key, reader, id, count).map(Some);
    }
    let Some(stream) = ctx.write::<StreamValue>(key)? else { return Ok(None) };
    let claimed: Vec<Reply> =
        claimable.into_iter().filter_map(|id| take_over(stream, reader, id, now)).collect();
    let left = count.saturating_sub(claimed.len());
    let found: Vec<(StreamId, Fields)> =
        after(stream, last_delivered).take(left).map(|(id, fields)| (id, fields.clone())).collect();
    if found.is_empty() && claimed.is_empty() {
        return Ok(woken.then(|| Reply::Array(Vec::new())));
    }
    for (id, _) in &found {
        let delivery = Delivery { consumer: reader.consumer, is_pending: !reader.no_ack, now, version };
        stream.deliver(reader.group, *id, &delivery);
    }
    let active = stream.group_mut(reader.group).and_then(|group| group.consumer_mut(reader.consumer));
    if let Some(consumer) = active.filter(|_| !reader.no_ack || !claimed.is_empty()) {
        consumer.active_at = Some(now);
    }
    ctx.touched(key);
    let new = found.iter().map(|(id, fields)| match reader.claim_ms {
        Some(_) => told(*id, fields, 0, 0),
        None => range::entry(*id, fields),
    });
    Ok(Some(Reply::Array(claimed.into_iter().chain(new).collect())))
}

/// The entries that have been pending for so long, those for the longest first. Deleted ones stay where they are.
fn claimable(
    stream: &StreamValue,
    group: &Group,
    min_idle_ms: i64,
    now: UnixMillis,
    count: usize,
) -> Vec<StreamId> {
    let is_old = |pending: &Pending| now.0.saturating_sub(pending.delivered_at.0) >= min_idle_ms;
    let mut found: Vec<(UnixMillis, StreamId)> = group
        .pending()
        .iter()
        .filter(|(id, pending)| is_old(pending) && stream.get(**id).is_some())
        .map(|(id, pending)| (pending.delivered_at, *id))
        .collect();
    found.sort_unstable();
    found.into_iter().take(count).map(|(_, id)| id).collect()
}

/// Makes a pending entry the reader's, and tells it as it was until now.
fn take_over(stream: &mut StreamValue, reader: &Reader<'_>, id: StreamId, now: UnixMillis) -> Option<Reply> {
    let fields = stream.get(id)?.clone();
    let group = stream.group_mut(reader.group)?;
    let Pending { delivered_at, deliveries, .. } = *group.pending().get(&id)?;
    let consumer = reader.consumer.clone();
    group.assign(id, Pending { consumer, delivered_at: now, deliveries: deliveries + 1 });
    Some(told(id, &fields, now.0.saturating_sub(delivered_at.0), deliveries))
}

/// With CLAIM an entry also has how long it was pending, in milliseconds, and how often it was delivered before.
fn told(id: StreamId, fields: &Fields, idle_ms: i64, deliveries: u64) -> Reply {
    let mut entry = match range::entry(id, fields) {
        Reply::Array(parts) => parts,
        other => vec![other],
    };
    entry.extend([Reply::Int(idle_ms), Reply::Int(deliveries as i64)]);
    Reply::Array(entry)
}

/// When the first of the entries that are pending now can be taken over, should they stay as they are.
fn next_claim(ctx: &mut Ctx<'_>, request: &Request<'_>) -> Option<Micros> {
    let (millis, (group, _)) = (request.claim_ms?, request.group?);
    let mut first: Option<i64> = None;
    for (key, id) in request.keys.iter().zip(request.ids) {
        let stream = ctx.read::<StreamValue>(key).ok().flatten().filter(|_| **id == *b">");
        let pending = stream.and_then(|stream| stream.group(group).map(|group| (stream, group.pending())));
        let Some((stream, pending)) = pending else { continue };
        let existing = pending.iter().filter(|(id, _)| stream.get(**id).is_some());
        let moments = existing.map(|(_, pending)| pending.delivered_at.0.saturating_add(millis));
        first = first.into_iter().chain(moments).min();
    }
    let ahead = u64::try_from(first?.saturating_sub(ctx.now.0)).ok()?;
    Some(ctx.wall + Micros::from_millis(ahead.max(1)))
}

/// What the consumer has pending after an ID; an entry deleted since has no fields.
fn history(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    reader: &Reader<'_>,
    after: StreamId,
    count: usize,
) -> Result<Reply, CommandError> {
    let now = ctx.now;
    let Some(stream) = ctx.write::<StreamValue>(key)? else { return Ok(Reply::Array(Vec::new())) };
    let ids: Vec<StreamId> = stream
        .group(reader.group)
        .and_then(|group| group.consumer(reader.consumer))
        .into_iter()
        .flat_map(|consumer| consumer.pending().iter().copied())
        .filter(|id| *id > after)
        .take(count)
        .collect();
    let mut entries = Vec::with_capacity(ids.len());
    for id in ids {
        let fields = stream.get(id).cloned();
        let Some(fields) = fields else {
            entries.push(Reply::Array(vec![range::id(id), Reply::NilArray]));
            continue;
        };
        if let Some(pending) = stream.group_mut(reader.group).and_then(|group| group.pending_mut(id)) {
            pending.delivered_at = now;
            pending.deliveries += 1;
        }
        entries.push(range::entry(id, &fields));
    }
    if !entries.is_empty() {
        ctx.touched(key);
    }
    Ok(Reply::Array(entries))
}
