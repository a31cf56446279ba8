//! A server beside the story, with one client: for tests of the engine, and for whoever wants just an answer.

use playground_core::profile::Version;
use playground_core::resp::{Reply, split_args, terminal_text};
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use playground_model::message::Answer;

const CLIENT: ClientId = ClientId(1);

pub(crate) struct Aside {
    server: Server,
}

impl Default for Aside {
    fn default() -> Self {
        let mut aside = Self { server: Server::new(Options::default()) };
        aside.apply(InputKind::Connect { client: CLIENT });
        aside
    }
}

impl Aside {
    /// Sends a command as it is typed into redis-cli.
    pub(crate) fn command(&mut self, line: &str) -> Answer {
        match split_args(line.as_bytes()) {
            Ok(argv) => {
                let reply = self.apply(InputKind::Command { client: CLIENT, argv });
                Answer::Reply { text: reply.map(|reply| terminal_text(&reply, Version::default())) }
            }
            Err(_) => Answer::Error { text: "Invalid argument(s)".to_owned() },
        }
    }

    fn apply(&mut self, kind: InputKind) -> Option<Reply> {
        let input = Input { at: self.server.now(), kind };
        self.server.apply(input).into_iter().find_map(|event| match event.kind {
            EventKind::Replied { reply, .. } => Some(reply),
            _ => None,
        })
    }
}
