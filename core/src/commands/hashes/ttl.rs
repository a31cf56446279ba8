//! When fields expire.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::expiry::Unit;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::HashValue;

use super::{HASH, field_list};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hexpiretime",
        summary: "Answers the Unix time in seconds at which fields expire.",
        syntax: "HEXPIRETIME key FIELDS numfields field [field ...]",
        handler: |ctx, argv| times(ctx, argv, Unit::UnixSeconds),
        examples: &[Example {
            setup: "HSET h a 1\nHPEXPIREAT h 33177117420001 FIELDS 1 a",
            run: "HEXPIRETIME h FIELDS 1 a",
            shows: "1) (integer) 33177117421",
        }],
        ..TIMES
    },
    CommandSpec {
        name: "hpexpiretime",
        summary: "Answers the Unix time in milliseconds at which fields expire.",
        syntax: "HPEXPIRETIME key FIELDS numfields field [field ...]",
        handler: |ctx, argv| times(ctx, argv, Unit::UnixMillis),
        examples: &[Example {
            setup: "HSET h a 1\nHPEXPIREAT h 33177117420001 FIELDS 1 a",
            run: "HPEXPIRETIME h FIELDS 1 a",
            shows: "1) (integer) 33177117420001",
        }],
        ..TIMES
    },
    CommandSpec {
        name: "hpttl",
        tips: &["nondeterministic_output"],
        summary: "Answers the milliseconds that fields have left.",
        syntax: "HPTTL key FIELDS numfields field [field ...]",
        handler: |ctx, argv| times(ctx, argv, Unit::Millis),
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HPTTL h FIELDS 2 a nosuch",
            shows: "1) (integer) -1\n2) (integer) -2",
        }],
        ..TIMES
    },
    CommandSpec {
        name: "httl",
        tips: &["nondeterministic_output"],
        summary: "Answers the seconds that fields have left, rounded up.",
        syntax: "HTTL key FIELDS numfields field [field ...]",
        handler: |ctx, argv| times(ctx, argv, Unit::Seconds),
        examples: &[Example {
            setup: "HSET h a 1\nHPEXPIRE h 9100 FIELDS 1 a",
            run: "HTTL h FIELDS 1 a",
            shows: "1) (integer) 10",
        }],
        ..TIMES
    },
];

const TIMES: CommandSpec = CommandSpec {
    arity: -5,
    flags: Flags::READONLY.or(Flags::FAST),
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (7, 4, 0),
    reply: Shape::Array,
    ..HASH
};

fn times(ctx: &mut Ctx<'_>, argv: &[Bytes], unit: Unit) -> CommandResult {
    let now = ctx.now;
    let hash = ctx.read::<HashValue>(&argv[1])?;
    let fields = field_list(&argv[2..], CommandError::FieldCountNotPositive)?;
    let time_of = |field: &Bytes| {
        let Some(found) = hash.and_then(|hash| hash.get(field)).filter(|found| !found.is_expired(now)) else {
            return -2;
        };
        let Some(at) = found.expires_at else { return -1 };
        match unit {
            Unit::Millis => at.0 - now.0,
            Unit::Seconds => (at.0 - now.0 + 999) / 1000,
            Unit::UnixMillis => at.0,
            Unit::UnixSeconds => (at.0 + 999) / 1000,
        }
    };
    Ok(Reply::Array(fields.iter().map(|field| Reply::Int(time_of(field))).collect()).into())
}
