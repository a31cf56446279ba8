//! DEBUG DIGEST and DIGEST-VALUE: hashes of the dataset by which tests compare two servers. They are built of SHA1, in a way
//! that a server's own answers show: what has an order is mixed in one after another, what has none is laid over each other.

use sha1_smol::Sha1;

use crate::Bytes;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::keyspace::Entry;
use crate::resp::Reply;
use crate::value::stream::StreamId;
use crate::value::{HashValue, StreamValue, Value, number};

#[derive(Clone, Copy, Default)]
struct Sum([u8; 20]);

impl Sum {
    /// Lays the hash of something over this one: the order does not matter.
    fn lay(&mut self, bytes: &[u8]) {
        let hash = Sha1::from(bytes).digest().bytes();
        self.0.iter_mut().zip(hash).for_each(|(own, other)| *own ^= other);
    }

    /// Takes in what comes next: the order matters.
    fn mix(&mut self, bytes: &[u8]) {
        self.lay(bytes);
        self.0 = Sha1::from(self.0).digest().bytes();
    }

    fn pair(first: &[u8], second: &[u8]) -> Self {
        let mut sum = Self::default();
        sum.mix(first);
        sum.mix(second);
        sum
    }

    fn reply(self) -> Reply {
        let text: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        Reply::Status(text.into_bytes().into())
    }
}

/// Each key's value alone, without its name; zeros where there is none.
pub(super) fn of_values(ctx: &mut Ctx<'_>, keys: &[Bytes]) -> CommandResult {
    let sums = keys.iter().map(|key| {
        let mut sum = Sum::default();
        if let Some(entry) = ctx.peek(key) {
            add_entry(&mut sum, entry);
        }
        sum.reply()
    });
    Ok(Reply::Array(sums.collect()).into())
}

/// All keys of all databases.
pub(super) fn of_dataset(ctx: &Ctx<'_>) -> CommandResult {
    let mut all = Sum::default();
    for (index, db) in ctx.state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
        all.mix(&(index as u32).to_be_bytes());
        for (key, entry) in db.iter() {
            let mut sum = Sum::default();
            sum.mix(key);
            add_entry(&mut sum, entry);
            all.lay(&sum.0);
        }
    }
    Ok(all.reply().into())
}

fn add_entry(sum: &mut Sum, entry: &Entry) {
    sum.mix(&type_number(&entry.value).to_be_bytes());
    match &entry.value {
        Value::String(string) => sum.mix(&string.as_slice()),
        Value::List(list) => list.iter().for_each(|element| sum.mix(element)),
        Value::Set(set) => set.iter().for_each(|member| sum.lay(&member)),
        Value::ZSet(zset) => {
            for (member, score) in zset.iter() {
                sum.lay(&Sum::pair(member, number::format_g(score, 17).as_bytes()).0);
            }
        }
        Value::Hash(hash) => add_hash(sum, hash),
        Value::Stream(stream) => add_stream(sum, stream),
    }
    if entry.expires_at.is_some() {
        sum.lay(b"!!expire!!");
    }
}

fn type_number(value: &Value) -> u32 {
    match value {
        Value::String(_) => 0,
        Value::List(_) => 1,
        Value::Set(_) => 2,
        Value::ZSet(_) => 3,
        Value::Hash(_) => 4,
        Value::Stream(_) => 6,
    }
}

fn add_hash(sum: &mut Sum, hash: &HashValue) {
    for (name, field) in hash.iter() {
        let mut pair = Sum::pair(name, &field.value);
        if field.expires_at.is_some() {
            pair.lay(b"!!hexpire!!");
        }
        sum.lay(&pair.0);
    }
}

fn add_stream(sum: &mut Sum, stream: &StreamValue) {
    for (id, fields) in stream.range(StreamId::MIN, StreamId::MAX) {
        sum.mix(format!("{}.{}", id.ms, id.seq).as_bytes());
        for (name, value) in fields.iter() {
            sum.mix(name);
            sum.mix(value);
        }
    }
}
