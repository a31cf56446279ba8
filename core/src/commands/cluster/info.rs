//! What a node tells of its cluster.

use super::super::ctx::{CommandResult, Ctx};
use super::cluster;
use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::state::{Cluster, Node, Param};

pub(super) fn info(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let cluster = cluster(ctx)?;
    let assigned = cluster.assigned();
    let full = ctx.state.config.bool(Param::CLUSTER_REQUIRE_FULL_COVERAGE);
    let state = if cluster.is_whole() || !full { "ok" } else { "fail" };
    let known = cluster.nodes.len();
    let epoch = (0..known).map(|node| cluster.epoch(node)).max().unwrap_or_default();
    let masters =
        (0..cluster.nodes.len()).filter(|node| cluster.ranges().iter().any(|range| range.2 == *node));
    let text = format!(
        "cluster_state:{state}\r\ncluster_slots_assigned:{assigned}\r\ncluster_slots_ok:{assigned}\r\n\
         cluster_slots_pfail:0\r\ncluster_slots_fail:0\r\ncluster_known_nodes:{}\r\ncluster_size:{}\r\n\
         cluster_current_epoch:{epoch}\r\ncluster_my_epoch:{}\r\ncluster_stats_messages_sent:0\r\n\
         cluster_stats_messages_received:0\r\ntotal_cluster_links_buffer_limit_exceeded:0\r\n",
        known,
        masters.count().max(1),
        cluster.epoch(0),
    );
    Ok(plain_text(text).into())
}

fn plain_text(text: String) -> Reply {
    Reply::Verbatim { format: *b"txt", text: text.into() }
}

pub(super) fn nodes(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let cluster = cluster(ctx)?;
    let mut text = String::new();
    for (place, node) in cluster.nodes.iter().enumerate() {
        let role = if place == 0 { "myself,master" } else { "master" };
        let bus = node.port.saturating_add(10_000);
        let slots = ranges_of(cluster, place).map(|(first, last)| {
            if first == last { format!(" {first}") } else { format!(" {first}-{last}") }
        });
        let slots = slots.collect::<String>() + &if place == 0 { moving(cluster) } else { String::new() };
        let heard = if place == 0 { 0 } else { ctx.state.now.unix_millis().0 };
        let epoch = cluster.epoch(place);
        text.push_str(&format!(
            "{} {}@{bus} {role} - 0 {heard} {epoch} connected{slots}\n",
            node.id,
            node.address(),
        ));
    }
    Ok(plain_text(text).into())
}

/// The node's own slots on their way out and in.
fn moving(cluster: &Cluster) -> String {
    let out = cluster.migrating.iter().map(|(slot, node)| format!(" [{slot}->-{}]", cluster.nodes[*node].id));
    let into =
        cluster.importing.iter().map(|(slot, node)| format!(" [{slot}-<-{}]", cluster.nodes[*node].id));
    out.chain(into).collect()
}

fn ranges_of(cluster: &Cluster, node: usize) -> impl Iterator<Item = (u16, u16)> + '_ {
    cluster.ranges().iter().filter(move |range| range.2 == node).map(|range| (range.0, range.1))
}

fn address(node: &Node) -> Reply {
    Reply::Array(vec![
        Reply::bulk(node.host.as_str()),
        Reply::Int(node.port.into()),
        Reply::bulk(node.id.as_str()),
        Reply::Array(Vec::new()),
    ])
}

pub(super) fn slots(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let cluster = cluster(ctx)?;
    let describe = |(first, last, node): &(u16, u16, usize)| {
        Reply::Array(vec![
            Reply::Int((*first).into()),
            Reply::Int((*last).into()),
            address(&cluster.nodes[*node]),
        ])
    };
    Ok(Reply::Array(cluster.ranges().iter().map(describe).collect()).into())
}

pub(super) fn shards(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let cluster = cluster(ctx)?;
    let describe = |(place, node): (usize, &Node)| {
        let slots = ranges_of(cluster, place).flat_map(|(first, last)| [first, last]);
        Reply::Map(vec![
            (Reply::bulk("slots"), Reply::Array(slots.map(|slot| Reply::Int(slot.into())).collect())),
            (Reply::bulk("nodes"), Reply::Array(vec![describe_node(node)])),
        ])
    };
    Ok(Reply::Array(cluster.nodes.iter().enumerate().map(describe).collect()).into())
}

fn describe_node(node: &Node) -> Reply {
    Reply::Map(vec![
        (Reply::bulk("id"), Reply::bulk(node.id.as_str())),
        (Reply::bulk("port"), Reply::Int(node.port.into())),
        (Reply::bulk("ip"), Reply::bulk(node.host.as_str())),
        (Reply::bulk("endpoint"), Reply::bulk(node.host.as_str())),
        (Reply::bulk("role"), Reply::bulk("master")),
        (Reply::bulk("replication-offset"), Reply::Int(0)),
        (Reply::bulk("health"), Reply::bulk("online")),
    ])
}

pub(super) fn my_id(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::bulk(cluster(ctx)?.nodes[0].id.as_str()).into())
}

/// With one node a shard, the shard's id is made from the node's.
pub(super) fn my_shard_id(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let id = crate::state::Sha1::of(cluster(ctx)?.nodes[0].id.as_bytes());
    Ok(Reply::bulk(id.as_str()).into())
}

pub(super) fn links(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    Ok(Reply::Array(Vec::new()).into())
}

pub(super) fn save_config(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    Ok(Reply::OK.into())
}

/// The node of an id, or the error that names it.
pub(super) fn known(ctx: &Ctx<'_>, id: &Bytes) -> Result<usize, CommandError> {
    cluster(ctx)?.find(id).ok_or_else(|| CommandError::UnknownNode(id.to_word()))
}

pub(super) fn failure_reports(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    known(ctx, &argv[2])?;
    Ok(Reply::Int(0).into())
}

pub(super) fn replicas(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    known(ctx, &argv[2])?;
    Ok(Reply::Array(Vec::new()).into())
}
