//! Sections about what has happened: stats, commandstats, errorstats, latencystats.

use crate::profile::Version;
use crate::state::{Channels, State};

use super::Lines;

pub(super) fn stats(state: &State, lines: &mut Lines) {
    let (stats, version) = (&state.stats, state.version);
    lines.add("total_connections_received", stats.connections_received);
    lines.add("total_commands_processed", stats.commands_processed);
    lines.zeros(&[
        "instantaneous_ops_per_sec",
        "total_net_input_bytes",
        "total_net_output_bytes",
        "total_net_repl_input_bytes",
        "total_net_repl_output_bytes",
    ]);
    for name in ["input", "output", "input_repl", "output_repl"] {
        lines.add(&format!("instantaneous_{name}_kbps"), "0.00");
    }
    lines.zeros(&["rejected_connections", "sync_full", "sync_partial_ok", "sync_partial_err"]);
    if version >= Version::V7_4 {
        lines.add("expired_subkeys", stats.expired_fields);
    }
    lines.add("expired_keys", stats.expired_keys);
    lines.add("expired_stale_perc", "0.00");
    lines.zeros(&["expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds"]);
    lines.add("evicted_keys", stats.evicted_keys);
    lines.add("evicted_clients", 0);
    if version >= Version::V7_4 {
        lines.add("evicted_scripts", state.scripts.evicted);
    }
    lines.zeros(&["total_eviction_exceeded_time", "current_eviction_exceeded_time"]);
    lines.add("keyspace_hits", stats.keyspace_hits);
    lines.add("keyspace_misses", stats.keyspace_misses);
    lines.add("pubsub_channels", state.subscriptions.count(Channels::Plain));
    lines.add("pubsub_patterns", state.subscriptions.count(Channels::Pattern));
    lines.add("pubsubshard_channels", state.subscriptions.count(Channels::Shard));
    lines.zeros(&[
        "latest_fork_usec",
        "total_forks",
        "migrate_cached_sockets",
        "slave_expires_tracked_keys",
        "active_defrag_hits",
        "active_defrag_misses",
        "active_defrag_key_hits",
        "active_defrag_key_misses",
        "total_active_defrag_time",
        "current_active_defrag_time",
    ]);
    lines.add("tracking_total_keys", state.tracking.readers.len());
    let items: usize = state.tracking.readers.values().map(|readers| readers.len()).sum();
    lines.add("tracking_total_items", items);
    lines.add("tracking_total_prefixes", state.tracking.prefixes.len());
    lines.add("unexpected_error_replies", 0);
    lines.add("total_error_replies", stats.error_replies);
    lines.add("dump_payload_sanitizations", 0);
    lines.add("total_reads_processed", stats.commands_processed);
    lines.add("total_writes_processed", stats.commands_processed);
    lines.zeros(&["io_threaded_reads_processed", "io_threaded_writes_processed"]);
    if version >= Version::V8_0 {
        lines.zeros(&["io_threaded_total_prefetch_batches", "io_threaded_total_prefetch_entries"]);
    }
    if version >= Version::V7_4 {
        lines.zeros(&[
            "client_query_buffer_limit_disconnections",
            "client_output_buffer_limit_disconnections",
        ]);
    }
    lines.zeros(&["reply_buffer_shrinks", "reply_buffer_expands"]);
    newer_stats(state, lines);
}

fn newer_stats(state: &State, lines: &mut Lines) {
    if state.version < Version::V7_2 {
        return;
    }
    lines.zeros(&[
        "eventloop_cycles",
        "eventloop_duration_sum",
        "eventloop_duration_cmd_sum",
        "instantaneous_eventloop_cycles_per_sec",
        "instantaneous_eventloop_duration_usec",
    ]);
    for (name, reason) in [("auth", "auth"), ("cmd", "command"), ("key", "key"), ("channel", "channel")] {
        let denied: u64 =
            state.acl.log.iter().filter(|entry| entry.reason == reason).map(|entry| entry.count).sum();
        lines.add(&format!("acl_access_denied_{name}"), denied);
    }
}

pub(super) fn commandstats(state: &State, lines: &mut Lines) {
    for (name, command) in state.stats.commands.iter() {
        let average = command.micros as f64 / command.calls.max(1) as f64;
        lines.add(
            &format!("cmdstat_{name}"),
            format_args!(
                "calls={},usec={},usec_per_call={average:.2},rejected_calls={},failed_calls={}",
                command.calls, command.micros, command.rejected, command.failed
            ),
        );
    }
}

pub(super) fn errorstats(state: &State, lines: &mut Lines) {
    for (code, count) in state.stats.errors.iter() {
        // A script can put anything there.
        let code = code.replace(['#', ':', '\r', '\n'], "_");
        lines.add(&format!("errorstat_{code}"), format_args!("count={count}"));
    }
}

/// Virtual time has no spread to speak of: every percentile is the average.
pub(super) fn latencystats(state: &State, lines: &mut Lines) {
    for (name, command) in state.stats.commands.iter().filter(|(_, command)| command.calls > 0) {
        let average = command.micros as f64 / command.calls as f64;
        lines.add(
            &format!("latency_percentiles_usec_{name}"),
            format_args!("p50={average:.3},p99={average:.3},p99.9={average:.3}"),
        );
    }
}
