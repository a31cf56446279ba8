//! XCFGSET, and what XADD's IDMP and IDMPAUTO need.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::{Param, Sha1};
use crate::value::StreamValue;
use crate::value::stream::Retention;

const DURATION_S_MAX: i64 = 86_400;
const MAX_SIZE_MAX: i64 = 10_000;

/// What the server's configuration says of streams that XCFGSET has not been called for.
pub(super) fn configured(ctx: &Ctx<'_>) -> Retention {
    const DURATION: Param = Param::named("stream-idmp-duration");
    const MAX_SIZE: Param = Param::named("stream-idmp-maxsize");
    let config = &ctx.state.config;
    Retention {
        duration_s: config.int(DURATION),
        max_size: usize::try_from(config.int(MAX_SIZE)).unwrap_or_default(),
    }
}

/// By what an entry without an idempotency ID of its own is known: its fields and values, in any order.
pub(super) fn iid_of(pairs: &[Bytes]) -> Bytes {
    let mut pairs: Vec<(&Bytes, &Bytes)> = pairs.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
    pairs.sort_unstable();
    let mut content = Vec::new();
    for text in pairs.iter().flat_map(|(field, value)| [field, value]) {
        content.extend((text.len() as u64).to_be_bytes());
        content.extend_from_slice(text);
    }
    Bytes::from(Sha1::of(&content).as_bytes())
}

pub(super) fn xcfgset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let line = |text: &'static str| CommandError::Line(text.into());
    let (mut duration_s, mut max_size) = (None, None);
    let mut rest = args::Cursor::new(&argv[2..]);
    while let Some(word) = rest.peek() {
        let has_value = rest.remaining().len() > 1;
        rest.next()?;
        if args::is(word, "idmp-duration") && has_value {
            duration_s = Some(args::int(rest.next()?)?);
        } else if args::is(word, "idmp-maxsize") && has_value {
            max_size = Some(args::int(rest.next()?)?);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if duration_s.is_none() && max_size.is_none() {
        return Err(line("ERR At least one parameter must be specified"));
    }
    if duration_s.is_some_and(|seconds| !(1..=DURATION_S_MAX).contains(&seconds)) {
        return Err(line("ERR IDMP-DURATION must be between 1 and 86400 seconds"));
    }
    if max_size.is_some_and(|size| !(1..=MAX_SIZE_MAX).contains(&size)) {
        return Err(line("ERR IDMP-MAXSIZE must be between 1 and 10000 entries"));
    }
    let configured = configured(ctx);
    let stream = ctx.write::<StreamValue>(&argv[1])?.ok_or(CommandError::NoSuchKey)?;
    let now = stream.idempotency.retention(configured);
    let max_size = max_size.and_then(|size| usize::try_from(size).ok());
    let wanted = Retention {
        duration_s: duration_s.unwrap_or(now.duration_s),
        max_size: max_size.unwrap_or(now.max_size),
    };
    stream.idempotency.configure(wanted, configured);
    ctx.changed(&argv[1], Class::STREAM, "xcfgset");
    Ok(Reply::OK.into())
}
