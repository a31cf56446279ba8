//! BITFIELD: several integers of any width in one string, read and counted in one go.

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::Param;
use crate::value::StringValue;
use crate::value::bitfield::{FieldType, Overflow};

use super::{BITMAP, grown};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "bitfield",
        arity: -2,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec {
            notes: "This command allows both access and modification of the key",
            ..KeySpec::at(1, &["RW", "access", "update", "variable_flags"])
        }],
        since: (3, 2, 0),
        summary: "Reads, sets and counts integers of any width inside a string.",
        syntax: "BITFIELD key [GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] <SET encoding offset value | INCRBY encoding offset increment> ...]",
        reply: Shape::Array,
        handler: |ctx, argv| bitfield(ctx, argv, Access::All),
        examples: &[Example {
            setup: "",
            run: "BITFIELD k INCRBY u4 #1 9 OVERFLOW SAT INCRBY u4 #1 9",
            shows: "1) (integer) 9\n2) (integer) 15",
        }],
        ..BITMAP
    },
    CommandSpec {
        name: "bitfield_ro",
        arity: -2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (6, 0, 0),
        summary: "Reads integers of any width inside a string.",
        syntax: "BITFIELD_RO key [GET encoding offset [GET encoding offset ...]]",
        reply: Shape::Array,
        handler: |ctx, argv| bitfield(ctx, argv, Access::ReadOnly),
        examples: &[Example { setup: "SET k a", run: "BITFIELD_RO k GET u8 0", shows: "1) (integer) 97" }],
        ..BITMAP
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    All,
    ReadOnly,
}

#[derive(Clone, Copy)]
struct Operation {
    field: FieldType,
    offset: u64,
    action: Action,
}

#[derive(Clone, Copy)]
enum Action {
    Get,
    Set(i64, Overflow),
    Add(i64, Overflow),
}

impl Operation {
    fn writes(&self) -> bool {
        !matches!(self.action, Action::Get)
    }
}

fn bitfield(ctx: &mut Ctx<'_>, argv: &[Bytes], access: Access) -> CommandResult {
    let operations = operations(ctx, &argv[2..])?;
    let reaches = operations.iter().filter(|operation| operation.writes());
    let Some(bytes) = reaches.map(|it| it.field.string_bytes(it.offset)).max() else {
        return read(ctx, &argv[1], &operations);
    };
    if access == Access::ReadOnly {
        return Err(CommandError::Line("ERR BITFIELD_RO only supports the GET subcommand".into()));
    }
    let (buffer, grew) = grown(ctx, &argv[1], bytes)?;
    let mut changed = false;
    let mut replies = Vec::new();
    for operation in &operations {
        let (reply, wrote) = apply(buffer, operation);
        changed |= wrote.is_some_and(|is_new| is_new || grew);
        replies.push(reply.map_or(Reply::Nil, Reply::Int));
    }
    if changed {
        ctx.changed(&argv[1], Class::STRING, "setbit");
    }
    Ok(Reply::Array(replies).into())
}

fn read(ctx: &mut Ctx<'_>, key: &Bytes, operations: &[Operation]) -> CommandResult {
    let value = ctx.read::<StringValue>(key)?;
    let bytes = value.map(|value| value.as_slice()).unwrap_or_default();
    let values = operations.iter().map(|it| Reply::Int(it.field.get(&bytes, it.offset)));
    Ok(Reply::Array(values.collect()).into())
}

/// The answer (none where OVERFLOW FAIL refused), and whether something was written and was new.
fn apply(buffer: &mut Vec<u8>, operation: &Operation) -> (Option<i64>, Option<bool>) {
    let Operation { field, offset, action } = *operation;
    let old = field.get(buffer, offset);
    let (new, answers_old) = match action {
        Action::Get => return (Some(old), None),
        Action::Set(value, overflow) => (field.fit(value, overflow), true),
        Action::Add(increment, overflow) => (field.add(old, increment, overflow), false),
    };
    let Some(new) = new else { return (None, None) };
    field.set(buffer, offset, new);
    (Some(if answers_old { old } else { new }), Some(new != old))
}

fn operations(ctx: &Ctx<'_>, rest: &[Bytes]) -> Result<Vec<Operation>, CommandError> {
    let bytes_max = ctx.state.config.int(Param::PROTO_MAX_BULK_LEN);
    let mut operations = Vec::new();
    let mut overflow = Overflow::default();
    let mut words = Cursor::new(rest);
    while let Some(word) = words.peek() {
        words.skip();
        let left = words.remaining().len();
        if args::is(word, "overflow") && left >= 1 {
            overflow = overflow_rule(words.next()?)?;
            continue;
        }
        let needed = if args::is(word, "get") { 2 } else { 3 };
        let known = ["get", "set", "incrby"].iter().any(|name| args::is(word, name));
        if !known || left < needed {
            return Err(CommandError::Syntax);
        }
        let field = FieldType::parse(words.next()?).ok_or(CommandError::Line(
            "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is."
                .into(),
        ))?;
        let offset = field
            .parse_offset(words.next()?)
            .filter(|offset| i64::try_from(offset >> 3).is_ok_and(|byte| byte < bytes_max))
            .ok_or(CommandError::BitOffset)?;
        let action = if args::is(word, "get") {
            Action::Get
        } else if args::is(word, "set") {
            Action::Set(args::int(words.next()?)?, overflow)
        } else {
            Action::Add(args::int(words.next()?)?, overflow)
        };
        operations.push(Operation { field, offset, action });
    }
    Ok(operations)
}

fn overflow_rule(word: &[u8]) -> Result<Overflow, CommandError> {
    [("wrap", Overflow::Wrap), ("sat", Overflow::Sat), ("fail", Overflow::Fail)]
        .into_iter()
        .find_map(|(name, rule)| args::is(word, name).then_some(rule))
        .ok_or(CommandError::Line("ERR Invalid OVERFLOW type specified".into()))
}
