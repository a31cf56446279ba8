//! Moving an element from one list to another, with and without waiting for it.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Awaited;
use crate::value::{End, ListValue};

use super::{LIST, end, pop_event, push};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Earlier, Example, Flags, KeySpec, Shape};
use crate::commands::waiting;

const BLMOVE: CommandSpec = CommandSpec {
    name: "blmove",
    arity: 6,
    flags: MOVE_FLAGS.or(Flags::BLOCKING),
    keys: MOVE_KEYS,
    since: (6, 2, 0),
    summary: "Moves an element between lists, waiting for one where there is none.",
    syntax: "BLMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout",
    reply: Shape::BulkOrNil,
    handler: blmove,
    examples: &[Example { setup: "RPUSH jobs a", run: "BLMOVE jobs doing LEFT RIGHT 0", shows: "\"a\"" }],
    ..LIST
};

const BRPOPLPUSH: CommandSpec = CommandSpec {
    name: "brpoplpush",
    arity: 4,
    flags: MOVE_FLAGS.or(Flags::BLOCKING),
    keys: MOVE_KEYS,
    since: (2, 2, 0),
    summary: "Moves the last element of a list to the front of another, waiting for one where there is none.",
    syntax: "BRPOPLPUSH source destination timeout",
    reply: Shape::BulkOrNil,
    handler: brpoplpush,
    examples: &[Example { setup: "RPUSH jobs a b", run: "BRPOPLPUSH jobs doing 0", shows: "\"b\"" }],
    ..LIST
};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BLMOVE.flags.or(Flags::NOSCRIPT), ..BLMOVE },
        }),
        ..BLMOVE
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: BRPOPLPUSH.flags.or(Flags::NOSCRIPT), ..BRPOPLPUSH },
        }),
        ..BRPOPLPUSH
    },
    CommandSpec {
        name: "lmove",
        arity: 5,
        flags: MOVE_FLAGS,
        keys: MOVE_KEYS,
        since: (6, 2, 0),
        summary: "Moves an element from one end of a list to an end of another.",
        syntax: "LMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT>",
        reply: Shape::BulkOrNil,
        handler: lmove,
        examples: &[Example { setup: "RPUSH jobs a b", run: "LMOVE jobs doing LEFT RIGHT", shows: "\"a\"" }],
        ..LIST
    },
    CommandSpec {
        name: "rpoplpush",
        arity: 3,
        flags: MOVE_FLAGS,
        keys: MOVE_KEYS,
        since: (1, 2, 0),
        summary: "Moves the last element of a list to the front of another.",
        syntax: "RPOPLPUSH source destination",
        reply: Shape::BulkOrNil,
        handler: rpoplpush,
        examples: &[Example { setup: "RPUSH jobs a b", run: "RPOPLPUSH jobs doing", shows: "\"b\"" }],
        ..LIST
    },
];

const MOVE_FLAGS: Flags = Flags::WRITE.or(Flags::DENYOOM);
const MOVE_KEYS: &[KeySpec] =
    &[KeySpec::at(1, &["RW", "access", "delete"]), KeySpec::at(2, &["RW", "insert"])];

/// What to move between which ends.
struct Move<'a> {
    source: &'a Bytes,
    from: End,
    destination: &'a Bytes,
    to: End,
}

impl Move<'_> {
    /// Moves an element; None where the source has none.
    fn run(&self, ctx: &mut Ctx<'_>) -> Result<Option<Bytes>, CommandError> {
        let limits = ctx.limits();
        if ctx.write::<ListValue>(self.source)?.is_none() {
            return Ok(None);
        }
        ctx.write::<ListValue>(self.destination)?;
        // Point of no return.
        let source = ctx.write::<ListValue>(self.source)?.expect("it was there");
        let element = source.pop(self.from, &limits).expect("an empty list never stays");
        push(ctx, self.destination, self.to, std::slice::from_ref(&element))?;
        ctx.changed(self.source, Class::LIST, pop_event(self.from));
        Ok(Some(element))
    }
}

fn lmove(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let movement = Move { source: &argv[1], from: end(&argv[3])?, destination: &argv[2], to: end(&argv[4])? };
    Ok(Reply::bulk_or_nil(movement.run(ctx)?).into())
}

fn rpoplpush(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let movement = Move { source: &argv[1], from: End::Right, destination: &argv[2], to: End::Left };
    Ok(Reply::bulk_or_nil(movement.run(ctx)?).into())
}

fn blmove(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let movement = Move { source: &argv[1], from: end(&argv[3])?, destination: &argv[2], to: end(&argv[4])? };
    move_or_wait(ctx, argv, &movement, &argv[5])
}

fn brpoplpush(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let movement = Move { source: &argv[1], from: End::Right, destination: &argv[2], to: End::Left };
    move_or_wait(ctx, argv, &movement, &argv[3])
}

fn move_or_wait(ctx: &mut Ctx<'_>, argv: &[Bytes], movement: &Move<'_>, timeout: &[u8]) -> CommandResult {
    let deadline = waiting::deadline(ctx, timeout)?;
    match movement.run(ctx)? {
        Some(element) => Ok(Reply::Bulk(element).into()),
        None => {
            let keys = std::slice::from_ref(movement.source);
            waiting::wait(ctx, argv, keys, Awaited::List, deadline, Reply::Nil)
        }
    }
}
