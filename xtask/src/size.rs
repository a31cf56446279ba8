//! `cargo xtask size`: what the finished page weighs.

use std::process::ExitCode;

use crate::setup::Tools;
use crate::shell::{self, Failure};

/// Prints the bytes of every file in `dist/`: as they are, as gzip and as brotli.
///
/// # Errors
/// Where `dist/` is not there.
pub(crate) fn print(tools: &Tools) -> Result<ExitCode, Failure> {
    // Node has both compressions in it, and is needed for the page anyway.
    shell::run(tools.command("node").args(["xtask/js/size.mjs", "dist"])).map(|()| ExitCode::SUCCESS)
}
