//! Reading and setting fields and their expiry in one step.

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::expiry::Unit;
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::HashValue;

use super::{HASH, expire_looked_at, field_list, moment};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hgetdel",
        arity: -5,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "delete"])],
        since: (8, 0, 0),
        summary: "Answers the values of fields and removes them.",
        syntax: "HGETDEL key FIELDS numfields field [field ...]",
        reply: Shape::Array,
        handler: hgetdel,
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HGETDEL h FIELDS 2 a nosuch",
            shows: "1) \"1\"\n2) (nil)",
        }],
        ..HASH
    },
    CommandSpec {
        name: "hgetex",
        arity: -5,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec {
            notes: "RW and UPDATE because it changes the TTL",
            ..KeySpec::at(1, &["RW", "access", "update"])
        }],
        since: (8, 0, 0),
        summary: "Answers the values of fields and sets or takes away their expiry.",
        syntax: "HGETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST] FIELDS numfields field [field ...]",
        reply: Shape::Array,
        handler: hgetex,
        examples: &[Example { setup: "HSET h a 1", run: "HGETEX h EX 10 FIELDS 1 a", shows: "1) \"1\"" }],
        ..HASH
    },
    CommandSpec {
        name: "hsetex",
        arity: -6,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (8, 0, 0),
        summary: "Sets fields with an expiry, all or none of them.",
        syntax: "HSETEX key [FNX | FXX] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL] FIELDS numfields field value [field value ...]",
        reply: Shape::Int,
        handler: hsetex,
        examples: &[
            Example { setup: "", run: "HSETEX h EX 10 FIELDS 1 a 1", shows: "(integer) 1" },
            Example { setup: "HSET h a 1", run: "HSETEX h FNX FIELDS 2 a 1 b 2", shows: "(integer) 0" },
        ],
        ..HASH
    },
];

/// What happens to the expiry of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expiry {
    Unchanged,
    Persist,
    At(UnixMillis),
}

fn hgetdel(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    ctx.write::<HashValue>(key)?;
    let fields = field_list(&argv[2..], CommandError::FieldCountNotPositive)?;
    expire_looked_at(ctx, key, fields)?;
    let Some(hash) = ctx.write::<HashValue>(key)? else { return Ok(nothing(fields)) };
    let taken: Vec<Option<Bytes>> =
        fields.iter().map(|field| hash.remove(field).map(|removed| removed.value)).collect();
    if taken.iter().any(Option::is_some) {
        ctx.changed(key, Class::HASH, "hdel");
    }
    Ok(Reply::Array(taken.into_iter().map(Reply::bulk_or_nil).collect()).into())
}

fn nothing(fields: &[Bytes]) -> super::super::Outcome {
    Reply::Array(vec![Reply::Nil; fields.len()]).into()
}

fn hgetex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    ctx.write::<HashValue>(key)?;
    let mut words = Cursor::new(&argv[2..]);
    let expiry = match words.peek().and_then(|word| Unit::from_set_option(word)) {
        Some(unit) => {
            words.skip();
            let at = moment(ctx, unit, words.next()?)?;
            // FIELDS and its number follow at least.
            if words.remaining().len() < 2 {
                return Err(CommandError::WrongArity("hgetex".into()));
            }
            Expiry::At(at)
        }
        None if words.take_word("persist") => Expiry::Persist,
        None => Expiry::Unchanged,
    };
    let fields = field_list(words.remaining(), CommandError::FieldCountNotPositive)?;
    expire_looked_at(ctx, key, fields)?;
    let now = ctx.now;
    let Some(hash) = ctx.write::<HashValue>(key)? else { return Ok(nothing(fields)) };
    if expiry != Expiry::Unchanged {
        hash.expect_expiry();
    }
    let mut changed = false;
    let read_one = |field: &Bytes| {
        let found = hash.get(field)?.clone();
        match expiry {
            Expiry::At(at) if at <= now => changed |= hash.remove(field).is_some(),
            Expiry::At(at) => changed |= hash.set_expiry(field, Some(at)),
            Expiry::Persist if found.expires_at.is_some() => changed |= hash.set_expiry(field, None),
            Expiry::Persist | Expiry::Unchanged => {}
        }
        Some(found.value)
    };
    let values: Vec<Option<Bytes>> = fields.iter().map(read_one).collect();
    if changed {
        let event = match expiry {
            Expiry::At(at) if at <= now => "hdel",
            Expiry::At(_) => "hexpire",
            Expiry::Persist | Expiry::Unchanged => "hpersist",
        };
        ctx.changed(key, Class::HASH, event);
    }
    Ok(Reply::Array(values.into_iter().map(Reply::bulk_or_nil).collect()).into())
}

/// HSETEX's options and fields.
struct Setting<'a> {
    /// FNX and FXX: whether all fields must be missing or all be there.
    only_if: Option<bool>,
    expiry: Option<Expiry>,
    /// Field, value, field, value.
    pairs: &'a [Bytes],
}

impl<'a> Setting<'a> {
    fn parse(ctx: &Ctx<'_>, rest: &'a [Bytes]) -> Result<Self, CommandError> {
        let line = |text: &'static str| CommandError::Line(text.into());
        let too_many_conditions = line("ERR Only one of FXX or FNX arguments can be specified");
        let too_many_expiries =
            line("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
        let mut setting = Self { only_if: None, expiry: None, pairs: &[] };
        let mut words = Cursor::new(rest);
        loop {
            let word = words.next().map_err(|_| CommandError::WrongArity(ctx.spec.name.into()))?;
            let is = |name| args::is(word, name);
            if is("fields") {
                setting.pairs = pairs(ctx, words.remaining())?;
                return Ok(setting);
            } else if is("fnx") || is("fxx") {
                if setting.only_if.replace(is("fxx")).is_some() {
                    return Err(too_many_conditions);
                }
                continue;
            }
            let expiry = match Unit::from_set_option(word) {
                Some(_) if setting.expiry.is_some() => return Err(too_many_expiries),
                Some(unit) => Expiry::At(moment(ctx, unit, words.next()?)?),
                None if is("keepttl") => Expiry::Unchanged,
                None => return Err(CommandError::UnknownOption(word.to_word())),
            };
            if setting.expiry.replace(expiry).is_some() {
                return Err(too_many_expiries);
            }
        }
    }
}

/// `numfields field value …`, which must be all that is left.
fn pairs<'a>(ctx: &Ctx<'_>, arguments: &'a [Bytes]) -> Result<&'a [Bytes], CommandError> {
    let wrong_arity = CommandError::WrongArity(ctx.spec.name.into());
    let [numfields, pairs @ ..] = arguments else { return Err(wrong_arity) };
    if pairs.len() < 2 {
        return Err(wrong_arity);
    }
    let numfields = args::positive(numfields)
        .filter(|&numfields| numfields <= i32::MAX as usize)
        .ok_or(CommandError::Line("ERR invalid number of fields".into()))?;
    if pairs.len() == numfields * 2 { Ok(pairs) } else { Err(wrong_arity) }
}

fn hsetex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let setting = Setting::parse(ctx, &argv[2..])?;
    let names: Vec<Bytes> = setting.pairs.chunks_exact(2).map(|pair| pair[0].clone()).collect();
    let found = ctx.write::<HashValue>(key)?.is_some();
    if let Some(wanted) = setting.only_if {
        expire_looked_at(ctx, key, &names)?;
        let hash = ctx.write::<HashValue>(key)?;
        let fits = |name| hash.as_ref().is_some_and(|hash| hash.get(name).is_some()) == wanted;
        if (!found && wanted) || !names.iter().all(|name| fits(name)) {
            return Ok(Reply::Int(0).into());
        }
    }
    // Point of no return.
    let limits = ctx.limits();
    let hash = ctx.write_or_create::<HashValue>(key)?;
    let pairs = || setting.pairs.chunks_exact(2).map(|pair| (&pair[0], &pair[1]));
    hash.expect(pairs(), &limits);
    for (name, value) in pairs() {
        if setting.expiry == Some(Expiry::Unchanged) {
            hash.set_keeping_expiry(name.clone(), value.clone(), &limits);
        } else {
            hash.set(name.clone(), value.clone(), &limits);
        }
    }
    ctx.changed(key, Class::HASH, "hset");
    if let Some(Expiry::At(at)) = setting.expiry {
        expire_set(ctx, key, &names, at)?;
    }
    Ok(Reply::Int(1).into())
}

/// Gives fields that were just set their expiry; a moment in the past takes them away again.
fn expire_set(ctx: &mut Ctx<'_>, key: &Bytes, names: &[Bytes], at: UnixMillis) -> Result<(), CommandError> {
    let is_past = at <= ctx.now;
    let Some(hash) = ctx.write::<HashValue>(key)? else { return Ok(()) };
    hash.expect_expiry();
    for name in names {
        if is_past {
            hash.remove(name);
        } else {
            hash.set_expiry(name, Some(at));
        }
    }
    ctx.changed(key, Class::HASH, if is_past { "hdel" } else { "hexpire" });
    Ok(())
}
