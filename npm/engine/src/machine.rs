//! One server and its connections.

use std::collections::BTreeMap;

use js_sys::{Array, Uint8Array};
use playground_core::clock::Micros;
use playground_core::resp::{Protocol, Reply, RequestLimits, RequestParser, encode};
use playground_core::server::{ClientId, EventKind, Input, InputKind, Server};
use playground_core::state::Param;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use crate::options;

/// What came out of a server, in the order of time.
#[derive(Debug, PartialEq)]
enum Output {
    /// Answers the client's oldest unanswered command.
    Reply(ClientId, Vec<u8>),
    /// Answers none.
    Push(ClientId, Vec<u8>),
    /// The server has closed the connection.
    Closed(ClientId),
    /// SHUTDOWN has ended the server.
    Stopped,
}

/// A server that bytes are fed to. Every method that may make something happen answers it as a flat list of triples:
/// what (0 a reply, 1 a message, 2 the end of the connection, 3 the end of the server), whose (0: nobody's), and the bytes.
#[wasm_bindgen]
pub struct Machine {
    server: Server,
    parsers: BTreeMap<ClientId, RequestParser>,
    last_client: u64,
}

#[wasm_bindgen]
impl Machine {
    /// `options`: JSON, see [`options`].
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str) -> Result<Machine, JsError> {
        let server = options::server_of(options).map_err(|reason| JsError::new(&reason))?;
        Ok(Self { server, parsers: BTreeMap::new(), last_client: 0 })
    }

    /// Microseconds since 1970.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> u64 {
        self.server.now().0
    }

    /// The next moment at which something happens by itself, in microseconds since 1970: a key expires, a wait ends.
    #[wasm_bindgen(getter)]
    pub fn due(&self) -> Option<u64> {
        self.server.next_due().map(|at| at.0)
    }

    /// The full number of the version.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.server.state().version.full().to_owned()
    }

    /// Whether a command of the client is unanswered.
    pub fn waits(&self, client: u32) -> bool {
        self.server.is_waiting(id(client))
    }

    /// A new connection's number; 0 where the server has ended.
    pub fn connect(&mut self) -> u32 {
        if self.server.is_stopped() {
            return 0;
        }
        self.last_client += 1;
        let client = ClientId(self.last_client);
        let _ = self.apply(InputKind::Connect { client });
        let mut parser = RequestParser::default();
        parser.limits = self.limits(client);
        self.parsers.insert(client, parser);
        self.last_client as u32
    }

    pub fn disconnect(&mut self, client: u32) -> Array {
        self.parsers.remove(&id(client));
        listed(self.apply(InputKind::Disconnect { client: id(client) }))
    }

    /// Takes bytes of a connection: requests, whole or in parts.
    pub fn feed(&mut self, client: u32, bytes: &[u8]) -> Array {
        listed(self.take(id(client), bytes))
    }

    /// Lets time pass up to a moment in microseconds since 1970; one that has been is taken as now.
    pub fn advance(&mut self, to: u64) -> Array {
        let at = Micros(to).max(self.server.now());
        listed(self.happen(Input { at, kind: InputKind::Advance }))
    }

    /// The process ends and starts again.
    pub fn restart(&mut self, keep_data: bool) -> Array {
        listed(self.apply(InputKind::Restart { keep_data }))
    }

    /// A replica takes over.
    pub fn failover(&mut self) -> Array {
        listed(self.apply(InputKind::Failover))
    }
}

impl Machine {
    fn take(&mut self, client: ClientId, bytes: &[u8]) -> Vec<Output> {
        let mut outputs = Vec::new();
        let Some(parser) = self.parsers.get_mut(&client) else { return outputs };
        parser.feed(bytes);
        loop {
            let limits = self.limits(client);
            let Some(parser) = self.parsers.get_mut(&client) else { return outputs };
            parser.limits = limits;
            match parser.next_request() {
                Ok(None) => return outputs,
                Ok(Some(argv)) => outputs.extend(self.apply(InputKind::Command { client, argv })),
                Err(error) => {
                    self.parsers.remove(&client);
                    outputs.extend(self.apply(InputKind::Disconnect { client }));
                    outputs.push(Output::Push(client, self.bytes(&Reply::from(error), Protocol::Resp2)));
                    outputs.push(Output::Closed(client));
                    return outputs;
                }
            }
        }
    }

    fn limits(&self, client: ClientId) -> RequestLimits {
        RequestLimits {
            bulk_max: self.server.state().config.int(Param::PROTO_MAX_BULK_LEN),
            authenticated: self.server.is_authenticated(client),
        }
    }

    /// Something happens now.
    fn apply(&mut self, kind: InputKind) -> Vec<Output> {
        self.happen(Input { at: self.server.now(), kind })
    }

    fn happen(&mut self, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        for event in self.server.apply(input) {
            outputs.extend(match event.kind {
                EventKind::Replied { client, reply, protocol } => {
                    Some(Output::Reply(client, self.bytes(&reply, protocol)))
                }
                EventKind::Pushed { client, message, protocol } => {
                    Some(Output::Push(client, self.bytes(&message, protocol)))
                }
                EventKind::Closed { client } => {
                    self.parsers.remove(&client);
                    Some(Output::Closed(client))
                }
                EventKind::Stopped => Some(Output::Stopped),
                _ => None,
            });
        }
        outputs
    }

    fn bytes(&self, reply: &Reply, protocol: Protocol) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(reply, protocol, self.server.state().version, &mut bytes);
        bytes
    }
}

fn id(client: u32) -> ClientId {
    ClientId(client.into())
}

fn listed(outputs: Vec<Output>) -> Array {
    let list = Array::new();
    for output in outputs {
        let (what, client, bytes) = match &output {
            Output::Reply(client, bytes) => (0, client.0, bytes.as_slice()),
            Output::Push(client, bytes) => (1, client.0, bytes.as_slice()),
            Output::Closed(client) => (2, client.0, [].as_slice()),
            Output::Stopped => (3, 0, [].as_slice()),
        };
        list.push(&what.into());
        list.push(&(client as u32).into());
        list.push(&Uint8Array::from(bytes));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        let server = options::server_of("{}").unwrap();
        Machine { server, parsers: BTreeMap::new(), last_client: 0 }
    }

    #[test]
    fn bytes_may_come_in_parts_and_in_lots() {
        let mut machine = machine();
        let client = machine.connect();
        let nothing = machine.take(id(client), b"*1\r\n$4\r\nPI");
        assert_eq!(nothing, []);
        let both = machine.take(id(client), b"NG\r\nECHO x\r\n");
        let reply = |bytes: &[u8]| Output::Reply(id(client), bytes.to_vec());
        assert_eq!(both, [reply(b"+PONG\r\n"), reply(b"$1\r\nx\r\n")]);
    }

    #[test]
    fn a_broken_request_ends_the_connection_with_its_reason() {
        let mut machine = machine();
        let client = machine.connect();
        let end = machine.take(id(client), b"*1\r\nPING\r\n");
        let line = b"-ERR Protocol error: expected '$', got 'P'\r\n".to_vec();
        assert_eq!(end, [Output::Push(id(client), line), Output::Closed(id(client))]);
        assert_eq!(machine.take(id(client), b"PING\r\n"), []);
    }

    #[test]
    fn after_shutdown_nobody_can_connect_until_a_restart() {
        let mut machine = machine();
        let client = machine.connect();
        let end = machine.take(id(client), b"SHUTDOWN NOSAVE\r\n");
        assert_eq!(end, [Output::Closed(id(client)), Output::Stopped]);
        assert_eq!(machine.connect(), 0);
        machine.apply(InputKind::Restart { keep_data: false });
        assert_ne!(machine.connect(), 0);
    }
}
