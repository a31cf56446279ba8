//! The whole machine: clients send commands, time passes, processes end.

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::commands::{self, CommandSpec};
use playground_core::profile::Version;
use playground_core::resp::split_args;
use playground_core::server::{ClientId, Event, Input, InputKind, Options, Server};

use super::same;
use crate::chance::Chance;

const INPUTS_MAX: usize = 60;
const CLIENTS: usize = 3;
const KEYS: &[&str] = &["a", "b", "c", "{a}x", "h", "z"];
const VALUES: &[&str] = &[
    "",
    "x",
    "10",
    "3.5",
    "some longer text",
    "a",
    "f",
    "v",
    "*",
    "0",
    "-",
    "+",
    "(1",
    "[a",
    "$",
    "0-0",
    "1-1",
];
const POLICIES: &[&str] = &["noeviction", "allkeys-lru", "volatile-ttl", "allkeys-random", "volatile-lfu"];
/// What takes long by design, or ends what is tested.
const LEFT_OUT: &[&str] = &["shutdown", "debug|populate", "debug|sleep", "debug|segfault", "debug|restart"];

/// No input panics or breaks an invariant; the same inputs give the same events and the same state, from the beginning
/// and from a snapshot, and what happens later leaves a snapshot as it was.
pub(super) fn run(chance: &mut Chance) -> Result<(), String> {
    let version = *chance.pick(&Version::ALL);
    let config = config(chance);
    let mut live = server(version, &config);
    let mut log = Vec::new();
    let mut told = Vec::new();
    let mut snapshot = None;
    let count = 1 + chance.below(INPUTS_MAX);
    let taken_at = chance.below(count);
    for number in 0..count {
        if number == taken_at {
            snapshot = Some((live.clone(), live.digest()));
        }
        let input = Input { at: moment(chance, &live), kind: kind(chance) };
        log.push(input.clone());
        told.push(live.apply(input));
        live.audit().map_err(|broken| format!("{broken}\nafter {}", shown(&log)))?;
    }
    let end = live.digest();
    let mut fresh = server(version, &config);
    replay(&mut fresh, &log, &told)
        .map_err(|reason| format!("from the beginning, {reason}\n{}", shown(&log)))?;
    same("the digest of the replay", &fresh.digest(), &end).map_err(|reason| reason + "\n" + &shown(&log))?;
    let Some((mut kept, digest)) = snapshot else { return Ok(()) };
    same("the digest of a snapshot", &kept.digest(), &digest)
        .map_err(|reason| reason + "\n" + &shown(&log))?;
    replay(&mut kept, &log[taken_at..], &told[taken_at..])
        .map_err(|reason| format!("from the snapshot at {taken_at}, {reason}\n{}", shown(&log)))?;
    same("the digest from a snapshot", &kept.digest(), &end).map_err(|reason| reason + "\n" + &shown(&log))
}

fn server(version: Version, config: &[(&str, String)]) -> Server {
    let mut options = Options { version, ..Options::default() };
    // A loop ends, for a test, after so many instructions.
    options.cost.instructions_max = 300_000;
    let mut server = Server::new(options);
    for (name, value) in config {
        let set = server.configure(name, value);
        debug_assert_eq!(set, Ok(()), "the parameters here are those of all versions");
    }
    server
}

fn config(chance: &mut Chance) -> Vec<(&'static str, String)> {
    let mut config =
        vec![("busy-reply-threshold", "5".to_owned()), ("notify-keyspace-events", "KEA".to_owned())];
    if chance.one_in(2) {
        let bytes = if chance.one_in(2) { 1_000_000 + chance.below(200_000) } else { 1 << 30 };
        config.push(("maxmemory", bytes.to_string()));
        config.push(("maxmemory-policy", (*chance.pick(POLICIES)).to_owned()));
    }
    config
}

fn replay(server: &mut Server, log: &[Input], told: &[Vec<Event>]) -> Result<(), String> {
    for (number, (input, told)) in log.iter().zip(told).enumerate() {
        let events = server.apply(input.clone());
        // Not every value equals itself.
        if events != *told && format!("{events:?}") != format!("{told:?}") {
            return Err(format!("input {number} gave {told:?} and then {events:?}"));
        }
    }
    Ok(())
}

/// The log as a person would type it.
fn shown(log: &[Input]) -> String {
    let line = |input: &Input| match &input.kind {
        InputKind::Command { client, argv } => {
            let words = argv.iter().map(|arg| playground_core::resp::quote_arg(arg));
            format!("{} {}> {}", input.at, client.0, words.collect::<Vec<_>>().join(" "))
        }
        kind => format!("{} {kind:?}", input.at),
    };
    log.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn moment(chance: &mut Chance, server: &Server) -> Micros {
    match chance.below(6) {
        0 => server.now() + Micros(chance.below(5_000_000) as u64),
        1 => server.next_due().unwrap_or_default().max(server.now()),
        2 => Micros(0),
        _ => server.now() + Micros(chance.below(3000) as u64),
    }
}

fn kind(chance: &mut Chance) -> InputKind {
    let client = ClientId(1 + chance.below(CLIENTS) as u64);
    match chance.below(60) {
        0 => InputKind::Restart { keep_data: chance.one_in(2) },
        1 => InputKind::Failover,
        2 => InputKind::Replicate { link_up: chance.one_in(2) },
        3 | 4 => InputKind::Disconnect { client },
        5 => InputKind::Connect { client },
        6..10 => InputKind::Advance,
        _ => InputKind::Command { client, argv: command(chance) },
    }
}

fn command(chance: &mut Chance) -> Vec<Bytes> {
    let mut argv = match chance.below(12) {
        0 => script(chance),
        1 => ["MULTI", "EXEC", "DISCARD", "UNWATCH", "WATCH a b"][chance.below(5)]
            .split(' ')
            .map(Bytes::from)
            .collect(),
        _ => {
            let records: Vec<&'static CommandSpec> = leaves().collect();
            let record = *chance.pick(&records);
            of_record(chance, record)
        }
    };
    if chance.one_in(4) && argv.len() > 1 {
        let place = 1 + chance.below(argv.len() - 1);
        argv[place] = word(chance);
    }
    argv
}

/// Commands and subcommands that can be sent.
fn leaves() -> impl Iterator<Item = &'static CommandSpec> {
    let parts = |record: &'static CommandSpec| {
        let own = (!record.is_container()).then_some(record);
        own.into_iter().chain(record.subcommands)
    };
    commands::all().flat_map(parts).filter(|record| !LEFT_OUT.contains(&record.name))
}

/// One of a record's own examples, or words where it takes keys, numbers and its own options.
fn of_record(chance: &mut Chance, record: &'static CommandSpec) -> Vec<Bytes> {
    if !record.examples.is_empty() && chance.one_in(2) {
        let example = chance.pick(record.examples);
        let lines: Vec<&str> = example.setup.lines().chain([example.run]).collect();
        let line = *chance.pick(&lines);
        if let Ok(argv) = split_args(line.as_bytes())
            && !argv.is_empty()
        {
            return argv;
        }
    }
    let mut argv: Vec<Bytes> = record.name.split('|').map(Bytes::from).collect();
    let least = usize::from(record.arity.unsigned_abs());
    let more = if record.arity < 0 { chance.below(4) } else { 0 };
    let options: Vec<&str> = record
        .syntax
        .split(|letter: char| !letter.is_ascii_uppercase())
        .filter(|word| word.len() > 1)
        .collect();
    while argv.len() < least + more {
        let is_option = !options.is_empty() && chance.one_in(3);
        argv.push(if is_option { Bytes::from(*chance.pick(&options)) } else { word(chance) });
    }
    argv
}

fn word(chance: &mut Chance) -> Bytes {
    match chance.below(8) {
        0..4 => Bytes::from(*chance.pick(KEYS)),
        4 => Bytes::from(*chance.pick(VALUES)),
        5 => Bytes::from(chance.bytes(12)),
        _ => Bytes::from(chance.number().as_str()),
    }
}

/// A script that calls a few commands, which may fail, and may not end.
fn script(chance: &mut Chance) -> Vec<Bytes> {
    let mut source = String::new();
    for _ in 0..=chance.below(3) {
        let call = ["redis.call", "redis.pcall"][chance.below(2)];
        let records: Vec<&'static CommandSpec> = leaves().collect();
        let record = *chance.pick(&records);
        let argv: Vec<String> = of_record(chance, record)
            .iter()
            .map(|arg| format!("'{}'", arg.to_text().escape_default()))
            .collect();
        source += &format!("local reply = {call}({})\n", argv.join(", "));
    }
    source += match chance.below(6) {
        0 => "while true do end",
        1 => "return pcall(function() while true do end end)",
        2 => "return redis.error_reply('MY error')",
        3 => "return {KEYS, ARGV, reply}",
        _ => "return reply",
    };
    let keys = chance.below(3);
    let mut argv =
        vec![Bytes::from("EVAL"), Bytes::from(source.as_str()), Bytes::from(keys.to_string().as_str())];
    argv.extend((0..keys + chance.below(2)).map(|_| word(chance)));
    argv
}
