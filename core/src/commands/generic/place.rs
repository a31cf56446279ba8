//! Where keys are: renaming, copying and moving them, and swapping databases.

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx, break_watches_of_replaced};
use crate::commands::notify::Class;
use crate::commands::spec::{Begin, CommandSpec, Example, Find, Flags, Group, KeySpec, Shape};
use crate::error::CommandError;
use crate::keyspace::{Entry, KeyId};
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::Value;

use super::KEYSPACE;

const RENAME: CommandSpec = CommandSpec {
    name: "rename",
    arity: 3,
    flags: Flags::WRITE,
    keys: &[KeySpec::at(1, &["RW", "access", "delete"]), KeySpec::at(2, &["OW", "update"])],
    summary: "Gives a key another name, whatever was there.",
    syntax: "RENAME key newkey",
    reply: Shape::Status,
    handler: |ctx, argv| rename(ctx, argv, IfTaken::Replace),
    examples: &[Example { setup: "SET a 1", run: "RENAME a b", shows: "OK" }],
    ..KEYSPACE
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "copy",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RO", "access"]), KeySpec::at(2, &["OW", "update"])],
        since: (6, 2, 0),
        summary: "Copies a value and its expiry to another key.",
        syntax: "COPY source destination [DB destination-db] [REPLACE]",
        reply: Shape::Int,
        handler: copy,
        examples: &[
            Example { setup: "SET a 1", run: "COPY a b", shows: "(integer) 1" },
            Example { setup: "MSET a 1 b 2", run: "COPY a b", shows: "(integer) 0" },
        ],
        ..KEYSPACE
    },
    CommandSpec {
        name: "migrate",
        arity: -6,
        flags: Flags::WRITE.or(Flags::MOVABLEKEYS),
        categories: &["keyspace", "dangerous"],
        keys: &[
            KeySpec::at(3, &["RW", "access", "delete"]),
            KeySpec {
                begin: Begin::Keyword { word: "KEYS", from: -2 },
                find: Find::Range { last: -1, step: 1, limit: 0 },
                flags: &["RW", "access", "delete", "incomplete"],
                notes: "",
            },
        ],
        since: (2, 6, 0),
        summary: "Moves keys to another server. No other server can be reached from here, which is what it answers.",
        syntax: "MIGRATE host port <key | \"\"> destination-db timeout [COPY] [REPLACE] [AUTH password | AUTH2 username password] [KEYS key [key ...]]",
        reply: Shape::Status,
        tips: &["nondeterministic_output"],
        handler: migrate,
        examples: &[Example { setup: "", run: "MIGRATE 127.0.0.1 6390 nosuch 0 1000", shows: "NOKEY" }],
        ..KEYSPACE
    },
    CommandSpec {
        name: "move",
        arity: 3,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        summary: "Moves a key to another database, if it is missing there.",
        syntax: "MOVE key db",
        reply: Shape::Int,
        handler: move_key,
        examples: &[Example { setup: "SET a 1", run: "MOVE a 1", shows: "(integer) 1" }],
        ..KEYSPACE
    },
    RENAME,
    CommandSpec {
        name: "renamenx",
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "delete"]), KeySpec::at(2, &["OW", "insert"])],
        summary: "Gives a key another name, if that is free.",
        syntax: "RENAMENX key newkey",
        reply: Shape::Int,
        handler: |ctx, argv| rename(ctx, argv, IfTaken::Refuse),
        examples: &[Example { setup: "MSET a 1 b 2", run: "RENAMENX a b", shows: "(integer) 0" }],
        ..RENAME
    },
    CommandSpec {
        name: "swapdb",
        arity: 3,
        flags: Flags::WRITE.or(Flags::FAST),
        categories: &["keyspace", "dangerous"],
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Swaps two databases.",
        syntax: "SWAPDB index1 index2",
        reply: Shape::Status,
        handler: swapdb,
        examples: &[Example { setup: "SET k v", run: "SWAPDB 0 1", shows: "OK" }],
        ..KEYSPACE
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum IfTaken {
    Replace,
    Refuse,
}

fn rename(ctx: &mut Ctx<'_>, argv: &[Bytes], if_taken: IfTaken) -> CommandResult {
    let (from, to) = (&argv[1], &argv[2]);
    let Some(entry) = ctx.lookup_write(from).cloned() else { return Err(CommandError::NoSuchKey) };
    let done = |done| if if_taken == IfTaken::Replace { Reply::OK } else { Reply::from(done) };
    if from == to {
        return Ok(done(false).into());
    }
    let replaced = ctx.lookup_write(to).map(|entry| entry.value.type_name());
    if replaced.is_some() && if_taken == IfTaken::Refuse {
        return Ok(done(false).into());
    }
    // Point of no return.
    let type_name = entry.value.type_name();
    let db = ctx.db;
    ctx.state.dbs[db].remove(&KeyId::new(from));
    ctx.moves_with_argument((db, from), (db, to));
    place(ctx, to, entry);
    ctx.changed(from, Class::GENERIC, "rename_from");
    ctx.changed(to, Class::GENERIC, "rename_to");
    if let Some(before) = replaced {
        ctx.notify_overwritten(to, before, type_name);
    }
    Ok(done(true).into())
}

/// Puts an entry into the context's database as a new one; what was there is gone without a word.
pub(super) fn place(ctx: &mut Ctx<'_>, key: &Bytes, entry: Entry) {
    let db = ctx.db;
    ctx.state.dbs[db].insert(KeyId::new(key), entry);
    ctx.created(key);
}

/// Does something with another database selected.
fn in_db<T>(ctx: &mut Ctx<'_>, db: usize, act: impl FnOnce(&mut Ctx<'_>) -> T) -> T {
    let own = std::mem::replace(&mut ctx.db, db);
    let result = act(ctx);
    ctx.db = own;
    result
}

fn check_db(ctx: &Ctx<'_>, index: i64) -> Result<usize, CommandError> {
    usize::try_from(index).ok().filter(|&db| db < ctx.state.dbs.len()).ok_or(CommandError::DbOutOfRange)
}

fn copy(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (from, to) = (&argv[1], &argv[2]);
    let (mut db, mut replace) = (ctx.db, false);
    let mut words = Cursor::new(&argv[3..]);
    while !words.is_done() {
        if words.take_word("replace") {
            replace = true;
        } else if words.take_word("db") {
            db = check_db(ctx, args::int32(words.next()?)?)?;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if ctx.state.cluster.is_some() && db != 0 {
        // Newer servers have but one database in a cluster.
        if ctx.version() >= Version::V8_0 {
            return Err(CommandError::DbOutOfRange);
        }
        return Err(CommandError::Line(
            "ERR Copying to another database is not allowed in cluster mode".into(),
        ));
    }
    if db == ctx.db && from == to {
        return Err(CommandError::SameObject);
    }
    let Some(entry) = ctx.lookup(from).cloned() else { return Ok(Reply::Int(0).into()) };
    let copied = in_db(ctx, db, |ctx| {
        let replaced = ctx.lookup_write(to).map(|entry| entry.value.type_name());
        if replaced.is_some() && !replace {
            return false;
        }
        let type_name = entry.value.type_name();
        let mut copy = Entry { accessed_at: ctx.state.now, ..entry };
        if let Value::String(string) = &mut copy.value {
            string.make_own();
        }
        ctx.unshare_argument(to);
        place(ctx, to, copy);
        ctx.changed(to, Class::GENERIC, "copy_to");
        if let Some(before) = replaced {
            ctx.notify_overwritten(to, before, type_name);
        }
        true
    });
    Ok(Reply::from(copied).into())
}

fn move_key(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    if ctx.state.cluster.is_some() {
        return Err(CommandError::Line("ERR MOVE is not allowed in cluster mode".into()));
    }
    let db = check_db(ctx, args::int32(&argv[2])?)?;
    if db == ctx.db {
        return Err(CommandError::SameObject);
    }
    let Some(entry) = ctx.lookup_write(key).cloned() else { return Ok(Reply::Int(0).into()) };
    if in_db(ctx, db, |ctx| ctx.exists(key)) {
        return Ok(Reply::Int(0).into());
    }
    // Point of no return.
    let own = ctx.db;
    ctx.moves_with_argument((own, key), (db, key));
    in_db(ctx, db, |ctx| place(ctx, key, entry));
    ctx.state.dbs[own].remove(&KeyId::new(key));
    ctx.changed(key, Class::GENERIC, "move_from");
    in_db(ctx, db, |ctx| ctx.changed(key, Class::GENERIC, "move_to"));
    Ok(Reply::Int(1).into())
}

fn swapdb(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.state.cluster.is_some() {
        return Err(CommandError::Line("ERR SWAPDB is not allowed in cluster mode".into()));
    }
    let index =
        |text: &Bytes, error: &'static str| args::int32(text).map_err(|_| CommandError::Line(error.into()));
    let first = index(&argv[1], "ERR invalid first DB index")?;
    let second = index(&argv[2], "ERR invalid second DB index")?;
    let (first, second) = (check_db(ctx, first)?, check_db(ctx, second)?);
    ctx.state.dirty += 1;
    if first == second {
        return Ok(Reply::OK.into());
    }
    break_watches_of_replaced(ctx.state, first, Some(second));
    break_watches_of_replaced(ctx.state, second, Some(first));
    ctx.state.dbs.swap(first, second);
    ctx.swaps_with_arguments(first, second);
    ctx.state.tally.forget();
    ready_blocked(ctx, &[first, second]);
    Ok(Reply::OK.into())
}

/// Lets the clients that wait for keys of these databases look again, where there is now something to wait for.
fn ready_blocked(ctx: &mut Ctx<'_>, databases: &[usize]) {
    for &db in databases {
        let keys: Vec<KeyId> = ctx.state.waiting.keys(db).cloned().collect();
        for key in keys {
            ctx.state.signal_held(db, &key, ctx.client);
        }
    }
}

fn migrate(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let mut keys = &argv[3..4];
    let mut words = Cursor::new(&argv[6..]);
    while !words.is_done() {
        if words.take_word("copy") || words.take_word("replace") {
            continue;
        } else if words.take_word("auth") {
            words.next()?;
        } else if words.take_word("auth2") {
            words.next()?;
            words.next()?;
        } else if words.take_word("keys") {
            if !argv[3].is_empty() {
                return Err(CommandError::Line(
                    "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string"
                        .into(),
                ));
            }
            keys = words.remaining();
            break;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    args::int(&argv[5])?;
    args::int(&argv[4])?;
    // Every key is looked up, not only the first one.
    let found = keys.iter().filter(|key| ctx.lookup(key).is_some()).count();
    if found == 0 {
        return Ok(Reply::status("NOKEY").into());
    }
    Err(CommandError::Line("IOERR error or timeout writing to target instance".into()))
}
