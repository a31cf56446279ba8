//! `math.random` and `math.randomseed`: the generator of Redis, the same numbers on every machine.
//!
//! The state belongs to the server: it is seeded once, at the server's start, and goes on from script to script.

use std::ffi::c_int;

use super::stack::{Stack, function};

/// The 48-bit linear congruential generator of C's `drand48` family.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Random48 {
    x: u64,
}

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const ADDEND: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;
/// Low 16 bits of a seeded state.
const SEED_LOW: u64 = 0x330E;

impl Default for Random48 {
    /// The state at a server's start.
    fn default() -> Self {
        Self { x: 0x1234_ABCD_330E }
    }
}

impl Random48 {
    fn seed(&mut self, seed: i32) {
        self.x = u64::from(seed as u32) << 16 | SEED_LOW;
    }

    /// The next number in 0..2^31.
    fn next_u31(&mut self) -> u32 {
        self.x = (MULTIPLIER.wrapping_mul(self.x).wrapping_add(ADDEND)) & MASK;
        (self.x >> 17) as u32
    }
}

/// Puts both functions into the `math` table on top.
pub(in crate::script) fn open(lua: Stack, libraries: *mut super::Libraries) {
    lua.push_light(libraries.cast());
    lua.set_function(c"random", function(random), 1);
    lua.set_function(c"randomseed", function(randomseed), 1);
    lua.pop(1);
}

fn random(lua: Stack) -> c_int {
    // SAFETY: the engine keeps the library state in place while the VM lives; nothing else borrows it now.
    let drawn = unsafe { (*lua.libraries()).kept.random.next_u31() };
    const MAX: u32 = i32::MAX as u32;
    let fraction = f64::from(drawn % MAX) / f64::from(MAX);
    match lua.top() {
        0 => lua.push_number(fraction),
        1 => {
            let high = lua.check_int(1);
            if high < 1 {
                lua.argument_error(1, &[b"interval is empty"]);
            }
            lua.push_number((fraction * f64::from(high)).floor() + 1.0);
        }
        2 => {
            let low = lua.check_int(1);
            let high = lua.check_int(2);
            if low > high {
                lua.argument_error(2, &[b"interval is empty"]);
            }
            let span = f64::from(high.wrapping_sub(low).wrapping_add(1));
            lua.push_number((fraction * span).floor() + f64::from(low));
        }
        _ => lua.raise(&[b"wrong number of arguments"]),
    }
    1
}

fn randomseed(lua: Stack) -> c_int {
    let seed = lua.check_int(1);
    // SAFETY: as in `random`.
    unsafe { (*lua.libraries()).kept.random.seed(seed) };
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_after_a_start_are_those_of_real_servers() {
        let mut random = Random48::default();
        let first = f64::from(random.next_u31()) / f64::from(i32::MAX);
        assert_eq!(format!("{first:.14}"), "0.39646477363839");
    }
}
