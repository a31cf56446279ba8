//! What a connection says of itself: its name, its library, what it wants to be sent.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx, Outcome};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::ReplyMode;

pub(super) fn id(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Int(ctx.client.0 as i64).into())
}

pub(super) fn getname(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let name = ctx.client().name.clone();
    Ok(Reply::bulk_or_nil(Some(name).filter(|name| !name.is_empty())).into())
}

pub(super) fn setname(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    ctx.client_mut().name = checked_name(&argv[2], ctx.version())?;
    Ok(Reply::OK.into())
}

/// A name fit for CLIENT LIST, where blanks part the fields.
pub(in crate::commands) fn checked_name(name: &Bytes, version: Version) -> Result<Bytes, CommandError> {
    if is_printable(name, version) {
        return Ok(name.clone());
    }
    Err(CommandError::Line("ERR Client names cannot contain spaces, newlines or special characters.".into()))
}

/// Since 7.2 only what stands before the first NUL is looked at.
fn is_printable(text: &[u8], version: Version) -> bool {
    let looked_at = text.iter().take_while(|byte| version < Version::V7_2 || **byte != 0);
    looked_at.copied().all(|byte| (b'!'..=b'~').contains(&byte))
}

pub(super) fn setinfo(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (option, value) = (&argv[2], &argv[3]);
    let version = ctx.version();
    let client = ctx.client_mut();
    let field = if args::is(option, "lib-name") {
        &mut client.library_name
    } else if args::is(option, "lib-ver") {
        &mut client.library_version
    } else {
        return Err(CommandError::UnrecognizedOption(option.to_word()));
    };
    if !is_printable(value, version) {
        return Err(CommandError::NotPrintable(option.to_word()));
    }
    *field = value.clone();
    Ok(Reply::OK.into())
}

pub(super) fn no_evict(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    ctx.client_mut().no_evict = on_or_off(&argv[2])?;
    Ok(Reply::OK.into())
}

pub(super) fn no_touch(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    ctx.client_mut().no_touch = on_or_off(&argv[2])?;
    Ok(Reply::OK.into())
}

pub(super) fn on_or_off(word: &[u8]) -> Result<bool, CommandError> {
    match word {
        word if args::is(word, "on") => Ok(true),
        word if args::is(word, "off") => Ok(false),
        _ => Err(CommandError::Syntax),
    }
}

pub(super) fn reply(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let client = ctx.client_mut();
    if args::is(&argv[2], "on") {
        client.reply_mode = ReplyMode::On;
        return Ok(Reply::OK.into());
    }
    if args::is(&argv[2], "off") {
        client.reply_mode = ReplyMode::Off;
    } else if !args::is(&argv[2], "skip") {
        return Err(CommandError::Syntax);
    } else if client.reply_mode != ReplyMode::Off {
        client.reply_mode = ReplyMode::SkipNext;
    }
    Ok(Outcome::Silent)
}
