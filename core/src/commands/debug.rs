//! DEBUG: the parts that tests and lessons use.

use crate::Bytes;
use crate::clock::Micros;
use crate::error::CommandError;
use crate::event::EventKind;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::value::number;

use super::args;
use super::ctx::{CommandResult, Ctx, Origin};
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
        _ => Err(CommandError::SubcommandOrArity(name.to_text(), "DEBUG")),
    }
}

fn is_on(mode: &Bytes) -> bool {
    number::parse_i64(mode).is_some_and(|number| number != 0)
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
    // Pushes come behind the reply from 7.2 on.
    if ctx.version() < Version::V7_2 {
        let (now, client, protocol) = (ctx.state.now, ctx.client, ctx.protocol);
        ctx.state.journal.push(now, EventKind::Pushed { client, message, protocol });
    } else {
        ctx.state.push(ctx.client, message);
    }
    Ok(Reply::bulk("Some real reply following the push reply").into())
}
