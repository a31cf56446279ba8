//! Running other programs, and telling the person at the terminal what is done and how long it took.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What went wrong, as a sentence for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The clone's root folder.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace's root").to_owned()
}

/// The files of a folder of the clone whose names end so, in order; none where there is no such folder.
pub(crate) fn files_below(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut files: Vec<PathBuf> =
        names.filter(|name| name.ends_with(ending)).map(|name| Path::new(folder).join(name)).collect();
    files.sort();
    files
}

/// The cargo that runs us, so that `cargo +nightly xtask` stays with its toolchain.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a program with its output going to the terminal.
///
/// # Errors
/// Where it cannot be started, or says that it failed.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{} failed ({status})", shown(command)))) }
}

/// Runs a program, passes each line of its standard output on to the terminal and shows it to `look`.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_and_look(command: &mut Command, mut look: impl FnMut(&str)) -> Result<(), Failure> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error))?;
    let output = child.stdout.take().expect("its standard output was piped a line above");
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        look(&line);
    }
    let status = child.wait().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{} failed ({status})", shown(command)))) }
}

/// What a program prints; None where it cannot be run or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} could not be started: {error}", shown(command)))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// A heading before a piece of work, and the time it took after it.
pub(crate) struct Step {
    name: String,
    #[expect(
        clippy::disallowed_types,
        reason = "the ban is for the core; this tells a person how long they waited"
    )]
    began: std::time::Instant,
}

impl Step {
    #[expect(clippy::disallowed_types, reason = "as for the field")]
    pub(crate) fn begin(name: impl Into<String>) -> Self {
        let name = name.into();
        println!("\n==> {name}");
        Self { name, began: std::time::Instant::now() }
    }

    pub(crate) fn end(self, outcome: &str) {
        println!("<== {}: {outcome} ({:.1} s)", self.name, self.began.elapsed().as_secs_f32());
    }
}
