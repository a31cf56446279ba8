//! `cargo xtask bench`: the same work natively and in WebAssembly, compared with Debian's Lua in one run; beside other servers; the page; and what it holds after a long day.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::page;
use crate::setup::{self, Purpose, Tools};
use crate::shell::{self, Failure, Step, root};

/// What can be asked for alone.
const PARTS: [&str; 4] = ["engine", "peers", "page", SOAK];
/// Takes a quarter of an hour, so it has to be asked for.
const SOAK: &str = "soak";

/// Times the named parts, or all of them.
///
/// # Errors
/// Where a part is unknown, or something does not build or run.
pub(crate) fn run(words: &[String]) -> Result<ExitCode, Failure> {
    if let Some(word) = words.iter().find(|word| !PARTS.contains(&word.as_str())) {
        return Err(Failure::new(format!("bench has no part {word:?}; it has {}", PARTS.join(", "))));
    }
    let tools = &setup::ensure(Purpose::Everything)?;
    let is_wanted = |part: &str| words.is_empty() || words.iter().any(|word| word == part);
    if is_wanted("engine") || is_wanted("peers") {
        let step = Step::begin("building what is timed");
        let target = target_folder(tools)?;
        let folder = target.join("bench-page");
        build(tools, &target, &folder)?;
        step.end("done");
        let program = target.join("release/playground-bench");
        if is_wanted("engine") {
            let mut node = tools.command("node");
            node.arg("xtask/js/bench.mjs").arg(&program).arg(&folder);
            shell::run(crate::test::with_our_server(&mut node))?;
        }
        if is_wanted("peers") {
            let mut node = tools.command("node");
            node.arg("bench/peers.mjs").arg(target.join("release/playground")).arg(&program).arg(&folder);
            shell::run(crate::test::with_our_server(&mut node))?;
        }
    }
    let is_long = words.iter().any(|word| word == SOAK);
    let programs = [("bench/page.mjs", is_wanted("page")), ("bench/soak.mjs", is_long)];
    if programs.iter().any(|(_, wanted)| *wanted) {
        page::build(tools)?;
    }
    for (program, _) in programs.into_iter().filter(|(_, wanted)| *wanted) {
        shell::run(crate::test::with_our_server(tools.command("node").arg(program)))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// As Trunk builds the page: release, wasm-bindgen, wasm-opt.
fn build(tools: &Tools, target: &Path, folder: &Path) -> Result<(), Failure> {
    let package = ["build", "--quiet", "--release", "--locked", "-p", "playground-bench"];
    shell::run(tools.cargo().args(package).args(["--bins", "-p", "playground-cli"]))?;
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
