//! Standard output. Whoever reads it may have seen enough (`playground … | head`): then the program ends without a word, as
//! Unix tools do, instead of panicking as `println!` would.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _, stdout};
use std::process::exit;

/// What a shell shows of a program that SIGPIPE has ended.
const BROKEN_PIPE: i32 = 128 + 13;

pub(crate) fn write(text: Arguments<'_>) {
    match stdout().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(BROKEN_PIPE),
        Err(error) => {
            eprintln!("playground: cannot write: {error}");
            exit(2);
        }
    }
}

/// Writes a text to standard output.
macro_rules! show {
    ($($part:tt)*) => { $crate::output::write(format_args!($($part)*)) };
}

/// Writes a line to standard output.
macro_rules! say {
    ($($part:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($part)*))) };
}

pub(crate) use {say, show};
