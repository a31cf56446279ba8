//! The real server: one that runs already, or one of our own that is started anew for each file.
//!
//! Both give a scenario the same clean start: no keys, no scripts, no functions, the configuration it asks for.

use std::collections::BTreeMap;
use std::net::{TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use playground_core::resp::Reply;
use playground_core::timeline::{Scenario, Setup};

use super::connection::Connection;

/// Pauses between looks at a server that is not ready yet, and how many.
const PAUSE: Duration = Duration::from_millis(20);
const LOOKS_MAX: usize = 500;

pub(super) struct Target {
    kind: Kind,
    address: String,
    pub(super) version: ServerVersion,
    pub(super) notes: Vec<String>,
}

enum Kind {
    /// At `--server`. What its configuration was before the scenario changed it.
    Running { config: BTreeMap<String, String> },
    /// Of `--spawn`.
    Own { program: String, folder: PathBuf, process: Option<Child>, setup: Setup },
}

#[derive(Clone, Debug, Default)]
pub(super) struct ServerVersion {
    pub(super) full: String,
    pub(super) number: (u8, u8),
}

impl Target {
    pub(super) fn running(address: &str) -> Result<Self, String> {
        let mut connection = connect(address)?;
        let is_near = address.to_socket_addrs().is_ok_and(|mut all| all.all(|one| one.ip().is_loopback()));
        if !is_near && connection.demand(&["DBSIZE"])? != Reply::Int(0) {
            return Err(format!(
                "{address} is another machine and has keys, which would be deleted: empty it first"
            ));
        }
        let version = version(&mut connection)?;
        let kind = Kind::Running { config: BTreeMap::new() };
        Ok(Self { kind, address: address.to_owned(), version, notes: Vec::new() })
    }

    /// Starts the program once, to learn its version.
    pub(super) fn own(program: &str) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("playground-verify-{}", std::process::id()));
        let kind = Kind::Own { program: program.to_owned(), folder, process: None, setup: Setup::default() };
        let mut target =
            Self { kind, address: String::new(), version: ServerVersion::default(), notes: Vec::new() };
        target.start()?;
        target.version = version(&mut target.connect()?)?;
        target.stop();
        Ok(target)
    }

    pub(super) fn name(&self) -> String {
        match &self.kind {
            Kind::Running { .. } => format!("Redis {} at {}", self.version.full, self.address),
            Kind::Own { program, .. } => format!("Redis {} ({program})", self.version.full),
        }
    }

    pub(super) fn connect(&self) -> Result<Connection, String> {
        connect(&self.address)
    }

    /// Why this server can't play the scenario, if it can't.
    pub(super) fn lacks(&self, scenario: &Scenario) -> Option<String> {
        if scenario
            .setup
            .cluster
            .as_ref()
            .is_some_and(|layout| !layout.own.is_empty() || !layout.others.is_empty())
        {
            return Some("shows a node among others, which a server alone is not".to_owned());
        }
        if matches!(self.kind, Kind::Own { .. }) {
            return None;
        }
        let ends_server = |argv: &[playground_core::Bytes]| {
            argv.first().is_some_and(|name| name.eq_ignore_ascii_case(b"shutdown"))
        };
        if scenario.steps.iter().filter_map(|step| step.send()).any(|send| ends_server(&send.argv)) {
            return Some("ends the server, which is not ours: see --spawn".to_owned());
        }
        let is_cluster = self.connect().and_then(|mut connection| info(&mut connection, "cluster_enabled"));
        if scenario.setup.cluster.is_some() && is_cluster.as_deref() != Ok("1") {
            return Some("needs a cluster node: see --spawn".to_owned());
        }
        None
    }

    /// A clean start. The reason to skip the scenario is an inner error.
    pub(super) fn prepare(&mut self, setup: &Setup) -> Result<Result<(), String>, String> {
        self.notes.clear();
        if let Kind::Own { setup: own, .. } = &mut self.kind {
            own.clone_from(setup);
            self.start()?;
            return Ok(Ok(()));
        }
        let mut connection = self.connect()?;
        wipe(&mut connection)?;
        let before = config(&mut connection)?;
        if let Kind::Running { config } = &mut self.kind {
            *config = before;
        }
        for (name, value) in &setup.config {
            if let Err(reason) = connection.demand(&["CONFIG", "SET", name, value]) {
                return Ok(Err(format!("this server refuses {reason}")));
            }
        }
        Ok(Ok(()))
    }

    /// Leaves no trace.
    pub(super) fn clean_up(&mut self) -> Result<(), String> {
        if matches!(self.kind, Kind::Own { .. }) {
            self.stop();
            return Ok(());
        }
        let mut connection = self.connect()?;
        wipe(&mut connection)?;
        let now = config(&mut connection)?;
        let Kind::Running { config: before } = &mut self.kind else { return Ok(()) };
        for (name, value) in std::mem::take(before) {
            if now.get(&name).is_some_and(|changed| *changed != value) {
                connection.demand(&["CONFIG", "SET", &name, &value])?;
            }
        }
        Ok(())
    }

    pub(super) fn restart(&mut self, keep_data: bool) -> Result<(), String> {
        match &mut self.kind {
            Kind::Running { .. } => {
                let mut connection = self.connect()?;
                if keep_data {
                    connection.demand(&["SCRIPT", "FLUSH"])?;
                } else {
                    wipe(&mut connection)?;
                }
                self.note("@ restart was imitated, by flushing and with new connections; --spawn restarts a server of its own");
                Ok(())
            }
            Kind::Own { folder, process, .. } => {
                let is_alive = process.as_mut().is_some_and(|process| matches!(process.try_wait(), Ok(None)));
                let dump = folder.join("dump.rdb");
                // One that is about to end, after SHUTDOWN, may be there still and take no connection.
                let alive = if keep_data && is_alive { connect(&self.address).ok() } else { None };
                if let Some(mut connection) = alive {
                    connection.demand(&["SAVE"])?;
                } else if !keep_data {
                    let _ = std::fs::remove_file(dump);
                }
                self.stop_process();
                self.start_process()
            }
        }
    }

    /// A replica takes over.
    pub(super) fn fail_over(&mut self) -> Result<(), String> {
        if matches!(self.kind, Kind::Running { .. }) {
            self.connect()?.demand(&["SCRIPT", "FLUSH"])?;
            self.note("@ failover was imitated, by SCRIPT FLUSH and new connections; --spawn fails over to a replica of its own");
            return Ok(());
        }
        let Kind::Own { process, .. } = &mut self.kind else { return Ok(()) };
        // Where the scenario made it a replica, it has no master to sync with and would refuse to be one.
        connect(&self.address)?.demand(&["REPLICAOF", "NO", "ONE"])?;
        let mut old = process.take();
        let (host, port) = self
            .address
            .clone()
            .rsplit_once(':')
            .map(|(h, p)| (h.to_owned(), p.to_owned()))
            .unwrap_or_default();
        let result = self.start_process().and_then(|()| {
            let mut replica = self.connect()?;
            replica.demand(&["REPLICAOF", &host, &port])?;
            wait_for(|| Ok(info(&mut replica, "master_link_status")? == "up"), "the replica to catch up")?;
            replica.demand(&["REPLICAOF", "NO", "ONE"]).map(drop)
        });
        if let Some(old) = &mut old {
            let _ = old.kill();
            let _ = old.wait();
        }
        result
    }

    /// A replica of nobody: it keeps its keys, and does not find its master.
    pub(super) fn make_replica(&mut self, link_up: bool) -> Result<(), String> {
        /// Where no Redis listens.
        const NOBODY: [&str; 3] = ["REPLICAOF", "127.0.0.1", "1"];
        self.connect()?.demand(&NOBODY)?;
        if link_up {
            self.note(
                "@ replica has no master to follow here; that shows only with replica-serve-stale-data no",
            );
        }
        Ok(())
    }

    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }

    fn start(&mut self) -> Result<(), String> {
        self.stop();
        self.start_process()
    }

    fn stop(&mut self) {
        self.stop_process();
        if let Kind::Own { folder, .. } = &self.kind {
            let _ = std::fs::remove_dir_all(folder);
        }
    }

    fn stop_process(&mut self) {
        if let Kind::Own { process, .. } = &mut self.kind
            && let Some(mut process) = process.take()
        {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    fn start_process(&mut self) -> Result<(), String> {
        let Kind::Own { program, folder, process, setup } = &mut self.kind else { return Ok(()) };
        let problem = |what: &str, error: std::io::Error| format!("{what}: {error}");
        std::fs::create_dir_all(&*folder).map_err(|error| problem("no folder for the server", error))?;
        let port = free_port().map_err(|error| problem("no free port", error))?;
        self.address = format!("127.0.0.1:{port}");
        let mut command = Command::new(&*program);
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--enable-debug-command",
            "yes",
        ]);
        // The seconds that a replica usually waits for others before it is sent the data.
        command.args(["--repl-diskless-sync-delay", "0"]).arg("--dir").arg(&*folder);
        command.args(["--dbfilename", "dump.rdb"]);
        for (name, value) in &setup.config {
            command.arg(format!("--{name}")).arg(value);
        }
        if setup.cluster.is_some() {
            let _ = std::fs::remove_file(folder.join("nodes.conf"));
            command.args(["--cluster-enabled", "yes"]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        *process = Some(command.spawn().map_err(|error| problem(program, error))?);
        let is_cluster = setup.cluster.is_some();
        let address = self.address.clone();
        wait_for(
            || Ok(connect(&address).is_ok_and(|mut connection| is_ready(&mut connection))),
            "the server to start",
        )?;
        if is_cluster {
            let mut connection = connect(&address)?;
            connection.demand(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"])?;
            wait_for(
                || {
                    let state = text(connection.demand(&["CLUSTER", "INFO"])?);
                    Ok(state.contains("cluster_state:ok"))
                },
                "the cluster to form",
            )?;
        }
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.stop();
    }
}

fn connect(address: &str) -> Result<Connection, String> {
    Connection::open(address).map_err(|error| format!("no server at {address}: {error}"))
}

fn is_ready(connection: &mut Connection) -> bool {
    connection.call(&["PING"]).is_ok_and(|reply| !reply.is_error())
}

fn wait_for(mut is_so: impl FnMut() -> Result<bool, String>, what: &str) -> Result<(), String> {
    for _ in 0..LOOKS_MAX {
        if is_so()? {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
    Err(format!("waited in vain for {what}"))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// No script runs, and there are no keys, scripts and functions.
fn wipe(connection: &mut Connection) -> Result<(), String> {
    wait_for(
        || {
            // A server at work below its threshold does not answer until it is past it.
            let is_busy =
                matches!(connection.call(&["PING"])?, Reply::Error(line) if line.starts_with(b"BUSY"));
            if is_busy {
                connection.call(&["SCRIPT", "KILL"])?;
                connection.call(&["FUNCTION", "KILL"])?;
            }
            Ok(!is_busy)
        },
        "the running script to end",
    )?;
    // A scenario may have made it a replica, which takes no writes.
    if info(connection, "role")? != "master" {
        connection.demand(&["REPLICAOF", "NO", "ONE"])?;
    }
    for command in [["FLUSHALL"].as_slice(), &["SCRIPT", "FLUSH"], &["FUNCTION", "FLUSH"]] {
        connection.demand(command)?;
    }
    Ok(())
}

fn config(connection: &mut Connection) -> Result<BTreeMap<String, String>, String> {
    let Reply::Array(items) = connection.demand(&["CONFIG", "GET", "*"])? else {
        return Err("CONFIG GET * gave no array".to_owned());
    };
    let (pairs, _) = items.as_chunks::<2>();
    Ok(pairs.iter().map(|[name, value]| (text(name.clone()), text(value.clone()))).collect())
}

fn version(connection: &mut Connection) -> Result<ServerVersion, String> {
    let full = info(connection, "redis_version")?;
    let mut parts = full.split('.').map(|part| part.parse().unwrap_or(0));
    let number = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    Ok(ServerVersion { full, number })
}

/// A line of INFO.
fn info(connection: &mut Connection, name: &str) -> Result<String, String> {
    let info = text(connection.demand(&["INFO"])?);
    let value = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value.map(|value| value.trim().to_owned()).ok_or_else(|| format!("INFO does not tell {name}"))
}

fn text(reply: Reply) -> String {
    match reply {
        Reply::Bulk(text) | Reply::Verbatim { text, .. } => text.to_text(),
        Reply::Status(text) => String::from_utf8_lossy(&text).into_owned(),
        _ => String::new(),
    }
}
