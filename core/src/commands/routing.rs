//! Cluster mode: may this node run a command on these keys?
//! Behaviour: facts, groups `cluster` and `cluster-moved`.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::state::{Cluster, State};
use crate::value::crc::key_slot;

use super::call::lookup;
use super::keys::key_positions;
use super::spec::CommandSpec;

/// For a client's command: the keys of all commands of a transaction count together at EXEC.
pub(super) fn check_client(
    state: &State,
    client: ClientId,
    spec: &CommandSpec,
    argv: &[Bytes],
) -> Result<(), CommandError> {
    let Some(cluster) = state.cluster.as_deref() else { return Ok(()) };
    let slots = match &state.client(client).transaction {
        Some(transaction) if spec.name == "exec" => {
            let queued = transaction.queue.iter();
            let slots = queued.filter_map(|argv| Some(slots_of(lookup(state.version, argv).ok()?, argv)));
            slots.flatten().collect()
        }
        _ => slots_of(spec, argv),
    };
    check_slots(cluster, &slots, state.version)
}

fn slots_of(spec: &CommandSpec, argv: &[Bytes]) -> Vec<u16> {
    let keys = key_positions(spec, argv).unwrap_or_default();
    keys.into_iter().map(|key| key_slot(&argv[key.index])).collect()
}

fn check_slots(cluster: &Cluster, slots: &[u16], version: Version) -> Result<(), CommandError> {
    let Some((&first, others)) = slots.split_first() else { return Ok(()) };
    let owner = cluster.owner(first);
    // Up to 8.2 an unserved first slot is told before a second slot is noticed.
    if owner.is_none() && version < Version::V8_4 {
        return Err(CommandError::SlotNotServed);
    }
    if others.iter().any(|&slot| slot != first) {
        return Err(CommandError::CrossSlot);
    }
    match owner {
        None => Err(CommandError::SlotNotServed),
        Some(0) => Ok(()),
        Some(node) => {
            let node = &cluster.nodes[node];
            Err(CommandError::Moved(first, format!("{}:{}", node.host, node.port)))
        }
    }
}

/// The slot of a script's declared keys, which a script with a shebang may not leave.
pub(super) fn declared_slot(state: &State, keys: &[Bytes]) -> Option<u16> {
    state.cluster.as_ref().and(keys.first()).map(|key| key_slot(key))
}

/// For a command inside a script. `slot` is the one the script is bound to so far; None where it is free.
pub(super) fn check_script(
    state: &State,
    spec: &'static CommandSpec,
    argv: &[Bytes],
    slot: &mut Option<u16>,
    cross_slot_allowed: bool,
) -> Result<(), CommandError> {
    let Some(cluster) = state.cluster.as_deref() else { return Ok(()) };
    let line = |text: &'static str| CommandError::Line(text.into());
    let slots = slots_of(spec, argv);
    let Some(&first) = slots.first() else { return Ok(()) };
    let old = state.version < Version::V7_2;
    let not_local = || line("ERR Script attempted to access a non local key in a cluster node");
    if slots.iter().any(|&other| other != first) {
        return Err(if old { not_local() } else { CommandError::ScriptCrossSlot(spec.name) });
    }
    match cluster.owner(first) {
        Some(0) => {}
        None if !old => return Err(line("ERR Script attempted to access a slot not served")),
        _ => return Err(not_local()),
    }
    if cross_slot_allowed {
        return Ok(());
    }
    if *slot.get_or_insert(first) != first {
        return Err(line("ERR Script attempted to access keys that do not hash to the same slot"));
    }
    Ok(())
}
