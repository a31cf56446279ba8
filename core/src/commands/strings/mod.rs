//! Strings: one file for each thing that is done with them; what several of them need stands here.

pub(super) mod edit;
pub(super) mod many;
pub(super) mod number;
mod options;
pub(super) mod read;
pub(super) mod set;
pub(super) mod take;

use crate::Bytes;
use crate::error::CommandError;
use crate::state::Param;
use crate::value::{StringValue, Value};

use super::ctx::Ctx;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const STRING: CommandSpec =
    CommandSpec { categories: &["string"], group: Group::String, ..CommandSpec::BASE };

/// Puts a string in the key's place and keeps its expiry.
pub(super) fn store(ctx: &mut Ctx<'_>, key: &Bytes, value: StringValue) {
    let shares_integers = ctx.state.shares_integers();
    match ctx.lookup_write(key) {
        Some(entry) => {
            let mut value = value;
            if !shares_integers {
                value.make_own();
            }
            entry.value = Value::String(value);
        }
        None => ctx.insert_value(key, Value::String(value), None),
    }
}

/// Refuses a string that a command would make longer than `proto-max-bulk-len`.
pub(super) fn check_length(ctx: &Ctx<'_>, bytes: usize) -> Result<(), CommandError> {
    let fits =
        i64::try_from(bytes).is_ok_and(|bytes| bytes <= ctx.state.config.int(Param::PROTO_MAX_BULK_LEN));
    if fits { Ok(()) } else { Err(CommandError::StringTooLong) }
}
