//! Rust's WebAssembly target, and the command-line tools that are written in Rust and pinned.
//!
//! The tools live outside of the clone, each version in a folder of its own, so that every clone finds them. They
//! are built without optimisation: that takes a third of the time, and their work here is small.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Failure, Step};
use crate::versions;

const TARGET: &str = "wasm32-unknown-unknown";

/// Why each flag stands here: `--locked` fails for this wasm-bindgen-cli where the registry lacks a version its
/// lock wants, and trunk 0.22.1 declares a newer rustc than it needs.
struct Tool {
    package: &'static str,
    program: &'static str,
    folder: &'static str,
    version: fn() -> Result<String, Failure>,
    flags: &'static [&'static str],
}

const TOOLS: [Tool; 2] = [
    Tool {
        package: "wasm-bindgen-cli",
        program: "wasm-bindgen",
        folder: "wasm-bindgen",
        version: versions::wasm_bindgen,
        flags: &[],
    },
    Tool {
        package: "trunk",
        program: "trunk",
        folder: "trunk",
        version: || versions::tool("trunk"),
        flags: &["--locked", "--ignore-rust-version"],
    },
];

/// For the sample book. What it has beyond building one is left out.
const MDBOOK: Tool = Tool {
    package: "mdbook",
    program: "mdbook",
    folder: "mdbook",
    version: || versions::tool("mdbook"),
    flags: &["--locked", "--no-default-features"],
};

const MACHETE: Tool = Tool {
    package: "cargo-machete",
    program: "cargo-machete",
    folder: "cargo-machete",
    version: || versions::tool("cargo-machete"),
    flags: &["--locked"],
};

/// # Errors
/// Where rustc lacks the target and no rustup is there to add it.
pub(super) fn ensure_target() -> Result<(), Failure> {
    let libraries =
        shell::output(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    if libraries.is_some_and(|folder| PathBuf::from(folder).is_dir()) {
        return Ok(());
    }
    let step = Step::begin(format!("rustup target add {TARGET}"));
    shell::run(Command::new("rustup").args(["target", "add", TARGET])).map_err(|failure| {
        Failure::new(format!(
            "{failure}\nrustc needs its library for {TARGET}; rustup (rustup.rs) can add it"
        ))
    })?;
    step.end("done");
    Ok(())
}

/// Answers the folders that hold the tools' programs.
///
/// # Errors
/// Where a tool cannot be built.
pub(super) fn ensure_commands() -> Result<Vec<PathBuf>, Failure> {
    let mut folders = Vec::new();
    for tool in TOOLS {
        folders.extend(tool.ensure()?);
    }
    Ok(folders)
}

/// The folder of mdBook, if it is not on PATH.
///
/// # Errors
/// Where it cannot be built.
pub(super) fn ensure_mdbook() -> Result<Option<PathBuf>, Failure> {
    MDBOOK.ensure()
}

/// The folder of what looks for unused dependencies, if it is not on PATH.
///
/// # Errors
/// Where it cannot be built.
pub(super) fn ensure_machete() -> Result<Option<PathBuf>, Failure> {
    MACHETE.ensure()
}

impl Tool {
    /// The folder to put on PATH; None where PATH has the right version already.
    fn ensure(&self) -> Result<Option<PathBuf>, Failure> {
        let version = (self.version)()?;
        let folder = tools_folder()?.join(format!("{}-{version}", self.folder));
        let programs = folder.join("bin");
        // cargo moves the programs there when they are finished, so one that exists is whole.
        if programs.join(self.program).exists() {
            return Ok(Some(programs));
        }
        let on_path = shell::output(Command::new(self.program).arg("--version"));
        if on_path.is_some_and(|output| output.split_whitespace().nth(1) == Some(&version)) {
            return Ok(None);
        }
        let step = Step::begin(format!("building {} {version}, once for this machine", self.package));
        fs::create_dir_all(&folder)
            .map_err(|error| Failure::new(format!("cannot make {}: {error}", folder.display())))?;
        let mut install = shell::cargo();
        install
            .args(["install", "--quiet", self.package, "--version", &version, "--root"])
            .arg(&folder)
            .args(self.flags)
            .current_dir(&folder)
            .env_remove("CARGO_TARGET_DIR")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        shell::run(&mut install)?;
        step.end("done");
        Ok(Some(programs))
    }
}

/// `$PLAYGROUND_TOOLS`, or a folder in the user's cache.
pub(super) fn tools_folder() -> Result<PathBuf, Failure> {
    let from = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("PLAYGROUND_TOOLS")
        .or_else(|| from("XDG_CACHE_HOME").map(|cache| cache.join("redis-playground/tools")))
        .or_else(|| from("HOME").map(|home| home.join(".cache/redis-playground/tools")))
        .ok_or_else(|| Failure::new("neither HOME nor PLAYGROUND_TOOLS says where tools may be kept"))
}
