//! Cluster mode: may this node run a command on these keys?
//! Behaviour: facts, groups `cluster` and `cluster-moved`.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::keyspace::KeyId;
use crate::profile::Version;
use crate::state::{Cluster, Param, State};
use crate::value::crc::key_slot;

use super::call::lookup;
use super::keys::key_positions;
use super::spec::{CommandSpec, Flags, Group};

/// For a client's command: the keys of all commands of a transaction count together at EXEC.
pub(super) fn check_client(
    state: &State,
    client: ClientId,
    spec: &CommandSpec,
    argv: &[Bytes],
) -> Result<(), CommandError> {
    let Some(cluster) = state.cluster.as_deref() else { return Ok(()) };
    let mut asking = state.client(client).asking || spec.has(Flags::ASKING);
    let mut writes = spec.has(Flags::WRITE);
    let keys = match &state.client(client).transaction {
        Some(transaction) if spec.name == "exec" => {
            let queued = transaction.queue.iter();
            let keys = queued.filter_map(|argv| {
                let spec = lookup(state.version, argv).ok()?;
                asking |= spec.has(Flags::ASKING);
                writes |= spec.has(Flags::WRITE);
                Some(keys_of(spec, argv))
            });
            keys.flatten().collect()
        }
        _ => keys_of(spec, argv),
    };
    match route(state, cluster, &keys, asking, Purpose::of(state, spec, writes)) {
        Ok(()) => Ok(()),
        Err(Stray::NotServed) => Err(CommandError::SlotNotServed),
        Err(Stray::CrossSlot) => Err(CommandError::CrossSlot),
        Err(Stray::Down) => Err(CommandError::Line("CLUSTERDOWN The cluster is down".into())),
        Err(Stray::ReadsOnly) => {
            let text = "CLUSTERDOWN The cluster is down and only accepts read commands";
            Err(CommandError::Line(text.into()))
        }
        Err(Stray::Moved(slot, node)) => Err(CommandError::Moved(slot, cluster.nodes[node].address())),
        Err(Stray::Ask(slot, node)) => Err(CommandError::Ask(slot, cluster.nodes[node].address())),
        Err(Stray::TryAgain) => {
            Err(CommandError::Line("TRYAGAIN Multiple keys request during rehashing of slot".into()))
        }
    }
}

/// Whether an error is one of [`check_client`]: EXEC answers it as it is.
pub(super) fn is_redirection(line: &str) -> bool {
    ["CROSSSLOT ", "MOVED ", "ASK ", "TRYAGAIN ", "CLUSTERDOWN "].iter().any(|code| line.starts_with(code))
}

fn keys_of<'a>(spec: &CommandSpec, argv: &'a [Bytes]) -> Vec<&'a Bytes> {
    let keys = key_positions(spec, argv).unwrap_or_default();
    keys.into_iter().map(|key| &argv[key.index]).collect()
}

/// Why a command cannot run here. Nodes are places in the cluster's list.
enum Stray {
    NotServed,
    CrossSlot,
    Down,
    /// The cluster is down, and the configuration lets reads through.
    ReadsOnly,
    Moved(u16, usize),
    Ask(u16, usize),
    TryAgain,
}

/// What a command wants with its keys.
#[derive(Clone, Copy, PartialEq)]
enum Purpose {
    Read,
    Write,
    /// They are names of channels, which need not be here while their slot moves.
    Channels,
    /// As [`Purpose::Channels`], but where the cluster is down it counts as reading.
    Leave,
}

impl Purpose {
    fn of(state: &State, spec: &CommandSpec, writes: bool) -> Self {
        if spec.group == Group::PubSub {
            // Newer servers forget that to unsubscribe is about channels, too.
            let leaves = spec.name == "sunsubscribe" && state.version >= Version::V7_2;
            return if leaves { Self::Leave } else { Self::Channels };
        }
        if writes { Self::Write } else { Self::Read }
    }

    fn is_about_channels(self) -> bool {
        matches!(self, Self::Channels | Self::Leave)
    }

    /// What a cluster that is down lets through.
    fn check_down(self, state: &State) -> Result<(), Stray> {
        const READS: Param = Param::named("cluster-allow-reads-when-down");
        const CHANNELS: Param = Param::named("cluster-allow-pubsubshard-when-down");
        let allowing = if self == Self::Channels { CHANNELS } else { READS };
        match self {
            _ if !state.config.bool(allowing) => Err(Stray::Down),
            Self::Write => Err(Stray::ReadsOnly),
            _ => Ok(()),
        }
    }
}

fn route(
    state: &State,
    cluster: &Cluster,
    keys: &[&Bytes],
    asking: bool,
    purpose: Purpose,
) -> Result<(), Stray> {
    let Some((first, others)) = keys.split_first() else { return Ok(()) };
    let slot = key_slot(first);
    let owner = cluster.owner(slot);
    // Up to 8.2 an unserved first slot is told before a second slot is noticed.
    if owner.is_none() && state.version < Version::V8_4 {
        return Err(Stray::NotServed);
    }
    if others.iter().any(|key| key_slot(key) != slot) {
        return Err(Stray::CrossSlot);
    }
    let owner = owner.ok_or(Stray::NotServed)?;
    if !cluster.is_whole() && state.config.bool(Param::CLUSTER_REQUIRE_FULL_COVERAGE) {
        purpose.check_down(state)?;
    }
    let are_channels = purpose.is_about_channels();
    let here = || keys.iter().filter(|key| is_here(state, key)).count();
    if owner == 0 {
        let Some(&target) = cluster.migrating.get(&slot).filter(|_| !are_channels) else { return Ok(()) };
        return match here() {
            count if count == keys.len() => Ok(()),
            0 => Err(Stray::Ask(slot, target)),
            _ => Err(Stray::TryAgain),
        };
    }
    if !asking || !cluster.importing.contains_key(&slot) {
        return Err(Stray::Moved(slot, owner));
    }
    let several = others.iter().any(|key| key != first);
    if several && !are_channels && here() < keys.len() { Err(Stray::TryAgain) } else { Ok(()) }
}

fn is_here(state: &State, key: &Bytes) -> bool {
    let entry = state.dbs[0].get(&KeyId::new(key));
    entry.is_some_and(|entry| !entry.is_expired(state.now.unix_millis()))
}

/// ASKING holds for the next command, or for the transaction that begins with it.
pub(super) fn end_asking(state: &mut State, client: ClientId, argv: &[Bytes]) {
    if state.cluster.is_some()
        && let Some(client) = state.clients.get_mut(&client)
        && client.asking
        && client.transaction.is_none()
        && !argv[0].eq_ignore_ascii_case(b"asking")
    {
        client.asking = false;
    }
}

/// The slot of a script's declared keys, which a script with a shebang may not leave.
pub(super) fn declared_slot(state: &State, keys: &[Bytes]) -> Option<u16> {
    state.cluster.as_ref().and(keys.first()).map(|key| key_slot(key))
}

/// For a command inside a script. `slot` is the one the script is bound to so far; None where it is free.
pub(super) fn check_script(
    state: &State,
    client: ClientId,
    spec: &'static CommandSpec,
    argv: &[Bytes],
    slot: &mut Option<u16>,
    cross_slot_allowed: bool,
) -> Result<(), CommandError> {
    let Some(cluster) = state.cluster.as_deref() else { return Ok(()) };
    let line = |text: &'static str| CommandError::Line(text.into());
    let keys = keys_of(spec, argv);
    let Some(first) = keys.first().map(|key| key_slot(key)) else { return Ok(()) };
    let old = state.version < Version::V7_2;
    let asking = state.client(client).asking;
    match route(state, cluster, &keys, asking, Purpose::of(state, spec, spec.has(Flags::WRITE))) {
        Ok(()) => {}
        Err(Stray::CrossSlot) if !old => return Err(CommandError::ScriptCrossSlot(spec.name)),
        Err(Stray::NotServed) if !old => {
            return Err(line("ERR Script attempted to access a slot not served"));
        }
        Err(Stray::Down) => {
            return Err(line("ERR Script attempted to execute a command while the cluster is down"));
        }
        Err(Stray::ReadsOnly) => {
            return Err(line(
                "ERR Script attempted to execute a write command while the cluster is down and readonly",
            ));
        }
        Err(_) => return Err(line("ERR Script attempted to access a non local key in a cluster node")),
    }
    if cross_slot_allowed {
        return Ok(());
    }
    if *slot.get_or_insert(first) != first {
        return Err(line("ERR Script attempted to access keys that do not hash to the same slot"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::clock::Micros;
    use crate::event::{ClientId, EventKind};
    use crate::profile::Version;
    use crate::resp::{Protocol, split_args, transcript_text};
    use crate::server::{Input, InputKind, Options, Server};
    use crate::state::Layout;

    /// Plays `COMMAND -> REPLY` lines to one node, as the nodes of a real cluster of three answered them.
    fn check(layout: &str, version: Version, story: &str) {
        let cluster = Some(Layout::parse(layout).expect("a layout"));
        let mut server = Server::new(Options { version, cluster, ..Options::default() });
        for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (command, expected) = line.split_once(" -> ").expect("COMMAND -> REPLY");
            let argv = split_args(command.as_bytes()).expect("well quoted");
            let kind = InputKind::Command { client: ClientId(1), argv };
            let events = server.apply(Input { at: Micros(0), kind });
            let reply = events.into_iter().find_map(|event| match event.kind {
                EventKind::Replied { reply, .. } => {
                    Some(transcript_text(&reply.as_sent(Protocol::Resp2, version), version))
                }
                _ => None,
            });
            assert_eq!(
                reply.as_deref().map(|reply| reply.trim_end().replace('\n', " ")),
                Some(expected.into()),
                "{command}"
            );
        }
    }

    const THREE: &str = "0-5460; 6380: 5461-10922; 6381: 10923-16383";

    #[test]
    fn keys_of_other_nodes_are_moved_and_scripts_keep_to_their_own() {
        check(
            THREE,
            Version::V8_2,
            "SET bar 1 -> OK
             SET foo 1 -> (error) MOVED 12182 127.0.0.1:6381
             MGET foo bar -> (error) CROSSSLOT Keys in request don't hash to the same slot
             EVAL \"return redis.call('GET', KEYS[1])\" 1 foo -> (error) MOVED 12182 127.0.0.1:6381
             EVAL \"return redis.call('GET','foo')\" 0 -> (error) ERR Script attempted to access a non local key in a cluster node script: 8618bc55f51753b59e5542e11002556ec7d80ee0, on @user_script:1.
             MULTI -> OK
             GET foo -> (error) MOVED 12182 127.0.0.1:6381
             EXEC -> (error) EXECABORT Transaction discarded because of previous errors.
             SSUBSCRIBE foo -> (error) MOVED 12182 127.0.0.1:6381",
        );
    }

    #[test]
    fn a_slot_on_its_way_out_answers_what_is_still_here_and_asks_for_the_rest() {
        check(
            &format!("{THREE}; migrating 5061 to 6380"),
            Version::V8_2,
            "CLUSTER SETSLOT 5061 STABLE -> OK
             SET bar 1 -> OK
             CLUSTER SETSLOT 5061 MIGRATING 0f1f94a9bb8e4fb7b3a5a3d8ef4b5b8b4a1f0000 -> (error) ERR I don't know about node 0f1f94a9bb8e4fb7b3a5a3d8ef4b5b8b4a1f0000
             CLUSTER SETSLOT 9000 MIGRATING x -> (error) ERR I'm not the owner of hash slot 9000",
        );
        check(
            &format!("{THREE}; migrating 5061 to 6380"),
            Version::V7_0,
            "GET bar -> (error) ASK 5061 127.0.0.1:6380
             MGET {bar}2 {bar}3 -> (error) ASK 5061 127.0.0.1:6380
             SET {bar}9 x -> (error) ASK 5061 127.0.0.1:6380
             SPUBLISH bar x -> (integer) 0",
        );
    }

    #[test]
    fn a_slot_on_its_way_in_is_served_to_who_is_asking() {
        check(
            &format!("{THREE}; importing 12182 from 6381"),
            Version::V8_2,
            "GET foo -> (error) MOVED 12182 127.0.0.1:6381
             ASKING -> OK
             SET foo v -> OK
             GET foo -> (error) MOVED 12182 127.0.0.1:6381
             ASKING -> OK
             MGET foo {foo}2 -> (error) TRYAGAIN Multiple keys request during rehashing of slot
             ASKING -> OK
             EVAL \"return redis.call('GET',KEYS[1])\" 1 foo -> \"v\"
             MULTI -> OK
             ASKING -> QUEUED
             GET foo -> (error) MOVED 12182 127.0.0.1:6381
             EXEC -> (error) EXECABORT Transaction discarded because of previous errors.
             ASKING -> OK
             MULTI -> OK
             GET foo -> QUEUED
             EXEC -> 1) \"v\"
             CLUSTER SETSLOT 5061 IMPORTING x -> (error) ERR I'm already the owner of hash slot 5061",
        );
    }

    /// As 7.0.15 and 8.2.3 answered, each alone with all slots.
    #[test]
    fn a_node_alone_decides_as_a_real_one_who_is_in_its_cluster() {
        check(
            "",
            Version::V8_2,
            "CLUSTER MEET a 1 -> (error) ERR Invalid node address specified: a:1
             CLUSTER MEET 127.0.0.1 0 -> (error) ERR Invalid node address specified: 127.0.0.1:0
             CLUSTER MEET 127.0.0.1 60000 -> (error) ERR Invalid node address specified: 127.0.0.1:60000
             CLUSTER MEET 127.0.0.1 b -> (error) ERR Invalid base port specified: b
             CLUSTER MEET 127.0.0.1 1 x -> (error) ERR Invalid bus port specified: x
             CLUSTER MEET 127.0.0.1 1 70000 -> (error) ERR Invalid node address specified: 127.0.0.1:1
             CLUSTER MEET 127.0.0.1 1 2 3 -> (error) ERR unknown subcommand or wrong number of arguments for 'MEET'. Try CLUSTER HELP.
             CLUSTER MEET 127.0.0.1 1 -> OK
             CLUSTER FORGET x -> (error) ERR Unknown node x
             CLUSTER REPLICATE x -> (error) ERR Unknown node x
             CLUSTER SLAVES x -> (error) ERR Unknown node x
             CLUSTER FAILOVER -> (error) ERR You should send CLUSTER FAILOVER to a replica
             CLUSTER FAILOVER x -> (error) ERR syntax error
             CLUSTER FAILOVER FORCE x -> (error) ERR unknown subcommand or wrong number of arguments for 'FAILOVER'. Try CLUSTER HELP.
             FAILOVER -> (error) ERR FAILOVER not allowed in cluster mode. Use CLUSTER FAILOVER command instead.
             CLUSTER SET-CONFIG-EPOCH x -> (error) ERR value is not an integer or out of range
             CLUSTER SET-CONFIG-EPOCH -1 -> (error) ERR Invalid config epoch specified: -1
             CLUSTER SET-CONFIG-EPOCH 0 -> OK
             CLUSTER SET-CONFIG-EPOCH 5 -> OK
             CLUSTER SET-CONFIG-EPOCH 6 -> (error) ERR Node config epoch is already non-zero
             CLUSTER BUMPEPOCH -> STILL 5
             SET k v -> OK
             CLUSTER RESET -> (error) ERR CLUSTER RESET can't be called with master nodes containing keys
             CLUSTER RESET x -> (error) ERR syntax error
             FLUSHALL -> OK
             CLUSTER RESET SOFT -> OK
             CLUSTER BUMPEPOCH -> STILL 5
             CLUSTER RESET HARD -> OK
             CLUSTER BUMPEPOCH -> BUMPED 1
             CLUSTER BUMPEPOCH -> STILL 1
             SET k v -> (error) CLUSTERDOWN Hash slot not served",
        );
        let port = "CLUSTER MEET 127.0.0.1 b -> (error) ERR Invalid TCP base port specified: b";
        check("", Version::V7_0, port);
    }

    #[test]
    fn a_cluster_with_a_gap_serves_nothing() {
        check(
            "0-5460; 6380: 5461-16382",
            Version::V8_2,
            "GET bar -> (error) CLUSTERDOWN The cluster is down
             EVAL \"return redis.call('GET','bar')\" 0 -> (error) ERR Script attempted to execute a command while the cluster is down script: 8e2b75b77655f1bba76856247eedc4f05bfc3d1a, on @user_script:1.
             EVAL \"return redis.call('PING')\" 0 -> PONG
             CONFIG SET cluster-require-full-coverage no -> OK
             GET bar -> (nil)",
        );
    }

    #[test]
    fn a_cluster_that_is_down_lets_through_what_the_configuration_says() {
        check(
            "0-16383",
            Version::V7_0,
            "SET a 1 -> OK
             MULTI -> OK
             GET a -> QUEUED
             CLUSTER DELSLOTS 0 -> QUEUED
             EXEC -> 1) \"1\" 2) OK
             GET a -> (error) CLUSTERDOWN The cluster is down
             SPUBLISH a b -> (integer) 0
             CONFIG SET cluster-allow-reads-when-down yes -> OK
             GET a -> \"1\"
             SET a 2 -> (error) CLUSTERDOWN The cluster is down and only accepts read commands
             EVAL \"return redis.pcall('get','a')\" 0 -> \"1\"
             EVAL \"return redis.pcall('set','a',1)\" 0 -> (error) ERR Script attempted to execute a write command while the cluster is down and readonly
             CONFIG SET cluster-allow-pubsubshard-when-down no -> OK
             SPUBLISH a b -> (error) CLUSTERDOWN The cluster is down",
        );
    }

    #[test]
    fn exec_answers_a_redirection_as_it_is_and_counts_it() {
        check(
            "0-16383",
            Version::V8_2,
            "MULTI -> OK
             GET a -> QUEUED
             GET b -> QUEUED
             EXEC -> (error) CROSSSLOT Keys in request don't hash to the same slot
             INFO errorstats -> \"# Errorstats\\r\\nerrorstat_CROSSSLOT:count=1\\r\\n\"",
        );
    }
}
