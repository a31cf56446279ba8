//! COMMAND GETKEYS and GETKEYSANDFLAGS: the keys among the arguments of a whole command.

use crate::Bytes;
use crate::commands::call::lookup;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::keys::{KeyPosition, key_positions};
use crate::commands::spec::Flags;
use crate::commands::versions::records;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

pub(super) fn getkeys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let keys = keys_of(ctx.version(), &argv[2..])?;
    Ok(Reply::bulks(keys.into_iter().map(|key| argv[2 + key.index].clone())).into())
}

pub(super) fn getkeysandflags(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let keys = keys_of(ctx.version(), &argv[2..])?.into_iter().map(|key| {
        let flags = key.flags.iter().map(|flag| Reply::status(flag)).collect();
        Reply::Array(vec![Reply::Bulk(argv[2 + key.index].clone()), Reply::Set(flags)])
    });
    Ok(Reply::Array(keys.collect()).into())
}

fn keys_of(version: Version, argv: &[Bytes]) -> Result<Vec<KeyPosition>, CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    let container = || records(version).find(&argv[0]).filter(|_| argv.len() == 1).ok_or(());
    let Ok(spec) = lookup(version, argv).or_else(|_| container()) else {
        return Err(line("ERR Invalid command specified"));
    };
    if spec.keys.iter().all(|keys| keys.flags.contains(&"not_key")) {
        return Err(line("ERR The command has no key arguments"));
    }
    if !spec.arity_fits(argv.len()) {
        return Err(line("ERR Invalid number of arguments specified for command"));
    }
    let keys = key_positions(spec, argv).unwrap_or_default();
    if keys.is_empty() && !spec.has(Flags::NO_MANDATORY_KEYS) {
        return Err(line("ERR Invalid arguments specified for command"));
    }
    Ok(keys)
}
