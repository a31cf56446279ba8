//! XDEL, XDELEX and XACKDEL.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::StreamValue;
use crate::value::stream::{References, StreamId};

use super::options;

pub(super) fn xdel(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.write::<StreamValue>(&argv[1])?.is_none() {
        return Ok(Reply::Int(0).into());
    }
    let ids = options::ids(&argv[2..])?;
    let deleted = ctx
        .write::<StreamValue>(&argv[1])?
        .map_or(0, |stream| ids.into_iter().filter(|id| stream.delete(*id)).count());
    if deleted > 0 {
        ctx.changed(&argv[1], Class::STREAM, "xdel");
    }
    Ok(Reply::from(deleted).into())
}

/// What became of one entry, as the number answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Missing = -1,
    Deleted = 1,
    /// A group still refers to it.
    Kept = 2,
}

/// The IDs are not read yet: where there is no stream they do not matter.
fn parse<'a>(words: &'a [Bytes], ctx: &Ctx<'_>) -> Result<(References, &'a [Bytes]), CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    let (mut references, mut ids) = (None, None);
    let mut rest = words;
    while let [word, others @ ..] = rest {
        if let Some(given) = options::references(word, ctx.version()) {
            if references.replace(given).is_some() {
                return Err(CommandError::Syntax);
            }
            rest = others;
        } else if args::is(word, "ids") && !others.is_empty() && ids.is_none() {
            let count = args::int(&others[0]).ok().and_then(|count| usize::try_from(count).ok());
            let count = count
                .filter(|count| *count > 0)
                .ok_or_else(|| line("ERR Number of IDs must be a positive integer"))?;
            let given = others
                .get(1..1 + count)
                .ok_or_else(|| line("ERR The `numids` parameter must match the number of arguments"))?;
            ids = Some(given);
            rest = &others[1 + count..];
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok((references.unwrap_or_default(), ids.ok_or(CommandError::Syntax)?))
}

/// The groups are asked even about an entry that does not exist.
fn delete_one(stream: &mut StreamValue, id: StreamId, references: References) -> Fate {
    match references {
        References::Acked if stream.is_referenced(id) => return Fate::Kept,
        References::Delete => stream.drop_references(id),
        References::Acked | References::Keep => {}
    }
    if stream.delete(id) { Fate::Deleted } else { Fate::Missing }
}

pub(super) fn xdelex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    // The key comes first, whatever the arguments.
    ctx.write::<StreamValue>(&argv[1])?;
    let (references, ids) = parse(&argv[2..], ctx)?;
    let fates: Vec<Fate> = match ctx.write::<StreamValue>(&argv[1])? {
        None => vec![Fate::Missing; ids.len()],
        Some(stream) => {
            let ids = options::ids(ids)?;
            ids.into_iter().map(|id| delete_one(stream, id, references)).collect()
        }
    };
    finish(ctx, &argv[1], &fates)
}

pub(super) fn xackdel(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    // The key comes first, whatever the arguments.
    ctx.write::<StreamValue>(&argv[1])?;
    let (references, ids) = parse(&argv[3..], ctx)?;
    let mut acknowledged = false;
    let fates: Vec<Fate> = match ctx.write::<StreamValue>(&argv[1])? {
        None => vec![Fate::Missing; ids.len()],
        Some(stream) if stream.group(&argv[2]).is_none() => vec![Fate::Missing; ids.len()],
        Some(stream) => {
            let mut acknowledge_one = |id| {
                if !stream.group_mut(&argv[2]).is_some_and(|group| group.acknowledge(id)) {
                    return Fate::Missing;
                }
                acknowledged = true;
                // An entry that is gone already was pending all the same.
                match delete_one(stream, id, references) {
                    Fate::Missing => Fate::Deleted,
                    fate => fate,
                }
            };
            options::ids(ids)?.into_iter().map(&mut acknowledge_one).collect()
        }
    };
    if acknowledged {
        ctx.touched(&argv[1]);
    }
    finish(ctx, &argv[1], &fates)
}

fn finish(ctx: &mut Ctx<'_>, key: &Bytes, fates: &[Fate]) -> CommandResult {
    if fates.contains(&Fate::Deleted) {
        ctx.changed(key, Class::STREAM, "xdel");
    }
    Ok(Reply::Array(fates.iter().map(|fate| Reply::Int(*fate as i64)).collect()).into())
}
