//! Intersections, unions and differences.

use std::sync::Arc;

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::number::parse_i64;
use crate::value::{EncodingLimits, SetValue, Typed, Value};

use super::SET;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "sdiff",
        summary: "Answers the members of the first set that are in none of the others.",
        syntax: "SDIFF key [key ...]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Difference),
        examples: &[Example { setup: "SADD s a b\nSADD t b c", run: "SDIFF s t", shows: "1) \"a\"" }],
        ..ANSWER
    },
    CommandSpec {
        name: "sdiffstore",
        summary: "Stores the members of the first set that are in none of the others.",
        syntax: "SDIFFSTORE destination key [key ...]",
        handler: |ctx, argv| store(ctx, argv, Operation::Difference),
        examples: &[Example {
            setup: "SADD s a b\nSADD t b c",
            run: "SDIFFSTORE d s t",
            shows: "(integer) 1",
        }],
        ..STORE
    },
    CommandSpec {
        name: "sinter",
        summary: "Answers the members that are in all sets.",
        syntax: "SINTER key [key ...]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Intersection),
        examples: &[Example { setup: "SADD s a b\nSADD t b c", run: "SINTER s t", shows: "1) \"b\"" }],
        ..ANSWER
    },
    CommandSpec {
        name: "sintercard",
        arity: -3,
        flags: Flags::READONLY.or(Flags::MOVABLEKEYS),
        keys: &[KeySpec::counted(1, &["RO", "access"])],
        since: (7, 0, 0),
        summary: "Counts the members that are in all sets, at most up to a limit.",
        syntax: "SINTERCARD numkeys key [key ...] [LIMIT limit]",
        reply: Shape::Int,
        handler: sintercard,
        examples: &[Example {
            setup: "SADD s a b\nSADD t b c",
            run: "SINTERCARD 2 s t",
            shows: "(integer) 1",
        }],
        ..SET
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { keys: &[KeySpec::at(1, &["RW", "update"]), SOURCES], ..SINTERSTORE },
        }),
        ..SINTERSTORE
    },
    CommandSpec {
        name: "sunion",
        summary: "Answers the members that are in any of the sets.",
        syntax: "SUNION key [key ...]",
        handler: |ctx, argv| answer(ctx, argv, Operation::Union),
        examples: &[Example {
            setup: "SADD s a b\nSADD t b c",
            run: "SUNION s t",
            shows: "1) \"a\"\n2) \"b\"\n3) \"c\"",
        }],
        ..ANSWER
    },
    CommandSpec {
        name: "sunionstore",
        summary: "Stores the members that are in any of the sets.",
        syntax: "SUNIONSTORE destination key [key ...]",
        handler: |ctx, argv| store(ctx, argv, Operation::Union),
        examples: &[Example {
            setup: "SADD s a b\nSADD t b c",
            run: "SUNIONSTORE d s t",
            shows: "(integer) 3",
        }],
        ..STORE
    },
];

const ANSWER: CommandSpec = CommandSpec {
    arity: -2,
    flags: Flags::READONLY,
    keys: &[KeySpec::range(1, -1, 1, &["RO", "access"])],
    since: (1, 0, 0),
    reply: Shape::Set,
    tips: &["nondeterministic_output_order"],
    ..SET
};

const SOURCES: KeySpec = KeySpec::range(2, -1, 1, &["RO", "access"]);

const STORE: CommandSpec = CommandSpec {
    arity: -3,
    flags: Flags::WRITE.or(Flags::DENYOOM),
    keys: &[KeySpec::at(1, &["OW", "update"]), SOURCES],
    since: (1, 0, 0),
    reply: Shape::Int,
    ..SET
};

const SINTERSTORE: CommandSpec = CommandSpec {
    name: "sinterstore",
    summary: "Stores the members that are in all sets.",
    syntax: "SINTERSTORE destination key [key ...]",
    handler: |ctx, argv| store(ctx, argv, Operation::Intersection),
    examples: &[Example { setup: "SADD s a b\nSADD t b c", run: "SINTERSTORE d s t", shows: "(integer) 1" }],
    ..STORE
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Intersection,
    Union,
    Difference,
}

impl Operation {
    fn run(self, sets: &[Option<Arc<SetValue>>], limits: &EncodingLimits) -> SetValue {
        match self {
            Self::Intersection => stored_intersection(sets, limits),
            Self::Union => {
                let mut union = SetValue::default();
                for member in sets.iter().flatten().flat_map(|set| set.iter()) {
                    union.add(member, limits);
                }
                union
            }
            Self::Difference => difference(sets, limits),
        }
    }

    fn store_event(self) -> &'static str {
        match self {
            Self::Intersection => "sinterstore",
            Self::Union => "sunionstore",
            Self::Difference => "sdiffstore",
        }
    }
}

fn sources(ctx: &mut Ctx<'_>, keys: &[Bytes]) -> Result<Vec<Option<Arc<SetValue>>>, CommandError> {
    let mut sets = Vec::with_capacity(keys.len());
    for key in keys {
        sets.push(match ctx.lookup(key).map(|entry| &entry.value) {
            None => None,
            Some(Value::Set(set)) => Some(set.clone()),
            Some(_) => return Err(CommandError::WrongType),
        });
    }
    Ok(sets)
}

fn answer(ctx: &mut Ctx<'_>, argv: &[Bytes], operation: Operation) -> CommandResult {
    let sets = sources(ctx, &argv[1..])?;
    let members: Vec<Bytes> = match operation {
        Operation::Intersection => intersection(&sets),
        Operation::Union | Operation::Difference => operation.run(&sets, &ctx.limits()).iter().collect(),
    };
    Ok(Reply::Set(members.into_iter().map(Reply::Bulk).collect()).into())
}

fn store(ctx: &mut Ctx<'_>, argv: &[Bytes], operation: Operation) -> CommandResult {
    let sets = sources(ctx, &argv[2..])?;
    let result = operation.run(&sets, &ctx.limits());
    drop(sets);
    let len = result.len();
    if len == 0 {
        ctx.delete(&argv[1], "del");
    } else {
        ctx.insert_value(&argv[1], SetValue::wrap(Arc::new(result)), None);
        ctx.changed(&argv[1], Class::SET, operation.store_event());
    }
    Ok(Reply::from(len).into())
}

/// The members of the smallest set that are in all others, in its order; none where a set is missing.
fn intersection(sets: &[Option<Arc<SetValue>>]) -> Vec<Bytes> {
    let Some(smallest) = smallest(sets) else { return Vec::new() };
    let is_everywhere = |member: &Bytes| sets.iter().flatten().all(|set| set.contains(member));
    smallest.iter().filter(is_everywhere).collect()
}

/// The first of those with the fewest members; None where a set is missing.
fn smallest(sets: &[Option<Arc<SetValue>>]) -> Option<&SetValue> {
    let all: Vec<&SetValue> = sets.iter().map(Option::as_deref).collect::<Option<_>>()?;
    all.into_iter().min_by_key(|set| set.len())
}

/// Since 7.2 an intersection of integers only ends as an intset wherever it fits one. Any other starts as a listpack, unless it is
/// looked for in an intset.
fn stored_intersection(sets: &[Option<Arc<SetValue>>], limits: &EncodingLimits) -> SetValue {
    let members = intersection(sets);
    let is_intset = members.len() <= limits.set_max_intset_entries
        && members.iter().all(|member| parse_i64(member).is_some());
    let from_intset = smallest(sets).is_some_and(|set| set.encoding() == "intset");
    let starts_as_listpack = limits.version >= Version::V7_2 && !is_intset && !from_intset;
    let mut result =
        if starts_as_listpack { SetValue::for_members(b"-", 0, limits) } else { SetValue::default() };
    for member in members {
        result.add(member, limits);
    }
    result
}

/// Like the server, either looks every member of the first set up in all others, or takes the others' members
/// away from a copy of the first: whatever is less work. The encoding of the result can tell which it was.
fn difference(sets: &[Option<Arc<SetValue>>], limits: &EncodingLimits) -> SetValue {
    let mut result = SetValue::default();
    let Some((Some(first), others)) = sets.split_first() else { return result };
    let others: Vec<&Arc<SetValue>> = others.iter().flatten().collect();
    let look_ups = first.len() * (others.len() + 1) / 2;
    let removals = first.len() + others.iter().map(|set| set.len()).sum::<usize>();
    if look_ups <= removals {
        for member in first.iter().filter(|member| !others.iter().any(|set| set.contains(member))) {
            result.add(member, limits);
        }
        return result;
    }
    for member in first.iter() {
        result.add(member, limits);
    }
    for member in others.iter().flat_map(|set| set.iter()) {
        result.remove(&member);
    }
    result
}

fn sintercard(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (keys, limit) = sources_and_limit(&argv[1..])?;
    let sets = sources(ctx, keys)?;
    let count = intersection(&sets).len();
    Ok(Reply::from(if limit > 0 { count.min(limit) } else { count }).into())
}

/// `numkeys key … [LIMIT limit]`; 0 is no limit.
fn sources_and_limit(arguments: &[Bytes]) -> Result<(&[Bytes], usize), CommandError> {
    let numkeys = args::positive(&arguments[0]).ok_or(CommandError::NumkeysNotPositive)?;
    let (keys, options) = arguments[1..].split_at_checked(numkeys).ok_or(CommandError::TooManyKeys)?;
    let mut limit = 0;
    let mut words = Cursor::new(options);
    while !words.is_done() {
        if !words.take_word("limit") {
            return Err(CommandError::Syntax);
        }
        limit = args::non_negative(words.next()?).map_err(|_| CommandError::NegativeLimit)?;
    }
    Ok((keys, limit))
}
