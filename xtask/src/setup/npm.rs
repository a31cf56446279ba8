//! npm's packages, as package-lock.json names them: wasm-opt, esbuild, what drives a browser in tests, and the client
//! libraries and queues that are tried on the port.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Failure, Step, root};

/// Answers the folder of the packages' programs.
///
/// # Errors
/// Where npm cannot install them.
pub(super) fn ensure() -> Result<PathBuf, Failure> {
    let modules = root().join("node_modules");
    // A copy of the lock file that was installed last: it is written when all is done, and then says what is there.
    let stamp = modules.join(".installed-lock.json");
    let lock = fs::read(root().join("package-lock.json"))
        .map_err(|error| Failure::new(format!("cannot read package-lock.json: {error}")))?;
    if fs::read(&stamp).ok().as_ref() != Some(&lock) {
        let step = Step::begin("npm ci");
        // No package here needs its install scripts.
        shell::run(
            Command::new("npm")
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
                .current_dir(root()),
        )?;
        fs::write(&stamp, lock)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", stamp.display())))?;
        step.end("done");
    }
    Ok(modules.join(".bin"))
}
