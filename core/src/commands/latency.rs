//! LATENCY. Events of a machine (forks, disks) do not happen here, so the monitor has nothing to sample; how long
//! commands took is known.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::CommandStats;

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
        summary: "Would draw an event's latencies; none are sampled here.",
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
        summary: "Would answer an event's latencies; none are sampled here.",
        syntax: "LATENCY HISTORY event",
        reply: Shape::Array,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: nothing,
        examples: &[Example { setup: "", run: "LATENCY HISTORY command", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "latency|latest",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE),
        since: (2, 8, 13),
        group: Group::Server,
        summary: "Would answer the latest latency of each event; none are sampled here.",
        syntax: "LATENCY LATEST",
        reply: Shape::Array,
        tips: &["nondeterministic_output", "request_policy:all_nodes", "response_policy:special"],
        handler: nothing,
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

fn nothing(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Array(Vec::new()).into())
}

fn reset(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Int(0).into())
}

fn graph(_: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    Err(CommandError::NoLatencySamples(argv[2].to_word()))
}

fn doctor(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let text = Bytes::from(
        "No latency is sampled: time here is virtual, and nothing but commands and scripts takes any.\n",
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

/// Only the average is known, so all calls stand in one bucket: the first power of two that holds it.
fn buckets(stats: &CommandStats) -> Reply {
    let bucket = stats.micros.div_ceil(stats.calls.max(1)).max(1).next_power_of_two();
    Reply::Map(vec![
        (Reply::bulk("calls"), Reply::Int(stats.calls as i64)),
        (
            Reply::bulk("histogram_usec"),
            Reply::Map(vec![(Reply::Int(bucket as i64), Reply::Int(stats.calls as i64))]),
        ),
    ])
}
