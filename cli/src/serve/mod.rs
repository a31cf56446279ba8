//! `playground serve`: the engine behind a port, driven by real time.
//!
//! One thread does everything, as in Redis: it waits for sockets and for the engine's next moment, whichever is first.

mod connection;
mod server;

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

use lexopt::Arg;
use lexopt::ValueExt as _;
use playground_core::clock::Micros;
use playground_core::profile::Version;
use playground_core::server::{Options, Server};

use crate::Unusable;
use crate::clock::Clock;

const DEFAULT_PORT: u16 = 6391;

/// Lua VM instructions per microsecond. Clients have real timeouts, so it is nearer to a real machine than the scenarios' rate;
/// yet it leaves ample room below one, for a running script is run again whenever somebody looks, and must catch up each time.
const INSTRUCTIONS_PER_MICRO: u64 = 25;

struct Settings {
    address: SocketAddr,
    options: Options,
    config: Vec<(String, String)>,
}

pub(crate) fn run(args: lexopt::Parser) -> Result<ExitCode, Unusable> {
    let Settings { address, mut options, config } = settings(args)?;
    let clock = Clock::start();
    options.now = clock.now();
    let version = options.version;
    let mut engine = Server::new(options);
    for (name, value) in config {
        engine
            .configure(&name, &value)
            .map_err(|reason| Unusable(format!("--config {name}={value}: {reason}")))?;
    }
    let taken = |error| Unusable(format!("can't listen on {address}: {error}"));
    let mut server = server::RespServer::bind(address, engine, version, clock).map_err(taken)?;
    println!("Redis {} (Redis Scripting Playground) ready on {}", version.full(), server.address()?);
    server.run()?;
    Ok(ExitCode::SUCCESS)
}

fn settings(mut args: lexopt::Parser) -> Result<Settings, Unusable> {
    let mut port = DEFAULT_PORT;
    let mut bind: IpAddr = std::net::Ipv4Addr::LOCALHOST.into();
    // Only replies are sent on: nobody looks at the rest.
    let mut options = Options { detailed: false, ..Options::default() };
    // Real time passes while a command runs. Only scripts, whose time is counted, can be ahead of it.
    options.cost.command = Micros(0);
    options.cost.instructions_per_micro = INSTRUCTIONS_PER_MICRO;
    let mut config = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("port") => port = args.value()?.parse()?,
            Arg::Long("bind") => bind = args.value()?.parse()?,
            Arg::Long("redis-version") => options.version = version(&args.value()?.string()?)?,
            Arg::Long("cluster") => options.cluster = true,
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
    Ok(Settings { address: (bind, port).into(), options, config })
}

pub(crate) fn version(text: &str) -> Result<Version, Unusable> {
    Version::parse(text).ok_or_else(|| {
        let known: Vec<&str> = Version::ALL.iter().map(|version| version.full()).collect();
        Unusable(format!("no Redis {text:?} is offered; there are {}", known.join(", ")))
    })
}
