//! XINFO.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Consumer, Group, Idempotency, Pending, Retention, StreamId};

use super::{idempotency, range};

fn field(name: &'static str, value: Reply) -> (Reply, Reply) {
    (Reply::bulk(name), value)
}

fn stream_of<'a>(ctx: &'a mut Ctx<'_>, argv: &[Bytes]) -> Result<&'a StreamValue, CommandError> {
    ctx.read::<StreamValue>(&argv[2])?.ok_or(CommandError::NoSuchKey)
}

pub(super) fn stream(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let version = ctx.version();
    let (configured, now) = (idempotency::configured(ctx), ctx.now);
    let stream = stream_of(ctx, argv)?;
    let count = match &argv[3..] {
        [] => None,
        [full] if args::is(full, "full") => Some(10),
        [full, word, count] if args::is(full, "full") && args::is(word, "count") => {
            Some(usize::try_from(args::int(count)?).unwrap_or(10))
        }
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    let mut fields = vec![
        field("length", Reply::from(stream.len())),
        field("radix-tree-keys", Reply::from(stream.node_count())),
        field("radix-tree-nodes", Reply::from(stream.radix_tree_node_count())),
        field("last-generated-id", range::id(stream.last_id())),
        field("max-deleted-entry-id", range::id(stream.max_deleted_id())),
        field("entries-added", Reply::Int(stream.entries_added() as i64)),
        field("recorded-first-entry-id", range::id(stream.first_id().unwrap_or_default())),
    ];
    if version >= Version::V8_6 {
        fields.extend(idempotency_fields(&stream.idempotency, configured, now));
    }
    match count {
        None => {
            let mut entries = stream.range(StreamId::MIN, StreamId::MAX);
            let show = |entry: Option<(StreamId, &_)>| {
                entry.map_or(Reply::Nil, |(id, fields)| range::entry(id, fields))
            };
            let first = show(entries.next());
            let last = show(stream.range(StreamId::MIN, StreamId::MAX).next_back());
            fields.push(field("groups", Reply::from(stream.groups().len())));
            fields.push(field("first-entry", first));
            fields.push(field("last-entry", last));
        }
        Some(count) => {
            // 0 stands for all.
            let most = if count == 0 { usize::MAX } else { count };
            let entries = stream.range(StreamId::MIN, StreamId::MAX).take(most);
            let shown = entries.map(|(id, fields)| range::entry(id, fields)).collect();
            fields.push(field("entries", Reply::Array(shown)));
            let groups =
                stream.groups().iter().map(|(name, group)| full_group(stream, name, group, most, version));
            fields.push(field("groups", Reply::Array(groups.collect())));
        }
    }
    Ok(Reply::Map(fields).into())
}

fn idempotency_fields(known: &Idempotency, configured: Retention, now: UnixMillis) -> [(Reply, Reply); 6] {
    let retention = known.retention(configured);
    let mut current = known.clone();
    current.expire(retention, now);
    [
        field("idmp-duration", Reply::Int(retention.duration_s)),
        field("idmp-maxsize", Reply::from(retention.max_size)),
        field("pids-tracked", Reply::from(current.producers())),
        field("iids-tracked", Reply::from(current.tracked())),
        field("iids-added", Reply::Int(current.added() as i64)),
        field("iids-duplicates", Reply::Int(current.duplicates() as i64)),
    ]
}

fn lag(stream: &StreamValue, group: &Group, version: Version) -> Reply {
    stream.lag(group, version).map_or(Reply::Nil, Reply::Int)
}

fn entries_read(group: &Group) -> Reply {
    group.entries_read.map_or(Reply::Nil, |read| Reply::Int(read as i64))
}

fn full_group(stream: &StreamValue, name: &Bytes, group: &Group, most: usize, version: Version) -> Reply {
    let pending = group.pending().iter().take(most).map(|(id, pending)| {
        let Pending { consumer, delivered_at, deliveries } = pending;
        Reply::Array(vec![
            range::id(*id),
            Reply::Bulk(consumer.clone()),
            Reply::Int(delivered_at.0),
            Reply::Int(*deliveries as i64),
        ])
    });
    let consumers =
        group.consumers().iter().map(|(name, consumer)| full_consumer(name, consumer, group, most, version));
    Reply::Map(vec![
        field("name", Reply::Bulk(name.clone())),
        field("last-delivered-id", range::id(group.last_id)),
        field("entries-read", entries_read(group)),
        field("lag", lag(stream, group, version)),
        field("pel-count", Reply::from(group.pending().len())),
        field("pending", Reply::Array(pending.collect())),
        field("consumers", Reply::Array(consumers.collect())),
    ])
}

fn full_consumer(name: &Bytes, consumer: &Consumer, group: &Group, most: usize, version: Version) -> Reply {
    let mut fields =
        vec![field("name", Reply::Bulk(name.clone())), field("seen-time", Reply::Int(consumer.seen_at.0))];
    if version >= Version::V7_2 {
        fields.push(field("active-time", Reply::Int(consumer.active_at.map_or(-1, |at| at.0))));
    }
    let pending = consumer.pending().iter().take(most).map(|id| {
        let found = group.pending().get(id);
        Reply::Array(vec![
            range::id(*id),
            Reply::Int(found.map_or(0, |pending| pending.delivered_at.0)),
            Reply::Int(found.map_or(0, |pending| pending.deliveries as i64)),
        ])
    });
    fields.push(field("pel-count", Reply::from(consumer.pending().len())));
    fields.push(field("pending", Reply::Array(pending.collect())));
    Reply::Map(fields)
}

pub(super) fn groups(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let version = ctx.version();
    let stream = stream_of(ctx, argv)?;
    let groups = stream.groups().iter().map(|(name, group)| {
        Reply::Map(vec![
            field("name", Reply::Bulk(name.clone())),
            field("consumers", Reply::from(group.consumers().len())),
            field("pending", Reply::from(group.pending().len())),
            field("last-delivered-id", range::id(group.last_id)),
            field("entries-read", entries_read(group)),
            field("lag", lag(stream, group, version)),
        ])
    });
    Ok(Reply::Array(groups.collect()).into())
}

pub(super) fn consumers(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (now, version): (UnixMillis, Version) = (ctx.now, ctx.version());
    let (key, name) = (&argv[2], &argv[3]);
    let group = stream_of(ctx, argv)?
        .group(name)
        .ok_or_else(|| CommandError::NoSuchGroup { key: key.to_word(), group: name.to_word() })?;
    let consumers = group.consumers().iter().map(|(name, consumer)| {
        let mut fields = vec![
            field("name", Reply::Bulk(name.clone())),
            field("pending", Reply::from(consumer.pending().len())),
            field("idle", Reply::Int((now.0 - consumer.seen_at.0).max(0))),
        ];
        if version >= Version::V7_2 {
            let inactive = consumer.active_at.map_or(-1, |at| (now.0 - at.0).max(0));
            fields.push(field("inactive", Reply::Int(inactive)));
        }
        Reply::Map(fields)
    });
    Ok(Reply::Array(consumers.collect()).into())
}
