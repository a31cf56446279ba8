//! One connection: bytes in, requests out, replies back.
//!
//! Knows sockets and RESP, but nothing of the engine. A connection that is closing still sends what it has.

use std::io::{ErrorKind, Read, Write};

use mio::net::TcpStream;
use playground_core::resp::RequestParser;

/// A larger buffer is given back once it is empty, in bytes.
const OUTPUT_BYTES_KEPT: usize = 1 << 20;

pub(super) struct Connection {
    stream: TcpStream,
    pub(super) parser: RequestParser,
    output: Vec<u8>,
    /// How much of the output has gone out.
    written: usize,
    closing: bool,
    /// The peer has said that nothing more follows; what it sent before is still to be read.
    pub(super) is_read_closed: bool,
    /// Its output waits to be written at the end of this round.
    pub(super) is_dirty: bool,
}

/// What the peer has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadEnd {
    /// There is no more for now.
    Drained,
    /// There may be more: others come first.
    More,
    /// The peer has closed its side, or is gone.
    Closed,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        // Replies are small and awaited.
        let _ = stream.set_nodelay(true);
        Self {
            stream,
            parser: RequestParser::default(),
            output: Vec::new(),
            written: 0,
            closing: false,
            is_read_closed: false,
            is_dirty: false,
        }
    }

    pub(super) fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> ReadEnd {
        loop {
            return match self.stream.read(buffer) {
                Ok(0) => ReadEnd::Closed,
                Ok(len) => {
                    self.parser.feed(&buffer[..len]);
                    if len < buffer.len() && !self.is_read_closed { ReadEnd::Drained } else { ReadEnd::More }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => ReadEnd::Drained,
                Err(_) => ReadEnd::Closed,
            };
        }
    }

    /// Where replies are written to; nothing more is taken from a client after [`Connection::close`].
    pub(super) fn output(&mut self) -> &mut Vec<u8> {
        &mut self.output
    }

    /// How much waits to be sent, in bytes.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.output.len() - self.written
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Sends what the peer takes. True while the connection is to be kept.
    pub(super) fn flush(&mut self) -> bool {
        while self.written < self.output.len() {
            match self.stream.write(&self.output[self.written..]) {
                Ok(0) => return false,
                Ok(len) => self.written += len,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        self.written = 0;
        self.output.clear();
        if self.output.capacity() > OUTPUT_BYTES_KEPT {
            self.output = Vec::new();
        }
        if self.closing {
            // A peer that still sends would get a reset instead of the last reply.
            let _ = self.stream.shutdown(std::net::Shutdown::Write);
            self.drain();
        }
        !self.closing
    }

    fn drain(&mut self) {
        let mut rest = [0; 4096];
        while self.stream.read(&mut rest).is_ok_and(|len| len > 0) {}
    }
}
