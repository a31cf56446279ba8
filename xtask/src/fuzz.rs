//! `cargo xtask fuzz`: random inputs for as long as is wanted, on a build that is fast and still checks itself.

use std::process::ExitCode;

use crate::shell::{self, Failure};

/// `options` are those of `playground-fuzz`; see fuzz/src/main.rs.
///
/// # Errors
/// Where it does not build, or finds something.
pub(crate) fn run(options: &[String]) -> Result<ExitCode, Failure> {
    let mut cargo = shell::cargo();
    cargo
        .args(["run", "--quiet", "--locked", "--profile", "fuzz", "-p", "playground-fuzz", "--"])
        .args(options);
    shell::run(&mut cargo).map(|()| ExitCode::SUCCESS)
}
