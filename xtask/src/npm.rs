//! `cargo xtask npm`: builds the npm package and packs it into `target/npm/`. It is published nowhere.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::setup::Tools;
use crate::shell::{self, Failure, Step, root};
use crate::stamp::Stamp;
use crate::tally::{self, Tally};

const SOURCES: [&str; 9] =
    [".cargo", "Cargo.lock", "Cargo.toml", "core", "lint", "lua-src", "npm", "package-lock.json", "report"];
/// Where the archive, and the projects that test it, lie.
const FOLDER: &str = "target/npm";
/// What is packed beside the compiled code.
const TEXTS: [(&str, &str); 4] = [
    ("npm/package.json", "package.json"),
    ("npm/README.md", "README.md"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
];

/// Builds and packs, unless that has been done from these very sources.
///
/// # Errors
/// Where a compiler finds something; it has said what.
pub(crate) fn build(tools: &Tools) -> Result<(), Failure> {
    let step = Step::begin("building the npm package");
    let stamp = Stamp::new("target/npm/.sources", &SOURCES);
    if stamp.is_fresh() {
        step.end("nothing has changed since the last time");
        return Ok(());
    }
    module(tools)?;
    shell::run(tools.command("tsc").args(["--project", "npm"]))?;
    pack(tools)?;
    stamp.renew()?;
    step.end("done, in target/npm/");
    Ok(())
}

/// The module with its glue, in `npm/wasm`.
fn module(tools: &Tools) -> Result<(), Failure> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    // A folder of its own: Lua is compiled otherwise here, and each build would undo what the other has done.
    let target = target.join("npm");
    let mut cargo = tools.cargo();
    cargo.args([
        "build",
        "--release",
        "--locked",
        "--target",
        "wasm32-unknown-unknown",
        "-p",
        "playground-npm",
    ]);
    // Node.js 20 and 22 know no others.
    cargo.arg("--target-dir").arg(&target).env("PLAYGROUND_WASM_EXCEPTIONS", "legacy");
    shell::run(&mut cargo)?;
    let wasm = target.join("wasm32-unknown-unknown/release/playground_npm.wasm");
    let mut bindgen = tools.command("wasm-bindgen");
    // After a trap the package starts the module anew.
    bindgen.args(["--target", "web", "--experimental-reset-state-function", "--out-name", "engine"]);
    shell::run(bindgen.args(["--out-dir", "npm/wasm"]).arg(wasm))?;
    let optimised = "npm/wasm/engine_bg.wasm";
    shell::run(tools.command("wasm-opt").args(["-O3", optimised, "-o", optimised]))
}

fn pack(tools: &Tools) -> Result<(), Failure> {
    let folder = root().join(FOLDER);
    let staging = folder.join("package");
    let packing = || -> std::io::Result<()> {
        if staging.exists() {
            fs::remove_dir_all(&staging)?;
        }
        for file in fs::read_dir(&folder)?.flatten().map(|entry| entry.path()) {
            if file.extension().is_some_and(|ending| ending == "tgz") {
                fs::remove_file(file)?;
            }
        }
        for part in ["dist", "wasm"] {
            copy_files(&root().join("npm").join(part), &staging.join(part))?;
        }
        for (from, to) in TEXTS {
            fs::copy(root().join(from), staging.join(to))?;
        }
        Ok(())
    };
    fs::create_dir_all(&folder)
        .and_then(|()| packing())
        .map_err(|error| Failure::new(format!("cannot fill {}: {error}", staging.display())))?;
    let mut npm = tools.command("npm");
    npm.args(["pack", "--loglevel=error", "--pack-destination"]).arg(&folder).current_dir(&staging);
    shell::run(&mut npm)
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let file = entry?;
        fs::copy(file.path(), to.join(file.file_name()))?;
    }
    Ok(())
}

/// Builds the package and tries it as its users would.
pub(crate) fn add_to(tally: &mut Tally, tools: &Tools) {
    if !tally.fact("the npm package builds", || build(tools)) {
        return;
    }
    let mut node = tools.command("node");
    node.args(["--test", "--test-reporter=spec"]).args(shell::files_below("tests/npm", ".test.mjs"));
    tally.suite("the npm package", crate::test::with_our_server(&mut node), tally::node_counts);
}
