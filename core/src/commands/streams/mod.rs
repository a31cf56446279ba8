//! Streams: the records.

mod add;
mod claim;
mod delete;
mod groups;
mod idempotency;
mod info;
mod options;
mod pending;
mod range;
mod read;

use super::spec::{Begin, CommandSpec, Example, Find, Flags, Group, KeySpec, Shape};

/// What every record of the family has.
const STREAM: CommandSpec =
    CommandSpec { categories: &["stream"], group: Group::Stream, ..CommandSpec::BASE };

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "xack",
        arity: -4,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (5, 0, 0),
        summary: "Acknowledges entries, which are then not pending any more.",
        syntax: "XACK key group id [id ...]",
        reply: Shape::Int,
        handler: pending::xack,
        examples: &[Example {
            setup: "XADD s 1-1 f v\nXGROUP CREATE s g 0\nXREADGROUP GROUP g c STREAMS s >",
            run: "XACK s g 1-1",
            shows: "(integer) 1",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xackdel",
        arity: -6,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update", "delete"])],
        since: (8, 2, 0),
        summary: "Acknowledges entries and deletes them.",
        syntax: "XACKDEL key group [KEEPREF | DELREF | ACKED] IDS numids id [id ...]",
        reply: Shape::Array,
        handler: delete::xackdel,
        examples: &[Example { setup: "", run: "XACKDEL s g IDS 1 1-1", shows: "1) (integer) -1" }],
        ..STREAM
    },
    CommandSpec {
        name: "xadd",
        arity: -5,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])
            .noted("UPDATE instead of INSERT because of the optional trimming feature")],
        since: (5, 0, 0),
        summary: "Appends an entry.",
        syntax: "XADD key [NOMKSTREAM] [KEEPREF | DELREF | ACKED] [IDMPAUTO producer-id | IDMP producer-id idempotent-id] [<MAXLEN | MINID> [= | ~] threshold [LIMIT count]] <* | id> field value [field value ...]",
        reply: Shape::BulkOrNil,
        tips: &["nondeterministic_output"],
        handler: add::xadd,
        examples: &[Example { setup: "", run: "XADD s 1-1 temperature 20", shows: "\"1-1\"" }],
        ..STREAM
    },
    CommandSpec {
        name: "xautoclaim",
        arity: -6,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (6, 2, 0),
        summary: "Takes over entries that have been pending for too long, wherever they are.",
        syntax: "XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID]",
        reply: Shape::Array,
        tips: &["nondeterministic_output"],
        handler: claim::xautoclaim,
        examples: &[Example {
            setup: "XGROUP CREATE s g 0 MKSTREAM",
            run: "XAUTOCLAIM s g c 0 0",
            shows: "1) \"0-0\"\n2) (empty array)\n3) (empty array)",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xcfgset",
        arity: -2,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (8, 6, 0),
        summary: "Sets how long and how many idempotency IDs of XADD a stream remembers.",
        syntax: "XCFGSET key [IDMP-DURATION seconds] [IDMP-MAXSIZE count]",
        reply: Shape::Status,
        handler: idempotency::xcfgset,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XCFGSET s IDMP-DURATION 60", shows: "OK" }],
        ..STREAM
    },
    CommandSpec {
        name: "xclaim",
        arity: -6,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (5, 0, 0),
        summary: "Takes over pending entries.",
        syntax: "XCLAIM key group consumer min-idle-time id [id ...] [IDLE ms] [TIME unix-time-milliseconds] [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID lastid]",
        reply: Shape::Array,
        tips: &["nondeterministic_output"],
        handler: claim::xclaim,
        examples: &[Example {
            setup: "XADD s 1-1 f v\nXGROUP CREATE s g 0\nXREADGROUP GROUP g c STREAMS s >",
            run: "XCLAIM s g d 0 1-1 JUSTID",
            shows: "1) \"1-1\"",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xdel",
        arity: -3,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (5, 0, 0),
        summary: "Deletes entries and counts those that existed.",
        syntax: "XDEL key id [id ...]",
        reply: Shape::Int,
        handler: delete::xdel,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XDEL s 1-1 2-1", shows: "(integer) 1" }],
        ..STREAM
    },
    CommandSpec {
        name: "xdelex",
        arity: -5,
        flags: Flags::WRITE.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (8, 2, 0),
        summary: "Deletes entries, with a say in what it means for groups.",
        syntax: "XDELEX key [KEEPREF | DELREF | ACKED] IDS numids id [id ...]",
        reply: Shape::Array,
        handler: delete::xdelex,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XDELEX s IDS 1 1-1", shows: "1) (integer) 1" }],
        ..STREAM
    },
    CommandSpec {
        name: "xgroup",
        arity: -2,
        since: (5, 0, 0),
        group: Group::Stream,
        summary: "Looks after consumer groups.",
        syntax: "XGROUP",
        subcommands: XGROUP,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "xinfo",
        arity: -2,
        since: (5, 0, 0),
        group: Group::Stream,
        summary: "Tells about streams, groups and consumers.",
        syntax: "XINFO",
        subcommands: XINFO,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "xlen",
        arity: 2,
        flags: Flags::READONLY.or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RO"])],
        since: (5, 0, 0),
        summary: "Counts the entries.",
        syntax: "XLEN key",
        reply: Shape::Int,
        handler: range::xlen,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XLEN s", shows: "(integer) 1" }],
        ..STREAM
    },
    CommandSpec {
        name: "xpending",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Tells what was delivered and is not acknowledged.",
        syntax: "XPENDING key group [[IDLE min-idle-time] start end count [consumer]]",
        reply: Shape::Array,
        tips: &["nondeterministic_output"],
        handler: pending::xpending,
        examples: &[Example {
            setup: "XGROUP CREATE s g 0 MKSTREAM",
            run: "XPENDING s g",
            shows: "1) (integer) 0\n2) (nil)\n3) (nil)\n4) (nil)",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xrange",
        arity: -4,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Answers the entries between two IDs.",
        syntax: "XRANGE key start end [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: range::xrange,
        examples: &[Example {
            setup: "XADD s 1-1 f v",
            run: "XRANGE s - +",
            shows: "1) 1) \"1-1\"\n   2) 1) \"f\"\n      2) \"v\"",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xread",
        arity: -4,
        flags: Flags::READONLY.or(Flags::BLOCKING).or(Flags::MOVABLEKEYS),
        keys: &[KeySpec {
            begin: Begin::Keyword { word: "STREAMS", from: 1 },
            find: Find::Range { last: -1, step: 1, limit: 2 },
            flags: &["RO", "access"],
            notes: "",
        }],
        since: (5, 0, 0),
        summary: "Answers the entries after an ID, of several streams, and can wait for them.",
        syntax: "XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]",
        reply: Shape::OneOf(&[Shape::Map, Shape::Array, Shape::Nil]),
        handler: read::xread,
        examples: &[Example {
            setup: "XADD s 1-1 f v",
            run: "XREAD STREAMS s 0",
            shows: "1) 1) \"s\"\n   2) 1) 1) \"1-1\"\n         2) 1) \"f\"\n            2) \"v\"",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xreadgroup",
        arity: -7,
        flags: Flags::WRITE.or(Flags::BLOCKING).or(Flags::MOVABLEKEYS),
        keys: &[KeySpec {
            begin: Begin::Keyword { word: "STREAMS", from: 4 },
            find: Find::Range { last: -1, step: 1, limit: 2 },
            flags: &["RO", "access"],
            notes: "",
        }],
        since: (5, 0, 0),
        summary: "Gives new entries of a group to one of its consumers, or what it has pending.",
        syntax: "XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [CLAIM min-idle-time] [NOACK] STREAMS key [key ...] id [id ...]",
        reply: Shape::OneOf(&[Shape::Map, Shape::Array, Shape::Nil]),
        handler: read::xreadgroup,
        examples: &[Example {
            setup: "XADD s 1-1 f v\nXGROUP CREATE s g 0",
            run: "XREADGROUP GROUP g c STREAMS s >",
            shows: "1) 1) \"s\"\n   2) 1) 1) \"1-1\"\n         2) 1) \"f\"\n            2) \"v\"",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xrevrange",
        arity: -4,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(1, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Answers the entries between two IDs, the last first.",
        syntax: "XREVRANGE key end start [COUNT count]",
        reply: Shape::OneOf(&[Shape::Array, Shape::Nil]),
        handler: range::xrevrange,
        examples: &[Example {
            setup: "XADD s 1-1 f v\nXADD s 2-1 f v",
            run: "XREVRANGE s + - COUNT 1",
            shows: "1) 1) \"2-1\"\n   2) 1) \"f\"\n      2) \"v\"",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xsetid",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "update"])],
        since: (5, 0, 0),
        summary: "Sets what a stream remembers of its life.",
        syntax: "XSETID key last-id [ENTRIESADDED entries-added] [MAXDELETEDID max-deleted-id]",
        reply: Shape::Status,
        handler: add::xsetid,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XSETID s 5-0", shows: "OK" }],
        ..STREAM
    },
    CommandSpec {
        name: "xtrim",
        arity: -4,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(1, &["RW", "delete"])],
        since: (5, 0, 0),
        summary: "Removes the oldest entries.",
        syntax: "XTRIM key <MAXLEN | MINID> [= | ~] threshold [LIMIT count] [KEEPREF | DELREF | ACKED]",
        reply: Shape::Int,
        tips: &["nondeterministic_output"],
        handler: add::xtrim,
        examples: &[Example {
            setup: "XADD s 1-1 f v\nXADD s 2-1 f v",
            run: "XTRIM s MAXLEN 1",
            shows: "(integer) 1",
        }],
        ..STREAM
    },
];

const XGROUP: &[CommandSpec] = &[
    CommandSpec {
        name: "xgroup|create",
        arity: -5,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(2, &["RW", "insert"])],
        since: (5, 0, 0),
        summary: "Makes a group.",
        syntax: "XGROUP CREATE key group <id | $> [MKSTREAM] [ENTRIESREAD entries-read]",
        reply: Shape::Status,
        handler: groups::create,
        examples: &[Example { setup: "", run: "XGROUP CREATE s g $ MKSTREAM", shows: "OK" }],
        ..STREAM
    },
    CommandSpec {
        name: "xgroup|createconsumer",
        arity: 5,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(2, &["RW", "insert"])],
        since: (6, 2, 0),
        summary: "Makes a consumer.",
        syntax: "XGROUP CREATECONSUMER key group consumer",
        reply: Shape::Int,
        handler: groups::create_consumer,
        examples: &[Example {
            setup: "XGROUP CREATE s g $ MKSTREAM",
            run: "XGROUP CREATECONSUMER s g c",
            shows: "(integer) 1",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xgroup|delconsumer",
        arity: 5,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(2, &["RW", "delete"])],
        since: (5, 0, 0),
        summary: "Removes a consumer and counts what it had pending.",
        syntax: "XGROUP DELCONSUMER key group consumer",
        reply: Shape::Int,
        handler: groups::delete_consumer,
        examples: &[Example {
            setup: "XGROUP CREATE s g $ MKSTREAM",
            run: "XGROUP DELCONSUMER s g c",
            shows: "(integer) 0",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xgroup|destroy",
        arity: 4,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(2, &["RW", "delete"])],
        since: (5, 0, 0),
        summary: "Removes a group.",
        syntax: "XGROUP DESTROY key group",
        reply: Shape::Int,
        handler: groups::destroy,
        examples: &[Example {
            setup: "XGROUP CREATE s g $ MKSTREAM",
            run: "XGROUP DESTROY s g",
            shows: "(integer) 1",
        }],
        ..STREAM
    },
    CommandSpec::help("xgroup|help", (5, 0, 0), Group::Stream, &["stream"], &[]),
    CommandSpec {
        name: "xgroup|setid",
        arity: -5,
        flags: Flags::WRITE,
        keys: &[KeySpec::at(2, &["RW", "update"])],
        since: (5, 0, 0),
        summary: "Sets the last ID that counts as delivered.",
        syntax: "XGROUP SETID key group <id | $> [ENTRIESREAD entries-read]",
        reply: Shape::Status,
        handler: groups::set_id,
        examples: &[Example {
            setup: "XGROUP CREATE s g $ MKSTREAM",
            run: "XGROUP SETID s g 0",
            shows: "OK",
        }],
        ..STREAM
    },
];

const XINFO: &[CommandSpec] = &[
    CommandSpec {
        name: "xinfo|consumers",
        arity: 4,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(2, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Describes the consumers of a group.",
        syntax: "XINFO CONSUMERS key group",
        reply: Shape::Array,
        tips: &["nondeterministic_output"],
        handler: info::consumers,
        examples: &[Example {
            setup: "XGROUP CREATE s g $ MKSTREAM",
            run: "XINFO CONSUMERS s g",
            shows: "(empty array)",
        }],
        ..STREAM
    },
    CommandSpec {
        name: "xinfo|groups",
        arity: 3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(2, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Describes the groups of a stream.",
        syntax: "XINFO GROUPS key",
        reply: Shape::Array,
        handler: info::groups,
        examples: &[Example { setup: "XADD s 1-1 f v", run: "XINFO GROUPS s", shows: "(empty array)" }],
        ..STREAM
    },
    CommandSpec::help("xinfo|help", (5, 0, 0), Group::Stream, &["stream"], &[]),
    CommandSpec {
        name: "xinfo|stream",
        arity: -3,
        flags: Flags::READONLY,
        keys: &[KeySpec::at(2, &["RO", "access"])],
        since: (5, 0, 0),
        summary: "Describes a stream.",
        syntax: "XINFO STREAM key [FULL [COUNT count]]",
        reply: Shape::Map,
        handler: info::stream,
        ..STREAM
    },
];
