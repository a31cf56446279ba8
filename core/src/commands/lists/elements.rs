//! Looking at, replacing and removing elements of a list.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::{End, ListValue, index};

use super::LIST;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::notify::Class;
use crate::commands::spec::{CommandSpec, Example, Flags, KeySpec, Shape};

pub(in crate::commands) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "lindex",
        arity: 3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 0, 0),
        summary: "Answers the element at an index of a list.",
        syntax: "LINDEX key index",
        reply: Shape::BulkOrNil,
        handler: lindex,
        examples: &[Example { setup: "RPUSH l a b c", run: "LINDEX l -1", shows: "\"c\"" }],
        ..LIST
    },
    CommandSpec {
        name: "linsert",
        arity: 5,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "insert"])],
        since: (2, 2, 0),
        summary: "Puts an element before or after another.",
        syntax: "LINSERT key <BEFORE | AFTER> pivot element",
        reply: Shape::Int,
        handler: linsert,
        examples: &[Example { setup: "RPUSH l a c", run: "LINSERT l BEFORE c b", shows: "(integer) 3" }],
        ..LIST
    },
    CommandSpec {
        name: "lpos",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (6, 0, 6),
        summary: "Finds the index of an element in a list.",
        syntax: "LPOS key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
        reply: Shape::OneOf(&[Shape::Int, Shape::Nil, Shape::Array]),
        handler: lpos,
        examples: &[
            Example { setup: "RPUSH l a b a", run: "LPOS l a RANK -1", shows: "(integer) 2" },
            Example {
                setup: "RPUSH l a b a",
                run: "LPOS l a COUNT 0",
                shows: "1) (integer) 0\n2) (integer) 2",
            },
        ],
        ..LIST
    },
    CommandSpec {
        name: "lrange",
        arity: 4,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (1, 0, 0),
        summary: "Answers the elements between two indexes of a list.",
        syntax: "LRANGE key start stop",
        reply: Shape::Array,
        handler: lrange,
        examples: &[Example { setup: "RPUSH l a b c", run: "LRANGE l 0 -2", shows: "1) \"a\"\n2) \"b\"" }],
        ..LIST
    },
    CommandSpec {
        name: "lrem",
        arity: 4,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (1, 0, 0),
        summary: "Removes elements that equal a value, from the left, from the right, or all.",
        syntax: "LREM key count element",
        reply: Shape::Int,
        handler: lrem,
        examples: &[Example { setup: "RPUSH l a b a", run: "LREM l 0 a", shows: "(integer) 2" }],
        ..LIST
    },
    CommandSpec {
        name: "lset",
        arity: 4,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (1, 0, 0),
        summary: "Replaces the element at an index of a list.",
        syntax: "LSET key index element",
        reply: Shape::Status,
        handler: lset,
        examples: &[Example {
            setup: "RPUSH l a b",
            run: "LSET l 5 z",
            shows: "(error) ERR index out of range",
        }],
        ..LIST
    },
    CommandSpec {
        name: "ltrim",
        arity: 4,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (1, 0, 0),
        summary: "Keeps only the elements between two indexes of a list.",
        syntax: "LTRIM key start stop",
        reply: Shape::Status,
        handler: ltrim,
        examples: &[Example { setup: "RPUSH l a b c", run: "LTRIM l -2 -1", shows: "OK" }],
        ..LIST
    },
];

fn lindex(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let Some(list) = ctx.read::<ListValue>(&argv[1])? else { return Ok(Reply::Nil.into()) };
    let position = index::resolve(args::int(&argv[2])?, list.len());
    Ok(Reply::bulk_or_nil(position.and_then(|position| list.get(position)).cloned()).into())
}

fn linsert(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let side = if args::is(&argv[2], "after") {
        End::Right
    } else if args::is(&argv[2], "before") {
        End::Left
    } else {
        return Err(CommandError::Syntax);
    };
    let limits = ctx.limits();
    let Some(list) = ctx.write::<ListValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    list.expect(&argv[4], &limits);
    let Some(pivot) = list.position(&argv[3]) else { return Ok(Reply::Int(-1).into()) };
    list.insert(pivot, side, argv[4].clone(), &limits);
    let len = list.len();
    ctx.changed(&argv[1], Class::LIST, "linsert");
    Ok(Reply::from(len).into())
}

/// What LPOS looks for besides the element.
struct Search {
    rank: i64,
    /// None where a single index is asked for.
    count: Option<usize>,
    compared_max: usize,
}

fn lpos(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let search = search(ctx, &argv[3..])?;
    let list = ctx.read::<ListValue>(&argv[1])?;
    let positions = list.map_or_else(Vec::new, |list| {
        list.positions(&argv[2], search.rank, search.count.unwrap_or(1), search.compared_max)
    });
    let mut positions = positions.into_iter().map(Reply::from);
    Ok(match search.count {
        None => positions.next().unwrap_or(Reply::Nil),
        Some(_) => Reply::Array(positions.collect()),
    }
    .into())
}

fn search(ctx: &Ctx<'_>, options: &[Bytes]) -> Result<Search, CommandError> {
    let mut search = Search { rank: 1, count: None, compared_max: 0 };
    let mut words = Cursor::new(options);
    let line = |text: &'static str| CommandError::Line(text.into());
    let size =
        |argument: &Bytes, error| args::int(argument).ok().and_then(|n| usize::try_from(n).ok()).ok_or(error);
    while !words.is_done() {
        if words.take_word("rank") {
            search.rank = args::int(words.next()?)?;
            if search.rank == i64::MIN && ctx.version() >= Version::V7_2 {
                return Err(CommandError::NotNegatable);
            }
            if search.rank == 0 {
                return Err(line(
                    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use \
                     negative to start from the end of the list",
                ));
            }
        } else if words.take_word("count") {
            search.count = Some(size(words.next()?, line("ERR COUNT can't be negative"))?);
        } else if words.take_word("maxlen") {
            search.compared_max = size(words.next()?, line("ERR MAXLEN can't be negative"))?;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if search.rank == i64::MIN {
        // An old server cannot negate it, and so looks for the first match from the right.
        search.rank = -1;
    }
    Ok(search)
}

fn lrange(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (start, stop) = (args::int(&argv[2])?, args::int(&argv[3])?);
    let Some(list) = ctx.read::<ListValue>(&argv[1])? else { return Ok(Reply::Array(vec![]).into()) };
    let elements = list.range(index::resolve_range(start, stop, list.len()));
    Ok(Reply::bulks(elements.cloned()).into())
}

fn lrem(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let count = args::int(&argv[2])?;
    if count == i64::MIN && ctx.version() >= Version::V7_2 {
        return Err(CommandError::NotNegatable);
    }
    let limits = ctx.limits();
    let Some(list) = ctx.write::<ListValue>(&argv[1])? else { return Ok(Reply::Int(0).into()) };
    let removed = list.remove(count, &argv[3], &limits);
    if removed > 0 {
        ctx.changed(&argv[1], Class::LIST, "lrem");
    }
    Ok(Reply::from(removed).into())
}

fn lset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (limits, version) = (ctx.limits(), ctx.version());
    let list = ctx.write::<ListValue>(&argv[1])?.ok_or(CommandError::NoSuchKey)?;
    let mut index = args::int(&argv[2])?;
    if version >= Version::V7_2 {
        // These servers keep only the lower half, so that 9223372036854775807 is the last element.
        index = i64::from(index as i32);
    }
    list.expect(&argv[3], &limits);
    let position = index::resolve(index, list.len()).ok_or(CommandError::IndexOutOfRange)?;
    list.set(position, argv[3].clone(), &limits);
    ctx.changed(&argv[1], Class::LIST, "lset");
    Ok(Reply::OK.into())
}

fn ltrim(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (start, stop) = (args::int(&argv[2])?, args::int(&argv[3])?);
    let limits = ctx.limits();
    if let Some(list) = ctx.write::<ListValue>(&argv[1])? {
        list.trim(index::resolve_range(start, stop, list.len()), &limits);
        ctx.changed(&argv[1], Class::LIST, "ltrim");
    }
    Ok(Reply::OK.into())
}
