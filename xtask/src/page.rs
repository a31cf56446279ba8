//! Builds the page into `dist/`, as Trunk.toml says.

use crate::setup::Tools;
use crate::shell::{self, Failure, Step};
use crate::stamp::Stamp;

/// What the page is made of.
const SOURCES: [&str; 10] = [
    ".cargo",
    "Cargo.lock",
    "Cargo.toml",
    "Trunk.toml",
    "core",
    "docs",
    "examples",
    "lua-src",
    "package-lock.json",
    "web",
];

/// Builds the page, unless it has been built from these very sources: optimising it takes a minute each time.
///
/// # Errors
/// Where trunk cannot build it; trunk has said why.
pub(crate) fn build(tools: &Tools) -> Result<(), Failure> {
    let step = Step::begin("building the page");
    // `web/finish.mjs` removes the stamp at each build, of whatever kind: one that is there is of the last one.
    let stamp = Stamp::new("dist/.sources", &SOURCES);
    if stamp.is_fresh() {
        step.end("nothing has changed since the last time");
        return Ok(());
    }
    // Trunk would look for a newer Trunk otherwise.
    shell::run(tools.command("trunk").args(["build", "--release"]).env("TRUNK_SKIP_VERSION_CHECK", "true"))?;
    stamp.renew()?;
    step.end("done, in dist/");
    Ok(())
}
