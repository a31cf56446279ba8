//! `bit`: operations on 32-bit integers (LuaBitOp).

use std::ffi::c_int;

use super::printf::{Spec, Text};
use super::stack::{Stack, function};

/// 2^52 + 2^51: added to a double, it leaves the number's low 32 bits, rounded half to even, in the low 32 bits of the sum.
const TO_BITS: f64 = 6_755_399_441_055_744.0;

/// Leaves the library's table on the stack.
pub(in crate::script) fn open(lua: Stack) {
    lua.push_table(0, 12);
    lua.set_function(c"tobit", function(tobit), 0);
    lua.set_function(c"bnot", function(bnot), 0);
    lua.set_function(c"band", function(|lua| fold(lua, |a, b| a & b)), 0);
    lua.set_function(c"bor", function(|lua| fold(lua, |a, b| a | b)), 0);
    lua.set_function(c"bxor", function(|lua| fold(lua, |a, b| a ^ b)), 0);
    lua.set_function(c"lshift", function(|lua| shift(lua, |a, n| a << n)), 0);
    lua.set_function(c"rshift", function(|lua| shift(lua, |a, n| a >> n)), 0);
    lua.set_function(c"arshift", function(|lua| shift(lua, |a, n| (a as i32 >> n) as u32)), 0);
    lua.set_function(c"rol", function(|lua| shift(lua, u32::rotate_left)), 0);
    lua.set_function(c"ror", function(|lua| shift(lua, u32::rotate_right)), 0);
    lua.set_function(c"bswap", function(bswap), 0);
    lua.set_function(c"tohex", function(tohex), 0);
}

fn bits(lua: Stack, argument: c_int) -> u32 {
    if !lua.is_number(argument) {
        lua.type_error(argument, c"number");
    }
    (lua.number(argument) + TO_BITS).to_bits() as u32
}

fn answer(lua: Stack, bits: u32) -> c_int {
    lua.push_number(f64::from(bits as i32));
    1
}

fn tobit(lua: Stack) -> c_int {
    answer(lua, bits(lua, 1))
}

fn bnot(lua: Stack) -> c_int {
    answer(lua, !bits(lua, 1))
}

fn bswap(lua: Stack) -> c_int {
    answer(lua, bits(lua, 1).swap_bytes())
}

fn fold(lua: Stack, operation: fn(u32, u32) -> u32) -> c_int {
    let mut result = bits(lua, 1);
    // From the last one back: of several wrong arguments, the last is complained about.
    for argument in (2..=lua.top()).rev() {
        result = operation(result, bits(lua, argument));
    }
    answer(lua, result)
}

fn shift(lua: Stack, operation: fn(u32, u32) -> u32) -> c_int {
    let value = bits(lua, 1);
    let count = bits(lua, 2) & 31;
    answer(lua, operation(value, count))
}

fn tohex(lua: Stack) -> c_int {
    let value = bits(lua, 1);
    let digits = if lua.kind(2) < 0 { 8 } else { bits(lua, 2) as i32 };
    let letter = if digits < 0 { b'X' } else { b'x' };
    let digits = digits.unsigned_abs().min(8) as usize;
    let text: Text = Spec { precision: Some(8), ..Spec::default() }.unsigned(letter, value.into());
    lua.push_bytes(&text.as_slice()[8 - digits..]);
    1
}
