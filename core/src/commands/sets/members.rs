//! Adding, removing, moving and finding members.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::SetValue;

use super::SET;

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "sadd",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "insert"])],
        since: (1, 0, 0),
        summary: "Adds members and counts the new ones.",
        syntax: "SADD key member [member ...]",
        reply: Shape::Int,
        handler: sadd,
        examples: &[Example { setup: "SADD s a", run: "SADD s a b c", shows: "(integer) 2" }],
        ..SET
    },
    CommandSpec {
        name: "scard",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (1, 0, 0),
        summary: "Counts the members of a set.",
        syntax: "SCARD key",
        reply: Shape::Int,
        handler: scard,
        examples: &[Example { setup: "SADD s a b", run: "SCARD s", shows: "(integer) 2" }],
        ..SET
    },
    CommandSpec {
        name: "sismember",
        arity: 3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (1, 0, 0),
        summary: "Tells whether a member is there.",
        syntax: "SISMEMBER key member",
        reply: Shape::Int,
        handler: sismember,
        examples: &[Example { setup: "SADD s a", run: "SISMEMBER s a", shows: "(integer) 1" }],
        ..SET
    },
    CommandSpec {
        name: "smembers",
        arity: 2,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 0, 0),
        summary: "Answers all members of a set.",
        syntax: "SMEMBERS key",
        reply: Shape::Set,
        tips: &["nondeterministic_output_order"],
        handler: smembers,
        examples: &[Example {
            setup: "SADD s 3 1 2",
            run: "SMEMBERS s",
            shows: "1) \"1\"\n2) \"2\"\n3) \"3\"",
        }],
        ..SET
    },
    CommandSpec {
        name: "smismember",
        arity: -3,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (6, 2, 0),
        summary: "Tells of several members whether they are there.",
        syntax: "SMISMEMBER key member [member ...]",
        reply: Shape::Array,
        handler: smismember,
        examples: &[Example {
            setup: "SADD s a",
            run: "SMISMEMBER s a nosuch",
            shows: "1) (integer) 1\n2) (integer) 0",
        }],
        ..SET
    },
    CommandSpec {
        name: "smove",
        arity: 4,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "access", "delete"]), KeySpec::at(2, &["RW", "insert"])],
        since: (1, 0, 0),
        summary: "Moves a member from one set to another.",
        syntax: "SMOVE source destination member",
        reply: Shape::Int,
        handler: smove,
        examples: &[Example { setup: "SADD s a", run: "SMOVE s t a", shows: "(integer) 1" }],
        ..SET
    },
    CommandSpec {
        name: "srem",
        arity: -3,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (1, 0, 0),
        summary: "Removes members and counts those that were there.",
        syntax: "SREM key member [member ...]",
        reply: Shape::Int,
        handler: srem,
        examples: &[Example { setup: "SADD s a b", run: "SREM s a nosuch", shows: "(integer) 1" }],
        ..SET
    },
];

fn sadd(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let added = add(ctx, &argv[1], &argv[2..])?;
    Ok(Reply::from(added).into())
}

/// Adds at least one member to a set that is there or is made. The number of new members.
fn add(ctx: &mut Ctx<'_>, key: &Bytes, members: &[Bytes]) -> Result<usize, CommandError> {
    let limits = ctx.limits();
    match ctx.write::<SetValue>(key)? {
        Some(set) => set.expect(members.len(), &limits),
        None => {
            let set = SetValue::for_members(&members[0], members.len(), &limits);
            ctx.insert_value(key, set.into(), None);
        }
    }
    let set = ctx.write::<SetValue>(key)?.expect("it was just put there");
    let added = members.iter().filter(|member| set.add((*member).clone(), &limits)).count();
    if added > 0 {
        ctx.changed(key, Class::SET, "sadd");
    }
    Ok(added)
}

fn srem(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let Some(set) = ctx.write::<SetValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let removed = argv[2..].iter().filter(|member| set.remove(member)).count();
    if removed > 0 {
        ctx.changed(&argv[1], Class::SET, "srem");
    }
    Ok(Reply::from(removed).into())
}

fn smove(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (source, destination, member) = (&argv[1], &argv[2], &argv[3]);
    let Some(from) = ctx.write::<SetValue>(source)? else { return Ok(Reply::Int(0).into()) };
    let is_member = from.contains(member);
    ctx.write::<SetValue>(destination)?;
    if is_member && source != destination {
        // Point of no return.
        if let Some(from) = ctx.write::<SetValue>(source)? {
            from.remove(member);
        }
        ctx.changed(source, Class::SET, "srem");
        add(ctx, destination, std::slice::from_ref(member))?;
    }
    Ok(Reply::from(is_member).into())
}

fn scard(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let len = ctx.read::<SetValue>(&argv[1])?.map_or(0, SetValue::len);
    Ok(Reply::from(len).into())
}

fn sismember(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let found = ctx.read::<SetValue>(&argv[1])?.is_some_and(|set| set.contains(&argv[2]));
    Ok(Reply::from(found).into())
}

fn smismember(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<SetValue>(&argv[1])?;
    let found = |member: &Bytes| Reply::from(set.is_some_and(|set| set.contains(member)));
    Ok(Reply::Array(argv[2..].iter().map(found).collect()).into())
}

fn smembers(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let set = ctx.read::<SetValue>(&argv[1])?;
    Ok(Reply::Set(set.into_iter().flat_map(SetValue::iter).map(Reply::Bulk).collect()).into())
}
