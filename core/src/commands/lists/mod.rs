//! Lists. Elements are pushed, popped and moved at two ends; some commands wait for an element.

pub(super) mod blocking;
pub(super) mod elements;
pub(super) mod ends;
pub(super) mod moving;

use crate::Bytes;
use crate::error::CommandError;
use crate::resp::Reply;
use crate::value::{End, ListValue};

use super::args;
use super::ctx::Ctx;
use super::notify::Class;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const LIST: CommandSpec = CommandSpec { categories: &["list"], group: Group::List, ..CommandSpec::BASE };

/// LEFT or RIGHT.
fn end(argument: &[u8]) -> Result<End, CommandError> {
    if args::is(argument, "left") {
        Ok(End::Left)
    } else if args::is(argument, "right") {
        Ok(End::Right)
    } else {
        Err(CommandError::Syntax)
    }
}

fn push_event(end: End) -> &'static str {
    if end == End::Left { "lpush" } else { "rpush" }
}

fn pop_event(end: End) -> &'static str {
    if end == End::Left { "lpop" } else { "rpop" }
}

/// Pushes elements to a list that is there or is made. The new length.
fn push(ctx: &mut Ctx<'_>, key: &Bytes, end: End, elements: &[Bytes]) -> Result<usize, CommandError> {
    let limits = ctx.limits();
    if ctx.write::<ListValue>(key)?.is_none() {
        ctx.insert_value(key, ListValue::new(&limits).into(), None);
    }
    let list = ctx.write::<ListValue>(key)?.expect("it was just put there");
    list.push(end, elements, &limits);
    let len = list.len();
    ctx.changed(key, Class::LIST, push_event(end));
    Ok(len)
}

/// Pops up to `count` elements; None where there is no list.
fn pop(ctx: &mut Ctx<'_>, key: &Bytes, end: End, count: usize) -> Result<Option<Vec<Bytes>>, CommandError> {
    let limits = ctx.limits();
    let Some(list) = ctx.write::<ListValue>(key)? else { return Ok(None) };
    let popped = list.pop_many(end, count, &limits);
    if !popped.is_empty() {
        ctx.changed(key, Class::LIST, pop_event(end));
    }
    Ok(Some(popped))
}

/// LMPOP and BLMPOP: `numkeys key … LEFT|RIGHT [COUNT count]`.
struct ManyPop<'a> {
    keys: &'a [Bytes],
    end: End,
    count: usize,
}

impl<'a> ManyPop<'a> {
    fn parse(arguments: &'a [Bytes]) -> Result<Self, CommandError> {
        let (keys, mut rest) = args::counted_keys(arguments)?;
        let end = end(rest.next()?)?;
        let mut count = None;
        while !rest.is_done() {
            if count.is_some() || !rest.take_word("count") {
                return Err(CommandError::Syntax);
            }
            count = Some(args::positive_count(rest.next()?)?);
        }
        Ok(Self { keys, end, count: count.unwrap_or(1) })
    }

    /// Pops from the first list that is there; None where none is.
    fn run(&self, ctx: &mut Ctx<'_>) -> Result<Option<Reply>, CommandError> {
        for key in self.keys {
            if !super::waiting::may_take_from(ctx, key) {
                continue;
            }
            if let Some(popped) = pop(ctx, key, self.end, self.count)? {
                return Ok(Some(Reply::Array(vec![Reply::Bulk(key.clone()), Reply::bulks(popped)])));
            }
        }
        Ok(None)
    }
}
