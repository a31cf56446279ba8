//! Work whose time tells something. It knows no clock: whoever runs it holds the watch, since a page has another
//! one than a program.

use playground_core::Bytes;
use playground_core::event::{ClientId, EventKind};
use playground_core::resp::Reply;
use playground_core::server::{Input, InputKind, Options, Server};
use wasm_bindgen::prelude::wasm_bindgen;

mod story;

pub use story::Telling;

const CLIENT: ClientId = ClientId(1);

/// The script that frees a lock only where it is still one's own.
const COMPARE_AND_DELETE: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// A server that has nothing to do but the work at hand.
#[wasm_bindgen]
pub struct Bench {
    server: Server,
    sha: Bytes,
    locks: u32,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

#[wasm_bindgen]
impl Bench {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        let server = Server::new(Options { detailed: false, ..Options::default() });
        let mut bench = Self { server, sha: Bytes::default(), locks: 0 };
        bench.apply(InputKind::Connect { client: CLIENT });
        let Some(Reply::Bulk(sha)) = bench.command(&[b"SCRIPT", b"LOAD", COMPARE_AND_DELETE.as_bytes()])
        else {
            panic!("SCRIPT LOAD answers the script's hash");
        };
        bench.sha = sha;
        bench
    }

    /// Not to be timed: takes locks for [`Bench::free_locks`] to free.
    pub fn take_locks(&mut self, count: u32) {
        for number in 0..count {
            self.command(&[b"SET", lock_name(number).as_bytes(), b"token"]);
        }
        self.locks = count;
    }

    /// One EVALSHA of the compare-and-delete script for each lock; answers how many were freed.
    pub fn free_locks(&mut self) -> u32 {
        let sha = self.sha.clone();
        let freed = |reply| u32::from(reply == Some(Reply::Int(1)));
        (0..self.locks)
            .map(|number| {
                freed(self.command(&[b"EVALSHA", &sha, b"1", lock_name(number).as_bytes(), b"token"]))
            })
            .sum()
    }

    /// Runs a script that calls no command.
    ///
    /// # Panics
    /// Where it ends by an error, as its time would tell nothing.
    pub fn run_script(&mut self, script: &str) {
        let reply = self.command(&[b"EVAL", script.as_bytes(), b"0"]);
        assert!(reply.is_some_and(|reply| !reply.is_error()), "{script} did not end well");
    }

    fn command(&mut self, argv: &[&[u8]]) -> Option<Reply> {
        let argv = argv.iter().map(|arg| Bytes::from(*arg)).collect();
        self.apply(InputKind::Command { client: CLIENT, argv })
    }

    fn apply(&mut self, kind: InputKind) -> Option<Reply> {
        let input = Input { at: self.server.now(), kind };
        self.server.apply(input).into_iter().find_map(|event| match event.kind {
            EventKind::Replied { reply, .. } => Some(reply),
            _ => None,
        })
    }
}

fn lock_name(number: u32) -> String {
    format!("lock:{number}")
}
