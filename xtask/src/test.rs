//! `cargo xtask test`: everything that CI runs, from the quick to the slow, to one closing line.

use std::collections::BTreeSet;
use std::process::Command;

use crate::check;
use crate::clients;
use crate::deps;
use crate::differential;
use crate::examples;
use crate::npm;
use crate::outside;
use crate::page;
use crate::setup::{self, Purpose, Tools};
use crate::shell::{self, Failure};
use crate::size;
use crate::tally::{self, Tally};

/// A busy machine must not fail the tests; one that hangs is ended all the same.
const BROWSER_TESTS_SECONDS_MAX: &str = "600";

/// A failed suite does not keep the others from running: one run tells all.
pub(crate) fn run() -> Tally {
    let mut tally = Tally::default();
    check::add_to(&mut tally);
    deps::add_to(&mut tally);
    outside::add_to(&mut tally);
    let mut tools = None;
    tally.fact("the tools are there", || setup::ensure(Purpose::Tests).map(|found| tools = Some(found)));
    if let Some(tools) = tools {
        examples::add_to(&mut tally);
        clients::add_to(&mut tally, &tools);
        differential::add_to(&mut tally, &tools);
        webassembly(&mut tally, &tools);
        page(&mut tally, &tools);
        npm::add_to(&mut tally, &tools);
    }
    tally
}

fn webassembly(tally: &mut Tally, tools: &Tools) {
    let target = ["--locked", "--target", "wasm32-unknown-unknown"];
    tally.fact("clippy for WebAssembly", || {
        let mut clippy = tools.cargo();
        clippy.args(["clippy", "--quiet"]).args(target);
        let packages = [
            "playground-engine",
            "playground-linter",
            "playground-npm",
            "playground-web",
            "playground-tests",
        ];
        clippy.args(packages.iter().flat_map(|name| ["-p", name]));
        shell::run(clippy.args(["--all-targets", "--", "-D", "warnings"]))
    });
    let mut native = tools.cargo();
    native.args([
        "test",
        "--locked",
        "-p",
        "playground-tests",
        "--test",
        "native",
        "digests::",
        "--",
        "--nocapture",
    ]);
    let here = tally.suite("where the examples end natively", &mut native, tally::rust_counts);
    let mut browser = tools.cargo();
    browser.arg("test").args(target).args(["-p", "playground-tests", "--test", "wasm", "--", "--nocapture"]);
    browser.env("WASM_BINDGEN_TEST_TIMEOUT", BROWSER_TESTS_SECONDS_MAX);
    let there = tally.suite("WebAssembly tests in Chromium", &mut browser, tally::rust_counts);
    tally.fact("examples end in the same state natively and in Chromium", || same_digests(&here, &there));
}

/// Both sides print `digest EXAMPLE HASH` for each example.
fn same_digests(here: &str, there: &str) -> Result<(), Failure> {
    let digests = |output: &str| -> BTreeSet<String> {
        output.lines().filter_map(|line| line.find("digest ").map(|at| line[at..].to_owned())).collect()
    };
    let (here, there) = (digests(here), digests(there));
    if here == there && !here.is_empty() {
        return Ok(());
    }
    let differing: Vec<&str> = here.symmetric_difference(&there).map(String::as_str).collect();
    Err(Failure::new(format!("{} digests, of which differ:\n{}", here.len(), differing.join("\n"))))
}

fn page(tally: &mut Tally, tools: &Tools) {
    if !tally.fact("the page builds", || page::build(tools)) {
        return;
    }
    tally.fact("sizes", || size::print(tools).map(drop));
    // Named one by one, since Node's versions differ in what they take a folder for.
    let mut browser = tools.command("node");
    browser.args(["--test", "--test-reporter=spec"]).args(shell::files_below("tests/e2e", ".test.mjs"));
    tally.suite("the page in Chromium", with_our_server(&mut browser), tally::node_counts);
}

/// Lets a browser script serve folders by this very program.
pub(crate) fn with_our_server(node: &mut Command) -> &mut Command {
    match std::env::current_exe() {
        Ok(program) => node.env("PLAYGROUND_XTASK", program),
        // The script finds cargo, and cargo finds us.
        Err(_) => node,
    }
}
