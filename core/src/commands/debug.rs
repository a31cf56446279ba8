//! DEBUG: the parts that tests and lessons use.

use crate::Bytes;
use crate::clock::Micros;
use crate::error::CommandError;
use crate::event::EventKind;
use crate::limits::POPULATE_BYTES_MAX;
use crate::resp::{Protocol, Reply};
use crate::state::Place;
use crate::value::{Holder, StringValue, number, rdb};

use super::args;
use super::ctx::{CommandResult, Ctx, Origin, Outcome, break_watches_of_replaced};
use super::generic::object::references;
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
        [key] if args::is(name, "object") => object(ctx, key),
        [text] if args::is(name, "error") => Ok(Reply::quoting_error(text.to_vec()).into()),
        [text] if args::is(name, "log") => {
            let (at, client, text) = (ctx.state.now, ctx.client, text.clone());
            ctx.state.journal.detail(at, || EventKind::ScriptLogged { client, level: 3, text });
            Ok(Reply::OK.into())
        }
        // Nobody has heard of the old number.
        [] if args::is(name, "change-repl-id") => Ok(Reply::OK.into()),
        options if args::is(name, "reload") => reload(ctx, options),
        [count, rest @ ..] if args::is(name, "populate") && rest.len() <= 2 => populate(ctx, count, rest),
        [] if args::is(name, "help") => Ok(help()),
        _ => Err(CommandError::SubcommandOrArity(name.to_word(), "DEBUG")),
    }
}

fn is_on(mode: &Bytes) -> bool {
    number::parse_i64(mode).is_some_and(|number| number != 0)
}

fn help() -> Outcome {
    const LINES: &[&str] = &[
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "CHANGE-REPL-ID",
        "    Would give the replication history a new number; nothing is replicated here.",
        "ERROR <string>",
        "    Answers the text as an error.",
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

fn object(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    /// What a dump has around the value: its type in front, the version and the checksum behind.
    const DUMP_FRAME_BYTES: usize = 11;
    let (version, limits, now) = (ctx.version(), ctx.limits(), ctx.state.now);
    let references = references(ctx, key).ok_or(CommandError::NoSuchKey)?;
    let entry = ctx.peek(key).ok_or(CommandError::NoSuchKey)?;
    let holder = Holder { version, key_bytes: key.len(), has_expiry: entry.expires_at.is_some() };
    let seconds = entry.accessed_at.0 / 1_000_000;
    let line = format!(
        "Value at:0x7f0000000000 refcount:{} encoding:{} serializedlength:{} lru:{} lru_seconds_idle:{}",
        references,
        entry.value.encoding(holder),
        rdb::dump(&entry.value, &limits).len() - DUMP_FRAME_BYTES,
        seconds & 0xff_ffff,
        now.0 / 1_000_000 - seconds,
    );
    Ok(Reply::Status(line.into_bytes().into()).into())
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
