//! Remembers from which sources something was built, so that it is not built again from the same ones.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Failure, root};

/// A file beside what was built, which says what of.
pub(crate) struct Stamp {
    file: PathBuf,
    /// None where git cannot list the sources: then it is built each time.
    sources: Option<String>,
}

impl Stamp {
    /// More sources than are needed do no harm; fewer would leave something old standing.
    pub(crate) fn new(file: &str, sources: &[&str]) -> Self {
        Self { file: root().join(file), sources: list(sources) }
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.sources.is_some() && fs::read_to_string(&self.file).ok() == self.sources
    }

    /// # Errors
    /// Where the file cannot be written.
    pub(crate) fn renew(self) -> Result<(), Failure> {
        let Some(sources) = self.sources else { return Ok(()) };
        fs::write(&self.file, sources)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", self.file.display())))
    }
}

/// Every source with its length and the moment of its last change.
fn list(sources: &[&str]) -> Option<String> {
    let mut list = Command::new("git");
    list.args(["ls-files", "--cached", "--others", "--exclude-standard", "--"]).args(sources);
    let files = shell::output(list.current_dir(root()))?;
    let mut text = String::new();
    for file in files.lines() {
        let about = fs::metadata(root().join(Path::new(file))).ok();
        let changed = about.as_ref().and_then(|about| about.modified().ok());
        let _ = writeln!(text, "{file} {:?} {changed:?}", about.map(|about| about.len()));
    }
    Some(text)
}
