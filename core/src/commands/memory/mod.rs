//! Memory: what is used, what goes when there is too much of it, and MEMORY.

pub(super) mod account;
mod evict;
mod inspect;

pub(super) use evict::enforce_limit;

use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};
use crate::state::State;

/// What INFO tells as `used_memory`, in bytes.
pub fn used_memory(state: &State) -> usize {
    account::usage(state).total()
}

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "memory",
    arity: -2,
    since: (4, 0, 0),
    group: Group::Server,
    summary: "Tells what takes how much memory.",
    syntax: "MEMORY",
    subcommands: MEMORY,
    ..CommandSpec::BASE
}];

const MEMORY: &[CommandSpec] = &[
    CommandSpec {
        name: "memory|doctor",
        arity: 2,
        flags: Flags::NONE,
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Answers in words whether memory is used well.",
        syntax: "MEMORY DOCTOR",
        reply: Shape::Any,
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        handler: inspect::doctor,
        ..CommandSpec::BASE
    },
    CommandSpec::help("memory|help", (4, 0, 0), Group::Server, &[], &[]),
    CommandSpec {
        name: "memory|malloc-stats",
        arity: 2,
        flags: Flags::NONE,
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Would answer the allocator's figures; there is none to ask here.",
        syntax: "MEMORY MALLOC-STATS",
        reply: Shape::Any,
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        handler: inspect::malloc_stats,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "memory|purge",
        arity: 2,
        flags: Flags::NONE,
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Gives memory back that is free; here there is nothing to do.",
        syntax: "MEMORY PURGE",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: inspect::purge,
        examples: &[Example { setup: "", run: "MEMORY PURGE", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "memory|stats",
        arity: 2,
        flags: Flags::NONE,
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Answers what takes how much memory.",
        syntax: "MEMORY STATS",
        reply: Shape::Map,
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        handler: inspect::stats,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "memory|usage",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(2, &["RO"])],
        since: (4, 0, 0),
        group: Group::Server,
        summary: "Answers how many bytes a key takes with its value.",
        syntax: "MEMORY USAGE key [SAMPLES count]",
        reply: Shape::OneOf(&[Shape::Int, Shape::Nil]),
        handler: inspect::usage,
        examples: &[Example { setup: "", run: "MEMORY USAGE nosuch", shows: "(nil)" }],
        ..CommandSpec::BASE
    },
];
