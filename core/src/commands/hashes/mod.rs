//! Hashes, and the expiry of their fields.
//!
//! Fields go at the very moment of their expiry; only where DEBUG SET-ACTIVE-EXPIRE has switched that off do they stay until a
//! command looks at them.

pub(super) mod expiry;
pub(super) mod fields;
pub(super) mod listing;
pub(super) mod numbers;
pub(super) mod ttl;
pub(super) mod with_expiry;

use crate::Bytes;
use crate::clock::UnixMillis;
use crate::error::CommandError;
use crate::value::HashValue;

use super::args;
use super::ctx::Ctx;
use super::expiry::Unit;
use super::notify::Class;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const HASH: CommandSpec = CommandSpec { categories: &["hash"], group: Group::Hash, ..CommandSpec::BASE };

/// The latest moment at which a field can expire, in milliseconds.
const EXPIRY_MAX: i64 = (1 << 46) - 1;

/// Takes away those of the fields that have run out, where nothing else does.
fn expire_looked_at(ctx: &mut Ctx<'_>, key: &Bytes, fields: &[Bytes]) -> Result<(), CommandError> {
    if ctx.state.active_expire {
        return Ok(());
    }
    let now = ctx.now;
    let Some(hash) = ctx.write::<HashValue>(key)? else { return Ok(()) };
    let mut removed = false;
    for field in fields {
        if hash.get(field).is_some_and(|found| found.is_expired(now)) {
            removed |= hash.remove(field).is_some();
        }
    }
    if removed {
        ctx.changed(key, Class::HASH, "hexpired");
    }
    Ok(())
}

/// `FIELDS numfields field …`, which must be all that is left.
fn field_list(arguments: &[Bytes], not_positive: CommandError) -> Result<&[Bytes], CommandError> {
    let [word, numfields, fields @ ..] = arguments else { return Err(CommandError::FieldsMissing) };
    if !args::is(word, "fields") {
        return Err(CommandError::FieldsMissing);
    }
    let numfields = args::positive(numfields).ok_or(not_positive)?;
    if numfields == fields.len() { Ok(fields) } else { Err(CommandError::FieldCount) }
}

/// The moment of expiry that an argument names. Zero and the past are fine.
fn moment(ctx: &Ctx<'_>, unit: Unit, argument: &[u8]) -> Result<UnixMillis, CommandError> {
    let number = args::int(argument)?;
    if number < 0 {
        return Err(CommandError::NegativeExpireTime);
    }
    unit.moment(number, ctx.now)
        .filter(|at| at.0 <= EXPIRY_MAX)
        .ok_or(CommandError::InvalidExpireTime(ctx.spec.name))
}
