//! HyperLogLog: counting different elements in a string of at most 12 kB.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::value::{StringValue, Value, hll};

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::notify::Class;
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const HLL: CommandSpec = CommandSpec {
    categories: &["hyperloglog"],
    since: (2, 8, 9),
    group: Group::HyperLogLog,
    ..CommandSpec::BASE
};

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "pfadd",
        arity: -2,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::FAST),
        keys: &[KeySpec::at(1, &["RW", "insert"])],
        summary: "Adds elements to a HyperLogLog; 1 where the estimate may have changed.",
        syntax: "PFADD key [element [element ...]]",
        reply: Shape::Int,
        handler: pfadd,
        examples: &[Example { setup: "", run: "PFADD h a b c", shows: "(integer) 1" }],
        ..HLL
    },
    CommandSpec {
        name: "pfcount",
        arity: -2,
        flags: Flags::READONLY.or(Flags::MAY_REPLICATE),
        keys: &[KeySpec {
            notes: "RW because it may change the internal representation of the key, and propagate to replicas",
            ..KeySpec::range(1, -1, 1, &["RW", "access"])
        }],
        summary: "Estimates how many different elements were added to one or more HyperLogLogs.",
        syntax: "PFCOUNT key [key ...]",
        reply: Shape::Int,
        handler: pfcount,
        examples: &[Example { setup: "PFADD h a b a", run: "PFCOUNT h", shows: "(integer) 2" }],
        ..HLL
    },
    CommandSpec {
        name: "pfdebug",
        arity: 3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::ADMIN),
        keys: &[KeySpec::at(2, &["RW", "access"])],
        summary: "Looks inside a HyperLogLog.",
        syntax: "PFDEBUG subcommand key",
        reply: Shape::OneOf(&[Shape::Status, Shape::Bulk, Shape::Int, Shape::Array]),
        handler: pfdebug,
        examples: &[Example {
            setup: "PFADD h a",
            run: "PFDEBUG DECODE h",
            shows: "\"Z:12711 v:2,1 Z:3672\"",
        }],
        ..HLL
    },
    CommandSpec {
        name: "pfmerge",
        arity: -2,
        flags: Flags::WRITE.or(Flags::DENYOOM),
        keys: &[KeySpec::at(1, &["RW", "access", "insert"]), KeySpec::range(2, -1, 1, &["RO", "access"])],
        summary: "Merges HyperLogLogs into one.",
        syntax: "PFMERGE destkey [sourcekey [sourcekey ...]]",
        reply: Shape::Status,
        handler: pfmerge,
        examples: &[Example { setup: "PFADD a x\nPFADD b y", run: "PFMERGE ab a b", shows: "OK" }],
        ..HLL
    },
    CommandSpec {
        name: "pfselftest",
        arity: 1,
        flags: Flags::ADMIN,
        summary: "Tests the server's HyperLogLog.",
        syntax: "PFSELFTEST",
        reply: Shape::Status,
        handler: pfselftest,
        examples: &[Example { setup: "", run: "PFSELFTEST", shows: "OK" }],
        ..HLL
    },
];

impl From<hll::Corrupted> for CommandError {
    fn from(_: hll::Corrupted) -> Self {
        Self::Line("INVALIDOBJ Corrupted HLL object detected".into())
    }
}

fn check(bytes: &[u8]) -> Result<(), CommandError> {
    if hll::is_valid(bytes) {
        Ok(())
    } else {
        Err(CommandError::Line("WRONGTYPE Key is not a valid HyperLogLog string value.".into()))
    }
}

/// The HyperLogLog's bytes for writing; the value is raw from here on.
fn write<'c>(ctx: &'c mut Ctx<'_>, key: &Bytes) -> Result<Option<&'c mut Vec<u8>>, CommandError> {
    let Some(value) = ctx.write::<StringValue>(key)? else { return Ok(None) };
    check(&value.as_slice())?;
    Ok(Some(value.make_buffer()))
}

/// As [`write`]; a missing key is created, and that is told.
fn write_or_create<'c>(ctx: &'c mut Ctx<'_>, key: &Bytes) -> Result<(&'c mut Vec<u8>, bool), CommandError> {
    let created = write(ctx, key)?.is_none();
    if created {
        ctx.insert_value(key, Value::String(StringValue::from_buffer(hll::new())), None);
    }
    Ok((write(ctx, key)?.expect("it was just put there"), created))
}

fn pfadd(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let key = &argv[1];
    let sparse_bytes_max = ctx.limits().hll_sparse_max_bytes;
    let (bytes, created) = write_or_create(ctx, key)?;
    let mut changed = created;
    for element in &argv[2..] {
        changed |= hll::add(bytes, element, sparse_bytes_max)?;
    }
    if changed {
        ctx.changed(key, Class::STRING, "pfadd");
    }
    Ok(Reply::from(changed).into())
}

/// The registers of all the keys that exist, united; and whether one of them is dense.
fn union(ctx: &mut Ctx<'_>, keys: &[Bytes]) -> Result<(Vec<u8>, bool), CommandError> {
    let mut registers = vec![0; hll::REGISTERS];
    let mut any_dense = false;
    for key in keys {
        let Some(value) = ctx.read::<StringValue>(key)? else { continue };
        let bytes = value.as_slice();
        check(&bytes)?;
        any_dense |= !hll::is_sparse(&bytes);
        hll::unite(&mut registers, &hll::registers(&bytes)?);
    }
    Ok((registers, any_dense))
}

fn pfcount(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let [_, key] = argv else {
        let (registers, _) = union(ctx, &argv[1..])?;
        return Ok(Reply::Int(hll::count(&registers) as i64).into());
    };
    if ctx.lookup(key).is_none() {
        return Ok(Reply::Int(0).into());
    }
    let bytes = write(ctx, key)?.expect("it was just looked up");
    if let Some(count) = hll::cached_count(bytes) {
        return Ok(Reply::Int(count as i64).into());
    }
    let count = hll::count(&hll::registers(bytes)?);
    hll::cache_count(bytes, count);
    // The estimate is kept in the string, so those who watch it see a change.
    ctx.signal(key);
    Ok(Reply::Int(count as i64).into())
}

fn pfmerge(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let target = &argv[1];
    let sparse_bytes_max = ctx.limits().hll_sparse_max_bytes;
    let (registers, any_dense) = union(ctx, &argv[1..])?;
    let (bytes, _) = write_or_create(ctx, target)?;
    hll::merge(bytes, &registers, any_dense, sparse_bytes_max)?;
    ctx.changed(target, Class::STRING, "pfadd");
    Ok(Reply::OK.into())
}

fn pfdebug(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (word, key) = (&argv[1], &argv[2]);
    if ctx.version() >= Version::V8_2 && args::is(word, "simd") {
        return simd(key);
    }
    let Some(bytes) = write(ctx, key)? else {
        return Err(CommandError::Line("ERR The specified key does not exist".into()));
    };
    let reply = match &*word.to_ascii_lowercase() {
        b"getreg" => {
            let became_dense = hll::make_dense(bytes)?;
            let registers = hll::registers(bytes)?;
            if became_dense {
                ctx.state.dirty += 1;
            }
            Reply::Array(registers.into_iter().map(|value| Reply::Int(value.into())).collect())
        }
        b"decode" if hll::is_sparse(bytes) => Reply::bulk(hll::decode(bytes)?),
        b"decode" => return Err(CommandError::Line("ERR HLL encoding is not sparse".into())),
        b"encoding" => Reply::status(if hll::is_sparse(bytes) { "sparse" } else { "dense" }),
        b"todense" => {
            let became_dense = hll::make_dense(bytes)?;
            ctx.state.dirty += u64::from(became_dense);
            Reply::from(became_dense)
        }
        _ => return Err(CommandError::UnknownPfdebug(word.to_word())),
    };
    Ok(reply.into())
}

/// Real servers can be told not to use vector instructions; nothing depends on it.
fn simd(word: &[u8]) -> CommandResult {
    match &*word.to_ascii_lowercase() {
        b"on" => Ok(Reply::status("enabled").into()),
        b"off" => Ok(Reply::status("disabled").into()),
        _ => Err(CommandError::Line("ERR Argument must be ON or OFF".into())),
    }
}

/// Adds and counts as PFSELFTEST does: the estimate must stay within its error of 0.81 %, six times over.
fn pfselftest(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    const ELEMENTS: u64 = 10_000;
    let mut bytes = hll::new();
    for element in 0..ELEMENTS {
        hll::add(&mut bytes, &element.to_le_bytes(), usize::MAX)?;
    }
    let count = hll::count(&hll::registers(&bytes)?);
    if count.abs_diff(ELEMENTS) * 1000 > ELEMENTS * 49 {
        return Err(CommandError::Line("ERR TESTFAILED Too big error".into()));
    }
    Ok(Reply::OK.into())
}
