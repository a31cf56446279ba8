//! COMMAND and COMMAND INFO: a record in the shape that client libraries read.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::{Begin, CommandSpec, Find, KeySpec};
use crate::commands::versions::records;
use crate::resp::Reply;

pub(super) fn all(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let described = records(ctx.version()).commands().iter().map(describe);
    Ok(Reply::Array(described.collect()).into())
}

pub(super) fn info(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if argv.len() == 2 {
        return all(ctx, argv);
    }
    let records = records(ctx.version());
    let described = argv[2..].iter().map(|name| records.find_full(name).map_or(Reply::Nil, describe));
    Ok(Reply::Array(described.collect()).into())
}

fn describe(spec: &CommandSpec) -> Reply {
    let (first, last, step) = spec.key_range();
    let categories = spec.all_categories().map(|name| Reply::Status(format!("@{name}").into_bytes().into()));
    Reply::Array(vec![
        Reply::bulk(spec.name),
        Reply::Int(spec.arity.into()),
        Reply::Set(spec.flags.names().map(Reply::status).collect()),
        Reply::Int(first),
        Reply::Int(last),
        Reply::Int(step),
        Reply::Set(categories.collect()),
        Reply::Set(spec.tips.iter().map(|tip| Reply::bulk(*tip)).collect()),
        Reply::Set(spec.keys.iter().map(describe_keys).collect()),
        Reply::Set(spec.subcommands.iter().map(describe).collect()),
    ])
}

fn describe_keys(spec: &KeySpec) -> Reply {
    let mut fields = Vec::with_capacity(4);
    if !spec.notes.is_empty() {
        fields.push((Reply::bulk("notes"), Reply::bulk(spec.notes)));
    }
    fields.push((Reply::bulk("flags"), flags(spec)));
    fields.push((Reply::bulk("begin_search"), begin(spec.begin)));
    fields.push((Reply::bulk("find_keys"), find(spec.find)));
    Reply::Map(fields)
}

pub(super) fn flags(spec: &KeySpec) -> Reply {
    Reply::Set(spec.flags.iter().map(|flag| Reply::status(flag)).collect())
}

fn begin(begin: Begin) -> Reply {
    match begin {
        Begin::Index(index) => typed("index", vec![number("index", index as i64)]),
        Begin::Keyword { word, from } => typed(
            "keyword",
            vec![(Reply::bulk("keyword"), Reply::bulk(word)), number("startfrom", from.into())],
        ),
        Begin::Unknown => typed("unknown", Vec::new()),
    }
}

fn find(find: Find) -> Reply {
    match find {
        Find::Range { last, step, limit } => typed(
            "range",
            vec![
                number("lastkey", last.into()),
                number("keystep", step as i64),
                number("limit", limit as i64),
            ],
        ),
        Find::Count { count_at, first_at, step } => typed(
            "keynum",
            vec![
                number("keynumidx", count_at as i64),
                number("firstkey", first_at as i64),
                number("keystep", step as i64),
            ],
        ),
        Find::Unknown => typed("unknown", Vec::new()),
    }
}

fn typed(kind: &'static str, spec: Vec<(Reply, Reply)>) -> Reply {
    Reply::Map(vec![(Reply::bulk("type"), Reply::bulk(kind)), (Reply::bulk("spec"), Reply::Map(spec))])
}

fn number(name: &'static str, value: i64) -> (Reply, Reply) {
    (Reply::bulk(name), Reply::Int(value))
}
