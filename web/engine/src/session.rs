//! A server and its one client, driven by messages in JSON. Knows no browser.

use playground_core::profile::Version;
use playground_core::resp::{Reply, split_args, terminal_text};
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Request {
    /// A command as it is typed into redis-cli.
    Command { line: String },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Answer {
    /// The reply as redis-cli prints it on a terminal; none where the client waits.
    Reply { text: Option<String> },
    /// The request could not be carried out; `text` is for a person.
    Error { text: String },
}

const CLIENT: ClientId = ClientId(1);

pub struct Session {
    server: Server,
}

impl Default for Session {
    fn default() -> Self {
        let mut session = Self { server: Server::new(Options::default()) };
        session.apply(InputKind::Connect { client: CLIENT });
        session
    }
}

impl Session {
    /// Answers one request. One that is not understood is answered too, by an error.
    pub fn answer(&mut self, request: &str) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.carry_out(request),
            Err(error) => Answer::Error { text: format!("this message is not understood: {error}") },
        };
        serde_json::to_string(&answer).expect("an answer holds nothing but text, so it can be written")
    }

    fn carry_out(&mut self, request: Request) -> Answer {
        let Request::Command { line } = request;
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

#[cfg(test)]
mod tests {
    use super::Session;

    #[track_caller]
    fn check(request: &str, expected: &str) {
        assert_eq!(Session::default().answer(request), expected);
    }

    #[test]
    fn a_command_is_run_and_its_reply_comes_back() {
        check(
            r#"{"type":"command","line":"EVAL 'return 1 + 1' 0"}"#,
            r#"{"type":"reply","text":"(integer) 2"}"#,
        );
    }

    #[test]
    fn what_is_no_message_is_answered_by_an_error() {
        let answer = Session::default().answer("good morning");
        assert!(answer.starts_with(r#"{"type":"error","text":"this message is not understood"#), "{answer}");
    }
}
