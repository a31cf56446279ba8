//! HELP of container commands, made from their subcommands' records. The form is Redis's; the sentences are
//! ours, since Redis's licence does not allow to copy its own.

use crate::Bytes;
use crate::resp::Reply;

use super::call::find;
use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

impl CommandSpec {
    /// The record of a container's HELP: `CommandSpec::help("script|help", …)`.
    pub(super) const fn help(
        name: &'static str,
        since: (u8, u8, u8),
        group: Group,
        categories: &'static [&'static str],
        examples: &'static [Example],
    ) -> Self {
        Self {
            name,
            arity: 2,
            flags: Flags::LOADING.or(Flags::STALE),
            categories,
            since,
            group,
            summary: "Lists the subcommands.",
            syntax: "HELP",
            reply: Shape::Array,
            handler: help,
            examples,
            ..Self::BASE
        }
    }
}

fn help(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.spec.name == "cluster|help" {
        super::cluster::must_be_one(ctx)?;
    }
    let container = find(&argv[0]).expect("the subcommand was found through it");
    let version = ctx.version();
    let name = container.name.to_ascii_uppercase();
    let mut lines = vec![format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")];
    for sub in container.subcommands.iter().filter(|sub| sub.offered_in(version)) {
        if sub.short_name() == "help" {
            continue;
        }
        let syntax = sub.syntax.strip_prefix(&name).unwrap_or(sub.syntax).trim_start();
        lines.extend([syntax.to_owned(), format!("    {}", sub.summary)]);
    }
    lines.extend(["HELP".to_owned(), "    Lists the subcommands.".to_owned()]);
    let status = |line: String| Reply::Status(line.into_bytes().into());
    Ok(Reply::Array(lines.into_iter().map(status).collect()).into())
}
