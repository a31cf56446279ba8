//! `cargo xtask bench`: the same work natively and in WebAssembly, compared with Debian's Lua in one run; and the page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::page;
use crate::setup::Tools;
use crate::shell::{self, Failure, Step, root};

/// # Errors
/// Where something does not build or run.
pub(crate) fn run(tools: &Tools) -> Result<ExitCode, Failure> {
    let step = Step::begin("building what is timed");
    let target = target_folder(tools)?;
    let folder = target.join("bench-page");
    build(tools, &target, &folder)?;
    step.end("done");
    let mut node = tools.command("node");
    node.arg("xtask/js/bench.mjs").arg(target.join("release/playground-bench")).arg(folder);
    shell::run(crate::test::with_our_server(&mut node))?;
    page::build(tools)?;
    let mut node = tools.command("node");
    shell::run(crate::test::with_our_server(node.arg("bench/page.mjs"))).map(|()| ExitCode::SUCCESS)
}

/// As Trunk builds the page: release, wasm-bindgen, wasm-opt.
fn build(tools: &Tools, target: &Path, folder: &Path) -> Result<(), Failure> {
    let package = ["build", "--quiet", "--release", "--locked", "-p", "playground-bench"];
    shell::run(tools.cargo().args(package).arg("--bins"))?;
    shell::run(tools.cargo().args(package).args(["--lib", "--target", "wasm32-unknown-unknown"]))?;
    let module = target.join("wasm32-unknown-unknown/release/playground_bench.wasm");
    shell::run(tools.command("wasm-bindgen").args(["--target", "web", "--out-dir"]).arg(folder).arg(module))?;
    let bound = folder.join("playground_bench_bg.wasm");
    shell::run(tools.command("wasm-opt").arg("-O3").arg("-o").arg(&bound).arg(&bound))
}

/// Where cargo puts what it builds, which a variable or a config may have moved.
fn target_folder(tools: &Tools) -> Result<PathBuf, Failure> {
    let metadata = shell::output(tools.cargo().args(["metadata", "--no-deps", "--format-version", "1"]));
    metadata
        .as_deref()
        .and_then(|text| text.split_once(r#""target_directory":""#)?.1.split_once('"'))
        .map(|(folder, _)| root().join(folder))
        .ok_or_else(|| Failure::new("cargo metadata does not say where it builds"))
}
