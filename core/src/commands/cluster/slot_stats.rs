//! CLUSTER SLOT-STATS: how many keys each slot of this node holds.
//!
//! Processor time and bytes of a slot are not measured: it answers as a server with `cluster-slot-stats-enabled no`.

use std::cmp::Reverse;

use super::cluster;
use super::slots::parse_slot;
use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::commands::ctx::{CommandResult, Ctx, Outcome};
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::SLOTS;
use crate::value::crc::key_slot as slot_of;

pub(super) fn slot_stats(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    match &argv[2..] {
        [word, first, last] if args::is(word, "slotsrange") => {
            let (first, last) = (parse_slot(first)?, parse_slot(last)?);
            if first > last {
                return Err(CommandError::SlotStatsRange(first, last));
            }
            let mut counts = counts(ctx)?;
            counts.retain(|(slot, _)| (first..=last).contains(slot));
            Ok(shown(&counts))
        }
        [word, metric, rest @ ..] if args::is(word, "orderby") => {
            let (ascending, limit) = order(metric, rest)?;
            let mut counts = counts(ctx)?;
            if ascending {
                counts.sort_by_key(|&(slot, count)| (count, slot));
            } else {
                counts.sort_by_key(|&(slot, count)| (Reverse(count), slot));
            }
            counts.truncate(limit);
            Ok(shown(&counts))
        }
        _ => Err(CommandError::SubcommandOrArity(argv[1].to_text(), "CLUSTER")),
    }
}

/// Whether the smallest come first, and how many slots are shown.
fn order(metric: &Bytes, options: &[Bytes]) -> Result<(bool, usize), CommandError> {
    let line = |text: &'static str| CommandError::Line(text.into());
    if !args::is(metric, "key-count") {
        return Err(line("ERR Unrecognized sort metric for ORDERBY."));
    }
    let twice = || line("ERR Multiple filters of the same type are disallowed.");
    let (mut ascending, mut limit) = (None, None);
    let mut words = Cursor::new(options);
    while !words.is_done() {
        if words.take_word("asc") || words.peek().is_some_and(|word| args::is(word, "desc")) {
            let is_ascending = !words.take_word("desc");
            if ascending.replace(is_ascending).is_some() {
                return Err(twice());
            }
        } else if words.remaining().len() > 1 && words.take_word("limit") {
            let most = usize::from(SLOTS);
            let count = args::positive(words.next()?).filter(|count| *count <= most).ok_or_else(|| {
                line("ERR Limit has to lie in between 1 and 16384 (maximum number of slots).")
            })?;
            if limit.replace(count).is_some() {
                return Err(twice());
            }
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok((ascending.unwrap_or(false), limit.unwrap_or(usize::from(SLOTS))))
}

/// The slots of this node with the number of their keys.
fn counts(ctx: &Ctx<'_>) -> Result<Vec<(u16, usize)>, CommandError> {
    let cluster = cluster(ctx)?;
    let mut keys = vec![0; usize::from(SLOTS)];
    ctx.state.dbs[0].iter().for_each(|(key, _)| keys[usize::from(slot_of(key))] += 1);
    let mine = (0..SLOTS).filter(|slot| cluster.is_mine(*slot));
    Ok(mine.map(|slot| (slot, keys[usize::from(slot)])).collect())
}

fn shown(counts: &[(u16, usize)]) -> Outcome {
    let stats = |&(slot, count): &(u16, usize)| {
        let stats = Reply::Map(vec![(Reply::bulk("key-count"), Reply::from(count))]);
        Reply::Array(vec![Reply::Int(slot.into()), stats])
    };
    Reply::Array(counts.iter().map(stats).collect()).into()
}
