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

/// SETSLOT tells this node alone: the others are only a picture, and hear of nothing.
pub(super) fn set(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let slot = cluster(ctx).and_then(|_| parse_slot(&argv[2]))?;
    let (action, node) = (&argv[3], argv.get(4));
    let is = |word: &str| args::is(action, word);
    let fits = argv.len() == if is("stable") { 4 } else { 5 };
    if !fits || !["stable", "node", "migrating", "importing"].iter().any(|word| is(word)) {
        return Err(line("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP"));
    }
    let is_mine = cluster(ctx)?.is_mine(slot);
    if is("migrating") && !is_mine {
        return Err(CommandError::NotSlotOwner(slot));
    }
    if is("importing") && is_mine {
        return Err(CommandError::Line(format!("ERR I'm already the owner of hash slot {slot}").into()));
    }
    let place = node.map(|id| find(ctx, id, is("node"))).transpose()?;
    if is("node") && is_mine && place != Some(0) && keys_in(ctx, slot).next().is_some() {
        return Err(CommandError::Line(
            format!("ERR Can't assign hashslot {slot} to a different node while I still hold keys for this hash slot.")
                .into(),
        ));
    }
    let cluster = cluster_mut(ctx)?;
    match place {
        None => {
            cluster.migrating.remove(&slot);
            cluster.importing.remove(&slot);
        }
        Some(place) if is("migrating") => drop(cluster.migrating.insert(slot, place)),
        Some(place) if is("importing") => drop(cluster.importing.insert(slot, place)),
        Some(place) => cluster.hand_over(slot, place),
    }
    Ok(Reply::OK.into())
}

fn find(ctx: &Ctx<'_>, id: &Bytes, to_own: bool) -> Result<usize, CommandError> {
    let unknown = || {
        if to_own {
            CommandError::UnknownNode(id.to_word())
        } else {
            CommandError::Line(format!("ERR I don't know about node {}", id.to_word()).into())
        }
    };
    cluster(ctx)?.find(id).ok_or_else(unknown)
}

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

fn keys_in<'a>(ctx: &'a Ctx<'_>, slot: u16) -> impl Iterator<Item = &'a Bytes> {
    ctx.state.dbs[0].iter().map(|(key, _)| key).filter(move |key| slot_of(key) == slot)
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
    Ok(Reply::from(keys_in(ctx, slot).count()).into())
}

pub(super) fn get_keys(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let (number, count) = (args::int(&argv[2])?, args::int(&argv[3])?);
    let invalid = || CommandError::Line("ERR Invalid slot or number of keys".into());
    let slot = u16::try_from(number).ok().filter(|&slot| slot < SLOTS).ok_or_else(invalid)?;
    let count = usize::try_from(count).map_err(|_| invalid())?;
    Ok(Reply::bulks(keys_in(ctx, slot).take(count).cloned().collect::<Vec<_>>()).into())
}
