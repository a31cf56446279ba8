//! Sections about the process: server, persistence, replication, processor, cluster.

use crate::profile::Version;
use crate::state::{Param, Role, State};

use super::Lines;

/// 40 digits that tell two starts apart, made from the moment of the start.
pub(in crate::commands) fn run_id(state: &State) -> String {
    let seed = format!("run {} {}", state.version.full(), state.started_at.0);
    crate::state::Sha1::of(seed.as_bytes()).as_str().to_owned()
}

pub(super) fn server(state: &State, lines: &mut Lines) {
    let uptime = (state.now - state.started_at).0 / 1_000_000;
    lines.add("redis_version", state.version.full());
    lines.add("redis_git_sha1", "00000000");
    lines.add("redis_git_dirty", 0);
    lines.add("redis_build_id", "0000000000000000");
    lines.add("redis_mode", if state.cluster.is_some() { "cluster" } else { "standalone" });
    lines.add("os", "playground");
    lines.add("arch_bits", 64);
    lines.add("monotonic_clock", "virtual");
    lines.add("multiplexing_api", "none");
    lines.add("atomicvar_api", "none");
    lines.add("gcc_version", "0.0.0");
    lines.add("process_id", 1);
    lines.add("process_supervised", "no");
    lines.add("run_id", run_id(state));
    lines.add("tcp_port", state.config.int(Param::PORT));
    lines.add("server_time_usec", state.now.0);
    lines.add("uptime_in_seconds", uptime);
    lines.add("uptime_in_days", uptime / 86_400);
    lines.add("hz", 10);
    lines.add("configured_hz", 10);
    lines.add("lru_clock", (state.now.0 / 1_000_000) & 0xff_ffff);
    lines.add("executable", "");
    lines.add("config_file", "");
    lines.add("io_threads_active", 0);
    if state.version >= Version::V7_2 {
        lines
            .add("listener0", format_args!("name=tcp,bind=127.0.0.1,port={}", state.config.int(Param::PORT)));
    }
}

pub(super) fn persistence(state: &State, lines: &mut Lines) {
    lines.zeros(&[
        "loading",
        "async_loading",
        "current_cow_peak",
        "current_cow_size",
        "current_cow_size_age",
    ]);
    lines.add("current_fork_perc", "0.00");
    lines.zeros(&["current_save_keys_processed", "current_save_keys_total"]);
    lines.add("rdb_changes_since_last_save", state.dirty - state.saved.dirty);
    lines.add("rdb_bgsave_in_progress", 0);
    lines.add("rdb_last_save_time", state.saved.at.0 / 1_000_000);
    lines.add("rdb_last_bgsave_status", "ok");
    lines.add("rdb_last_bgsave_time_sec", if state.saved.count == 0 { -1 } else { 0 });
    lines.add("rdb_current_bgsave_time_sec", -1);
    lines.add("rdb_saves", state.saved.count);
    lines.zeros(&["rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded"]);
    let appends = state.config.bool(Param::named("appendonly"));
    lines.add("aof_enabled", u8::from(appends));
    lines.zeros(&["aof_rewrite_in_progress", "aof_rewrite_scheduled"]);
    lines.add("aof_last_rewrite_time_sec", -1);
    lines.add("aof_current_rewrite_time_sec", -1);
    lines.add("aof_last_bgrewrite_status", "ok");
    lines.zeros(&["aof_rewrites", "aof_rewrites_consecutive_failures"]);
    lines.add("aof_last_write_status", "ok");
    lines.zeros(&["aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"]);
}

pub(super) fn threads(state: &State, lines: &mut Lines) {
    let done = state.stats.commands_processed;
    lines.add("io_thread_0", format!("clients={},reads={done},writes={done}", state.clients.len()));
}

pub(super) fn replication(state: &State, lines: &mut Lines) {
    match &state.role {
        Role::Master => lines.add("role", "master"),
        Role::Replica { host, port, link_up } => {
            lines.add("role", "slave");
            lines.add("master_host", host.to_text());
            lines.add("master_port", port);
            lines.add("master_link_status", if *link_up { "up" } else { "down" });
            lines.add("master_last_io_seconds_ago", if *link_up { 0 } else { -1 });
            lines.zeros(&["master_sync_in_progress", "slave_read_repl_offset", "slave_repl_offset"]);
            if !link_up {
                lines.add("master_link_down_since_seconds", -1);
            }
            lines.add("slave_priority", 100);
            lines.add("slave_read_only", u8::from(state.config.bool(Param::REPLICA_READ_ONLY)));
            lines.add("replica_announced", 1);
        }
    }
    lines.add("connected_slaves", 0);
    lines.add("master_failover_state", "no-failover");
    lines.add("master_replid", run_id(state));
    lines.add("master_replid2", "0".repeat(40));
    lines.add("master_repl_offset", 0);
    lines.add("second_repl_offset", -1);
    lines.add("repl_backlog_active", 0);
    lines.add("repl_backlog_size", 1_048_576);
    lines.zeros(&["repl_backlog_first_byte_offset", "repl_backlog_histlen"]);
}

/// The virtual time that the server was at work.
pub(super) fn cpu(state: &State, lines: &mut Lines) {
    let micros: u64 = state.stats.commands.values().map(|command| command.micros).sum();
    let seconds = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    lines.add("used_cpu_sys", "0.000000");
    lines.add("used_cpu_user", &seconds);
    lines.add("used_cpu_sys_children", "0.000000");
    lines.add("used_cpu_user_children", "0.000000");
    lines.add("used_cpu_sys_main_thread", "0.000000");
    lines.add("used_cpu_user_main_thread", &seconds);
}

pub(super) fn cluster(state: &State, lines: &mut Lines) {
    lines.add("cluster_enabled", u8::from(state.cluster.is_some()));
}
