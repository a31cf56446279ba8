//! Registers of 6 bits packed one behind the other, each from the low bits up.

use super::REGISTERS;

const REGISTER_BITS: usize = 6;
const REGISTER_MAX: u8 = 63;
pub(super) const BYTES: usize = REGISTERS * REGISTER_BITS / 8;

pub(super) fn pack(registers: &[u8]) -> Vec<u8> {
    let mut body = vec![0; BYTES];
    for (register, &value) in registers.iter().enumerate() {
        raise(&mut body, register, value);
    }
    body
}

pub(super) fn registers(body: &[u8]) -> Vec<u8> {
    (0..REGISTERS).map(|register| get(body, register)).collect()
}

/// True when the register held less.
pub(super) fn raise(body: &mut [u8], register: usize, value: u8) -> bool {
    if get(body, register) >= value {
        return false;
    }
    let (at, shift) = place(register);
    let mask = u16::from(REGISTER_MAX) << shift;
    let pair = pair(body, at) & !mask | u16::from(value) << shift;
    body[at] = pair as u8;
    if let Some(high) = body.get_mut(at + 1) {
        *high = (pair >> 8) as u8;
    }
    true
}

fn get(body: &[u8], register: usize) -> u8 {
    let (at, shift) = place(register);
    (pair(body, at) >> shift) as u8 & REGISTER_MAX
}

fn place(register: usize) -> (usize, usize) {
    let bit = register * REGISTER_BITS;
    (bit / 8, bit % 8)
}

fn pair(body: &[u8], at: usize) -> u16 {
    u16::from(body[at]) | u16::from(body.get(at + 1).copied().unwrap_or(0)) << 8
}
