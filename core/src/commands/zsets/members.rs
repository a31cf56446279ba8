//! Adding, scoring and removing members.

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::number::parse_f64;
use crate::value::{EncodingLimits, ZSetValue};

use super::ZSET;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zadd",
        arity: -4,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (1, 2, 0),
        summary: "Adds members with their scores, or changes the scores, and counts the new ones.",
        syntax: "ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]",
        reply: Shape::OneOf(&[Shape::Int, Shape::Double, Shape::Nil]),
        handler: zadd,
        examples: &[
            Example { setup: "", run: "ZADD z 1 a 2 b", shows: "(integer) 2" },
            Example { setup: "ZADD z 1 a", run: "ZADD z GT CH 5 a", shows: "(integer) 1" },
            Example { setup: "ZADD z 1 a", run: "ZADD z INCR 2.5 a", shows: "\"3.5\"" },
        ],
        ..ZSET
    },
    CommandSpec {
        name: "zcard",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (1, 2, 0),
        summary: "Counts the members of a sorted set.",
        syntax: "ZCARD key",
        reply: Shape::Int,
        handler: zcard,
        examples: &[Example { setup: "ZADD z 1 a 2 b", run: "ZCARD z", shows: "(integer) 2" }],
        ..ZSET
    },
    CommandSpec {
        name: "zincrby",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "update"])],
        since: (1, 2, 0),
        summary: "Adds to the score of a member.",
        syntax: "ZINCRBY key increment member",
        reply: Shape::Double,
        handler: zincrby,
        examples: &[Example { setup: "ZADD z 1 a", run: "ZINCRBY z 2 a", shows: "\"3\"" }],
        ..ZSET
    },
    CommandSpec {
        name: "zmscore",
        arity: -3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (6, 2, 0),
        summary: "Answers the scores of several members.",
        syntax: "ZMSCORE key member [member ...]",
        reply: Shape::Array,
        handler: zmscore,
        examples: &[Example { setup: "ZADD z 1 a", run: "ZMSCORE z a nosuch", shows: "1) \"1\"\n2) (nil)" }],
        ..ZSET
    },
    CommandSpec {
        name: "zrem",
        arity: -3,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (1, 2, 0),
        summary: "Removes members and counts those that were there.",
        syntax: "ZREM key member [member ...]",
        reply: Shape::Int,
        handler: zrem,
        examples: &[Example { setup: "ZADD z 1 a 2 b", run: "ZREM z a nosuch", shows: "(integer) 1" }],
        ..ZSET
    },
    CommandSpec {
        name: "zscore",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 2, 0),
        summary: "Answers the score of a member.",
        syntax: "ZSCORE key member",
        reply: Shape::OneOf(&[Shape::Double, Shape::Nil]),
        handler: zscore,
        examples: &[Example { setup: "ZADD z 1.5 a", run: "ZSCORE z a", shows: "\"1.5\"" }],
        ..ZSET
    },
];

/// NX, XX, GT, LT and INCR: which scores are changed, and how.
#[derive(Clone, Copy, Default)]
pub(in crate::commands) struct Rule {
    pub nx: bool,
    pub xx: bool,
    gt: bool,
    lt: bool,
    increment: bool,
}

/// What became of a member. `Kept` had the score already.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::commands) enum Outcome {
    Refused,
    Kept(f64),
    Added(f64),
    Updated(f64),
}

impl Rule {
    fn apply(
        self,
        set: &mut ZSetValue,
        member: &Bytes,
        score: f64,
        limits: &EncodingLimits,
    ) -> Result<Outcome, CommandError> {
        let Some(before) = set.score(member) else {
            if self.xx {
                return Ok(Outcome::Refused);
            }
            set.insert(member.clone(), score, limits);
            return Ok(Outcome::Added(score));
        };
        if self.nx {
            return Ok(Outcome::Refused);
        }
        let after = if self.increment { before + score } else { score };
        if after.is_nan() {
            return Err(CommandError::Line("ERR resulting score is not a number (NaN)".into()));
        }
        if (self.gt && after <= before) || (self.lt && after >= before) {
            return Ok(Outcome::Refused);
        }
        if after == before {
            return Ok(Outcome::Kept(after));
        }
        set.insert(member.clone(), after, limits);
        Ok(Outcome::Updated(after))
    }
}

fn zadd(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let mut words = Cursor::new(&argv[2..]);
    let (mut rule, mut counts_changes) = (Rule::default(), false);
    while let Some(word) = words.peek() {
        let known = [
            ("nx", &mut rule.nx),
            ("xx", &mut rule.xx),
            ("gt", &mut rule.gt),
            ("lt", &mut rule.lt),
            ("incr", &mut rule.increment),
            ("ch", &mut counts_changes),
        ];
        let Some((_, flag)) = known.into_iter().find(|(name, _)| args::is(word, name)) else { break };
        *flag = true;
        words.skip();
    }
    let pairs = words.remaining();
    check_rule(rule, pairs)?;
    let scored = pairs
        .chunks_exact(2)
        .map(|pair| Ok((parse_f64(&pair[0]).ok_or(CommandError::NotAFloat)?, &pair[1])))
        .collect::<Result<Vec<_>, CommandError>>()?;
    let outcomes = add(ctx, &argv[1], rule, &scored)?;
    if rule.increment {
        return Ok(incremented(outcomes[0]).into());
    }
    Ok(counted(&outcomes, counts_changes).into())
}

/// How many members are new, with CH also those whose score has changed.
pub(in crate::commands) fn counted(outcomes: &[Outcome], counts_changes: bool) -> Reply {
    let counts = |outcome: &&Outcome| match outcome {
        Outcome::Added(_) => true,
        Outcome::Updated(_) => counts_changes,
        Outcome::Kept(_) | Outcome::Refused => false,
    };
    Reply::from(outcomes.iter().filter(counts).count())
}

fn check_rule(rule: Rule, pairs: &[Bytes]) -> Result<(), CommandError> {
    let line = |text: &'static str| Err(CommandError::Line(text.into()));
    if pairs.is_empty() || pairs.len() % 2 == 1 {
        return Err(CommandError::Syntax);
    }
    if rule.nx && rule.xx {
        return line("ERR XX and NX options at the same time are not compatible");
    }
    if (rule.nx && (rule.gt || rule.lt)) || (rule.gt && rule.lt) {
        return line("ERR GT, LT, and/or NX options at the same time are not compatible");
    }
    if rule.increment && pairs.len() > 2 {
        return line("ERR INCR option supports a single increment-element pair");
    }
    Ok(())
}

/// The score of the one member that INCR changes.
fn incremented(outcome: Outcome) -> Reply {
    match outcome {
        Outcome::Refused => Reply::Nil,
        Outcome::Kept(score) | Outcome::Added(score) | Outcome::Updated(score) => Reply::Double(score),
    }
}

/// Adds members with their scores as the rule allows. What became of each.
pub(in crate::commands) fn add(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    rule: Rule,
    scored: &[(f64, &Bytes)],
) -> Result<Vec<Outcome>, CommandError> {
    let limits = ctx.limits();
    let longest = scored.iter().map(|(_, member)| member.len()).max().unwrap_or_default();
    let looks_ahead = ctx.version() >= Version::V7_2;
    match ctx.write::<ZSetValue>(key)? {
        Some(set) if looks_ahead => set.expect(scored.len(), longest, &limits),
        Some(_) => {}
        None if rule.xx => return Ok(vec![Outcome::Refused; scored.len()]),
        None => {
            let mut set = ZSetValue::new();
            let first = scored.first().map_or(0, |(_, member)| member.len());
            set.expect(scored.len(), if looks_ahead { longest } else { first }, &limits);
            ctx.insert_value(key, set.into(), None);
        }
    }
    let set = ctx.write::<ZSetValue>(key)?.expect("it was just put there");
    // Only INCR can fail, before its one member has been changed.
    let outcomes = scored
        .iter()
        .map(|(score, member)| rule.apply(set, member, *score, &limits))
        .collect::<Result<Vec<_>, _>>()?;
    let is_change = |outcome: &Outcome| matches!(outcome, Outcome::Added(_) | Outcome::Updated(_));
    if outcomes.iter().any(is_change) {
        ctx.changed(key, Class::ZSET, if rule.increment { "zincr" } else { "zadd" });
    }
    Ok(outcomes)
}

fn zincrby(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let by = parse_f64(&argv[2]).ok_or(CommandError::NotAFloat)?;
    let rule = Rule { increment: true, ..Rule::default() };
    let outcomes = add(ctx, &argv[1], rule, &[(by, &argv[3])])?;
    Ok(incremented(outcomes[0]).into())
}

fn zrem(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let Some(set) = ctx.write::<ZSetValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let removed = argv[2..].iter().filter(|member| set.remove(member).is_some()).count();
    if removed > 0 {
        ctx.changed(&argv[1], Class::ZSET, "zrem");
    }
    Ok(Reply::from(removed).into())
}

fn zcard(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let len = ctx.read::<ZSetValue>(&argv[1])?.map_or(0, ZSetValue::len);
    Ok(Reply::from(len).into())
}

fn zscore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let score = ctx.read::<ZSetValue>(&argv[1])?.and_then(|set| set.score(&argv[2]));
    Ok(score.map_or(Reply::Nil, Reply::Double).into())
}

fn zmscore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<ZSetValue>(&argv[1])?;
    let score = |member: &Bytes| set.and_then(|set| set.score(member)).map_or(Reply::Nil, Reply::Double);
    Ok(Reply::Array(argv[2..].iter().map(score).collect()).into())
}
