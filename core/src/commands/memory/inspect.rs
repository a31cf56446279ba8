//! MEMORY's subcommands.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::{Holder, memory};

use super::account;

pub(super) fn usage(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let mut samples = 5;
    let mut options = args::Cursor::new(&argv[3..]);
    while let Some(word) = options.peek() {
        if !args::is(word, "samples") || options.remaining().len() < 2 {
            return Err(CommandError::Syntax);
        }
        options.next()?;
        let count = args::int(options.next()?)?;
        samples = usize::try_from(count).map_err(|_| CommandError::Syntax)?;
    }
    let (key, version) = (&argv[2], ctx.version());
    let bytes = ctx.peek(key).map(|entry| {
        let holder = Holder { version, key_bytes: key.len(), has_expiry: entry.expires_at.is_some() };
        memory::usage(&entry.value, holder, samples)
    });
    Ok(bytes.map_or(Reply::Nil, Reply::from).into())
}

pub(super) fn purge(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::OK.into())
}

fn text(text: &str) -> CommandResult {
    Ok(Reply::Verbatim { format: *b"txt", text: Bytes::from(text) }.into())
}

pub(super) fn malloc_stats(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    text("Stats not supported for the current allocator")
}

pub(super) fn doctor(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    const LITTLE_BYTES: usize = 5 << 20;
    text(if account::usage(ctx.state).total() < LITTLE_BYTES {
        "There is so little in memory that nothing can be said about it.\n"
    } else {
        "The figures are estimates of a server without buffers and fragments: there is nothing to complain of.\n"
    })
}

pub(super) fn stats(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let (usage, version) = (account::usage(ctx.state), ctx.version());
    let total = usage.total();
    let keys: usize = ctx.state.dbs.iter().map(|db| db.len()).sum();
    let above_startup = total - usage.startup;
    let int = |name: &str, bytes: usize| (Reply::bulk(name), Reply::from(bytes));
    let ratio = |name: &str, value: f64| (Reply::bulk(name), Reply::Double(value));
    let mut fields = vec![
        int("peak.allocated", total),
        int("total.allocated", total),
        int("startup.allocated", usage.startup),
        int("replication.backlog", 0),
    ];
    if version >= Version::V8_0 {
        fields.push(int("replica.fullsync.buffer", 0));
    }
    fields.push(int("clients.slaves", 0));
    fields.push(int("clients.normal", usage.clients));
    fields.extend(["cluster.links", "aof.buffer"].map(|name| int(name, 0)));
    fields.push(int("lua.caches", usage.scripts));
    fields.push(int("functions.caches", usage.functions));
    if version >= Version::V7_4 {
        fields.push(int("script.VMs", 66_560));
    }
    for (index, db) in ctx.state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
        let table = Reply::Map(vec![
            int("overhead.hashtable.main", db.len() * 72),
            int("overhead.hashtable.expires", db.expiring_len() * 24),
        ]);
        fields.push((Reply::bulk(format!("db.{index}")), table));
    }
    fields.push(int("overhead.total", usage.overhead()));
    fields.push(int("keys.count", keys));
    fields.push(int("keys.bytes-per-key", above_startup.checked_div(keys).unwrap_or(0)));
    fields.push(int("dataset.bytes", usage.dataset));
    fields.push(ratio("dataset.percentage", usage.dataset as f64 * 100.0 / above_startup.max(1) as f64));
    fields.push(ratio("peak.percentage", 100.0));
    fields.extend(["allocated", "active", "resident"].map(|name| int(&format!("allocator.{name}"), total)));
    for name in ["allocator-fragmentation", "allocator-rss", "rss-overhead"] {
        fields.push(ratio(&format!("{name}.ratio"), 1.0));
        fields.push(int(&format!("{name}.bytes"), 0));
    }
    fields.push(ratio("fragmentation", 1.0));
    fields.push(int("fragmentation.bytes", 0));
    Ok(Reply::Map(fields).into())
}
