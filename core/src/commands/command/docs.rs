//! COMMAND DOCS: a record in words, and its syntax as the tree of arguments that redis-cli makes its hints from.

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::CommandSpec;
use crate::commands::versions::records;
use crate::resp::Reply;

pub(super) fn docs(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let records = records(ctx.version());
    let entries: Vec<(Reply, Reply)> = if argv.len() == 2 {
        records.commands().iter().map(entry).collect()
    } else {
        argv[2..].iter().filter_map(|name| records.find_full(name)).map(entry).collect()
    };
    Ok(Reply::Map(entries).into())
}

fn entry(spec: &CommandSpec) -> (Reply, Reply) {
    let (major, minor, patch) = spec.since;
    let mut fields = vec![
        (Reply::bulk("summary"), Reply::bulk(spec.summary)),
        (Reply::bulk("since"), Reply::bulk(format!("{major}.{minor}.{patch}"))),
        (Reply::bulk("group"), Reply::bulk(spec.group.name())),
    ];
    if !spec.subcommands.is_empty() {
        let subcommands = spec.subcommands.iter().map(entry).collect();
        fields.push((Reply::bulk("subcommands"), Reply::Map(subcommands)));
    }
    (Reply::bulk(spec.name), Reply::Map(fields))
}
