//! `playground serve`: the engine behind a port, driven by real time.
//!
//! One thread does everything for a server, as in Redis: it waits for sockets and for the engine's next moment, whichever
//! is first. The nodes of a cluster are servers that share nothing, each in a thread of its own.

mod connection;
mod limits;
mod server;

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

use lexopt::Arg;
use lexopt::ValueExt as _;
use mio::net::TcpListener;
use playground_core::profile::Version;
use playground_core::server::{Options, Server};
use playground_core::state::{Cost, Layout};

use crate::clock::Clock;
use crate::output::say;
use crate::{Unusable, value_of};

const DEFAULT_PORT: u16 = 6391;
const NODES_MAX: u16 = 16;

/// A reply may nest as deep as Lua's stack lets a table nest, nearly 8000 levels; whatever reads or drops it goes down
/// as deep. In bytes; only what is used is ever taken.
const STACK_SIZE: usize = 64 << 20;

struct Settings {
    address: SocketAddr,
    options: Options,
    /// How many nodes of a cluster to be; 0: none.
    nodes: u16,
    config: Vec<(String, String)>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let settings = settings(args)?;
    let clock = Clock::start();
    let listeners = listen(settings.address, settings.nodes.max(1))?;
    let mut ports = Vec::new();
    for listener in &listeners {
        ports.push(listener.local_addr()?.port());
    }
    std::thread::scope(|threads| {
        let nodes: Vec<_> = listeners
            .into_iter()
            .enumerate()
            .map(|(place, listener)| {
                let (settings, ports) = (&settings, &ports);
                std::thread::Builder::new()
                    .stack_size(STACK_SIZE)
                    .spawn_scoped(threads, move || serve(settings, ports, place, listener, clock))
            })
            .collect();
        for node in nodes {
            node?.join().map_err(|_| Unusable("a server has failed".to_owned()))??;
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Takes one port for each node, beginning at the address; port 0 lets the system choose.
fn listen(first: SocketAddr, nodes: u16) -> Result<Vec<TcpListener>, Unusable> {
    (0..nodes)
        .map(|place| {
            let mut address = first;
            if first.port() > 0 {
                let port = first.port().checked_add(place);
                address.set_port(
                    port.ok_or_else(|| Unusable(format!("there are no {nodes} ports from {first} on")))?,
                );
            }
            TcpListener::bind(address)
                .map_err(|error| Unusable(format!("can't listen on {address}: {error}")))
        })
        .collect()
}

/// One server, or one node of a cluster: `ports` are those of all nodes, and its own stands at `place`.
fn serve(
    settings: &Settings,
    ports: &[u16],
    place: usize,
    listener: TcpListener,
    clock: Clock,
) -> Result<(), Unusable> {
    let cluster = (settings.nodes > 0).then(|| Layout::shared(ports, place));
    let mut engine =
        Server::new(Options { now: clock.now(), port: ports[place], cluster, ..settings.options.clone() });
    for (name, value) in &settings.config {
        engine
            .configure(name, value)
            .map_err(|reason| Unusable(format!("--config {name}={value}: {reason}")))?;
    }
    let version = settings.options.version;
    let address = listener.local_addr()?;
    let mut server = server::RespServer::new(listener, engine, version, clock)?;
    say!("Redis {} (Redis Scripting Playground) ready on {address}", version.full());
    server.run()?;
    Ok(())
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut port = DEFAULT_PORT;
    let mut bind: IpAddr = std::net::Ipv4Addr::LOCALHOST.into();
    // Only replies are sent on: nobody looks at the rest.
    // Real time passes while a command runs: only scripts, whose time is counted, can be ahead of it.
    let mut options = Options { detailed: false, cost: Cost::REAL_TIME, ..Options::default() };
    let (mut config, mut nodes) = (Vec::new(), 0);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("port") => port = value_of("--port", &args.value()?)?,
            Arg::Long("bind") => bind = value_of("--bind", &args.value()?)?,
            Arg::Long("redis-version") => options.version = version(&args.value()?.string()?)?,
            Arg::Long("cluster") => nodes = nodes.max(1),
            Arg::Long("nodes") => nodes = value_of::<u16>("--nodes", &args.value()?)?.clamp(1, NODES_MAX),
            Arg::Long("config") => {
                let pair = args.value()?.string()?;
                let (name, value) = pair
                    .split_once('=')
                    .ok_or_else(|| Unusable(format!("--config {pair}: expected NAME=VALUE")))?;
                config.push((name.to_owned(), value.to_owned()));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Settings { address: (bind, port).into(), options, nodes, config })
}

pub(crate) fn version(text: &str) -> Result<Version, Unusable> {
    Version::parse(text).ok_or_else(|| {
        let known: Vec<&str> = Version::ALL.iter().map(|version| version.full()).collect();
        Unusable(format!("--redis-version {text}: there are {}", known.join(", ")))
    })
}
