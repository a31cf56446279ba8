//! When keys expire.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::notify::Class;
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const EXPIRE: CommandSpec = CommandSpec {
    name: "expire",
    arity: -3,
    flags: Flags::WRITE.or(Flags::FAST),
    categories: &["keyspace"],
    keys: &[KeySpec::at(1, &["RW", "update"])],
    group: Group::Generic,
    summary: "Lets a key expire after some seconds; a time in the past deletes it.",
    syntax: "EXPIRE key seconds [NX | XX | GT | LT]",
    reply: Shape::Int,
    handler: |ctx, argv| expire(ctx, argv, Unit::Seconds),
    examples: &[Example { setup: "SET k v", run: "EXPIRE k 10", shows: "(integer) 1" }],
    ..CommandSpec::BASE
};

const TTL: CommandSpec = CommandSpec {
    name: "ttl",
    arity: 2,
    flags: Flags::READONLY.or(Flags::FAST),
    categories: &["keyspace"],
    keys: &[KeySpec::at(1, &["RO", "access"])],
    group: Group::Generic,
    summary: "Answers the seconds a key has left.",
    syntax: "TTL key",
    reply: Shape::Int,
    tips: &["nondeterministic_output"],
    handler: |ctx, argv| remaining(ctx, &argv[1], Unit::Seconds),
    examples: &[Example { setup: "SET k v EX 10", run: "TTL k", shows: "(integer) 10" }],
    ..CommandSpec::BASE
};

pub(super) const COMMANDS: &[CommandSpec] = &[
    EXPIRE,
    CommandSpec {
        name: "expireat",
        since: (1, 2, 0),
        summary: "Lets a key expire at a Unix time in seconds.",
        syntax: "EXPIREAT key unix-time-seconds [NX | XX | GT | LT]",
        handler: |ctx, argv| expire(ctx, argv, Unit::UnixSeconds),
        examples: &[Example { setup: "SET k v", run: "EXPIREAT k 1", shows: "(integer) 1" }],
        ..EXPIRE
    },
    CommandSpec {
        name: "expiretime",
        since: (7, 0, 0),
        summary: "Answers the Unix time in seconds at which a key expires.",
        syntax: "EXPIRETIME key",
        tips: &[],
        handler: |ctx, argv| remaining(ctx, &argv[1], Unit::UnixSeconds),
        examples: &[Example {
            setup: "SET k v EXAT 33177117420",
            run: "EXPIRETIME k",
            shows: "(integer) 33177117420",
        }],
        ..TTL
    },
    CommandSpec {
        name: "persist",
        arity: 2,
        since: (2, 2, 0),
        summary: "Takes the expiry off a key.",
        syntax: "PERSIST key",
        handler: persist,
        examples: &[Example { setup: "SET k v EX 10", run: "PERSIST k", shows: "(integer) 1" }],
        ..EXPIRE
    },
    CommandSpec {
        name: "pexpire",
        since: (2, 6, 0),
        summary: "Lets a key expire after some milliseconds; a time in the past deletes it.",
        syntax: "PEXPIRE key milliseconds [NX | XX | GT | LT]",
        handler: |ctx, argv| expire(ctx, argv, Unit::Millis),
        examples: &[Example { setup: "SET k v EX 1", run: "PEXPIRE k 1500 GT", shows: "(integer) 1" }],
        ..EXPIRE
    },
    CommandSpec {
        name: "pexpireat",
        since: (2, 6, 0),
        summary: "Lets a key expire at a Unix time in milliseconds.",
        syntax: "PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]",
        handler: |ctx, argv| expire(ctx, argv, Unit::UnixMillis),
        examples: &[Example { setup: "SET k v EX 1", run: "PEXPIREAT k 1 NX", shows: "(integer) 0" }],
        ..EXPIRE
    },
    CommandSpec {
        name: "pexpiretime",
        since: (7, 0, 0),
        summary: "Answers the Unix time in milliseconds at which a key expires.",
        syntax: "PEXPIRETIME key",
        tips: &[],
        handler: |ctx, argv| remaining(ctx, &argv[1], Unit::UnixMillis),
        examples: &[Example {
            setup: "SET k v PXAT 33177117420000",
            run: "PEXPIRETIME k",
            shows: "(integer) 33177117420000",
        }],
        ..TTL
    },
    CommandSpec {
        name: "pttl",
        since: (2, 6, 0),
        summary: "Answers the milliseconds a key has left.",
        syntax: "PTTL key",
        handler: |ctx, argv| remaining(ctx, &argv[1], Unit::Millis),
        examples: &[Example { setup: "SET k v", run: "PTTL k", shows: "(integer) -1" }],
        ..TTL
    },
    TTL,
];

/// The unit and the kind of an expiry argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Seconds,
    Millis,
    UnixSeconds,
    UnixMillis,
}

impl Unit {
    /// EX, PX, EXAT, PXAT.
    pub(super) fn from_set_option(word: &[u8]) -> Option<Self> {
        [("ex", Self::Seconds), ("px", Self::Millis), ("exat", Self::UnixSeconds), ("pxat", Self::UnixMillis)]
            .into_iter()
            .find_map(|(name, unit)| args::is(word, name).then_some(unit))
    }

    /// The moment of expiry; zero and less are refused, as by SET and GETEX.
    pub(super) fn deadline(
        self,
        text: &[u8],
        now: UnixMillis,
        command: &'static str,
    ) -> Result<UnixMillis, CommandError> {
        let number = args::int(text)?;
        if number <= 0 {
            return Err(CommandError::InvalidExpireTime(command));
        }
        self.moment(number, now).ok_or(CommandError::InvalidExpireTime(command))
    }

    /// None where the moment does not fit.
    pub(super) fn moment(self, number: i64, now: UnixMillis) -> Option<UnixMillis> {
        let millis = match self {
            Self::Seconds | Self::UnixSeconds => number.checked_mul(1000)?,
            Self::Millis | Self::UnixMillis => number,
        };
        match self {
            Self::Seconds | Self::Millis => millis.checked_add(now.0).map(UnixMillis),
            Self::UnixSeconds | Self::UnixMillis => Some(UnixMillis(millis)),
        }
    }
}

fn expire(ctx: &mut Ctx<'_>, argv: &[Bytes], unit: Unit) -> CommandResult {
    let rule = expire_rule(&argv[3..])?;
    let number = args::int(&argv[2])?;
    let at = unit.moment(number, ctx.now).ok_or(CommandError::InvalidExpireTime(ctx.spec.name))?;
    let key = &argv[1];
    let Some(entry) = ctx.lookup_write(key) else { return Ok(Reply::Int(0).into()) };
    if !rule.allows(entry.expires_at, at) {
        return Ok(Reply::Int(0).into());
    }
    if at <= ctx.now {
        ctx.delete(key, "del");
        return Ok(Reply::Int(1).into());
    }
    ctx.set_expiry(key, Some(at));
    ctx.changed(key, Class::GENERIC, "expire");
    Ok(Reply::Int(1).into())
}

/// NX, XX, GT, LT.
#[derive(Default)]
pub(super) struct ExpireRule {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

fn expire_rule(words: &[Bytes]) -> Result<ExpireRule, CommandError> {
    let mut rule = ExpireRule::default();
    for word in words {
        let known = [("nx", &mut rule.nx), ("xx", &mut rule.xx), ("gt", &mut rule.gt), ("lt", &mut rule.lt)]
            .into_iter()
            .find(|(name, _)| args::is(word, name));
        match known {
            Some((_, flag)) => *flag = true,
            None => return Err(CommandError::UnsupportedOption(word.to_word())),
        }
    }
    if rule.nx && (rule.xx || rule.gt || rule.lt) {
        return Err(CommandError::Line(
            "ERR NX and XX, GT or LT options at the same time are not compatible".into(),
        ));
    }
    if rule.gt && rule.lt {
        return Err(CommandError::Line("ERR GT and LT options at the same time are not compatible".into()));
    }
    Ok(rule)
}

impl ExpireRule {
    /// The rule that one word makes; None where it is none of them.
    pub(super) fn word(word: &[u8]) -> Option<Self> {
        let is = |name| args::is(word, name);
        let rule = Self { nx: is("nx"), xx: is("xx"), gt: is("gt"), lt: is("lt") };
        (rule.nx || rule.xx || rule.gt || rule.lt).then_some(rule)
    }

    /// What has no expiry counts as living for ever.
    pub(super) fn allows(&self, current: Option<UnixMillis>, new: UnixMillis) -> bool {
        !(self.nx && current.is_some()
            || self.xx && current.is_none()
            || self.gt && current.is_none_or(|at| new <= at)
            || self.lt && current.is_some_and(|at| new >= at))
    }
}

fn persist(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let has_expiry = ctx.lookup_write(&argv[1]).is_some_and(|entry| entry.expires_at.is_some());
    if has_expiry {
        ctx.set_expiry(&argv[1], None);
        ctx.changed(&argv[1], Class::GENERIC, "persist");
    }
    Ok(Reply::from(has_expiry).into())
}

/// What is left of a key's life, or the moment of its end.
fn remaining(ctx: &mut Ctx<'_>, key: &Bytes, unit: Unit) -> CommandResult {
    // Before 7.2 the remaining time is told by the wall clock, which moves within a script.
    let now = if ctx.version() < Version::V7_2 { ctx.wall.unix_millis() } else { ctx.now };
    let at = match ctx.lookup_untouched(key).map(|entry| entry.expires_at) {
        None => return Ok(Reply::Int(-2).into()),
        Some(None) => return Ok(Reply::Int(-1).into()),
        Some(Some(at)) => at.0,
    };
    let left = (at - now.0).max(0);
    let rounded = |millis: i64| millis / 1000 + (millis % 1000 + 500) / 1000;
    Ok(Reply::Int(match unit {
        Unit::Seconds => rounded(left),
        Unit::Millis => left,
        Unit::UnixSeconds => rounded(at),
        Unit::UnixMillis => at,
    })
    .into())
}
