//! DEBUG: what tests and lessons use. What crashes a process or looks into its allocator is not there.

mod digest;
mod inspect;

use crate::Bytes;
use crate::clock::Micros;
use crate::error::CommandError;
use crate::event::EventKind;
use crate::limits::POPULATE_BYTES_MAX;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::state::config::memory_size;
use crate::state::{Place, Sha1};
use crate::value::{StringValue, number};

use super::args;
use super::ctx::{CommandResult, Ctx, Origin, Outcome, break_watches_of_replaced};
use super::spec::{CommandSpec, Example, Flags, Group};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "debug",
    arity: -2,
    flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
    since: (1, 0, 0),
    group: Group::Server,
    summary: "Helps tests: SLEEP passes virtual time, SET-ACTIVE-EXPIRE 0 leaves expired keys until they are looked at.",
    syntax: "DEBUG subcommand [argument ...]",
    handler: debug,
    examples: &[
        Example { setup: "", run: "DEBUG SLEEP 0.1", shows: "OK" },
        Example { setup: "", run: "DEBUG PROTOCOL integer", shows: "(integer) 12345" },
    ],
    ..CommandSpec::BASE
}];

fn debug(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (name, rest) = (&argv[1], &argv[2..]);
    match rest {
        [kind] if args::is(name, "protocol") => protocol(ctx, kind),
        [seconds] if args::is(name, "sleep") => {
            let seconds = number::parse_f64(seconds).unwrap_or(0.0).max(0.0);
            ctx.state.slept = Micros((seconds * 1e6) as u64);
            Ok(Reply::OK.into())
        }
        [mode] if args::is(name, "set-active-expire") => {
            ctx.state.active_expire = is_on(mode);
            Ok(Reply::OK.into())
        }
        [mode] if args::is(name, "set-disable-deny-scripts") => {
            ctx.state.scripts_may_all = is_on(mode);
            Ok(Reply::OK.into())
        }
        [key] if args::is(name, "object") => inspect::object(ctx, key),
        [key] if args::is(name, "listpack") => inspect::listpack(ctx, key),
        [key] | [key, _] if args::is(name, "quicklist") => inspect::quicklist(ctx, key),
        [key] if args::is(name, "sdslen") => inspect::sds_lengths(ctx, key),
        [db] | [db, _] if args::is(name, "htstats") && may_have_option(ctx, rest) => inspect::tables(ctx, db),
        [key] | [key, _] if args::is(name, "htstats-key") && may_have_option(ctx, rest) => {
            inspect::table(ctx, key)
        }
        [] if args::is(name, "structsize") => Ok(Reply::bulk(inspect::STRUCT_SIZES).into()),
        [] if args::is(name, "digest") => digest::of_dataset(ctx),
        keys if args::is(name, "digest-value") => digest::of_values(ctx, keys),
        [mode] if args::is(name, "set-skip-checksum-validation") => {
            ctx.state.skips_checksums = is_on(mode);
            Ok(Reply::OK.into())
        }
        [text] if args::is(name, "error") => Ok(Reply::quoting_error(text.to_vec()).into()),
        [text] if args::is(name, "log") => {
            let (at, client, text) = (ctx.state.now, ctx.client, text.clone());
            ctx.state.journal.detail(at, || EventKind::ScriptLogged { client, level: 3, text });
            Ok(Reply::OK.into())
        }
        options if args::is(name, "reload") => reload(ctx, options),
        [count, rest @ ..] if args::is(name, "populate") && rest.len() <= 2 => populate(ctx, count, rest),
        [] if args::is(name, "help") => Ok(help()),
        [size] if args::is(name, "quicklist-packed-threshold") => packed_threshold(size),
        [what, value] if args::is(name, "replybuffer") && is_reply_buffer(what) => reply_buffer(what, value),
        [sha] if args::is(name, "script") && can_print_script(ctx, sha) => Ok(Reply::OK.into()),
        [] if args::is(name, "internal_secret") && ctx.version() >= Version::V8_0 => {
            Err(CommandError::Line("ERR Internal secret is missing".into()))
        }
        [] if args::is(name, "client-eviction") => {
            Err(CommandError::Line("ERR maxmemory-clients is disabled.".into()))
        }
        [] if args::is(name, "config-rewrite-force-all") => {
            Err(CommandError::Line("ERR CONFIG-REWRITE-FORCE-ALL failed: Bad address".into()))
        }
        _ if is_without_effect(ctx.version(), name, rest) => Ok(Reply::OK.into()),
        _ => Err(CommandError::SubcommandOrArity(name.to_word(), "DEBUG")),
    }
}

/// What concerns timers, sockets, replicas and tables that are not there: taken as servers take it.
fn is_without_effect(version: Version, name: &Bytes, rest: &[Bytes]) -> bool {
    /// With how many arguments, and from which version on.
    const KNOWN: &[(&str, usize, Version)] = &[
        ("aof-flush-sleep", 1, Version::V7_0),
        ("change-repl-id", 0, Version::V7_0),
        ("dict-resizing", 1, Version::V7_4),
        ("drop-cluster-packet-filter", 1, Version::V7_0),
        ("keysizes-hist-assert", 1, Version::V8_2),
        ("leak", 1, Version::V7_0),
        ("mark-internal-client", 0, Version::V8_0),
        ("pause-cron", 1, Version::V7_0),
    ];
    let known = |&(known, count, since): &(&str, usize, Version)| {
        args::is(name, known) && rest.len() == count && version >= since
    };
    let unmarks = matches!(rest, [word] if args::is(word, "unmark"));
    args::is(name, "replicate") && !rest.is_empty()
        || args::is(name, "mark-internal-client") && version >= Version::V8_0 && unmarks
        || args::is(name, "repl-pause") && version >= Version::V8_0 && matches!(rest, [at] if is_pause(at))
        || KNOWN.iter().any(known)
}

fn can_print_script(ctx: &Ctx<'_>, sha: &Bytes) -> bool {
    let is_cached = || Sha1::parse(sha).is_some_and(|sha| ctx.state.scripts.contains(&sha));
    ctx.version() >= Version::V8_0 && (args::is(sha, "list") || is_cached())
}

fn is_pause(at: &Bytes) -> bool {
    ["clear", "after-fork", "before-rdb-channel", "on-streaming-repl-buf"]
        .iter()
        .any(|word| args::is(at, word))
}

/// Newer servers tell more of a hash table where they are asked to.
fn may_have_option(ctx: &Ctx<'_>, rest: &[Bytes]) -> bool {
    rest.len() == 1 || ctx.version() >= Version::V7_4
}

/// From which size on an element lies alone in its node. Kept by nobody: it changes nothing that can be seen.
fn packed_threshold(size: &Bytes) -> CommandResult {
    const BELOW: i64 = (1 << 32) - 1;
    if memory_size(size).is_some_and(|size| (0..BELOW).contains(&size)) {
        return Ok(Reply::OK.into());
    }
    let text = "ERR argument must be a memory value bigger than 1 and smaller than 4gb";
    Err(CommandError::Line(text.into()))
}

fn is_reply_buffer(what: &Bytes) -> bool {
    args::is(what, "peak-reset-time") || args::is(what, "resizing")
}

fn reply_buffer(what: &Bytes, value: &Bytes) -> CommandResult {
    let is_word = args::is(value, "never") || args::is(value, "reset");
    if args::is(what, "peak-reset-time") && !is_word {
        args::int(value)?;
    }
    Ok(Reply::OK.into())
}

fn is_on(mode: &Bytes) -> bool {
    number::parse_i64(mode).is_some_and(|number| number != 0)
}

fn help() -> Outcome {
    const LINES: &[&str] = &[
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANGE-REPL-ID",
        "    Would give the replication history a new number; nothing is replicated here.",
        "DIGEST",
        "    Answers a hash of the whole dataset.",
        "DIGEST-VALUE <key> [<key> ...]",
        "    Answers a hash of each key's value.",
        "ERROR <string>",
        "    Answers the text as an error.",
        "HTSTATS <dbid> | HTSTATS-KEY <key>",
        "    Tells how large a hash table is.",
        "LISTPACK <key> | QUICKLIST <key> [<0|1>]",
        "    Would print a value's insides where the server's own output goes.",
        "LOG <message>",
        "    Writes a message to the log.",
        "OBJECT <key>",
        "    Tells about a value's insides.",
        "POPULATE <count> [<prefix>] [<size>]",
        "    Makes that many keys.",
        "PROTOCOL <type>",
        "    Answers something of that type.",
        "RELOAD [option ...]",
        "    Would save and load the dataset; there are no files here.",
        "SET-ACTIVE-EXPIRE <0|1>",
        "    Says whether expired keys go by themselves.",
        "SLEEP <seconds>",
        "    Holds the server; fractions are allowed.",
        "HELP",
        "    Lists the subcommands.",
    ];
    Reply::Array(LINES.iter().map(|line| Reply::status(line)).collect()).into()
}

fn reload(ctx: &mut Ctx<'_>, options: &[Bytes]) -> CommandResult {
    let known = |word: &Bytes| ["merge", "noflush", "nosave"].iter().any(|name| args::is(word, name));
    if options.iter().all(known) {
        // The keys are thrown away and loaded again: whoever watches or has cached one is told so.
        if !options.iter().any(|word| args::is(word, "noflush")) {
            for db in 0..ctx.state.dbs.len() {
                break_watches_of_replaced(ctx.state, db, None);
            }
            super::client::invalidate_all(ctx.state, Place::Behind);
        }
        ctx.state.functions = ctx.state.functions.reloaded();
        return Ok(Reply::OK.into());
    }
    Err(CommandError::Line("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.".into()))
}

/// Keys `prefix:0`, `prefix:1` …; those that exist stay as they are.
fn populate(ctx: &mut Ctx<'_>, count: &Bytes, rest: &[Bytes]) -> CommandResult {
    let positive = |text: &Bytes| {
        let number = args::int(text).ok().and_then(|number| usize::try_from(number).ok());
        number.ok_or(CommandError::Line("ERR value is out of range, must be positive".into()))
    };
    let count = positive(count)?;
    let size = rest.get(1).map(positive).transpose()?;
    if count.saturating_mul(size.unwrap_or(1).max(1)) > POPULATE_BYTES_MAX {
        return Err(CommandError::Line("ERR that is more than the playground has room for".into()));
    }
    let prefix = rest.first().map_or("key".to_owned(), Bytes::to_text);
    for number in 0..count {
        let key = Bytes::from(format!("{prefix}:{number}"));
        if ctx.exists(&key) {
            continue;
        }
        let mut value = format!("value:{number}").into_bytes();
        if let Some(size) = size {
            value.resize(size, 0);
        }
        ctx.insert_value(&key, StringValue::new(Bytes::from(value)).into(), None);
        ctx.signal(&key);
    }
    Ok(Reply::OK.into())
}

/// One reply of each kind that the protocol knows.
fn protocol(ctx: &mut Ctx<'_>, kind: &Bytes) -> CommandResult {
    let three = || [0, 1, 2].map(Reply::Int).to_vec();
    let reply = match &*kind.to_ascii_lowercase() {
        b"string" => Reply::bulk("Hello World"),
        b"integer" => Reply::Int(12_345),
        #[expect(clippy::approx_constant, reason = "the very number that the server sends")]
        b"double" => Reply::Double(3.141),
        b"null" => Reply::Nil,
        b"array" => Reply::Array(three()),
        b"set" => Reply::Set(three()),
        b"map" => Reply::Map((0..3).map(|number| (Reply::Int(number), Reply::Bool(number == 1))).collect()),
        b"attrib" => Reply::Attribute {
            pairs: vec![(
                Reply::bulk("key-popularity"),
                Reply::Array(vec![Reply::bulk("key:123"), Reply::Int(90)]),
            )],
            reply: Box::new(Reply::bulk("Some real reply following the attribute")),
        },
        b"push" => return push(ctx),
        b"verbatim" => Reply::Verbatim { format: *b"txt", text: Bytes::from("This is a verbatim\nstring") },
        b"true" => Reply::Bool(true),
        b"false" => Reply::Bool(false),
        b"bignum" => Reply::BigNumber(Bytes::from("1234567999999999999999999999999999999")),
        _ => return Err(CommandError::DebugProtocol),
    };
    Ok(reply.into())
}

fn push(ctx: &mut Ctx<'_>) -> CommandResult {
    if ctx.protocol == Protocol::Resp2 {
        return Err(CommandError::Line("ERR RESP2 is not supported by this command".into()));
    }
    let message = Reply::Push(vec![Reply::bulk("server-cpu-usage"), Reply::Int(42)]);
    if ctx.origin == Origin::Script {
        return Ok(message.into());
    }
    ctx.state.push(ctx.client, message);
    Ok(Reply::bulk("Some real reply following the push reply").into())
}
