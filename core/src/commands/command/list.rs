//! COMMAND LIST: names, filtered.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::CommandSpec;
use crate::commands::versions::records;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::glob;

pub(super) fn list(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let records = records(ctx.version());
    let names = |fits: &dyn Fn(&CommandSpec) -> bool| {
        Reply::bulks(records.all().filter(|spec| fits(spec)).map(|spec| spec.name))
    };
    let reply = match &argv[2..] {
        [] => names(&|_| true),
        [by, kind, value] if args::is(by, "filterby") => {
            if args::is(kind, "module") {
                // No modules are offered, so none has a command.
                Reply::Array(Vec::new())
            } else if args::is(kind, "aclcat") {
                let category = String::from_utf8_lossy(value).to_ascii_lowercase();
                names(&|spec| spec.in_category(&category))
            } else if args::is(kind, "pattern") {
                names(&|spec| glob::matches(value, spec.name.as_bytes(), glob::Case::Insensitive))
            } else {
                return Err(CommandError::Syntax);
            }
        }
        _ => return Err(CommandError::Syntax),
    };
    Ok(reply.into())
}
