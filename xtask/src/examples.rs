//! The examples as tests: each is run on the engine, and played to a real Redis.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::shell::{self, Failure, root};
use crate::tally::Tally;

/// A server that does not listen after so many looks will never do so.
const LOOKS_MAX: u32 = 200;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

pub(crate) fn add_to(tally: &mut Tally) {
    if !tally.fact("the command line builds", || shell::run(playground(&["--version"]).stdout(Stdio::null())))
    {
        return;
    }
    let examples = examples();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    tally.each("examples on the engine", &examples, name, |path| quietly(playground(&["run"]).arg(path)));
    tally.each("examples on a real Redis", &examples, name, |path| {
        // A server of its own for each: none finds what another one left.
        let server = RealServer::start()?;
        let address = format!("127.0.0.1:{}", server.port);
        quietly(playground(&["verify", "--server", &address]).arg(path))
    });
}

fn playground(words: &[&str]) -> Command {
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--locked", "-p", "playground-cli", "--"]).args(words);
    command
}

/// Shows the output of what fails, and of nothing else.
fn quietly(command: &mut Command) -> Result<(), Failure> {
    let output =
        command.output().map_err(|error| Failure::new(format!("it could not be started: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(Failure::new(format!("{}\n{}", output.status, String::from_utf8_lossy(&text))))
}

fn examples() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("examples")).into_iter().flatten().flatten();
    let mut examples: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    examples.sort();
    examples
}

/// A redis-server on loopback, without files; it ends with this value.
struct RealServer {
    process: Child,
    port: u16,
}

impl RealServer {
    fn start() -> Result<Self, Failure> {
        let cannot = |error| Failure::new(format!("redis-server cannot be started: {error}"));
        let port = free_port().map_err(cannot)?;
        let process = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--enable-debug-command", "yes"])
            .current_dir(std::env::temp_dir())
            .stdout(Stdio::null())
            .spawn()
            .map_err(cannot)?;
        let server = Self { process, port };
        for _ in 0..LOOKS_MAX {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(server);
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Err(Failure::new(format!("redis-server does not listen on port {port}")))
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        // One that is gone already is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that was free a moment ago.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
