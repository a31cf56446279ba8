//! Sorted sets.

pub(super) mod algebra;
pub(super) mod blocking;
pub(super) mod members;
pub(super) mod pops;
pub(super) mod random;
pub(super) mod ranges;
pub(super) mod ranks;
pub(super) mod removal;
mod span;

use crate::Bytes;
use crate::resp::{Protocol, Reply};
use crate::value::ZSetValue;

use super::ctx::Ctx;
use super::notify::Class;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const ZSET: CommandSpec =
    CommandSpec { categories: &["sortedset"], group: Group::SortedSet, ..CommandSpec::BASE };

type Scored = (Bytes, f64);

/// Members, with their scores where asked for: side by side in RESP2, in pairs in RESP3.
fn list(ctx: &Ctx<'_>, members: impl IntoIterator<Item = Scored>, with_scores: bool) -> Reply {
    let mut shown = Vec::new();
    for (member, score) in members {
        match (with_scores, ctx.protocol) {
            (false, _) => shown.push(Reply::Bulk(member)),
            (true, Protocol::Resp2) => shown.extend([Reply::Bulk(member), Reply::Double(score)]),
            (true, Protocol::Resp3) => shown.push(pair(member, score)),
        }
    }
    Reply::Array(shown)
}

fn pair(member: Bytes, score: f64) -> Reply {
    Reply::Array(vec![Reply::Bulk(member), Reply::Double(score)])
}

/// Puts a sorted set that was computed in the key's place; an empty one deletes the key. The number of members.
pub(super) fn store(ctx: &mut Ctx<'_>, key: &Bytes, members: Vec<Scored>, event: &str) -> usize {
    let len = members.len();
    if len == 0 {
        ctx.delete(key, "del");
        return 0;
    }
    let limits = ctx.limits();
    let longest = members.iter().map(|(member, _)| member.len()).max().unwrap_or_default();
    let mut set = ZSetValue::new();
    if len > limits.zset_max_listpack_entries || longest > limits.zset_max_listpack_value {
        set.make_skiplist();
    }
    for (member, score) in members {
        set.insert(member, score, &limits);
    }
    ctx.insert_value(key, set.into(), None);
    ctx.changed(key, Class::ZSET, event);
    len
}
