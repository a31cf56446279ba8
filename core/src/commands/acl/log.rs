//! ACL LOG.

use std::sync::Arc;

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::LogEntry;

pub(super) fn log(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    /// Entries shown where no number is given.
    const SHOWN: i64 = 10;
    let count = match &argv[2..] {
        [] => SHOWN,
        [word] if args::is(word, "reset") => {
            ctx.state.acl.log = Arc::default();
            return Ok(Reply::OK.into());
        }
        [count] => args::int(count)?,
        _ => return Err(crate::error::CommandError::subcommand_syntax(argv)),
    };
    let entries = ctx.state.acl.log.iter().take(count.max(0) as usize);
    Ok(Reply::Array(entries.map(|entry| describe(ctx, entry)).collect()).into())
}

fn describe(ctx: &Ctx<'_>, entry: &LogEntry) -> Reply {
    let millis = (ctx.state.now - entry.created_at).0 / 1000;
    let mut fields = vec![
        (Reply::bulk("count"), Reply::Int(entry.count as i64)),
        (Reply::bulk("reason"), Reply::bulk(entry.reason)),
        (Reply::bulk("context"), Reply::bulk(entry.context)),
        (Reply::bulk("object"), Reply::Bulk(entry.object.clone())),
        (Reply::bulk("username"), Reply::Bulk(entry.user.clone())),
        (Reply::bulk("age-seconds"), Reply::Double(millis as f64 / 1000.0)),
        (Reply::bulk("client-info"), Reply::bulk(entry.client.clone())),
    ];
    if ctx.version() >= Version::V7_2 {
        fields.push((Reply::bulk("entry-id"), Reply::Int(entry.id as i64)));
        fields.push((Reply::bulk("timestamp-created"), Reply::Int(entry.created_at.unix_millis().0)));
        fields.push((Reply::bulk("timestamp-last-updated"), Reply::Int(entry.updated_at.unix_millis().0)));
    }
    Reply::Map(fields)
}
