//! Who is in the cluster: MEET, FORGET, REPLICATE, FAILOVER, RESET and the node's epoch.
//!
//! The other nodes are a picture that a story, or `serve --cluster`, begins with. They cannot be met, forgotten or followed; all
//! that a node decides by itself is as on a real one.

use super::super::args;
use super::super::ctx::{CommandResult, Ctx};
use super::info::known;
use super::{cluster, cluster_mut};
use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;

/// How far the port of the bus is above that of the clients.
const BUS: i64 = 10_000;

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

/// Says that the handshake begins, as a real node does before it knows whether anybody is there. Nobody is.
pub(super) fn meet(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    if argv.len() > 5 {
        return Err(CommandError::SubcommandOrArity(argv[1].to_word(), "CLUSTER"));
    }
    let protocol = if ctx.version() < Version::V7_4 { "TCP " } else { "" };
    let number = |text: &Bytes, which: &str| {
        args::int(text).map_err(|_| CommandError::InvalidPort(format!("{protocol}{which}"), text.to_word()))
    };
    let port = number(&argv[3], "base")?;
    let bus = argv.get(4).map_or(Ok(port.saturating_add(BUS)), |bus| number(bus, "bus"))?;
    let is_port = |port: i64| (1..=i64::from(u16::MAX)).contains(&port);
    let is_address = argv[2].to_text().parse::<core::net::IpAddr>().is_ok();
    if !is_address || !is_port(port) || !is_port(bus) {
        return Err(CommandError::InvalidNodeAddress(format!("{}:{}", argv[2].to_word(), argv[3].to_word())));
    }
    Ok(Reply::OK.into())
}

pub(super) fn forget(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if known(ctx, &argv[2])? == 0 {
        return Err(line("ERR I tried hard but I can't forget myself..."));
    }
    Err(CommandError::FixedNodes("FORGET"))
}

pub(super) fn replicate(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if known(ctx, &argv[2])? == 0 {
        return Err(line("ERR Can't replicate myself"));
    }
    let has_slots = cluster(ctx)?.ranges().iter().any(|(_, _, node)| *node == 0);
    if has_slots || !ctx.state.dbs[0].is_empty() {
        return Err(line("ERR To set a master the node must be empty and without assigned slots."));
    }
    Err(CommandError::FixedNodes("REPLICATE"))
}

pub(super) fn failover(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    match &argv[2..] {
        [] => {}
        [mode] if args::is(mode, "force") || args::is(mode, "takeover") => {}
        [_] => return Err(CommandError::Syntax),
        _ => return Err(CommandError::SubcommandOrArity(argv[1].to_word(), "CLUSTER")),
    }
    Err(line("ERR You should send CLUSTER FAILOVER to a replica"))
}

/// Forgets all other nodes and every slot; HARD makes it a new node.
pub(super) fn reset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let hard = match &argv[2..] {
        [] => false,
        [mode] if args::is(mode, "soft") => false,
        [mode] if args::is(mode, "hard") => true,
        [_] => return Err(CommandError::Syntax),
        _ => return Err(CommandError::SubcommandOrArity(argv[1].to_word(), "CLUSTER")),
    };
    if !ctx.state.dbs[0].is_empty() {
        return Err(line("ERR CLUSTER RESET can't be called with master nodes containing keys"));
    }
    cluster_mut(ctx)?.reset(hard);
    Ok(Reply::OK.into())
}

pub(super) fn set_config_epoch(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let cluster = cluster_mut(ctx)?;
    let epoch = args::int(&argv[2])?;
    let Ok(epoch) = usize::try_from(epoch) else { return Err(CommandError::InvalidEpoch(epoch)) };
    if cluster.nodes.len() > 1 {
        let text = "ERR The user can assign a config epoch only when the node does not know any other node.";
        return Err(line(text));
    }
    if cluster.epoch(0) != 0 {
        return Err(line("ERR Node config epoch is already non-zero"));
    }
    cluster.own_epoch = Some(epoch);
    Ok(Reply::OK.into())
}

/// Moves on past all others, unless the node is ahead of them as it is.
pub(super) fn bump_epoch(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let cluster = cluster_mut(ctx)?;
    let highest = (0..cluster.nodes.len()).map(|node| cluster.epoch(node)).max().unwrap_or_default();
    let own = cluster.epoch(0);
    let text = if own == 0 || own < highest {
        cluster.own_epoch = Some(highest + 1);
        format!("BUMPED {}", highest + 1)
    } else {
        format!("STILL {own}")
    };
    Ok(Reply::Status(text.into_bytes().into()).into())
}
