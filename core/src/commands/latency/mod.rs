//! LATENCY. Events of a machine (forks, disks) do not happen here: the monitor samples commands only.

mod graph;

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{CommandStats, LatencySeries, Param, State};

use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Earlier, Example, Flags, Group, Shape};
use super::versions::records;

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "latency",
    arity: -2,
    since: (2, 8, 13),
    group: Group::Server,
    summary: "Tells what took long.",
    syntax: "LATENCY",
    subcommands: LATENCY,
    ..CommandSpec::BASE
}];

const RESET: CommandSpec = CommandSpec {
    name: "latency|reset",
    arity: -2,
    flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
    since: (2, 8, 13),
    group: Group::Server,
    summary: "Forgets sampled latencies and counts the events.",
    syntax: "LATENCY RESET [event [event ...]]",
    reply: Shape::Int,
    tips: &["request_policy:all_nodes", "response_policy:agg_sum"],
    handler: reset,
    examples: &[Example { setup: "", run: "LATENCY RESET", shows: "(integer) 0" }],
    ..CommandSpec::BASE
};

const LATENCY: &[CommandSpec] = &[
    CommandSpec {
        name: "latency|doctor",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (2, 8, 13),
        group: Group::Server,
        summary: "Answers in words what took long.",
        syntax: "LATENCY DOCTOR",
        reply: Shape::Any,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: doctor,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "latency|graph",
        arity: 3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (2, 8, 13),
        group: Group::Server,
        summary: "Draws an event's latencies.",
        syntax: "LATENCY GRAPH event",
        reply: Shape::Any,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: graph,
        examples: &[Example {
            setup: "",
            run: "LATENCY GRAPH command",
            shows: "(error) ERR No samples available for event 'command'",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("latency|help", (2, 8, 13), Group::Server, &[], &[]),
    CommandSpec {
        name: "latency|histogram",
        arity: -2,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (7, 0, 0),
        group: Group::Server,
        summary: "Answers how many calls of commands took how long.",
        syntax: "LATENCY HISTOGRAM [command [command ...]]",
        reply: Shape::Map,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: histogram,
        examples: &[Example { setup: "", run: "LATENCY HISTOGRAM get", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "latency|history",
        arity: 3,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (2, 8, 13),
        group: Group::Server,
        summary: "Answers an event's latencies: when, and how many milliseconds.",
        syntax: "LATENCY HISTORY event",
        reply: Shape::Array,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: history,
        examples: &[Example { setup: "", run: "LATENCY HISTORY command", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "latency|latest",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (2, 8, 13),
        group: Group::Server,
        summary: "Answers the latest latency of each event, and the longest.",
        syntax: "LATENCY LATEST",
        reply: Shape::Array,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: latest,
        examples: &[Example { setup: "", run: "LATENCY LATEST", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        earlier: Some(&Earlier {
            before: Version::V7_2,
            spec: CommandSpec {
                tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
                ..RESET
            },
        }),
        ..RESET
    },
];

/// Notes a command that took as long as `latency-monitor-threshold` says.
pub(super) fn note(state: &mut State, spec: &CommandSpec, micros: u64) {
    let threshold = state.config.int(Param::LATENCY_MONITOR_THRESHOLD);
    let millis = micros / 1000;
    if threshold <= 0 || millis < threshold as u64 || spec.has(Flags::SKIP_SLOWLOG) {
        return;
    }
    let event = if spec.has(Flags::FAST) { "fast-command" } else { "command" };
    // The command's time has not passed yet, and its end is what counts.
    let at = (state.now.0 + micros) / 1_000_000;
    state.latency.add(event, at, millis);
}

fn number(number: u64) -> Reply {
    Reply::Int(number as i64)
}

fn latest(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let shown = |(event, series): (&str, &LatencySeries)| {
        let last = series.samples.back()?;
        let numbers = [last.at, last.millis, series.max].map(number);
        Some(Reply::Array(std::iter::once(Reply::bulk(event)).chain(numbers).collect()))
    };
    Ok(Reply::Array(ctx.state.latency.iter().filter_map(shown).collect()).into())
}

fn history(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let samples = ctx.state.latency.get(&argv[2]).into_iter().flat_map(|series| &series.samples);
    let shown = samples.map(|sample| Reply::Array([sample.at, sample.millis].map(number).to_vec()));
    Ok(Reply::Array(shown.collect()).into())
}

fn reset(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let forgotten = match &argv[2..] {
        [] => ctx.state.latency.clear(),
        events => events.iter().filter(|event| ctx.state.latency.forget(event)).count(),
    };
    Ok(Reply::from(forgotten).into())
}

fn graph(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let none = || CommandError::NoLatencySamples(argv[2].to_word());
    let series = ctx.state.latency.get(&argv[2]).ok_or_else(none)?;
    let text = graph::draw(&argv[2].to_word(), series, ctx.state.now.0 / 1_000_000);
    Ok(Reply::Verbatim { format: *b"txt", text: text.into() }.into())
}

fn doctor(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let text = Bytes::from(
        "Nothing but commands and scripts takes time here, and time is virtual: LATENCY LATEST tells which took long.\n",
    );
    Ok(Reply::Verbatim { format: *b"txt", text }.into())
}

fn histogram(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let known = &ctx.state.stats.commands;
    let called = |name: &&'static str| known.get(*name).is_some_and(|stats| stats.calls > 0);
    let names: Vec<&'static str> = if argv.len() == 2 {
        known.keys().copied().filter(called).collect()
    } else {
        // A container stands for its subcommands.
        let asked = argv[2..].iter().filter_map(|name| records(ctx.version()).find_full(name));
        let all = asked.flat_map(|spec| std::iter::once(spec).chain(spec.subcommands));
        all.map(|spec| spec.name).filter(called).collect()
    };
    let entries = names.into_iter().map(|name| (Reply::bulk(name), buckets(&known[name])));
    Ok(Reply::Map(entries.collect()).into())
}

/// Only the average is known, so all calls stand in one bucket: the first power of two of nanoseconds that holds it. A bucket
/// is named by its end in microseconds, and is as much longer as the server's histogram is coarse.
fn buckets(stats: &CommandStats) -> Reply {
    const SMALLEST: u64 = 1 << 10;
    let average = 1000 * stats.micros.div_ceil(stats.calls.max(1));
    let mut nanos = SMALLEST;
    while end_of_bucket(nanos) < average {
        nanos *= 2;
    }
    let end = end_of_bucket(nanos) / 1000;
    Reply::Map(vec![
        (Reply::bulk("calls"), Reply::Int(stats.calls as i64)),
        (Reply::bulk("histogram_usec"), Reply::Map(vec![(number(end), Reply::Int(stats.calls as i64))])),
    ])
}

fn end_of_bucket(nanos: u64) -> u64 {
    nanos + nanos / 128 - 1
}
