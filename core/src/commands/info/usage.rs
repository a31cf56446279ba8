//! Sections about what is there: clients, memory, keys.

use std::collections::BTreeMap;

use crate::commands::memory::account;
use crate::profile::Version;
use crate::state::{Param, State};
use crate::value::Value;

use super::Lines;

pub(super) fn clients(state: &State, lines: &mut Lines) {
    let new = state.version >= Version::V7_4;
    let count = |fits: &dyn Fn(&crate::state::Client) -> bool| {
        state.clients.values().filter(|client| fits(client)).count()
    };
    lines.add("connected_clients", state.clients.len());
    lines.add("cluster_connections", 0);
    lines.add("maxclients", 10_000);
    lines.zeros(&["client_recent_max_input_buffer", "client_recent_max_output_buffer"]);
    lines.add("blocked_clients", count(&|client| client.blocked.is_some()));
    lines.add("tracking_clients", state.tracking.clients);
    if new {
        let listens =
            |client: &crate::state::Client| client.subscriptions() + client.shard_channels.len() > 0;
        lines.add("pubsub_clients", count(&listens));
        lines.add("watching_clients", count(&|client| !client.watched.is_empty()));
    }
    let timed = |client: &crate::state::Client| {
        client.blocked.as_ref().is_some_and(|blocked| blocked.deadline.is_some())
    };
    lines.add("clients_in_timeout_table", count(&timed));
    if new {
        lines.add("total_watched_keys", state.watchers.len());
    }
    if state.version >= Version::V7_2 {
        let keys = (0..state.dbs.len()).map(|db| state.waiting.keys(db).count()).sum::<usize>();
        lines.add("total_blocking_keys", keys);
        lines.add("total_blocking_keys_on_nokey", 0);
    }
}

/// As servers shorten a number of bytes: `1.50M`.
fn human(bytes: usize) -> String {
    const UNITS: [(&str, f64); 4] =
        [("T", 1_099_511_627_776.0), ("G", 1_073_741_824.0), ("M", 1_048_576.0), ("K", 1024.0)];
    let found = UNITS.into_iter().find(|(_, size)| bytes as f64 >= *size);
    found.map_or(format!("{bytes}B"), |(unit, size)| format!("{:.2}{unit}", bytes as f64 / size))
}

pub(super) fn memory(state: &State, lines: &mut Lines) {
    let usage = account::usage(state);
    let total = usage.total();
    let share = |part: usize, whole: usize| format!("{:.2}%", part as f64 * 100.0 / whole.max(1) as f64);
    let with_human = |lines: &mut Lines, name: &str, bytes: usize| {
        lines.add(name, bytes);
        lines.add(&format!("{name}_human"), human(bytes));
    };
    with_human(lines, "used_memory", total);
    with_human(lines, "used_memory_rss", total);
    with_human(lines, "used_memory_peak", total);
    if state.version >= Version::V8_0 {
        lines.add("used_memory_peak_time", state.now.0 / 1_000_000);
    }
    lines.add("used_memory_peak_perc", share(total, total));
    lines.add("used_memory_overhead", usage.overhead());
    lines.add("used_memory_startup", usage.startup);
    lines.add("used_memory_dataset", usage.dataset);
    lines.add("used_memory_dataset_perc", share(usage.dataset, total - usage.startup));
    lines.add("allocator_allocated", total);
    lines.add("allocator_active", total);
    lines.add("allocator_resident", total);
    if state.version >= Version::V7_4 {
        lines.add("allocator_muzzy", 0);
    }
    with_human(lines, "total_system_memory", 0);
    scripting_memory(state, lines, &usage);
    with_human(lines, "maxmemory", state.config.int(Param::MAXMEMORY).max(0) as usize);
    lines.add("maxmemory_policy", state.config.text(Param::MAXMEMORY_POLICY).to_text());
    for name in ["allocator_frag", "allocator_rss", "rss_overhead", "mem_fragmentation"] {
        lines.add(&format!("{name}_ratio"), "1.00");
        lines.add(&format!("{name}_bytes"), 0);
    }
    lines.zeros(&["mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers"]);
    if state.version >= Version::V8_0 {
        lines.add("mem_replica_full_sync_buffer", 0);
    }
    lines.add("mem_clients_slaves", 0);
    lines.add("mem_clients_normal", usage.clients);
    lines.zeros(&["mem_cluster_links", "mem_aof_buffer"]);
    lines.add("mem_allocator", "estimate");
    if state.version >= Version::V7_4 {
        lines.add("mem_overhead_db_hashtable_rehashing", 0);
    }
    lines.zeros(&["active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"]);
}

fn scripting_memory(state: &State, lines: &mut Lines, usage: &account::Usage) {
    /// What Lua itself takes for scripts and for functions, as measured.
    const VM_BYTES: (usize, usize) = (32_768, 33_792);
    let total = VM_BYTES.0 + VM_BYTES.1;
    lines.add("used_memory_lua", VM_BYTES.0);
    lines.add("used_memory_vm_eval", VM_BYTES.0);
    lines.add("used_memory_lua_human", human(VM_BYTES.0));
    lines.add("used_memory_scripts_eval", usage.scripts);
    lines.add("number_of_cached_scripts", state.scripts.len());
    lines.add("number_of_functions", state.functions.function_count());
    lines.add("number_of_libraries", state.functions.library_count());
    lines.add("used_memory_vm_functions", VM_BYTES.1);
    lines.add("used_memory_vm_total", total);
    lines.add("used_memory_vm_total_human", human(total));
    lines.add("used_memory_functions", usage.functions);
    lines.add("used_memory_scripts", usage.scripts + usage.functions);
    lines.add("used_memory_scripts_human", human(usage.scripts + usage.functions));
}

pub(super) fn keyspace(state: &State, lines: &mut Lines) {
    let now = state.now.unix_millis();
    for (index, db) in state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
        let left = db.iter().filter_map(|(_, entry)| entry.expires_at).map(|at| (at.0 - now.0).max(0));
        let average = left.sum::<i64>() / (db.expiring_len().max(1) as i64);
        let mut text = format!("keys={},expires={},avg_ttl={average}", db.len(), db.expiring_len());
        if state.version >= Version::V7_4 {
            text.push_str(&format!(",subexpiry={}", db.field_expiring_len()));
        }
        lines.add(&format!("db{index}"), text);
    }
}

/// How many keys are how big, for each type: in classes that begin at powers of two.
pub(super) fn keysizes(state: &State, lines: &mut Lines) {
    const TYPES: [&str; 5] = ["strings_sizes", "lists_items", "sets_items", "zsets_items", "hashes_items"];
    for (index, db) in state.dbs.iter().enumerate() {
        let mut counts: [BTreeMap<usize, usize>; TYPES.len()] = Default::default();
        for (_, entry) in db.iter() {
            if let Some((kind, size)) = size(&entry.value) {
                let class = size.checked_ilog2().map_or(0, |power| 1 << power);
                *counts[kind].entry(class).or_default() += 1;
            }
        }
        for (name, counts) in TYPES.iter().zip(counts).filter(|(_, counts)| !counts.is_empty()) {
            let classes: Vec<_> =
                counts.into_iter().map(|(class, keys)| format!("{}={keys}", rounded(class))).collect();
            lines.add(&format!("db{index}_distrib_{name}"), classes.join(","));
        }
    }
}

/// The place of the type in the report, and the text's bytes or the collection's elements. Streams are not in it.
fn size(value: &Value) -> Option<(usize, usize)> {
    Some(match value {
        Value::String(string) => (0, string.len()),
        Value::List(list) => (1, list.len()),
        Value::Set(set) => (2, set.len()),
        Value::ZSet(zset) => (3, zset.len()),
        Value::Hash(hash) => (4, hash.len()),
        Value::Stream(_) => return None,
    })
}

/// A power of two in its largest unit: `512`, `1K`, `2M`.
fn rounded(power: usize) -> String {
    const UNITS: [(&str, u32); 3] = [("G", 30), ("M", 20), ("K", 10)];
    let unit = UNITS.into_iter().find(|(_, bits)| power >> bits > 0);
    unit.map_or(power.to_string(), |(unit, bits)| format!("{}{unit}", power >> bits))
}

#[cfg(test)]
mod tests {
    use crate::Bytes;
    use crate::commands::tests::run;
    use crate::profile::Version;
    use crate::resp::Reply;
    use crate::server::{Options, Server};

    /// As 8.2.3 told it of the same keys.
    #[test]
    fn sizes_of_keys_are_told_in_classes() {
        let mut server = Server::new(Options { version: Version::V8_2, ..Options::default() });
        for command in [
            "SET empty \"\"",
            "SET number 12345",
            "SETRANGE long 1022 x",
            "SETRANGE longer 2047 x",
            "RPUSH l 1 2 3",
            "SADD s 1 2 3 4 5 6 7 8",
            "XADD x 1-1 a 1",
            "HSET h a 1",
            "SELECT 3",
            "ZADD z 1 a",
        ] {
            run(&mut server, command);
        }
        let text = "# Keysizes\r\ndb0_distrib_strings_sizes:0=1,4=1,512=1,2K=1\r\ndb0_distrib_lists_items:2=1\r\n\
            db0_distrib_sets_items:8=1\r\ndb0_distrib_hashes_items:1=1\r\ndb3_distrib_zsets_items:1=1\r\n";
        let expected = Reply::Verbatim { format: *b"txt", text: Bytes::from(text) };
        assert_eq!(run(&mut server, "INFO keysizes"), Some(expected));
    }
}
