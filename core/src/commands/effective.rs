//! What a command that runs a script is, once its shebang or its function's flags are known.

use crate::Bytes;
use crate::state::{ScriptFlags, Sha1, State};

use super::shebang;
use super::spec::{CommandSpec, Flags};

/// The record's flags, for EVAL and FCALL those that follow from the flags of the script. A script without a
/// shebang keeps the record's.
pub(super) fn flags(state: &State, spec: &CommandSpec, argv: &[Bytes]) -> Flags {
    let Some(script) = script_flags(state, spec, argv) else { return spec.flags };
    let mut flags = spec.flags.without(Flags::STALE.or(Flags::DENYOOM).or(Flags::WRITE));
    if script.allow_stale {
        flags = flags.or(Flags::STALE);
    }
    if !script.allow_oom && !script.no_writes {
        flags = flags.or(Flags::DENYOOM);
    }
    if script.no_writes { flags.without(Flags::MAY_REPLICATE) } else { flags.or(Flags::WRITE) }
}

fn script_flags(state: &State, spec: &CommandSpec, argv: &[Bytes]) -> Option<ScriptFlags> {
    match spec.name {
        "eval" | "eval_ro" => shebang::of_script(&argv[1]).ok()?,
        "evalsha" | "evalsha_ro" => {
            let script = state.scripts.get(&Sha1::parse(&argv[1])?)?;
            shebang::of_script(&script.source).ok()?
        }
        "fcall" | "fcall_ro" => state.functions.find(&argv[1]).map(|(_, function)| function.flags),
        _ => None,
    }
}
