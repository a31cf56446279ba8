//! What all commands that wait for a key have in common: the timeout, and waiting itself.

use crate::Bytes;
use crate::clock::Micros;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Awaited, Blocked, BlockedOn};
use crate::value::number::LongDouble;

use super::args;
use super::ctx::{CommandResult, Ctx, Outcome};

/// A timeout in seconds, fractions allowed, as the moment at which the wait ends; None (zero) waits for ever.
pub(super) fn deadline(ctx: &Ctx<'_>, timeout: &[u8]) -> Result<Option<Micros>, CommandError> {
    let seconds = LongDouble::parse(timeout)
        .ok_or(CommandError::Line("ERR timeout is not a float or out of range".into()))?;
    deadline_after(ctx, seconds.seconds_to_millis())
}

/// A number of milliseconds from now on; zero is for the caller to make sense of.
pub(super) fn millis_from_now(ctx: &Ctx<'_>, timeout: &[u8]) -> Result<u64, CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    let millis = args::int(timeout).map_err(|_| line("ERR timeout is not an integer or out of range"))?;
    if ctx.version() >= Version::V7_2 && millis > i64::MAX - ctx.now.0 {
        return Err(line("ERR timeout is out of range"));
    }
    u64::try_from(millis).map_err(|_| line("ERR timeout is negative"))
}

/// As [`deadline`], for a timeout in milliseconds.
pub(super) fn deadline_after(ctx: &Ctx<'_>, millis: i128) -> Result<Option<Micros>, CommandError> {
    let latest = i128::from(i64::MAX);
    let checks_the_sum = ctx.version() >= Version::V7_2;
    // An old server's number overflows.
    if millis < 0 || (millis > latest && !checks_the_sum) {
        return Err(CommandError::Line("ERR timeout is negative".into()));
    }
    if checks_the_sum && millis > latest - i128::from(ctx.now.0) {
        return Err(CommandError::Line("ERR timeout is out of range".into()));
    }
    let millis = u64::try_from(millis).unwrap_or(u64::MAX);
    Ok((millis > 0).then(|| ctx.wall + Micros::from_millis(millis)))
}

/// Lets the client wait until one of the keys holds what is awaited. In a transaction or a script nothing waits:
/// `at_once` is the answer.
pub(super) fn wait(
    ctx: &Ctx<'_>,
    argv: &[Bytes],
    keys: &[Bytes],
    awaited: Awaited,
    deadline: Option<Micros>,
    at_once: Reply,
) -> CommandResult {
    if ctx.deny_blocking() {
        return Ok(at_once.into());
    }
    let on = BlockedOn::Keys { db: ctx.db, keys: keys.to_vec(), awaited };
    let argv = argv.to_vec();
    Ok(Outcome::Block(Box::new(Blocked {
        argv,
        on,
        deadline,
        retry_at: None,
        timeout_reply: Reply::NilArray,
        since: ctx.wall,
    })))
}

/// Whether this command may take from the key: always, but for a client of an old server that was woken by another key.
pub(super) fn may_take_from(ctx: &Ctx<'_>, key: &Bytes) -> bool {
    ctx.only_key.as_ref().is_none_or(|only| only == key)
}
