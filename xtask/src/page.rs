//! Builds the page into `dist/`, as Trunk.toml says.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::setup::Tools;
use crate::shell::{self, Failure, Step, root};

/// What the page is made of. More than is needed does no harm; less would leave an old page standing.
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
    let stamp = root().join("dist/.sources");
    let sources = sources();
    if sources.is_some() && fs::read_to_string(&stamp).ok() == sources {
        step.end("nothing has changed since the last time");
        return Ok(());
    }
    // Trunk would look for a newer Trunk otherwise.
    shell::run(tools.command("trunk").args(["build", "--release"]).env("TRUNK_SKIP_VERSION_CHECK", "true"))?;
    if let Some(sources) = sources {
        fs::write(&stamp, sources)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", stamp.display())))?;
    }
    step.end("done, in dist/");
    Ok(())
}

/// Every source with its length and the moment of its last change; None where git cannot list them.
fn sources() -> Option<String> {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard", "--"]).args(SOURCES);
    let files = shell::output(list.current_dir(root()))?;
    let mut text = String::new();
    for file in files.lines() {
        let about = fs::metadata(root().join(PathBuf::from(file))).ok();
        let changed = about.as_ref().and_then(|about| about.modified().ok());
        let _ = writeln!(text, "{file} {:?} {changed:?}", about.map(|about| about.len()));
    }
    Some(text)
}
