//! What recurses, on a stack that is far smaller than a native one: the facts of the group `deep`, recorded from real servers.

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::encode;
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use wasm_bindgen_test::wasm_bindgen_test;

/// What a client that speaks this protocol is answered.
fn answer(server: &mut Server, client: ClientId, argv: &[&str], version: Version) -> Vec<u8> {
    let argv = argv.iter().copied().map(Bytes::from).collect();
    let kind = InputKind::Command { client, argv };
    let events = server.apply(Input { at: server.now(), kind });
    let mut bytes = Vec::new();
    for event in events {
        if let EventKind::Replied { reply, protocol, .. } = event.kind {
            encode(&reply, protocol, version, &mut bytes);
        }
    }
    bytes
}

/// As the recording has it: of long replies the beginning and the end count here.
fn is_as_recorded(bytes: &[u8], recorded: &str) -> bool {
    let recorded = recorded.replace("\\r", "\r").replace("\\n", "\n").replace("\\\\", "\\");
    let text = String::from_utf8_lossy(bytes);
    match recorded.split_once("<...") {
        None => text == recorded,
        Some((head, rest)) => {
            let (about, tail) = rest.split_once("...>").expect("what is left out is told about");
            let len = about.split(' ').next().and_then(|len| len.parse().ok());
            len == Some(bytes.len()) && text.starts_with(head) && text.ends_with(tail)
        }
    }
}

#[wasm_bindgen_test]
fn what_recurses_is_answered_as_natively() {
    let version = Version::V8_2;
    let mut server = Server::new(Options { version, ..Options::default() });
    let facts = include_str!("../facts/own.jsonl").lines();
    let facts = facts.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a fact a line"));
    let mut asked = 0;
    // What a server never answers would have to be killed here.
    let is_answered = |fact: &serde_json::Value| fact["replies"]["8.2.3"] != "<none>";
    for fact in facts.filter(|fact| fact["group"] == "deep" && is_answered(fact)) {
        let client = ClientId(fact["resp"].as_u64().expect("a protocol"));
        // What a script before it has set in the libraries is not for this one.
        answer(&mut server, client, &["SCRIPT", "FLUSH"], version);
        if client.0 == 3 {
            answer(&mut server, client, &["HELLO", "3"], version);
        }
        let argv: Vec<&str> =
            fact["argv"].as_array().expect("words").iter().filter_map(|word| word.as_str()).collect();
        let bytes = answer(&mut server, client, &argv, version);
        let recorded = fact["replies"]["8.2.3"].as_str().expect("it was asked");
        assert!(
            is_as_recorded(&bytes, recorded),
            "{argv:?}\n  want {recorded}\n  got  {}",
            String::from_utf8_lossy(&bytes)
        );
        asked += 1;
    }
    assert!(asked > 80, "{asked} facts");
}

#[wasm_bindgen_test]
fn a_reply_of_any_depth_is_drawn() {
    let line = "EVAL \"local a={} a[1]=a return a\" 0";
    let request = serde_json::json!({ "command": { "line": line } });
    let mut desk = playground_engine::Desk::default();
    for _ in 0..2 {
        let answer = desk.answer_text(&request.to_string());
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("the engine answers JSON");
        let text = answer["reply"]["text"].as_str().expect("there is a reply");
        assert!(text.starts_with("1) 1) 1) "), "{text}");
    }
}
