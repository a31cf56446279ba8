//! Publish and subscribe: the records.

mod inspect;
mod publish;
mod subscribe;

pub(crate) use publish::publish;
pub(crate) use subscribe::unsubscribe_all;

use crate::state::Channels;

use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const LISTEN: Flags = Flags::PUBSUB.or(Flags::NOSCRIPT).or(Flags::LOADING).or(Flags::STALE);
const INSPECT: Flags = Flags::PUBSUB.or(Flags::LOADING).or(Flags::STALE);

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "psubscribe",
        arity: -2,
        flags: LISTEN,
        since: (2, 0, 0),
        group: Group::PubSub,
        summary: "Listens to the channels whose names match.",
        syntax: "PSUBSCRIBE pattern [pattern ...]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::subscribe(ctx, argv, Channels::Pattern),
        examples: &[Example {
            setup: "",
            run: "PSUBSCRIBE n*",
            shows: "1) \"psubscribe\"\n2) \"n*\"\n3) (integer) 1",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "publish",
        arity: 3,
        flags: Flags::PUBSUB.or(Flags::LOADING).or(Flags::STALE).or(Flags::FAST).or(Flags::MAY_REPLICATE),
        since: (2, 0, 0),
        group: Group::PubSub,
        summary: "Sends a message to a channel's subscribers.",
        syntax: "PUBLISH channel message",
        reply: Shape::Int,
        handler: publish::publish_command,
        examples: &[Example { setup: "", run: "PUBLISH news hello", shows: "(integer) 0" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "pubsub",
        arity: -2,
        since: (2, 8, 0),
        group: Group::PubSub,
        summary: "Tells who listens to what.",
        syntax: "PUBSUB",
        subcommands: PUBSUB,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "punsubscribe",
        arity: -1,
        flags: LISTEN,
        since: (2, 0, 0),
        group: Group::PubSub,
        summary: "Stops listening to patterns.",
        syntax: "PUNSUBSCRIBE [pattern [pattern ...]]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::unsubscribe(ctx, argv, Channels::Pattern),
        examples: &[Example {
            setup: "PSUBSCRIBE n*",
            run: "PUNSUBSCRIBE",
            shows: "1) \"punsubscribe\"\n2) \"n*\"\n3) (integer) 0",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "spublish",
        arity: 3,
        flags: Flags::PUBSUB.or(Flags::LOADING).or(Flags::STALE).or(Flags::FAST).or(Flags::MAY_REPLICATE),
        keys: &[KeySpec::at(1, &["not_key"])],
        since: (7, 0, 0),
        group: Group::PubSub,
        summary: "Sends a message to a shard channel's subscribers.",
        syntax: "SPUBLISH shardchannel message",
        reply: Shape::Int,
        handler: publish::spublish_command,
        examples: &[Example { setup: "", run: "SPUBLISH news hello", shows: "(integer) 0" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "ssubscribe",
        arity: -2,
        flags: LISTEN,
        keys: &[KeySpec::range(1, -1, 1, &["not_key"])],
        since: (7, 0, 0),
        group: Group::PubSub,
        summary: "Listens to shard channels.",
        syntax: "SSUBSCRIBE shardchannel [shardchannel ...]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::subscribe(ctx, argv, Channels::Shard),
        examples: &[Example {
            setup: "",
            run: "SSUBSCRIBE s",
            shows: "1) \"ssubscribe\"\n2) \"s\"\n3) (integer) 1",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "subscribe",
        arity: -2,
        flags: LISTEN,
        since: (2, 0, 0),
        group: Group::PubSub,
        summary: "Listens to channels.",
        syntax: "SUBSCRIBE channel [channel ...]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::subscribe(ctx, argv, Channels::Plain),
        examples: &[Example {
            setup: "",
            run: "SUBSCRIBE news",
            shows: "1) \"subscribe\"\n2) \"news\"\n3) (integer) 1",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "sunsubscribe",
        arity: -1,
        flags: LISTEN,
        keys: &[KeySpec::range(1, -1, 1, &["not_key"])],
        since: (7, 0, 0),
        group: Group::PubSub,
        summary: "Stops listening to shard channels.",
        syntax: "SUNSUBSCRIBE [shardchannel [shardchannel ...]]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::unsubscribe(ctx, argv, Channels::Shard),
        examples: &[Example {
            setup: "SSUBSCRIBE s",
            run: "SUNSUBSCRIBE s",
            shows: "1) \"sunsubscribe\"\n2) \"s\"\n3) (integer) 0",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "unsubscribe",
        arity: -1,
        flags: LISTEN,
        since: (2, 0, 0),
        group: Group::PubSub,
        summary: "Stops listening to channels.",
        syntax: "UNSUBSCRIBE [channel [channel ...]]",
        reply: Shape::Push,
        handler: |ctx, argv| subscribe::unsubscribe(ctx, argv, Channels::Plain),
        examples: &[Example {
            setup: "",
            run: "UNSUBSCRIBE",
            shows: "1) \"unsubscribe\"\n2) (nil)\n3) (integer) 0",
        }],
        ..CommandSpec::BASE
    },
];

const PUBSUB: &[CommandSpec] = &[
    CommandSpec {
        name: "pubsub|channels",
        arity: -2,
        flags: INSPECT,
        since: (2, 8, 0),
        group: Group::PubSub,
        summary: "Names the channels that somebody listens to.",
        syntax: "PUBSUB CHANNELS [pattern]",
        reply: Shape::Array,
        handler: inspect::channels,
        examples: &[Example { setup: "", run: "PUBSUB CHANNELS", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("pubsub|help", (6, 2, 0), Group::PubSub, &[], &[]),
    CommandSpec {
        name: "pubsub|numpat",
        arity: 2,
        flags: INSPECT,
        since: (2, 8, 0),
        group: Group::PubSub,
        summary: "Counts the patterns that somebody listens to.",
        syntax: "PUBSUB NUMPAT",
        reply: Shape::Int,
        handler: inspect::numpat,
        examples: &[Example { setup: "", run: "PUBSUB NUMPAT", shows: "(integer) 0" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "pubsub|numsub",
        arity: -2,
        flags: INSPECT,
        since: (2, 8, 0),
        group: Group::PubSub,
        summary: "Counts the subscribers of channels; patterns do not count.",
        syntax: "PUBSUB NUMSUB [channel [channel ...]]",
        reply: Shape::Array,
        handler: inspect::numsub,
        examples: &[Example { setup: "", run: "PUBSUB NUMSUB news", shows: "1) \"news\"\n2) (integer) 0" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "pubsub|shardchannels",
        arity: -2,
        flags: INSPECT,
        since: (7, 0, 0),
        group: Group::PubSub,
        summary: "Names the shard channels that somebody listens to.",
        syntax: "PUBSUB SHARDCHANNELS [pattern]",
        reply: Shape::Array,
        handler: inspect::shardchannels,
        examples: &[Example { setup: "", run: "PUBSUB SHARDCHANNELS", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "pubsub|shardnumsub",
        arity: -2,
        flags: INSPECT,
        since: (7, 0, 0),
        group: Group::PubSub,
        summary: "Counts the subscribers of shard channels.",
        syntax: "PUBSUB SHARDNUMSUB [shardchannel [shardchannel ...]]",
        reply: Shape::Array,
        handler: inspect::shardnumsub,
        examples: &[Example {
            setup: "",
            run: "PUBSUB SHARDNUMSUB news",
            shows: "1) \"news\"\n2) (integer) 0",
        }],
        ..CommandSpec::BASE
    },
];
