//! Whole hashes, and random fields of them.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::draw;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::{Protocol, Reply};
use crate::value::HashValue;

use super::{HASH, expire_looked_at};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "hgetall",
        summary: "Answers all fields with their values.",
        syntax: "HGETALL key",
        reply: Shape::Map,
        handler: hgetall,
        examples: &[Example {
            setup: "HSET h a 1 b 2",
            run: "HGETALL h",
            shows: "1) \"a\"\n2) \"1\"\n3) \"b\"\n4) \"2\"",
        }],
        ..LISTING
    },
    CommandSpec {
        name: "hkeys",
        summary: "Answers the names of all fields.",
        syntax: "HKEYS key",
        handler: |ctx, argv| list(ctx, &argv[1], |field, _| field),
        examples: &[Example { setup: "HSET h a 1 b 2", run: "HKEYS h", shows: "1) \"a\"\n2) \"b\"" }],
        ..LISTING
    },
    CommandSpec {
        name: "hlen",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (2, 0, 0),
        summary: "Counts the fields of a hash.",
        syntax: "HLEN key",
        reply: Shape::Int,
        handler: hlen,
        examples: &[Example { setup: "HSET h a 1 b 2", run: "HLEN h", shows: "(integer) 2" }],
        ..HASH
    },
    CommandSpec {
        name: "hrandfield",
        arity: -2,
        since: (6, 2, 0),
        summary: "Answers random fields; with a negative count a field can come up again.",
        syntax: "HRANDFIELD key [count [WITHVALUES]]",
        reply: Shape::OneOf(&[Shape::BulkOrNil, Shape::Array]),
        tips: &["nondeterministic_output"],
        handler: hrandfield,
        examples: &[Example {
            setup: "HSET h a 1",
            run: "HRANDFIELD h -2 WITHVALUES",
            shows: "1) \"a\"\n2) \"1\"\n3) \"a\"\n4) \"1\"",
        }],
        ..LISTING
    },
    CommandSpec {
        name: "hvals",
        summary: "Answers the values of all fields.",
        syntax: "HVALS key",
        handler: |ctx, argv| list(ctx, &argv[1], |_, value| value),
        examples: &[Example { setup: "HSET h a 1 b 2", run: "HVALS h", shows: "1) \"1\"\n2) \"2\"" }],
        ..LISTING
    },
];

const LISTING: CommandSpec = CommandSpec {
    arity: 2,
    flags: Flags::READONLY,
    keys: &[KeySpec::at(1, &["RO", "access"])],
    since: (2, 0, 0),
    reply: Shape::Array,
    tips: &["nondeterministic_output_order"],
    ..HASH
};

fn hgetall(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let now = ctx.now;
    let hash = ctx.read::<HashValue>(&argv[1])?;
    let fields = hash.into_iter().flat_map(|hash| hash.iter_live(now));
    let pair = |(name, value): (&Bytes, &Bytes)| (Reply::Bulk(name.clone()), Reply::Bulk(value.clone()));
    Ok(Reply::Map(fields.map(pair).collect()).into())
}

fn list(
    ctx: &mut Ctx<'_>,
    key: &Bytes,
    choose: for<'a> fn(&'a Bytes, &'a Bytes) -> &'a Bytes,
) -> CommandResult {
    let now = ctx.now;
    let hash = ctx.read::<HashValue>(key)?;
    let fields = hash.into_iter().flat_map(|hash| hash.iter_live(now));
    Ok(Reply::bulks(fields.map(|(name, value)| choose(name, value).clone())).into())
}

fn hlen(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let len = ctx.read::<HashValue>(&argv[1])?.map_or(0, HashValue::len);
    Ok(Reply::from(len).into())
}

fn hrandfield(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let options = draw::options(&argv[2..], "withvalues")?;
    take_away_expired(ctx, &argv[1])?;
    let len = ctx.read::<HashValue>(&argv[1])?.map_or(0, HashValue::len);
    let Some((count, with_values)) = options else {
        let position = ctx.state.rng.below(len);
        let field = ctx.peek_as::<HashValue>(&argv[1]).and_then(|hash| hash.get_at(position));
        return Ok(Reply::bulk_or_nil(field.map(|(name, _)| name.clone())).into());
    };
    let positions = count.draw(len, &mut ctx.state.rng)?;
    let nested = ctx.protocol == Protocol::Resp3;
    let Some(hash) = ctx.peek_as::<HashValue>(&argv[1]) else { return Ok(Reply::Array(Vec::new()).into()) };
    let mut shown = Vec::with_capacity(positions.len());
    for (name, field) in positions.into_iter().filter_map(|position| hash.get_at(position)) {
        let name = Reply::Bulk(name.clone());
        let value = || Reply::Bulk(field.value.clone());
        match (with_values, nested) {
            (false, _) => shown.push(name),
            (true, false) => shown.extend([name, value()]),
            (true, true) => shown.push(Reply::Array(vec![name, value()])),
        }
    }
    Ok(Reply::Array(shown).into())
}

/// A random pick looks at all fields.
fn take_away_expired(ctx: &mut Ctx<'_>, key: &Bytes) -> Result<(), CommandError> {
    if ctx.state.active_expire {
        return Ok(());
    }
    let names: Vec<Bytes> = ctx
        .write::<HashValue>(key)?
        .into_iter()
        .flat_map(|hash| hash.iter().map(|(name, _)| name.clone()))
        .collect();
    expire_looked_at(ctx, key, &names)
}
