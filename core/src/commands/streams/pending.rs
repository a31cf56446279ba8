//! XACK and XPENDING.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Group, StreamId};

use super::{options, range};

pub(super) fn xack(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = ctx.write::<StreamValue>(&argv[1])?.is_some_and(|stream| stream.group(&argv[2]).is_some());
    if !found {
        return Ok(Reply::Int(0).into());
    }
    let ids = options::ids(&argv[3..])?;
    let acknowledged = ctx
        .write::<StreamValue>(&argv[1])?
        .and_then(|stream| stream.group_mut(&argv[2]))
        .map_or(0, |group| ids.into_iter().filter(|id| group.acknowledge(*id)).count());
    if acknowledged > 0 {
        ctx.touched(&argv[1]);
    }
    Ok(Reply::from(acknowledged).into())
}

/// The extended form: which pending entries are wanted.
struct Wanted<'a> {
    min_idle_millis: i64,
    first: StreamId,
    last: StreamId,
    count: usize,
    consumer: Option<&'a Bytes>,
}

fn parse(argv: &[Bytes]) -> Result<Option<Wanted<'_>>, CommandError> {
    if argv.len() == 3 {
        return Ok(None);
    }
    if !(6..=9).contains(&argv.len()) {
        return Err(CommandError::Syntax);
    }
    let (mut at, mut min_idle_millis) = (3, 0);
    if args::is(&argv[3], "idle") {
        min_idle_millis = args::int(&argv[4])?;
        if argv.len() < 8 {
            return Err(CommandError::Syntax);
        }
        at = 5;
    }
    let count = usize::try_from(args::int(&argv[at + 2])?).unwrap_or(0);
    let (first, last) = range::interval(&argv[at], &argv[at + 1])?;
    Ok(Some(Wanted { min_idle_millis, first, last, count, consumer: argv.get(at + 3) }))
}

pub(super) fn xpending(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let wanted = parse(argv)?;
    let now = ctx.now;
    let (key, name) = (&argv[1], &argv[2]);
    let group = ctx.read::<StreamValue>(key)?.and_then(|stream| stream.group(name));
    let no_group = || CommandError::NoGroup { key: key.to_word(), group: name.to_word() };
    let group = group.ok_or_else(no_group)?;
    Ok(match wanted {
        None => summary(group),
        Some(wanted) => details(group, &wanted, now),
    }
    .into())
}

fn summary(group: &Group) -> Reply {
    let pending = group.pending();
    let (Some((first, _)), Some((last, _))) = (pending.first_key_value(), pending.last_key_value()) else {
        return Reply::Array(vec![Reply::Int(0), Reply::Nil, Reply::Nil, Reply::NilArray]);
    };
    let consumers = group.consumers().iter().filter(|(_, consumer)| !consumer.pending().is_empty());
    let counts = consumers.map(|(name, consumer)| {
        Reply::Array(vec![Reply::Bulk(name.clone()), Reply::bulk(consumer.pending().len().to_string())])
    });
    Reply::Array(vec![
        Reply::from(pending.len()),
        range::id(*first),
        range::id(*last),
        Reply::Array(counts.collect()),
    ])
}

fn details(group: &Group, wanted: &Wanted<'_>, now: UnixMillis) -> Reply {
    if wanted.first > wanted.last {
        return Reply::Array(Vec::new());
    }
    let entries = group
        .pending()
        .range(wanted.first..=wanted.last)
        .filter(|(_, pending)| wanted.consumer.is_none_or(|consumer| *consumer == pending.consumer))
        .filter(|(_, pending)| {
            wanted.min_idle_millis <= 0 || now.0 - pending.delivered_at.0 >= wanted.min_idle_millis
        })
        .take(wanted.count)
        .map(|(id, pending)| {
            Reply::Array(vec![
                range::id(*id),
                Reply::Bulk(pending.consumer.clone()),
                Reply::Int((now.0 - pending.delivered_at.0).max(0)),
                Reply::Int(pending.deliveries as i64),
            ])
        });
    Reply::Array(entries.collect())
}
