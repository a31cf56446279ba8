//! The parts of DEBUG that tell how a value lies in memory.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::generic::object::references;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Param;
use crate::value::{Holder, ListValue, Value, rdb};

pub(super) const STRUCT_SIZES: &str =
    "bits:64 robj:16 dictentry:24 sdshdr5:1 sdshdr8:3 sdshdr16:5 sdshdr32:9 sdshdr64:17 ";

fn line(text: impl Into<Vec<u8>>) -> Reply {
    Reply::Status(text.into().into())
}

fn refused(text: &str) -> CommandError {
    CommandError::Line(format!("ERR {text}").into())
}

fn encoding(ctx: &mut Ctx<'_>, key: &Bytes) -> Result<&'static str, CommandError> {
    let version = ctx.version();
    let entry = ctx.peek(key).ok_or(CommandError::NoSuchKey)?;
    let holder = Holder { version, key_bytes: key.len(), has_expiry: entry.expires_at.is_some() };
    Ok(entry.value.encoding(holder))
}

pub(super) fn object(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    /// What a dump has around the value: its type in front, the version and the checksum behind.
    const DUMP_FRAME_BYTES: usize = 11;
    let (limits, now) = (ctx.limits(), ctx.state.now);
    let references = references(ctx, key).ok_or(CommandError::NoSuchKey)?;
    let encoding = encoding(ctx, key)?;
    let (node_size, depth) = (
        ctx.state.config.int(Param::LIST_MAX_LISTPACK_SIZE),
        ctx.state.config.int(Param::LIST_COMPRESS_DEPTH),
    );
    let entry = ctx.peek(key).ok_or(CommandError::NoSuchKey)?;
    let seconds = entry.accessed_at.0 / 1_000_000;
    let mut text = format!(
        "Value at:0x7f0000000000 refcount:{} encoding:{} serializedlength:{} lru:{} lru_seconds_idle:{}",
        references,
        encoding,
        rdb::dump(&entry.value, &limits).len() - DUMP_FRAME_BYTES,
        seconds & 0xff_ffff,
        now.0 / 1_000_000 - seconds,
    );
    if let Value::List(list) = &entry.value
        && encoding == "quicklist"
    {
        text.push_str(&nodes(list, node_size, depth));
    }
    Ok(line(text).into())
}

fn nodes(list: &ListValue, node_size: i64, depth: i64) -> String {
    let sizes = list.node_bytes();
    format!(
        " ql_nodes:{} ql_avg_node:{:.2} ql_listpack_max:{node_size} ql_compressed:{} ql_uncompressed_size:{}",
        sizes.len(),
        list.len() as f64 / sizes.len().max(1) as f64,
        i64::from(depth != 0),
        sizes.iter().sum::<usize>(),
    )
}

pub(super) fn listpack(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    if encoding(ctx, key)? == "listpack" {
        return Ok(line("Listpack structure printed on stdout").into());
    }
    Err(refused("Not a listpack encoded object."))
}

pub(super) fn quicklist(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    if encoding(ctx, key)? == "quicklist" {
        return Ok(line("Quicklist structure printed on stdout").into());
    }
    Err(refused("Not a quicklist encoded object."))
}

/// Lengths are as there, room and memory as little as it can be.
pub(super) fn sds_lengths(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    let encoding = encoding(ctx, key)?;
    let entry = ctx.peek(key).ok_or(CommandError::NoSuchKey)?;
    let Value::String(string) = &entry.value else { return Err(refused("Not an sds encoded string.")) };
    if encoding == "int" {
        return Err(refused("Not an sds encoded string."));
    }
    let text = format!(
        "key_sds_len:{0}, key_sds_avail:0, key_zmalloc: {0}, val_sds_len:{1}, val_sds_avail:0, val_zmalloc: {1}",
        key.len(),
        string.len(),
    );
    Ok(line(text).into())
}

const EMPTY_TABLE: &str =
    "Hash table 0 stats (main hash table):\nNo stats available for empty dictionaries\n";

/// The size of a table that holds so many; how its chains lie is random on a server.
fn table_text(len: usize) -> String {
    const SMALLEST: usize = 4;
    let size = len.next_power_of_two().max(SMALLEST);
    format!("Hash table 0 stats (main hash table):\n table size: {size}\n number of elements: {len}\n")
}

pub(super) fn tables(ctx: &mut Ctx<'_>, db: &Bytes) -> CommandResult {
    let number = args::int(db)?;
    let db = usize::try_from(number).ok().and_then(|number| ctx.state.dbs.get(number));
    let db = db.ok_or_else(|| refused("Out of range database"))?;
    let is_told_of_empty = ctx.version() < Version::V7_4;
    let table = |len: usize| match len {
        0 if is_told_of_empty => EMPTY_TABLE.to_owned(),
        0 => String::new(),
        _ => table_text(len),
    };
    let text = format!("[Dictionary HT]\n{}[Expires HT]\n{}", table(db.len()), table(db.expiring_len()));
    Ok(verbatim(text).into())
}

pub(super) fn table(ctx: &mut Ctx<'_>, key: &Bytes) -> CommandResult {
    let encoding = encoding(ctx, key)?;
    let entry = ctx.peek(key).ok_or(CommandError::NoSuchKey)?;
    let len = match &entry.value {
        Value::Set(set) if encoding == "hashtable" => set.len(),
        Value::Hash(hash) if encoding == "hashtable" => hash.len(),
        Value::ZSet(zset) if encoding == "skiplist" => zset.len(),
        _ => {
            let text = "The value stored at the specified key is not represented using an hash table";
            return Err(refused(text));
        }
    };
    Ok(verbatim(table_text(len)).into())
}

fn verbatim(text: String) -> Reply {
    Reply::Verbatim { format: *b"txt", text: text.into() }
}
