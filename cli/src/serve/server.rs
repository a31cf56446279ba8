//! The loop between sockets and engine.
//!
//! Invariant: a connection and the client of the same number exist together; the engine learns of an end at once, even while
//! the last replies are still going out.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::time::Duration;

use mio::event::Event;
use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};
use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::profile::Version;
use playground_core::resp::{Protocol, Reply, encode};
use playground_core::server::{self, ClientId, EventKind, Input, InputKind, Server};

use super::connection::{Connection, ReadEnd};
use super::limits::{self, OUTPUT_BYTES_FREE, OutputWatch};
use crate::clock::Clock;

const LISTENER: Token = Token(0);
/// How much is read from one client before others have their turn, in bytes.
const READ_BYTES: usize = 64 << 10;
/// How far the engine's clock may run ahead of the real one before clients are made to wait for it.
const AHEAD_MAX: Micros = Micros(1_000);
/// The longest sleep, so that a moment the engine does not foresee is not missed by much.
const SLEEP_MAX: Duration = Duration::from_millis(100);

/// How often clients are looked at that take too much.
const LOOK_EVERY: Micros = Micros(100_000);
/// The end of a running script is only found by looking: this often.
const SCRIPT_SLEEP_MAX: Duration = Duration::from_millis(10);

pub(super) struct RespServer {
    poll: Poll,
    listener: TcpListener,
    engine: Server,
    version: Version,
    clock: Clock,
    /// How long the engine's clock has been stopped for a running script: see [`RespServer::apply`].
    held_back: Micros,
    connections: BTreeMap<usize, Connection>,
    /// Connections that have output, in this round.
    dirty: Vec<usize>,
    /// Connections that have more to read than one turn's worth.
    unread: Vec<usize>,
    next_token: usize,
    output_watch: OutputWatch,
    next_look: Micros,
    stopped: bool,
}

impl RespServer {
    pub(super) fn new(
        mut listener: TcpListener,
        engine: Server,
        version: Version,
        clock: Clock,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        Ok(Self {
            poll,
            listener,
            engine,
            version,
            clock,
            held_back: Micros(0),
            connections: BTreeMap::new(),
            dirty: Vec::new(),
            unread: Vec::new(),
            next_token: 1,
            output_watch: OutputWatch::default(),
            next_look: Micros(0),
            stopped: false,
        })
    }

    /// Serves until SHUTDOWN.
    pub(super) fn run(&mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let mut buffer = vec![0; READ_BYTES];
        while !self.stopped {
            match self.poll.poll(&mut events, Some(self.patience())) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            self.apply(InputKind::Advance);
            for event in &events {
                match event.token() {
                    LISTENER => self.accept()?,
                    Token(token) => self.serve(token, event, &mut buffer),
                }
            }
            for token in std::mem::take(&mut self.unread) {
                self.read(token, &mut buffer);
            }
            self.flush();
            self.look_at_clients();
        }
        Ok(())
    }

    fn patience(&self) -> Duration {
        if !self.unread.is_empty() {
            return Duration::ZERO;
        }
        let sleep_max = if self.engine.state().running.is_some() { SCRIPT_SLEEP_MAX } else { SLEEP_MAX };
        let due = self.engine.next_due().map_or(sleep_max, |at| self.until(at));
        // The system sleeps in milliseconds: rounded up, so that it is not woken a little too early over and over.
        Duration::from_millis(due.as_micros().div_ceil(1000) as u64).min(sleep_max)
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            let mut stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                // A peer that is gone already says nothing about the next one.
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) =>
                {
                    continue;
                }
                // There is none, or there are too many open files: those who wait come with the next one.
                Err(_) => return Ok(()),
            };
            let token = self.next_token;
            self.next_token += 1;
            let interest = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(&mut stream, Token(token), interest)?;
            self.connections.insert(token, Connection::new(stream));
            if self.connections.len() > limits::clients_max(&self.engine) {
                self.end(token, &Reply::error("ERR max number of clients reached"));
            } else {
                self.apply(InputKind::Connect { client: client(token) });
            }
        }
    }

    /// Events come once per change: nothing they tell may be forgotten.
    fn serve(&mut self, token: usize, event: &Event, buffer: &mut [u8]) {
        let Some(connection) = self.connections.get_mut(&token) else { return };
        connection.is_read_closed |= event.is_read_closed();
        if event.is_writable() {
            self.make_dirty(token);
        }
        if event.is_readable() || event.is_read_closed() {
            self.read(token, buffer);
        }
    }

    fn read(&mut self, token: usize, buffer: &mut [u8]) {
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let end = connection.read(buffer);
        self.serve_requests(token);
        match end {
            ReadEnd::Drained => {}
            ReadEnd::More => self.unread.push(token),
            ReadEnd::Closed => self.drop_connection(token),
        }
    }

    fn serve_requests(&mut self, token: usize) {
        while let Some(connection) = self.connections.get_mut(&token) {
            if connection.is_closing() {
                return;
            }
            connection.parser.limits = limits::of_requests(&self.engine, client(token));
            match connection.parser.next_request() {
                // A request that does not end is not waited for for ever.
                Ok(None) if connection.parser.held_bytes() > limits::query_bytes_max(&self.engine) => {
                    return self.drop_connection(token);
                }
                Ok(None) => return,
                Ok(Some(argv)) if is_http(&argv) => {
                    // Nor does Redis send it what it was about to.
                    connection.output().clear();
                    return self.drop_connection(token);
                }
                Ok(Some(argv)) => self.apply(InputKind::Command { client: client(token), argv }),
                Err(error) => {
                    self.apply(InputKind::Disconnect { client: client(token) });
                    return self.end(token, &Reply::from(error));
                }
            }
        }
    }

    /// The engine's time. It may be behind the real one while a script runs.
    fn now(&self) -> Micros {
        self.clock.now().saturating_sub(self.held_back)
    }

    fn until(&self, at: Micros) -> Duration {
        Duration::from_micros(at.saturating_sub(self.now()).0)
    }

    /// A running script is run again to learn how it goes on, which takes longer and longer. Where the machine is too slow or
    /// too busy to keep up, the engine's clock is stopped for as long as it takes: else the next look would come at once and
    /// take twice as long, and nobody would be served in between. It catches up when the script has ended.
    fn apply(&mut self, kind: InputKind) {
        let at = self.now();
        let known = self.looked_ahead();
        let began = self.clock.now();
        let events = self.engine.apply(Input { at, kind });
        if self.engine.state().running.is_some() {
            let learned = self.looked_ahead().saturating_sub(known);
            let took = self.clock.now().saturating_sub(began);
            self.held_back = self.held_back + took.saturating_sub(Micros(learned.0 / 2));
        } else {
            self.held_back = Micros(0);
        }
        for event in events {
            self.follow(event);
        }
        let ahead = self.engine.now().saturating_sub(at);
        if ahead > AHEAD_MAX {
            // The engine has been at work until then. A server that is at work serves nobody.
            std::thread::sleep(self.until(self.engine.now()));
        }
    }

    /// How much of the running script's time is known.
    fn looked_ahead(&self) -> Micros {
        let state = self.engine.state();
        state.running.as_ref().map_or(Micros(0), |running| state.cost.script(running.runs_past))
    }

    fn follow(&mut self, event: server::Event) {
        match event.kind {
            EventKind::Replied { client, reply, protocol } => self.send(client, &reply, protocol),
            EventKind::Pushed { client, message, protocol } => self.send(client, &message, protocol),
            EventKind::Closed { client } => {
                let token = client.0 as usize;
                if let Some(connection) = self.connections.get_mut(&token) {
                    connection.close();
                    self.make_dirty(token);
                }
            }
            EventKind::Stopped => self.stopped = true,
            _ => {}
        }
    }

    fn send(&mut self, client: ClientId, reply: &Reply, protocol: Protocol) {
        let token = client.0 as usize;
        if let Some(connection) = self.connections.get_mut(&token) {
            encode(reply, protocol, self.version, connection.output());
            self.make_dirty(token);
        }
    }

    /// A last reply, and the end of the connection.
    fn end(&mut self, token: usize, reply: &Reply) {
        if let Some(connection) = self.connections.get_mut(&token) {
            encode(reply, Protocol::Resp2, self.version, connection.output());
            connection.close();
            self.make_dirty(token);
        }
    }

    fn make_dirty(&mut self, token: usize) {
        if let Some(connection) = self.connections.get_mut(&token).filter(|connection| !connection.is_dirty) {
            connection.is_dirty = true;
            self.dirty.push(token);
        }
    }

    fn flush(&mut self) {
        for token in std::mem::take(&mut self.dirty) {
            let Some(connection) = self.connections.get_mut(&token) else { continue };
            connection.is_dirty = false;
            let flushed = connection.flush();
            let waiting = connection.waiting_bytes();
            if !flushed || waiting > OUTPUT_BYTES_FREE && self.is_too_much(token, waiting) {
                self.drop_connection(token);
            }
        }
    }

    fn is_too_much(&mut self, token: usize, bytes: usize) -> bool {
        self.output_watch.is_too_much(&self.engine, client(token), bytes)
    }

    /// What Redis does about clients from time to time.
    fn look_at_clients(&mut self) {
        if self.now() < self.next_look {
            return;
        }
        self.next_look = self.now() + LOOK_EVERY;
        for client in limits::idle(&self.engine) {
            self.drop_connection(client.0 as usize);
        }
        let waiting = |connection: &Connection| connection.waiting_bytes();
        let slow: Vec<(usize, usize)> = self
            .connections
            .iter()
            .map(|(token, connection)| (*token, waiting(connection)))
            .filter(|(_, bytes)| *bytes > OUTPUT_BYTES_FREE)
            .collect();
        for (token, bytes) in slow {
            if self.is_too_much(token, bytes) {
                self.drop_connection(token);
            }
        }
    }

    fn drop_connection(&mut self, token: usize) {
        if let Some(mut connection) = self.connections.remove(&token) {
            connection.flush();
            // A socket that can't be taken off the list is gone from it already.
            let _ = self.poll.registry().deregister(connection.stream());
            self.output_watch.forget(client(token));
            self.apply(InputKind::Disconnect { client: client(token) });
        }
    }
}

fn client(token: usize) -> ClientId {
    ClientId(token as u64)
}

/// A browser has been led to this port: like Redis, don't listen to it.
fn is_http(argv: &[Bytes]) -> bool {
    argv.first().is_some_and(|name| name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:"))
}
