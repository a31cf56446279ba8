//! CLUSTER, and ASKING, READONLY, READWRITE.

mod info;
mod members;
mod slot_stats;
mod slots;

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};
use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Cluster;

const CHANGES: Flags = Flags::ADMIN.or(Flags::STALE).or(Flags::NO_ASYNC_LOADING);
const RANDOM: &[&str] = &["nondeterministic_output"];

pub(super) const COMMANDS: &[CommandSpec] = &[
    connection(
        "asking",
        Flags::FAST,
        (3, 0, 0),
        "Lets the next command use a slot that is being imported.",
        asking,
    ),
    CommandSpec {
        name: "cluster",
        arity: -2,
        since: (3, 0, 0),
        group: Group::Cluster,
        summary: "Tells about the cluster and assigns its slots.",
        syntax: "CLUSTER subcommand",
        subcommands: CLUSTER,
        ..CommandSpec::BASE
    },
    connection(
        "readonly",
        Flags::FAST.or(Flags::LOADING).or(Flags::STALE),
        (3, 0, 0),
        "Allows reads from a replica of a cluster.",
        readonly,
    ),
    connection(
        "readwrite",
        Flags::FAST.or(Flags::LOADING).or(Flags::STALE),
        (3, 0, 0),
        "Takes READONLY back.",
        readonly,
    ),
];

const fn connection(
    name: &'static str,
    flags: Flags,
    since: (u8, u8, u8),
    summary: &'static str,
    handler: super::spec::Handler,
) -> CommandSpec {
    CommandSpec {
        name,
        arity: 1,
        flags,
        categories: &["connection"],
        since,
        group: Group::Cluster,
        summary,
        syntax: name,
        reply: Shape::Status,
        handler,
        ..CommandSpec::BASE
    }
}

const fn sub(
    name: &'static str,
    arity: i16,
    flags: Flags,
    since: (u8, u8, u8),
    syntax: &'static str,
    summary: &'static str,
    handler: super::spec::Handler,
) -> CommandSpec {
    CommandSpec {
        name,
        arity,
        flags,
        since,
        group: Group::Cluster,
        summary,
        syntax,
        handler,
        ..CommandSpec::BASE
    }
}

const fn random(spec: CommandSpec) -> CommandSpec {
    CommandSpec { tips: RANDOM, ..spec }
}

const SHARDS: CommandSpec = random(sub(
    "cluster|shards",
    2,
    Flags::LOADING.or(Flags::STALE),
    (7, 0, 0),
    "CLUSTER SHARDS",
    "Describes the shards and their slots.",
    info::shards,
));

const SLOTS_RECORD: CommandSpec = random(sub(
    "cluster|slots",
    2,
    Flags::LOADING.or(Flags::STALE),
    (3, 0, 0),
    "CLUSTER SLOTS",
    "Lists ranges of slots with their nodes.",
    info::slots,
));

const OFF: &str = "(error) ERR This instance has cluster support disabled";

const CLUSTER: &[CommandSpec] = &[
    sub(
        "cluster|addslots",
        -3,
        CHANGES,
        (3, 0, 0),
        "CLUSTER ADDSLOTS slot [slot ...]",
        "Takes slots.",
        slots::add,
    ),
    sub(
        "cluster|addslotsrange",
        -4,
        CHANGES,
        (7, 0, 0),
        "CLUSTER ADDSLOTSRANGE start-slot end-slot [start-slot end-slot ...]",
        "Takes ranges of slots.",
        slots::add_ranges,
    ),
    random(sub(
        "cluster|bumpepoch",
        2,
        CHANGES,
        (3, 0, 0),
        "CLUSTER BUMPEPOCH",
        "Moves the epoch on.",
        members::bump_epoch,
    )),
    random(sub(
        "cluster|count-failure-reports",
        3,
        Flags::ADMIN.or(Flags::STALE),
        (3, 0, 0),
        "CLUSTER COUNT-FAILURE-REPORTS node-id",
        "Counts the reports that a node has failed.",
        info::failure_reports,
    )),
    CommandSpec {
        examples: &[Example { setup: "", run: "CLUSTER COUNTKEYSINSLOT 1", shows: OFF }],
        ..sub(
            "cluster|countkeysinslot",
            3,
            Flags::STALE,
            (3, 0, 0),
            "CLUSTER COUNTKEYSINSLOT slot",
            "Counts the keys of a slot.",
            slots::count_keys,
        )
    },
    sub(
        "cluster|delslots",
        -3,
        CHANGES,
        (3, 0, 0),
        "CLUSTER DELSLOTS slot [slot ...]",
        "Gives slots up.",
        slots::delete,
    ),
    sub(
        "cluster|delslotsrange",
        -4,
        CHANGES,
        (7, 0, 0),
        "CLUSTER DELSLOTSRANGE start-slot end-slot [start-slot end-slot ...]",
        "Gives ranges of slots up.",
        slots::delete_ranges,
    ),
    sub(
        "cluster|failover",
        -2,
        CHANGES,
        (3, 0, 0),
        "CLUSTER FAILOVER [FORCE | TAKEOVER]",
        "Tells a replica to take its master's place.",
        members::failover,
    ),
    sub(
        "cluster|flushslots",
        2,
        CHANGES,
        (3, 0, 0),
        "CLUSTER FLUSHSLOTS",
        "Gives all slots up.",
        slots::flush,
    ),
    sub(
        "cluster|forget",
        3,
        CHANGES,
        (3, 0, 0),
        "CLUSTER FORGET node-id",
        "Takes a node off the list.",
        members::forget,
    ),
    random(sub(
        "cluster|getkeysinslot",
        4,
        Flags::STALE,
        (3, 0, 0),
        "CLUSTER GETKEYSINSLOT slot count",
        "Lists keys of a slot.",
        slots::get_keys,
    )),
    CommandSpec::help("cluster|help", (5, 0, 0), Group::Cluster, &[], &[]),
    random(sub(
        "cluster|info",
        2,
        Flags::STALE,
        (3, 0, 0),
        "CLUSTER INFO",
        "Tells the state of the cluster.",
        info::info,
    )),
    sub(
        "cluster|keyslot",
        3,
        Flags::STALE,
        (3, 0, 0),
        "CLUSTER KEYSLOT key",
        "Answers the slot of a key.",
        slots::key_slot,
    ),
    random(sub(
        "cluster|links",
        2,
        Flags::STALE,
        (7, 0, 0),
        "CLUSTER LINKS",
        "Lists the links to other nodes.",
        info::links,
    )),
    sub(
        "cluster|meet",
        -4,
        CHANGES,
        (3, 0, 0),
        "CLUSTER MEET ip port [cluster-bus-port]",
        "Asks a node to join.",
        members::meet,
    ),
    sub("cluster|myid", 2, Flags::STALE, (3, 0, 0), "CLUSTER MYID", "Answers the node's id.", info::my_id),
    random(sub(
        "cluster|myshardid",
        2,
        Flags::STALE,
        (7, 2, 0),
        "CLUSTER MYSHARDID",
        "Answers the id of the node's shard.",
        info::my_shard_id,
    )),
    random(sub(
        "cluster|nodes",
        2,
        Flags::STALE,
        (3, 0, 0),
        "CLUSTER NODES",
        "Lists the nodes, one a line.",
        info::nodes,
    )),
    random(sub(
        "cluster|replicas",
        3,
        Flags::ADMIN.or(Flags::STALE),
        (5, 0, 0),
        "CLUSTER REPLICAS node-id",
        "Lists the replicas of a node.",
        info::replicas,
    )),
    sub(
        "cluster|replicate",
        3,
        CHANGES,
        (3, 0, 0),
        "CLUSTER REPLICATE node-id",
        "Makes the node a replica of another.",
        members::replicate,
    ),
    sub(
        "cluster|reset",
        -2,
        Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::STALE),
        (3, 0, 0),
        "CLUSTER RESET [HARD | SOFT]",
        "Forgets the other nodes and all slots.",
        members::reset,
    ),
    sub(
        "cluster|saveconfig",
        2,
        CHANGES,
        (3, 0, 0),
        "CLUSTER SAVECONFIG",
        "Saves nothing: nothing is kept on disk.",
        info::save_config,
    ),
    sub(
        "cluster|set-config-epoch",
        3,
        CHANGES,
        (3, 0, 0),
        "CLUSTER SET-CONFIG-EPOCH config-epoch",
        "Gives a new node its epoch.",
        members::set_config_epoch,
    ),
    sub(
        "cluster|setslot",
        -4,
        CHANGES,
        (3, 0, 0),
        "CLUSTER SETSLOT slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>",
        "Assigns a slot to a node.",
        slots::set,
    ),
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: Flags::STALE, ..SHARDS },
        }),
        ..SHARDS
    },
    random(sub(
        "cluster|slaves",
        3,
        Flags::ADMIN.or(Flags::STALE),
        (3, 0, 0),
        "CLUSTER SLAVES node-id",
        "Is the old name of CLUSTER REPLICAS.",
        info::replicas,
    )),
    CommandSpec {
        tips: &["nondeterministic_output", "request_policy:all_shards"],
        examples: &[Example { setup: "", run: "CLUSTER SLOT-STATS SLOTSRANGE 0 1", shows: OFF }],
        ..sub(
            "cluster|slot-stats",
            -4,
            Flags::LOADING.or(Flags::STALE),
            (8, 2, 0),
            "CLUSTER SLOT-STATS <SLOTSRANGE start-slot end-slot | ORDERBY metric [LIMIT limit] [ASC | DESC]>",
            "Counts the keys of each slot of this node.",
            slot_stats::slot_stats,
        )
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec { flags: Flags::STALE, ..SLOTS_RECORD },
        }),
        ..SLOTS_RECORD
    },
];

/// The cluster, or the error of a server that is none.
fn cluster<'a>(ctx: &'a Ctx<'_>) -> Result<&'a Cluster, CommandError> {
    let off = || CommandError::Line("ERR This instance has cluster support disabled".into());
    ctx.state.cluster.as_deref().ok_or_else(off)
}

/// Refuses where there is no cluster: even HELP is.
pub(super) fn must_be_one(ctx: &Ctx<'_>) -> Result<(), CommandError> {
    cluster(ctx).map(drop)
}

fn cluster_mut<'a>(ctx: &'a mut Ctx<'_>) -> Result<&'a mut Cluster, CommandError> {
    let off = || CommandError::Line("ERR This instance has cluster support disabled".into());
    ctx.state.cluster.as_mut().map(std::sync::Arc::make_mut).ok_or_else(off)
}

fn asking(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    ctx.client_mut().asking = true;
    Ok(Reply::OK.into())
}

fn readonly(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    cluster(ctx)?;
    let readonly = ctx.spec.name == "readonly";
    ctx.client_mut().readonly = readonly;
    Ok(Reply::OK.into())
}
