//! Builds the page into `dist/`, as Trunk.toml says.

use crate::setup::Tools;
use crate::shell::{self, Failure, Step};

/// # Errors
/// Where trunk cannot build it; trunk has said why.
pub(crate) fn build(tools: &Tools) -> Result<(), Failure> {
    let step = Step::begin("building the page");
    // Trunk would look for a newer Trunk otherwise.
    shell::run(tools.command("trunk").args(["build", "--release"]).env("TRUNK_SKIP_VERSION_CHECK", "true"))?;
    step.end("done, in dist/");
    Ok(())
}
