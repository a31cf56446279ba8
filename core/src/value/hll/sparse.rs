//! Registers as runs: `00nnnnnn` is 1 to 64 zeros, `01nnnnnn nnnnnnnn` 1 to 16384 zeros, `1vvvvvnn` 1 to 4 times the value 1 to 32.
//!
//! A raised register splits its run, and then equal neighbours are joined within a few runs from the one before: which ones, decides the
//! bytes, so it is done as the server does.

use std::fmt::Write;
use std::ops::Range;

use super::{Corrupted, REGISTERS};

const SHORT_ZEROS_MAX: usize = 64;
const VALUE_MAX: u8 = 32;
const VALUE_RUN_MAX: usize = 4;
/// How many runs are looked at for neighbours to join.
const JOINED_RUNS_MAX: usize = 5;

pub(super) enum Change {
    None,
    Raised,
    /// The value or the length is more than the sparse form takes; nothing was changed.
    TooBig,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    /// 0 for a run of zeros.
    value: u8,
    len: usize,
    is_long_zeros: bool,
}

impl Run {
    fn zeros(len: usize) -> Self {
        Self { value: 0, len, is_long_zeros: len > SHORT_ZEROS_MAX }
    }

    fn values(value: u8, len: usize) -> Self {
        Self { value, len, is_long_zeros: false }
    }

    fn bytes(self) -> usize {
        1 + usize::from(self.is_long_zeros)
    }

    fn write(self, bytes: &mut Vec<u8>) {
        let len = self.len - 1;
        if self.value > 0 {
            bytes.push(0x80 | (self.value - 1) << 2 | len as u8);
        } else if self.is_long_zeros {
            bytes.extend([0x40 | (len >> 8) as u8, len as u8]);
        } else {
            bytes.push(len as u8);
        }
    }

    /// The run at the start of the bytes; None at their end. A cut off run is corrupt.
    fn read(bytes: &[u8]) -> Result<Option<Self>, Corrupted> {
        let Some(&first) = bytes.first() else { return Ok(None) };
        let run = match first >> 6 {
            0 => Self { value: 0, len: usize::from(first) + 1, is_long_zeros: false },
            1 => {
                let second = *bytes.get(1).ok_or(Corrupted)?;
                let len = (usize::from(first & 0x3f) << 8 | usize::from(second)) + 1;
                Self { value: 0, len, is_long_zeros: true }
            }
            _ => Self::values((first >> 2 & 0x1f) + 1, usize::from(first & 3) + 1),
        };
        Ok(Some(run))
    }
}

pub(super) fn all_zero() -> Vec<u8> {
    let mut bytes = Vec::new();
    Run::zeros(REGISTERS).write(&mut bytes);
    bytes
}

pub(super) fn registers(body: &[u8]) -> Result<Vec<u8>, Corrupted> {
    let mut registers = Vec::with_capacity(REGISTERS);
    let mut rest = body;
    while let Some(run) = Run::read(rest)? {
        if registers.len() + run.len > REGISTERS {
            return Err(Corrupted);
        }
        registers.resize(registers.len() + run.len, run.value);
        rest = &rest[run.bytes()..];
    }
    if registers.len() == REGISTERS { Ok(registers) } else { Err(Corrupted) }
}

pub(super) fn describe(body: &[u8]) -> Result<String, Corrupted> {
    let mut text = String::new();
    let mut rest = body;
    while let Some(run) = Run::read(rest)? {
        let written = match run {
            Run { value: 0, len, is_long_zeros: false } => write!(text, "z:{len} "),
            Run { value: 0, len, is_long_zeros: true } => write!(text, "Z:{len} "),
            Run { value, len, .. } => write!(text, "v:{value},{len} "),
        };
        written.expect("a string takes all");
        rest = &rest[run.bytes()..];
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

/// The run a register lies in.
struct Found {
    run: Run,
    at: Range<usize>,
    first_register: usize,
    /// Where the run before it starts.
    previous_at: usize,
}

/// Raises a register in the body that starts at `start`, if it holds less.
pub(super) fn raise(
    bytes: &mut Vec<u8>,
    start: usize,
    register: usize,
    value: u8,
    bytes_max: usize,
) -> Result<Change, Corrupted> {
    if value > VALUE_MAX {
        return Ok(Change::TooBig);
    }
    let Found { run, at, first_register, previous_at } = find(bytes, start, register)?;
    if run.value >= value {
        return Ok(Change::None);
    }
    let mut replacement = Vec::with_capacity(5);
    for (value, len) in [
        (run.value, register - first_register),
        (value, 1),
        (run.value, first_register + run.len - 1 - register),
    ] {
        match (value, len) {
            (_, 0) => {}
            (0, len) => Run::zeros(len).write(&mut replacement),
            (value, len) => Run::values(value, len).write(&mut replacement),
        }
    }
    if replacement.len() > at.len() && bytes.len() + replacement.len() - at.len() > bytes_max {
        return Ok(Change::TooBig);
    }
    bytes.splice(at, replacement);
    join_neighbours(bytes, previous_at)?;
    Ok(Change::Raised)
}

fn find(bytes: &[u8], start: usize, register: usize) -> Result<Found, Corrupted> {
    let (mut at, mut previous_at, mut first_register) = (start, start, 0);
    while let Some(run) = Run::read(&bytes[at..])? {
        if register < first_register + run.len {
            return Ok(Found { run, at: at..at + run.bytes(), first_register, previous_at });
        }
        (previous_at, at) = (at, at + run.bytes());
        first_register += run.len;
    }
    Err(Corrupted)
}

fn join_neighbours(bytes: &mut Vec<u8>, from: usize) -> Result<(), Corrupted> {
    let mut at = from;
    for _ in 0..JOINED_RUNS_MAX {
        let Some(run) = Run::read(&bytes[at..])? else { break };
        let next_at = at + run.bytes();
        let next = Run::read(&bytes[next_at..])?;
        match next {
            Some(next) if run.value > 0 && next.value == run.value && run.len + next.len <= VALUE_RUN_MAX => {
                let mut joined = Vec::with_capacity(1);
                Run::values(run.value, run.len + next.len).write(&mut joined);
                bytes.splice(at..next_at + next.bytes(), joined);
            }
            _ => at = next_at,
        }
    }
    Ok(())
}
