//! Unions, intersections and differences of sorted sets and sets.

use std::sync::Arc;

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::number::parse_f64;
use crate::value::table::Map;
use crate::value::{SetValue, Value, ZSetValue};

use super::{Scored, ZSET, list, store};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "zdiff",
        summary: "Answers the members of the first sorted set that are in none of the others.",
        syntax: "ZDIFF numkeys key [key ...] [WITHSCORES]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Difference),
        examples: &[Example { setup: "ZADD y 1 a 2 b\nZADD z 1 b", run: "ZDIFF 2 y z", shows: "1) \"a\"" }],
        ..ANSWER
    },
    CommandSpec {
        name: "zdiffstore",
        since: (6, 2, 0),
        summary: "Stores the members of the first sorted set that are in none of the others.",
        syntax: "ZDIFFSTORE destination numkeys key [key ...]",
        handler: |ctx, argv| store_result(ctx, argv, Operation::Difference),
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 1 b",
            run: "ZDIFFSTORE d 2 y z",
            shows: "(integer) 1",
        }],
        ..STORE
    },
    CommandSpec {
        name: "zinter",
        summary: "Answers the members that are in all sorted sets, with their scores combined.",
        syntax: "ZINTER numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Intersection),
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 3 b",
            run: "ZINTER 2 y z WITHSCORES",
            shows: "1) \"b\"\n2) \"5\"",
        }],
        ..ANSWER
    },
    CommandSpec {
        name: "zintercard",
        since: (7, 0, 0),
        summary: "Counts the members that are in all sorted sets, at most up to a limit.",
        syntax: "ZINTERCARD numkeys key [key ...] [LIMIT limit]",
        reply: Shape::Int,
        handler: zintercard,
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 3 b",
            run: "ZINTERCARD 2 y z",
            shows: "(integer) 1",
        }],
        ..ANSWER
    },
    CommandSpec {
        name: "zinterstore",
        summary: "Stores the members that are in all sorted sets, with their scores combined.",
        syntax: "ZINTERSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]",
        handler: |ctx, argv| store_result(ctx, argv, Operation::Intersection),
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 3 b",
            run: "ZINTERSTORE d 2 y z WEIGHTS 1 10",
            shows: "(integer) 1",
        }],
        ..STORE
    },
    CommandSpec {
        name: "zunion",
        summary: "Answers the members that are in any of the sorted sets, with their scores combined.",
        syntax: "ZUNION numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Union),
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 3 b",
            run: "ZUNION 2 y z AGGREGATE MAX WITHSCORES",
            shows: "1) \"a\"\n2) \"1\"\n3) \"b\"\n4) \"3\"",
        }],
        ..ANSWER
    },
    CommandSpec {
        name: "zunionstore",
        summary: "Stores the members that are in any of the sorted sets, with their scores combined.",
        syntax: "ZUNIONSTORE destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]",
        handler: |ctx, argv| store_result(ctx, argv, Operation::Union),
        examples: &[Example {
            setup: "ZADD y 1 a 2 b\nZADD z 3 b",
            run: "ZUNIONSTORE d 2 y z",
            shows: "(integer) 2",
        }],
        ..STORE
    },
];

const ANSWER: CommandSpec = CommandSpec {
    arity: -3,
    flags: Flags::READONLY.or(Flags::MOVABLEKEYS),
    keys: &[KeySpec::counted(1, &["RO", "access"])],
    since: (6, 2, 0),
    reply: Shape::Array,
    ..ZSET
};

const STORE: CommandSpec = CommandSpec {
    arity: -4,
    flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::MOVABLEKEYS),
    keys: &[KeySpec::at(1, &["OW", "update"]), KeySpec::counted(2, &["RO", "access"])],
    since: (2, 0, 0),
    reply: Shape::Int,
    ..ZSET
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    fn parse(word: &[u8]) -> Option<Self> {
        [("sum", Self::Sum), ("min", Self::Min), ("max", Self::Max)]
            .into_iter()
            .find_map(|(name, aggregate)| args::is(word, name).then_some(aggregate))
    }

    fn combine(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Sum => not_nan(one + other),
            Self::Min => {
                if other < one {
                    other
                } else {
                    one
                }
            }
            Self::Max => {
                if other > one {
                    other
                } else {
                    one
                }
            }
        }
    }
}

/// Infinities of both signs, or zero times infinity, make nothing.
fn not_nan(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

/// A sorted set or a set, whose members all have the score 1; or nothing.
#[derive(Clone)]
enum Members {
    Missing,
    Set(Arc<SetValue>),
    ZSet(Arc<ZSetValue>),
}

impl Members {
    fn len(&self) -> usize {
        match self {
            Self::Missing => 0,
            Self::Set(set) => set.len(),
            Self::ZSet(set) => set.len(),
        }
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        match self {
            Self::Missing => None,
            Self::Set(set) => set.contains(member).then_some(1.0),
            Self::ZSet(set) => set.score(member),
        }
    }

    fn all(&self) -> Vec<Scored> {
        match self {
            Self::Missing => Vec::new(),
            Self::Set(set) => set.iter().map(|member| (member, 1.0)).collect(),
            Self::ZSet(set) => set.iter().map(|(member, score)| (member.clone(), score)).collect(),
        }
    }
}

struct Request {
    sources: Vec<Members>,
    weights: Vec<f64>,
    aggregate: Aggregate,
    with_scores: bool,
}

impl Request {
    /// Reads `numkeys key …` and the options; the keys are looked up in between, as in the server.
    fn parse(
        ctx: &mut Ctx<'_>,
        arguments: &[Bytes],
        operation: Operation,
        can_show_scores: bool,
    ) -> Result<Self, CommandError> {
        let (sources, mut words) = sources(ctx, arguments)?;
        let weights = vec![1.0; sources.len()];
        let mut request = Self { sources, weights, aggregate: Aggregate::Sum, with_scores: false };
        let can_combine = operation != Operation::Difference;
        while !words.is_done() {
            if can_combine && words.remaining().len() > request.weights.len() && words.take_word("weights") {
                for weight in &mut request.weights {
                    let error = CommandError::Line("ERR weight value is not a float".into());
                    *weight = parse_f64(words.next()?).ok_or(error)?;
                }
            } else if can_combine && words.take_word("aggregate") {
                request.aggregate = Aggregate::parse(words.next()?).ok_or(CommandError::Syntax)?;
            } else if can_show_scores && words.take_word("withscores") {
                request.with_scores = true;
            } else {
                return Err(CommandError::Syntax);
            }
        }
        Ok(request)
    }

    /// The result, in no particular order.
    fn run(&self, operation: Operation) -> Vec<Scored> {
        match operation {
            Operation::Union => self.union(),
            Operation::Intersection => self.intersection(),
            Operation::Difference => self.difference(),
        }
    }

    /// The sources with their weights, the smallest first: the order in which the server adds scores up.
    fn by_size(&self) -> Vec<(&Members, f64)> {
        let mut sources: Vec<_> = self.sources.iter().zip(self.weights.iter().copied()).collect();
        sources.sort_by_key(|(members, _)| members.len());
        sources
    }

    fn union(&self) -> Vec<Scored> {
        let mut scores: Map<f64> = Map::default();
        for (members, weight) in self.by_size() {
            for (member, score) in members.all() {
                let weighted = not_nan(score * weight);
                scores
                    .entry(member)
                    .and_modify(|sum| *sum = self.aggregate.combine(*sum, weighted))
                    .or_insert(weighted);
            }
        }
        scores.into_iter().collect()
    }

    fn intersection(&self) -> Vec<Scored> {
        let sources = self.by_size();
        let Some(((smallest, weight), others)) = sources.split_first() else { return Vec::new() };
        let combined = |(member, score): Scored| {
            let first = not_nan(score * weight);
            let sum = others.iter().try_fold(first, |sum, (members, weight)| {
                // Only what comes of it must not be NaN: infinity times zero takes the whole sum to zero.
                Some(self.aggregate.combine(sum, members.score(&member)? * weight))
            })?;
            Some((member, sum))
        };
        smallest.all().into_iter().filter_map(combined).collect()
    }

    fn difference(&self) -> Vec<Scored> {
        let Some((first, others)) = self.sources.split_first() else { return Vec::new() };
        let is_left = |(member, _): &Scored| others.iter().all(|members| members.score(member).is_none());
        first.all().into_iter().filter(is_left).collect()
    }
}

fn sources<'a>(
    ctx: &mut Ctx<'_>,
    arguments: &'a [Bytes],
) -> Result<(Vec<Members>, Cursor<'a>), CommandError> {
    let numkeys = args::int(&arguments[0])?;
    if numkeys < 1 {
        return Err(CommandError::NoInputKey(ctx.spec.name));
    }
    let numkeys = usize::try_from(numkeys).map_err(|_| CommandError::Syntax)?;
    let (keys, options) = arguments[1..].split_at_checked(numkeys).ok_or(CommandError::Syntax)?;
    let mut sources = Vec::with_capacity(keys.len());
    for key in keys {
        sources.push(match ctx.lookup(key).map(|entry| &entry.value) {
            None => Members::Missing,
            Some(Value::Set(set)) => Members::Set(set.clone()),
            Some(Value::ZSet(set)) => Members::ZSet(set.clone()),
            Some(_) => return Err(CommandError::WrongType),
        });
    }
    Ok((sources, Cursor::new(options)))
}

fn answer(ctx: &mut Ctx<'_>, argv: &[Bytes], operation: Operation) -> CommandResult {
    let request = Request::parse(ctx, &argv[1..], operation, true)?;
    let limits = ctx.limits();
    let mut sorted = ZSetValue::new();
    sorted.make_skiplist();
    for (member, score) in request.run(operation) {
        sorted.insert(member, score, &limits);
    }
    let members = sorted.iter().map(|(member, score)| (member.clone(), score));
    Ok(list(ctx, members, request.with_scores).into())
}

fn store_result(ctx: &mut Ctx<'_>, argv: &[Bytes], operation: Operation) -> CommandResult {
    let result = Request::parse(ctx, &argv[2..], operation, false)?.run(operation);
    let event = ctx.spec.name;
    Ok(Reply::from(store(ctx, &argv[1], result, event)).into())
}

fn zintercard(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (sources, mut words) = sources(ctx, &argv[1..])?;
    let mut limit = 0;
    while !words.is_done() {
        if !words.take_word("limit") {
            return Err(CommandError::Syntax);
        }
        limit = args::non_negative(words.next()?).map_err(|_| CommandError::NegativeLimit)?;
    }
    let weights = vec![1.0; sources.len()];
    let request = Request { sources, weights, aggregate: Aggregate::Sum, with_scores: false };
    let count = request.intersection().len();
    Ok(Reply::from(if limit > 0 { count.min(limit) } else { count }).into())
}
