//! Sees to all that a command needs beyond cargo: what is there is used, what is missing is installed where that
//! can be done without asking, and named where it cannot.
//!
//! When all is there it only looks, which takes a fraction of a second.

mod npm;
mod python;
mod rust_tools;
mod system;

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Failure, root};

/// What the tools are for; each includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// To build the page.
    Page,
    /// To test it, in a browser and against a real server.
    Tests,
    /// To compare speeds too.
    Everything,
}

/// The folders of the tools that were found outside of PATH.
pub(crate) struct Tools {
    folders: Vec<PathBuf>,
}

impl Tools {
    /// A program, with every tool on its PATH, started in the clone's root.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        self.equip(&mut command);
        command
    }

    pub(crate) fn cargo(&self) -> Command {
        let mut command = shell::cargo();
        self.equip(&mut command);
        command
    }

    fn equip(&self, command: &mut Command) {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = self.folders.iter().cloned().chain(env::split_paths(&path));
        let path =
            env::join_paths(folders).expect("the tools' folders have no separator of PATH in their names");
        command.current_dir(root()).env("PATH", path);
    }
}

/// # Errors
/// A list of all that is missing and could not be installed, each with the way to get it.
pub(crate) fn ensure(purpose: Purpose) -> Result<Tools, Failure> {
    system::ensure(purpose)?;
    rust_tools::ensure_target()?;
    let mut folders = vec![npm::ensure()?];
    folders.extend(rust_tools::ensure_commands()?);
    if purpose >= Purpose::Tests {
        folders.push(python::ensure()?);
        folders.extend(rust_tools::ensure_mdbook()?);
    }
    Ok(Tools { folders })
}

/// What looks for unused dependencies; only `cargo xtask deps` wants it.
///
/// # Errors
/// Where it cannot be built.
pub(crate) fn machete() -> Result<Tools, Failure> {
    Ok(Tools { folders: rust_tools::ensure_machete()?.into_iter().collect() })
}
