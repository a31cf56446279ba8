//! XGROUP: groups and their consumers.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::error::CommandError;
use crate::keyspace::KeyId;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{Group, StreamId};

use super::options;

/// What CREATE and SETID say behind the ID.
#[derive(Default)]
struct Options {
    mkstream: bool,
    entries_read: Option<u64>,
}

fn parse(argv: &[Bytes], creates: bool) -> Result<Options, CommandError> {
    let mut options = Options::default();
    let mut rest = args::Cursor::new(&argv[5..]);
    while let Some(word) = rest.peek() {
        let has_value = rest.remaining().len() > 1;
        rest.next()?;
        if creates && args::is(word, "mkstream") {
            options.mkstream = true;
        } else if args::is(word, "entriesread") && has_value {
            let read = args::int(rest.next()?)?;
            if read < -1 {
                let text = "ERR value for ENTRIESREAD must be positive or -1";
                return Err(CommandError::Line(text.into()));
            }
            options.entries_read = u64::try_from(read).ok();
        } else {
            return Err(CommandError::subcommand_syntax(argv));
        }
    }
    Ok(options)
}

/// Options that are there twice are only noticed by the number of arguments.
fn check_len(argv: &[Bytes], max: usize) -> Result<(), CommandError> {
    if argv.len() > max { Err(CommandError::subcommand_syntax(argv)) } else { Ok(()) }
}

fn missing_key() -> CommandError {
    CommandError::Line(
        "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically."
            .into(),
    )
}

/// The stream, which must be there.
fn stream<'a>(ctx: &'a mut Ctx<'_>, key: &Bytes) -> Result<&'a mut StreamValue, CommandError> {
    ctx.write::<StreamValue>(key)?.ok_or_else(missing_key)
}

/// The stream, which must have the group.
fn stream_with_group<'a>(ctx: &'a mut Ctx<'_>, argv: &[Bytes]) -> Result<&'a mut StreamValue, CommandError> {
    let (key, group) = (&argv[2], &argv[3]);
    let stream = stream(ctx, key)?;
    if stream.group(group).is_none() {
        return Err(CommandError::NoSuchGroup { key: key.to_word(), group: group.to_word() });
    }
    Ok(stream)
}

/// `$` is the last ID of the stream.
fn last_delivered(text: &Bytes, stream: Option<&StreamValue>) -> Result<StreamId, CommandError> {
    match &**text {
        b"$" => Ok(stream.map_or(StreamId::MIN, StreamValue::last_id)),
        text => options::id(text),
    }
}

pub(super) fn create(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (key, name) = (&argv[2], &argv[3]);
    let options = parse(argv, true)?;
    let version = ctx.version();
    let found = ctx.write::<StreamValue>(key)?;
    if found.is_none() && !options.mkstream {
        return Err(missing_key());
    }
    check_len(argv, 8)?;
    let last = last_delivered(&argv[4], found.as_deref())?;
    let made = found.is_none();
    if found.is_some_and(|stream| stream.group(name).is_some()) {
        return Err(CommandError::Line("BUSYGROUP Consumer Group name already exists".into()));
    }
    // Point of no return.
    let stream = ctx.write_or_create::<StreamValue>(key)?;
    let entries_read = options.entries_read.map(|read| stream.entries_read(read, version));
    stream.create_group(name.clone(), Group::new(last, entries_read));
    if made {
        ctx.changed(key, Class::STREAM, "xgroup-create");
    } else {
        ctx.touched(key);
        ctx.notify(Class::STREAM, "xgroup-create", key);
    }
    Ok(Reply::OK.into())
}

pub(super) fn set_id(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let options = parse(argv, false)?;
    let version = ctx.version();
    let stream = stream_with_group(ctx, argv)?;
    check_len(argv, 7)?;
    // Unlike CREATE it takes the ends of all IDs too.
    let last = match &*argv[4] {
        b"-" => StreamId::MIN,
        b"+" => StreamId::MAX,
        _ => last_delivered(&argv[4], Some(stream))?,
    };
    let entries_read = options.entries_read.map(|read| stream.entries_read(read, version));
    if let Some(group) = stream.group_mut(&argv[3]) {
        (group.last_id, group.entries_read) = (last, entries_read);
    }
    ctx.touched(&argv[2]);
    ctx.notify(Class::STREAM, "xgroup-setid", &argv[2]);
    Ok(Reply::OK.into())
}

pub(super) fn destroy(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[2];
    let destroyed = stream(ctx, key)?.destroy_group(&argv[3]);
    if destroyed {
        ctx.touched(key);
        ctx.notify(Class::STREAM, "xgroup-destroy", key);
        // Whoever waits in the group must hear of it.
        ctx.state.waiting.signal(ctx.db, &KeyId::new(key), ctx.client);
    }
    Ok(Reply::from(destroyed).into())
}

pub(super) fn create_consumer(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    stream_with_group(ctx, argv)?;
    let made = make_consumer(ctx, &argv[2], &argv[3], &argv[4])?;
    Ok(Reply::from(made).into())
}

pub(super) fn delete_consumer(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let stream = stream_with_group(ctx, argv)?;
    let removed = stream.group_mut(&argv[3]).and_then(|group| group.remove_consumer(&argv[4]));
    if removed.is_some() {
        ctx.touched(&argv[2]);
        ctx.notify(Class::STREAM, "xgroup-delconsumer", &argv[2]);
    }
    Ok(Reply::from(removed.unwrap_or(0)).into())
}

/// Makes a consumer, told as such; false where there is one.
fn make_consumer(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    group: &Bytes,
    consumer: &Bytes,
) -> Result<bool, CommandError> {
    let now = ctx.now;
    let made = ctx
        .write::<StreamValue>(key)?
        .and_then(|stream| stream.group_mut(group))
        .is_some_and(|group| group.create_consumer(consumer, now));
    if made {
        ctx.touched(key);
        ctx.notify(Class::STREAM, "xgroup-createconsumer", key);
    }
    Ok(made)
}

/// The consumer for a command that reads or claims: made where it is missing, and seen now.
pub(super) fn consumer_for(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    group: &Bytes,
    consumer: &Bytes,
) -> Result<(), CommandError> {
    make_consumer(ctx, key, group, consumer)?;
    let now = ctx.now;
    if let Some(found) = ctx
        .write::<StreamValue>(key)?
        .and_then(|stream| stream.group_mut(group))
        .and_then(|group| group.consumer_mut(consumer))
    {
        found.seen_at = now;
    }
    Ok(())
}
