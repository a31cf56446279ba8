//! A small RESP client: one connection, one reply at a time.
#![allow(clippy::disallowed_types, reason = "a real server is waited for in real time")]

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::{Protocol, Reply, decode, encode};

/// How long a server may take for a command of ours that nothing should hold up.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum Received {
    Reply(Reply),
    Closed,
    Nothing,
}

impl Connection {
    pub(super) fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    pub(super) fn send(&mut self, argv: &[Bytes]) -> io::Result<()> {
        let mut request = Vec::new();
        let argv = Reply::bulks(argv.iter().cloned());
        // A request looks like an array of bulk strings in every version.
        encode(&argv, Protocol::Resp2, Version::default(), &mut request);
        self.stream.write_all(&request)
    }

    /// The next reply or message, if one arrives in time.
    pub(super) fn receive(&mut self, patience: Duration) -> io::Result<Received> {
        let until = Instant::now() + patience;
        loop {
            let decoded =
                decode(&self.buffer).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            if let Some((reply, len)) = decoded {
                self.buffer.drain(..len);
                return Ok(Received::Reply(reply));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Received::Nothing);
            }
            self.stream.set_read_timeout(Some(left))?;
            let mut bytes = [0; 16 << 10];
            match self.stream.read(&mut bytes) {
                Ok(0) => return Ok(Received::Closed),
                Ok(len) => self.buffer.extend_from_slice(&bytes[..len]),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => return Ok(Received::Nothing),
                    ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => return Ok(Received::Closed),
                    _ => return Err(error),
                },
            }
        }
    }

    /// A command of our own and its reply.
    pub(super) fn call(&mut self, argv: &[&str]) -> Result<Reply, String> {
        self.call_within(argv, PATIENCE)
    }

    pub(super) fn call_within(&mut self, argv: &[&str], patience: Duration) -> Result<Reply, String> {
        let name = argv.join(" ");
        let argv: Vec<Bytes> = argv.iter().map(|arg| Bytes::from(*arg)).collect();
        self.send(&argv).map_err(|error| format!("{name}: {error}"))?;
        match self.receive(patience) {
            Ok(Received::Reply(reply)) => Ok(reply),
            Ok(Received::Closed) => Err(format!("{name}: the server closed the connection")),
            Ok(Received::Nothing) => Err(format!("{name}: no reply within {} s", patience.as_secs_f32())),
            Err(error) => Err(format!("{name}: {error}")),
        }
    }

    /// As [`Connection::call`]; an error reply is an error here, too.
    pub(super) fn demand(&mut self, argv: &[&str]) -> Result<Reply, String> {
        match self.call(argv)? {
            Reply::Error(line) => Err(format!("{}: {}", argv.join(" "), String::from_utf8_lossy(&line))),
            reply => Ok(reply),
        }
    }
}
