//! Python's packages, as tests/clients/requirements.txt names them, in an environment of their own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::rust_tools::tools_folder;
use crate::shell::{self, Failure, Step, root};

/// Answers the folder of the environment's programs.
///
/// # Errors
/// Where the environment cannot be made, or pip cannot fill it.
pub(super) fn ensure() -> Result<PathBuf, Failure> {
    let wanted = root().join("tests/clients/requirements.txt");
    let folder = tools_folder()?.join("python");
    // As for npm: a copy of what was installed last says what is there.
    let stamp = folder.join("installed.txt");
    let list = fs::read(&wanted)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", wanted.display())))?;
    let programs = folder.join("bin");
    // An environment does not outlive the Python it was made with.
    let works = shell::output(Command::new(programs.join("python3")).arg("--version")).is_some();
    if !works || fs::read(&stamp).ok().as_ref() != Some(&list) {
        let step = Step::begin("pip install -r tests/clients/requirements.txt");
        shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut pip = Command::new(programs.join("python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&wanted);
        shell::run(&mut pip)?;
        fs::write(&stamp, list)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", stamp.display())))?;
        step.end("done");
    }
    Ok(programs)
}
