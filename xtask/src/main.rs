//! `cargo xtask …`: builds, serves and tests the playground, after seeing to the tools that this takes.
//!
//! Knows no other crate of the workspace; it only runs cargo, trunk, npm, browsers and servers, and reads files.
#![allow(clippy::print_stdout, reason = "a program for the terminal")]

mod bench;
mod check;
mod clients;
mod deps;
mod differential;
mod examples;
mod fuzz;
mod npm;
mod outside;
mod page;
mod rules;
mod serve;
mod setup;
mod shell;
mod size;
mod stamp;
mod tally;
mod test;
mod versions;

use std::process::ExitCode;

use setup::Purpose;
use shell::Failure;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  play [--port N] [--host H]   build the page and serve it on http://127.0.0.1:8080
  check                        the quick loop: format, clippy, architecture rules, native tests
  test                         all that CI runs: check, the page, WebAssembly and browser tests, the examples
  size                         build the page and print the size of every file it ships
  npm                          build the npm package and pack it into target/npm/
  compat                       write COMPAT.md anew, from the command table
  fuzz [--minutes N] [--seed S] [TARGET…]
                               random and mutated inputs against the engine's invariants (not guided by coverage)
  deps                         licences, double versions, unused dependencies, and advisories where they can be asked for
  bench [engine|peers|page]…   time the engine natively and in Chromium beside lua5.1; servers beside redis-server and a
                               server in JavaScript; and the page in Chromium
  bench soak                   50,000 steps in the page, with edits, shares and engine restarts: what memory it holds
  setup                        install what all of these need, and do nothing else
  serve [--dir D] [--port N] [--host H] [--prefix /P/]
                               serve a folder that is built already, as the browser tests do

Every command first installs what it needs itself, on Debian as root all of it, elsewhere what needs no root.";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let options: Vec<String> = words.collect();
    run(&command, &options).unwrap_or_else(|failure| {
        eprintln!("\n{failure}");
        ExitCode::FAILURE
    })
}

fn run(command: &str, options: &[String]) -> Result<ExitCode, Failure> {
    match command {
        "play" => {
            // The port is taken first: that it is not free should not be told after a build of minutes.
            let server = serve::Server::bind(&serve::Options::read(options)?)?;
            page::build(&setup::ensure(Purpose::Page)?)?;
            server.run()
        }
        "serve" => serve::Server::bind(&serve::Options::read(options)?)?.run(),
        "fuzz" => fuzz::run(options),
        "bench" => bench::run(options),
        "" | "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => run_without_options(command, options),
    }
}

fn run_without_options(command: &str, options: &[String]) -> Result<ExitCode, Failure> {
    let work: fn() -> Result<ExitCode, Failure> = match command {
        "check" => || Ok(check::run().close()),
        "deps" => || Ok(deps::run().close()),
        "test" => || Ok(test::run().close()),
        "size" => || {
            let tools = setup::ensure(Purpose::Page)?;
            page::build(&tools)?;
            size::print(&tools)
        },
        "npm" => || npm::build(&setup::ensure(Purpose::Page)?).map(|()| ExitCode::SUCCESS),
        "compat" => || {
            let test = ["test", "-p", "playground-tests", "--test", "native", "compat"];
            shell::run(shell::cargo().args(test).env("UPDATE_DOCS", "1")).map(|()| ExitCode::SUCCESS)
        },
        "setup" => || setup::ensure(Purpose::Everything).map(|_| ExitCode::SUCCESS),
        other => return Err(Failure::new(format!("there is no command {other:?}\n\n{USAGE}"))),
    };
    match options.first() {
        None => work(),
        Some(option) => Err(Failure::new(format!("{command} takes no option, and {option:?} was given"))),
    }
}
