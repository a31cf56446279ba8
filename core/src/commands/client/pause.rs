//! CLIENT PAUSE, UNPAUSE and UNBLOCK: who waits, and who need not any more.

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::waiting::millis_from_now;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::resp::Reply;
use crate::state::{BlockedOn, Pause};

pub(super) fn pause(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let line = |text: &'static str| CommandError::Line(text.into());
    let all = match &argv[3..] {
        [] => true,
        [mode] if args::is(mode, "write") => false,
        [mode] if args::is(mode, "all") => true,
        [_] => return Err(line("ERR CLIENT PAUSE mode must be WRITE or ALL")),
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    let millis = millis_from_now(ctx, &argv[2])?;
    // On an old server the sum overflows: the pause is over.
    let overflows = millis > (i64::MAX - ctx.now.0) as u64;
    let until = ctx.state.now + Micros::from_millis(if overflows { 0 } else { millis });
    // A pause that still holds is never shortened or weakened.
    let current = ctx.state.pause.filter(|pause| pause.until > ctx.state.now);
    ctx.state.pause = Some(Pause {
        until: current.map_or(until, |pause| pause.until.max(until)),
        all: all || current.is_some_and(|pause| pause.all),
    });
    Ok(Reply::OK.into())
}

pub(super) fn unpause(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    ctx.state.pause = None;
    Ok(Reply::OK.into())
}

pub(super) fn unblock(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let by_error = match &argv[3..] {
        [] => false,
        [reason] if args::is(reason, "timeout") => false,
        [reason] if args::is(reason, "error") => true,
        [_] => {
            let text = "ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR";
            return Err(CommandError::Line(text.into()));
        }
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    let id = ClientId(args::int(&argv[2])? as u64);
    let waiting = ctx.state.clients.get_mut(&id).and_then(|client| client.blocked.as_mut());
    let Some(blocked) = waiting.filter(|blocked| blocked.on != BlockedOn::Pause) else {
        return Ok(Reply::Int(0).into());
    };
    if by_error {
        blocked.timeout_reply = Reply::error("UNBLOCKED client unblocked via CLIENT UNBLOCK");
    }
    ctx.state.released.push((id, ctx.client));
    Ok(Reply::Int(1).into())
}
