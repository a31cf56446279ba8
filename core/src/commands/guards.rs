//! What the server's role and configuration forbid: writes on a replica or with too few replicas, and answers
//! from stale data. Behaviour: facts, groups `replica`, `stale`, `noreplicas`.

use crate::error::CommandError;
use crate::state::{Param, ScriptFlags, State};

use super::spec::{CommandSpec, Flags};

/// For a client's command, before it runs or is queued. `flags` are what it has once its script is known.
pub(super) fn check_client(state: &State, flags: Flags) -> Result<(), CommandError> {
    if flags.contains(Flags::WRITE) {
        check_write(state)?;
    }
    if is_stale(state) && !flags.contains(Flags::STALE) {
        return Err(CommandError::MasterDown);
    }
    Ok(())
}

/// For a script or function as a whole. `flags`: None for a script without a shebang, which may start and fails
/// only at the command that is forbidden.
pub(super) fn check_script_start(state: &State, flags: Option<ScriptFlags>) -> Result<(), CommandError> {
    if is_stale(state) && !flags.is_some_and(|flags| flags.allow_stale) {
        return Err(CommandError::MasterDown);
    }
    match flags {
        Some(flags) if !flags.no_writes => check_write(state),
        _ => Ok(()),
    }
}

/// For a script or function with these flags. A client's own command was refused before; this is for those in EXEC.
pub(super) fn check_script_memory(state: &State, flags: ScriptFlags) -> Result<(), CommandError> {
    if state.is_over_limit() && !flags.allow_oom && !flags.no_writes {
        let text =
            "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'";
        return Err(CommandError::Line(text.into()));
    }
    Ok(())
}

/// For a command inside a script.
pub(super) fn check_in_script(state: &State, spec: &CommandSpec) -> Result<(), CommandError> {
    if is_stale(state) && !spec.has(Flags::STALE) {
        return Err(CommandError::Line("ERR Can not execute the command on a stale replica".into()));
    }
    if spec.has(Flags::WRITE) { check_write(state) } else { Ok(()) }
}

fn check_write(state: &State) -> Result<(), CommandError> {
    if state.role.is_replica() && state.config.bool(Param::REPLICA_READ_ONLY) {
        return Err(CommandError::ReadOnlyReplica);
    }
    // Nobody replicates from this server, so any minimum is missed.
    if !state.role.is_replica() && state.config.int(Param::MIN_REPLICAS_TO_WRITE) > 0 {
        return Err(CommandError::NoReplicas);
    }
    Ok(())
}

fn is_stale(state: &State) -> bool {
    state.role.link_is_down() && !state.config.bool(Param::REPLICA_SERVE_STALE_DATA)
}
