//! `playground`: runs scenarios on the engine, plays them to a real Redis, and serves the engine over RESP.
//!
//! Tests and documents rely on the commands' names and exit codes: 0 all as expected, 1 a difference, 2 unusable input.

mod clock;
mod embed;
mod explore;
mod export;
mod files;
mod lint;
mod output;
mod report;
mod run;
mod serve;
mod verify;

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::process::ExitCode;
use std::str::FromStr;

use output::say;

const USAGE: &str = "\
Usage: playground COMMAND (`playground COMMAND --help` shows one alone)

  run FILE…                run scenarios on the engine and compare every expected reply. A folder stands for all Markdown
                           below it, a pattern such as docs/**/*.md for what it matches; pages without scenario pass
      --update             write the replies into the files instead
      --json               a report for programs
      --github             annotations for GitHub's pull requests besides
      --explain            say of each step why it ended as it did, where that may surprise
      --redis-version V    as that version; scenarios about others are skipped

  verify FILE…             play scenarios to a real Redis, waiting for real where the clock moves
      --server HOST:PORT   one that runs already. ITS KEYS, SCRIPTS AND FUNCTIONS ARE DELETED
      --spawn PROGRAM      a redis-server that is started anew for every file; restarts and failovers are real
      --update             write the replies into the files instead
      --json               a report for programs
      --github             annotations for GitHub's pull requests besides

  explore FILE…            run every order in which the clients can act: the outcomes, how many orders have each,
                           and one of the shortest; fails where `@ finally` or `@ always` does in any
      --max-states N       stop at so many states; 200000 unless this says otherwise
      --sample N           draw N orders instead; --seed S, and --priorities to hold clients up for long
      --clock free         time may pass at any moment; or pinned, whatever the files say
      --replies last       which replies tell outcomes apart: none, last or all
      --witnesses FOLDER   write an order for each outcome there, as a scenario
      --redis-version V    as that version
      --json               a report for programs

  lint FILE…               say what goes wrong in scripts (.lua) and in the scripts and clients of scenarios
      --json               a report for programs
      --no-hints           errors and warnings only
      --rules              list the rules instead

  export FILE --as FORM    write a story as transcript, shell (a script that replays it by redis-cli), rust or js (a
                           test), or svg (a picture), to standard output
      --theme T            of the picture: auto (the reader's, the default), light or dark

  embed [FILE] [--src URL] print the page with its redis fences as <redis-playground> elements, and URL's embed.js

  mdbook                   the same as a preprocessor of mdBook

  serve [--port 6391]      speak RESP2 and RESP3 as a Redis server; prints one line when ready
      --bind ADDRESS       listen there instead of on 127.0.0.1
      --redis-version V    7.0, 7.2, 7.4, 8.0, 8.2, 8.4 or 8.6 (the default)
      --config NAME=VALUE  set a parameter, as in redis.conf; may be repeated
      --cluster            be a cluster node that serves all slots
      --nodes N            be N cluster nodes with equal shares of the slots, on --port and the ports after it

Exit codes: 0 all as expected, 1 a difference or a finding, 2 unusable input.";

/// Input that can't be used: exit code 2.
#[derive(Debug)]
struct Unusable(String);

impl<E: std::error::Error> From<E> for Unusable {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The value of an option that is not just a text; the message names the option.
fn value_of<T: FromStr>(option: &str, value: &OsStr) -> Result<T, Unusable>
where
    T::Err: Display,
{
    let text = value.to_string_lossy();
    text.parse().map_err(|error| Unusable(format!("{option} {text}: {error}")))
}

fn main() -> ExitCode {
    match run_command() {
        Ok(code) => code,
        Err(Unusable(message)) => {
            eprintln!("playground: {message}");
            ExitCode::from(2)
        }
    }
}

fn run_command() -> Result<ExitCode, Unusable> {
    let mut args = lexopt::Parser::from_env();
    let command = match args.next()? {
        Some(lexopt::Arg::Value(command)) => command.to_string_lossy().into_owned(),
        Some(lexopt::Arg::Short('V') | lexopt::Arg::Long("version")) => {
            say!("playground {}", env!("CARGO_PKG_VERSION"));
            return Ok(ExitCode::SUCCESS);
        }
        None | Some(lexopt::Arg::Short('h') | lexopt::Arg::Long("help")) => "help".to_owned(),
        Some(other) => return Err(other.unexpected().into()),
    };
    if asks_for_help(std::env::args_os().skip(2)) {
        say!("{}", usage_of(&command).unwrap_or(USAGE));
        return Ok(ExitCode::SUCCESS);
    }
    match command.as_str() {
        "help" => {
            let about = args.value().ok().map(|command| command.to_string_lossy().into_owned());
            say!("{}", about.and_then(|command| usage_of(&command)).unwrap_or(USAGE));
            Ok(ExitCode::SUCCESS)
        }
        "run" => run::run(args),
        "lint" => lint::run(args),
        "export" => export::run(args),
        "verify" => verify::run(args),
        "embed" => embed::run(args),
        "mdbook" => embed::mdbook(args),
        "explore" => explore::run(args),
        "serve" => serve::run(args),
        other => Err(Unusable(format!("there is no command {other:?}\n\n{USAGE}"))),
    }
}

/// Whether one of a command's arguments asks what it takes: as most people do, in any place.
fn asks_for_help(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.any(|argument| argument == "--help" || argument == "-h")
}

/// What the usage says of one command: the paragraph that begins with its name.
fn usage_of(command: &str) -> Option<&'static str> {
    USAGE.split("\n\n").find(|paragraph| paragraph.split_whitespace().next() == Some(command))
}
