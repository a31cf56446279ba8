//! Slots: assigning them, and the keys in them.

use super::super::args;
use super::super::ctx::{CommandResult, Ctx};
use super::{cluster, cluster_mut};
use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::{Cluster, SLOTS};
use crate::value::crc::key_slot as slot_of;

pub(super) fn parse_slot(text: &Bytes) -> Result<u16, CommandError> {
    let number = args::int(text).ok().and_then(|number| u16::try_from(number).ok());
    number.filter(|&slot| slot < SLOTS).ok_or(CommandError::Line("ERR Invalid or out of range slot".into()))
}

/// Applies `change` to each slot, after all have been checked: all or nothing.
fn change(
    ctx: &mut Ctx<'_>,
    slots: Vec<u16>,
    check: fn(&Cluster, u16) -> Result<(), CommandError>,
    owner: Option<usize>,
) -> CommandResult {
    let cluster = cluster_mut(ctx)?;
    let mut seen = std::collections::BTreeSet::new();
    for &slot in &slots {
        check(cluster, slot)?;
        if !seen.insert(slot) {
            return Err(CommandError::SlotTwice(slot));
        }
    }
    for slot in slots {
        cluster.assign(slot, slot, owner);
    }
    Ok(Reply::OK.into())
}

fn must_be_free(cluster: &Cluster, slot: u16) -> Result<(), CommandError> {
    if cluster.owner(slot).is_some() { Err(CommandError::SlotBusy(slot)) } else { Ok(()) }
}

fn must_be_taken(cluster: &Cluster, slot: u16) -> Result<(), CommandError> {
    if cluster.owner(slot).is_none() { Err(CommandError::SlotUnassigned(slot)) } else { Ok(()) }
}

fn single_slots(argv: &[Bytes]) -> Result<Vec<u16>, CommandError> {
    argv[2..].iter().map(parse_slot).collect()
}

fn slot_ranges(argv: &[Bytes]) -> Result<Vec<u16>, CommandError> {
    let mut slots = Vec::new();
    if !argv.len().is_multiple_of(2) {
        let name = format!("cluster|{}", argv[1].to_text().to_ascii_lowercase());
        return Err(CommandError::WrongArity(name));
    }
    for pair in argv[2..].chunks_exact(2) {
        let (first, last) = (parse_slot(&pair[0])?, parse_slot(&pair[1])?);
        if first > last {
            return Err(CommandError::SlotRange(first, last));
        }
        slots.extend(first..=last);
    }
    Ok(slots)
}

pub(super) fn add(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let slots = single_slots(argv)?;
    change(ctx, slots, must_be_free, Some(0))
}

pub(super) fn add_ranges(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let slots = slot_ranges(argv)?;
    change(ctx, slots, must_be_free, Some(0))
}

pub(super) fn delete(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let slots = single_slots(argv)?;
    change(ctx, slots, must_be_taken, None)
}

pub(super) fn delete_ranges(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let slots = slot_ranges(argv)?;
    change(ctx, slots, must_be_taken, None)
}

pub(super) fn flush(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    if !ctx.state.dbs[0].is_empty() {
        return Err(CommandError::Line("ERR DB must be empty to perform CLUSTER FLUSHSLOTS.".into()));
    }
    cluster_mut(ctx)?.assign(0, SLOTS - 1, None);
    Ok(Reply::OK.into())
}

/// SETSLOT moves a slot at once: with one process there is nothing to migrate, so IMPORTING and MIGRATING are
/// accepted where they make sense and change nothing.
pub(super) fn set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let slot = cluster(ctx).and_then(|_| parse_slot(&argv[2]))?;
    let (action, node) = (&argv[3], argv.get(4));
    let wrong = || {
        CommandError::Line(
            "ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP".into(),
        )
    };
    if args::is(action, "stable") && node.is_none() {
        return Ok(Reply::OK.into());
    }
    let named = ["node", "migrating", "importing"].iter().any(|word| args::is(action, word));
    let id = node.filter(|_| named).ok_or_else(wrong)?;
    let cluster = cluster_mut(ctx)?;
    if args::is(action, "migrating") && !cluster.is_mine(slot) {
        return Err(CommandError::NotSlotOwner(slot));
    }
    let place = cluster.find(id).ok_or_else(|| CommandError::UnknownNode(id.to_word()))?;
    if args::is(action, "node") {
        cluster.assign(slot, slot, Some(place));
    }
    Ok(Reply::OK.into())
}

pub(super) fn key_slot(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    Ok(Reply::Int(slot_of(&argv[2]).into()).into())
}

pub(super) fn count_keys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let number = args::int(&argv[2])?;
    let slot = u16::try_from(number).ok().filter(|&slot| slot < SLOTS);
    let slot = slot.ok_or(CommandError::Line("ERR Invalid slot".into()))?;
    let count = ctx.state.dbs[0].iter().filter(|(key, _)| slot_of(key) == slot).count();
    Ok(Reply::from(count).into())
}

pub(super) fn get_keys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let (number, count) = (args::int(&argv[2])?, args::int(&argv[3])?);
    let invalid = || CommandError::Line("ERR Invalid slot or number of keys".into());
    let slot = u16::try_from(number).ok().filter(|&slot| slot < SLOTS).ok_or_else(invalid)?;
    let count = usize::try_from(count).map_err(|_| invalid())?;
    let keys = ctx.state.dbs[0].iter().map(|(key, _)| key).filter(|key| slot_of(key) == slot);
    Ok(Reply::bulks(keys.take(count).cloned().collect::<Vec<_>>()).into())
}
