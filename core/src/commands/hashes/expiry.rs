//! Giving fields an expiry and taking it away.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::expiry::{ExpireRule, Unit};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, Handler, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::HashValue;

use super::{HASH, field_list, moment};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        summary: "Lets fields expire after a number of seconds.",
        syntax: "HEXPIRE key seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]",
        examples: &[
            Example {
                setup: "HSET h a 1",
                run: "HEXPIRE h 10 FIELDS 2 a nosuch",
                shows: "1) (integer) 1\n2) (integer) -2",
            },
            Example { setup: "HSET h a 1", run: "HEXPIRE h 10 XX FIELDS 1 a", shows: "1) (integer) 0" },
        ],
        ..expire_spec("hexpire", |ctx, argv| expire(ctx, argv, Unit::Seconds))
    },
    CommandSpec {
        summary: "Lets fields expire at a Unix time in seconds.",
        syntax: "HEXPIREAT key unix-time-seconds [NX | XX | GT | LT] FIELDS numfields field [field ...]",
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HEXPIREAT h 1 FIELDS 1 a",
            shows: "1) (integer) 2",
        }],
        ..expire_spec("hexpireat", |ctx, argv| expire(ctx, argv, Unit::UnixSeconds))
    },
    CommandSpec {
        name: "hpersist",
        arity: -5,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (7, 4, 0),
        summary: "Takes the expiry off fields.",
        syntax: "HPERSIST key FIELDS numfields field [field ...]",
        reply: Shape::Array,
        handler: hpersist,
        examples: &[Example {
            setup: "HSET h a 1 b 2\nHEXPIRE h 10 FIELDS 1 a",
            run: "HPERSIST h FIELDS 2 a b",
            shows: "1) (integer) 1\n2) (integer) -1",
        }],
        ..HASH
    },
    CommandSpec {
        summary: "Lets fields expire after a number of milliseconds.",
        syntax: "HPEXPIRE key milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]",
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HPEXPIRE h 500 FIELDS 1 a",
            shows: "1) (integer) 1",
        }],
        ..expire_spec("hpexpire", |ctx, argv| expire(ctx, argv, Unit::Millis))
    },
    CommandSpec {
        summary: "Lets fields expire at a Unix time in milliseconds.",
        syntax: "HPEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT] FIELDS numfields field [field ...]",
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HPEXPIREAT h 1 FIELDS 1 a",
            shows: "1) (integer) 2",
        }],
        ..expire_spec("hpexpireat", |ctx, argv| expire(ctx, argv, Unit::UnixMillis))
    },
];

const fn expire_spec(name: &'static str, handler: Handler) -> CommandSpec {
    CommandSpec {
        name,
        arity: -6,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: const { &[KeySpec::at(1, &["RW", "update"])] },
        since: (7, 4, 0),
        reply: Shape::Array,
        handler,
        ..HASH
    }
}

/// What became of a field: not there, a condition not met, set, or gone at once.
const MISSING: Reply = Reply::Int(-2);
const REFUSED: Reply = Reply::Int(0);
const SET: Reply = Reply::Int(1);
const DELETED: Reply = Reply::Int(2);

fn expire(ctx: &mut Ctx<'_>, argv: &[Bytes], unit: Unit) -> CommandResult {
    let [_, key, time, rest @ ..] = argv else { unreachable!("the arity was checked") };
    ctx.write::<HashValue>(key)?;
    let at = moment(ctx, unit, time)?;
    let (rule, rest) = match rest.split_first() {
        Some((word, behind)) => match ExpireRule::word(word) {
            Some(rule) => (rule, behind),
            None => (ExpireRule::default(), rest),
        },
        None => (ExpireRule::default(), rest),
    };
    let not_positive = CommandError::Line("ERR Parameter `numFields` should be greater than 0".into());
    let fields = field_list(rest, not_positive)?;
    let is_past = at <= ctx.now;
    let Some(hash) = ctx.write::<HashValue>(key)? else {
        return Ok(Reply::Array(vec![MISSING; fields.len()]).into());
    };
    hash.expect_expiry();
    let expire_one = |field: &Bytes| match hash.get(field) {
        None => MISSING,
        Some(found) if !rule.allows(found.expires_at, at) => REFUSED,
        Some(_) if is_past => {
            hash.remove(field);
            DELETED
        }
        Some(_) => {
            hash.set_expiry(field, Some(at));
            SET
        }
    };
    let replies: Vec<Reply> = fields.iter().map(expire_one).collect();
    if replies.iter().any(|reply| [SET, DELETED].contains(reply)) {
        ctx.changed(key, Class::HASH, if is_past { "hdel" } else { "hexpire" });
    }
    Ok(Reply::Array(replies).into())
}

fn hpersist(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let now = ctx.now;
    let key = &argv[1];
    ctx.write::<HashValue>(key)?;
    let fields = field_list(&argv[2..], CommandError::FieldCountNotPositive)?;
    let Some(hash) = ctx.write::<HashValue>(key)? else {
        return Ok(Reply::Array(vec![MISSING; fields.len()]).into());
    };
    let persist_one = |field: &Bytes| match hash.get(field) {
        Some(found) if found.expires_at.is_none() => Reply::Int(-1),
        Some(found) if !found.is_expired(now) => {
            hash.set_expiry(field, None);
            SET
        }
        _ => MISSING,
    };
    let replies: Vec<Reply> = fields.iter().map(persist_one).collect();
    if replies.contains(&SET) {
        ctx.changed(key, Class::HASH, "hpersist");
    }
    Ok(Reply::Array(replies).into())
}
