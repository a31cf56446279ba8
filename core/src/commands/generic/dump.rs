//! DUMP and RESTORE: a value as bytes that any server of its version or a newer one can read.

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};
use crate::error::CommandError;
use crate::keyspace::{Entry, KeyId};
use crate::resp::Reply;
use crate::value::rdb::{self, RestoreError};

use super::object::is_lfu;
use super::{KEYSPACE, place};

const RESTORE: CommandSpec = CommandSpec {
    name: "restore",
    arity: -4,
    flags: Flags::WRITE.or(Flags::DENYOOM),
    categories: &["keyspace", "dangerous"],
    keys: &[KeySpec::at(1, &["OW", "update"])],
    since: (2, 6, 0),
    summary: "Makes a value from the bytes that DUMP gave.",
    syntax: "RESTORE key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
    reply: Shape::Status,
    handler: restore,
    examples: &[Example {
        setup: "",
        run: "RESTORE k 0 nonsense",
        shows: "(error) ERR DUMP payload version or checksum are wrong",
    }],
    ..KEYSPACE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "dump",
        arity: 2,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (2, 6, 0),
        summary: "Answers a value as bytes that RESTORE takes.",
        syntax: "DUMP key",
        reply: Shape::BulkOrNil,
        tips: &["nondeterministic_output"],
        handler: dump,
        examples: &[Example { setup: "", run: "DUMP nosuch", shows: "(nil)" }],
        ..KEYSPACE
    },
    RESTORE,
    CommandSpec {
        name: "restore-asking",
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::ASKING),
        since: (3, 0, 0),
        group: Group::Server,
        summary: "Is RESTORE as a node sends it to the one that a slot is being moved to.",
        syntax: "RESTORE-ASKING key ttl serialized-value [REPLACE] [ABSTTL] [IDLETIME seconds] [FREQ frequency]",
        examples: &[Example {
            setup: "",
            run: "RESTORE-ASKING k 0 nonsense",
            shows: "(error) ERR DUMP payload version or checksum are wrong",
        }],
        ..RESTORE
    },
];

impl From<RestoreError> for CommandError {
    fn from(error: RestoreError) -> Self {
        Self::Line(match error {
            RestoreError::VersionOrChecksum => "ERR DUMP payload version or checksum are wrong".into(),
            RestoreError::BadFormat => "ERR Bad data format".into(),
        })
    }
}

fn dump(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let limits = ctx.limits();
    let entry = ctx.lookup(&argv[1]);
    Ok(Reply::bulk_or_nil(entry.map(|entry| rdb::dump(&entry.value, &limits).into())).into())
}

#[derive(Default)]
struct Options {
    replace: bool,
    absolute: bool,
    idle_seconds: Option<u64>,
    frequency: Option<u8>,
}

fn options(rest: &[Bytes]) -> Result<Options, CommandError> {
    let mut options = Options::default();
    let mut words = Cursor::new(rest);
    while !words.is_done() {
        if words.take_word("replace") {
            options.replace = true;
        } else if words.take_word("absttl") {
            options.absolute = true;
        } else if options.frequency.is_none() && words.take_word("idletime") {
            let seconds = args::int(words.next()?)?;
            let refused = CommandError::Line("ERR Invalid IDLETIME value, must be >= 0".into());
            options.idle_seconds = Some(u64::try_from(seconds).map_err(|_| refused)?);
        } else if options.idle_seconds.is_none() && words.take_word("freq") {
            let frequency = args::int(words.next()?)?;
            let refused = CommandError::Line("ERR Invalid FREQ value, must be >= 0 and <= 255".into());
            options.frequency = Some(u8::try_from(frequency).map_err(|_| refused)?);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(options)
}

fn restore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let options = options(&argv[4..])?;
    let replaced = ctx.lookup_write(key).map(|entry| entry.value.type_name());
    if replaced.is_some() && !options.replace {
        return Err(CommandError::Line("BUSYKEY Target key name already exists.".into()));
    }
    let ttl = args::int(&argv[2])?;
    if ttl < 0 {
        return Err(CommandError::Line("ERR Invalid TTL value, must be >= 0".into()));
    }
    let value = if ctx.state.skips_checksums {
        rdb::restore(&rdb::with_own_checksum(&argv[3]), &ctx.limits())?
    } else {
        rdb::restore(&argv[3], &ctx.limits())?
    };
    let start = if options.absolute { 0 } else { ctx.now.0 };
    // A sum that runs over lies in the past, as it does for the server.
    let expires_at = (ttl > 0).then(|| UnixMillis(start.wrapping_add(ttl)));
    // Point of no return.
    if expires_at.is_some_and(|at| at <= ctx.now) {
        ctx.delete(key, "del");
        return Ok(Reply::OK.into());
    }
    let type_name = value.type_name();
    let mut entry = Entry { expires_at, accessed_at: ctx.state.now, ..Entry::new(value) };
    match (is_lfu(ctx), options.idle_seconds, options.frequency) {
        (false, Some(seconds), _) => {
            entry.accessed_at = ctx.state.now - Micros(seconds.saturating_mul(1_000_000));
        }
        (true, _, Some(frequency)) => entry.frequency = frequency,
        _ => {}
    }
    if replaced.is_some() {
        let db = ctx.db;
        ctx.state.dbs[db].remove(&KeyId::new(key));
    }
    ctx.unshare_argument(key);
    place::place(ctx, key, entry);
    ctx.changed(key, Class::GENERIC, "restore");
    if let Some(before) = replaced {
        ctx.notify_overwritten(key, before, type_name);
    }
    Ok(Reply::OK.into())
}
