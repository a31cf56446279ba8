//! Strings as rows of bits, and as rows of integers of any width.

pub(super) mod bits;
pub(super) mod fields;

use crate::Bytes;
use crate::error::CommandError;
use crate::value::{StringValue, Value};

use super::ctx::Ctx;
use super::spec::{CommandSpec, Group};

/// What every record of the family has.
const BITMAP: CommandSpec =
    CommandSpec { categories: &["bitmap"], group: Group::Bitmap, ..CommandSpec::BASE };

/// The string's bytes for writing, made at least this long; a missing key is created. True where it grew.
/// The value is raw from here on, even if nothing is written.
fn grown<'c>(
    ctx: &'c mut Ctx<'_>,
    key: &Bytes,
    bytes: usize,
) -> Result<(&'c mut Vec<u8>, bool), CommandError> {
    if ctx.write::<StringValue>(key)?.is_none() {
        ctx.insert_value(key, Value::String(StringValue::from_buffer(Vec::new())), None);
    }
    let value = ctx.write::<StringValue>(key)?.expect("it was just put there");
    let buffer = value.make_buffer();
    let grew = buffer.len() < bytes;
    if grew {
        buffer.resize(bytes, 0);
    }
    Ok((buffer, grew))
}
