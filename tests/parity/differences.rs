//! Plays what the differential machine has found and what was put right since (`differences.jsonl`): sequences of commands with
//! the bytes that the real server answered to each.

use playground_core::Bytes;
use playground_core::event::{ClientId, EventKind};
use playground_core::profile::Version;
use playground_core::resp::encode;
use playground_core::server::{Input, InputKind, Options, Server};
use serde::Deserialize;

#[derive(Deserialize)]
struct Difference {
    family: String,
    version: String,
    protocol: u8,
    /// Which connection sends what.
    steps: Vec<(usize, Vec<String>)>,
    /// What comes back on which connections, for each step.
    replies: Vec<Vec<(usize, String)>>,
}

/// The recording is Latin-1.
fn bytes_of(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(character).expect("Latin-1")).collect()
}

fn apply(server: &mut Server, version: Version, kind: InputKind) -> Vec<(usize, Vec<u8>)> {
    let mut seen: Vec<(usize, Vec<u8>)> = Vec::new();
    for event in server.apply(Input { at: server.now(), kind }) {
        let (client, bytes) = match event.kind {
            EventKind::Replied { client, reply, protocol }
            | EventKind::Pushed { client, message: reply, protocol } => {
                let mut bytes = Vec::new();
                encode(&reply, protocol, version, &mut bytes);
                (client, bytes)
            }
            EventKind::Closed { client } => (client, b"<closed>".to_vec()),
            _ => continue,
        };
        let who = client.0 as usize - 1;
        match seen.iter_mut().find(|(other, _)| *other == who) {
            Some((_, all)) => all.extend(bytes),
            None => seen.push((who, bytes)),
        }
    }
    seen.sort();
    seen
}

fn check(difference: &Difference) {
    let version = Version::parse(&difference.version).expect("a version");
    let mut server = Server::new(Options { version, ..Options::default() });
    let count = difference.steps.iter().map(|(who, _)| who + 1).max().unwrap_or(1);
    for client in (1..=count as u64).map(ClientId) {
        apply(&mut server, version, InputKind::Connect { client });
        if difference.protocol == 3 {
            let argv = ["HELLO", "3"].map(Bytes::from).to_vec();
            apply(&mut server, version, InputKind::Command { client, argv });
        }
    }
    for ((who, argv), expected) in difference.steps.iter().zip(&difference.replies) {
        let client = ClientId(*who as u64 + 1);
        let words = argv.iter().map(|word| Bytes::from(bytes_of(word))).collect();
        let seen = apply(&mut server, version, InputKind::Command { client, argv: words });
        let shown = |seen: Vec<(usize, Vec<u8>)>| -> Vec<String> {
            seen.iter().map(|(who, bytes)| format!("{who}: {}", bytes.escape_ascii())).collect()
        };
        let expected = expected.iter().map(|(who, text)| (*who, bytes_of(text))).collect();
        assert_eq!(shown(seen), shown(expected), "{} on {}: {argv:?}", difference.family, difference.version);
    }
}

#[test]
fn what_once_differed_is_as_the_real_servers_have_it() {
    for line in include_str!("differences.jsonl").lines() {
        check(&serde_json::from_str(line).expect("a difference"));
    }
}
