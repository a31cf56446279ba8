//! XADD, XTRIM and XSETID.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::error::CommandError;
use crate::keyspace::KeyId;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Fields, StreamId, Trim};

use super::idempotency;
use super::options::{self, WantedId};

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

pub(super) fn xadd(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, limits) = (&argv[1], ctx.limits());
    let options = options::parse(&argv[2..], true, &limits)?;
    let id_at = 2 + options.taken;
    let pairs = argv.get(id_at + 1..).unwrap_or_default();
    if pairs.is_empty() || !pairs.len().is_multiple_of(2) {
        return Err(CommandError::WrongArity("xadd".into()));
    }
    let wanted = WantedId::parse(&argv[id_at])?;
    if options.idempotent.is_some() && wanted != WantedId::Auto {
        return Err(line("ERR IDMP/IDMPAUTO can be used only with auto-generated IDs"));
    }
    if wanted == WantedId::Exact(StreamId::MIN) {
        return Err(line("ERR The ID specified in XADD must be greater than 0-0"));
    }
    let sent = options.idempotent.map(|known| {
        let iid = known.iid.unwrap_or_else(|| idempotency::iid_of(pairs));
        (known.producer, iid)
    });
    let (configured, now) = (idempotency::configured(ctx), ctx.now);
    let last_id = match ctx.write::<StreamValue>(key)? {
        Some(stream) => {
            let retention = stream.idempotency.retention(configured);
            let known = sent
                .as_ref()
                .and_then(|(producer, iid)| stream.idempotency.find(producer, iid, retention, now));
            if let Some(id) = known {
                return Ok(Reply::bulk(id.to_string()).into());
            }
            Some(stream.last_id())
        }
        None if options.no_mkstream => return Ok(Reply::Nil.into()),
        None => None,
    };
    let id = next_id(wanted, last_id.unwrap_or_default(), ctx.now)?;
    // Point of no return.
    let fields: Fields = pairs.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    let stream = ctx.write_or_create::<StreamValue>(key)?;
    stream.add(id, fields, &limits);
    if let Some((producer, iid)) = sent {
        let retention = stream.idempotency.retention(configured);
        stream.idempotency.remember(producer, iid, id, retention);
    }
    let trimmed = options.trim.map_or(0, |trim| stream.trim(&trim));
    ctx.changed(key, Class::STREAM, "xadd");
    ctx.state.waiting.signal(ctx.db, &KeyId::new(key), ctx.client);
    if trimmed > 0 {
        ctx.notify(Class::STREAM, "xtrim", key);
    }
    Ok(Reply::bulk(id.to_string()).into())
}

/// The ID that an entry gets behind `last`.
fn next_id(wanted: WantedId, last: StreamId, now: UnixMillis) -> Result<StreamId, CommandError> {
    let too_small =
        || line("ERR The ID specified in XADD is equal or smaller than the target stream top item");
    if last == StreamId::MAX {
        return Err(line("ERR The stream has exhausted the last possible ID, unable to add more items"));
    }
    let id = match wanted {
        WantedId::Auto => last.following(now).ok_or_else(too_small)?,
        WantedId::AutoSequence(ms) if ms == last.ms => {
            StreamId::new(ms, last.seq.checked_add(1).ok_or_else(too_small)?)
        }
        WantedId::AutoSequence(ms) => StreamId::new(ms, 0),
        WantedId::Exact(id) => id,
    };
    if id > last { Ok(id) } else { Err(too_small()) }
}

pub(super) fn xtrim(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let options = options::parse(&argv[2..], false, &ctx.limits())?;
    let trim: Trim = options.trim.ok_or(CommandError::Syntax)?;
    let removed = ctx.write::<StreamValue>(key)?.map_or(0, |stream| stream.trim(&trim));
    if removed > 0 {
        ctx.changed(key, Class::STREAM, "xtrim");
    }
    Ok(Reply::from(removed).into())
}

pub(super) fn xsetid(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let id = options::id(&argv[2])?;
    let (mut entries_added, mut max_deleted) = (None, None);
    let mut rest = args::Cursor::new(&argv[3..]);
    while let Some(word) = rest.peek() {
        let has_value = rest.remaining().len() > 1;
        rest.next()?;
        if args::is(word, "entriesadded") && has_value {
            let number = args::int(rest.next()?)?;
            let negative = || line("ERR entries_added must be positive");
            entries_added = Some(u64::try_from(number).map_err(|_| negative())?);
        } else if args::is(word, "maxdeletedid") && has_value {
            let deleted = options::id(rest.next()?)?;
            if id < deleted {
                return Err(line(
                    "ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id",
                ));
            }
            max_deleted = Some(deleted);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    let version = ctx.version();
    let stream = ctx.write::<StreamValue>(&argv[1])?.ok_or(CommandError::NoSuchKey)?;
    let top = stream.range(StreamId::MIN, StreamId::MAX).next_back().map(|(id, _)| id);
    // Old servers do not look at what was deleted.
    if version >= Version::V7_2 && id < stream.max_deleted_id() {
        return Err(line("ERR The ID specified in XSETID is smaller than current max_deleted_entry_id"));
    }
    if top.is_some_and(|top| id < top) {
        return Err(line("ERR The ID specified in XSETID is smaller than the target stream top item"));
    }
    if entries_added.is_some_and(|added| (stream.len() as u64) > added) {
        return Err(line(
            "ERR The entries_added specified in XSETID is smaller than the target stream length",
        ));
    }
    stream.set_id(id, entries_added, max_deleted);
    ctx.changed(&argv[1], Class::STREAM, "xsetid");
    Ok(Reply::OK.into())
}
