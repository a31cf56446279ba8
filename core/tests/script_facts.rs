//! Holds the Lua libraries and the sandbox to what real servers answer: every recorded fact of these groups whose setup needs
//! one connection, for every version that is offered and was recorded.

use std::collections::BTreeMap;

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::{Protocol, encode};
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use serde_json::Value;

const FACTS: &str = include_str!("../../tests/facts/facts.jsonl");

const VERSIONS: [(&str, Version); 4] =
    [("7.0.15", Version::V7_0), ("7.4.1", Version::V7_4), ("8.2.3", Version::V8_2), ("8.6.3", Version::V8_6)];

/// Sends a command and gives the bytes of its reply, waiting on the virtual clock as long as it takes.
fn send(server: &mut Server, client: ClientId, argv: &[Bytes], version: Version) -> Vec<u8> {
    let mut events =
        server.apply(Input { at: server.now(), kind: InputKind::Command { client, argv: argv.to_vec() } });
    loop {
        for event in &events {
            if let EventKind::Replied { reply, protocol, .. } = &event.kind {
                let mut bytes = Vec::new();
                encode(reply, *protocol, version, &mut bytes);
                return bytes;
            }
        }
        let Some(at) = server.next_due() else { return b"<none>".to_vec() };
        events = server.apply(Input { at, kind: InputKind::Advance });
    }
}

/// The notation of the recording: Python's `repr` of bytes without quotes around it.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b' '..=b'~' => text.push(byte.into()),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// Arguments are texts in which a character up to U+00FF stands for a byte, as far as all of them do.
fn argv(value: &Value) -> Option<Vec<Bytes>> {
    let argument = |text: &str| -> Bytes {
        let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
        latin.unwrap_or_else(|| text.as_bytes().to_vec()).into()
    };
    let argv: Option<Vec<Bytes>> =
        value.as_array()?.iter().map(|argument_text| Some(argument(argument_text.as_str()?))).collect();
    argv.filter(|argv| !argv.first().is_some_and(|name| name.starts_with(b"@")))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("every fact has this text")
}

fn is_comparable(fact: &Value, version: &str) -> bool {
    let unstable = &fact["unstable"];
    let plain = fact.get("server").is_none_or(|server| server == "plain");
    let listed = unstable.as_array().is_some_and(|versions| versions.iter().any(|known| known == version));
    let ended = fact["replies"][version].as_str().is_none_or(|reply| reply.starts_with('<'));
    plain && !listed && !ended && unstable != &Value::Bool(true)
}

/// What our server answers; nothing where the fact needs more than one connection.
fn answer(fact: &Value, version: Version) -> Option<String> {
    let mut server = Server::new(Options { version, detailed: false, ..Options::default() });
    server.configure("busy-reply-threshold", "100").expect("the parameter exists");
    let client = ClientId(1);
    if fact["resp"] == 3 {
        send(&mut server, client, &[Bytes::from("HELLO"), Bytes::from("3")], version);
        assert_eq!(server.protocol(client), Protocol::Resp3);
    }
    for command in fact["setup"].as_array()? {
        send(&mut server, client, &argv(command)?, version);
    }
    Some(escape(&send(&mut server, client, &argv(&fact["argv"])?, version)))
}

/// Compares every fact of the groups; `known` are the ids of facts that cannot agree.
fn check(groups: &[&str], known: &[&str]) {
    let mut agreed: BTreeMap<String, usize> = BTreeMap::new();
    let mut differing = String::new();
    for line in FACTS.lines() {
        let fact: Value = serde_json::from_str(line).expect("each line is JSON");
        let (id, group) = (text(&fact["id"]), text(&fact["group"]));
        if !groups.contains(&group) || known.contains(&id) {
            continue;
        }
        for (name, version) in VERSIONS {
            if !is_comparable(&fact, name) {
                continue;
            }
            let Some(ours) = answer(&fact, version) else { continue };
            let theirs = text(&fact["replies"][name]);
            if ours == theirs {
                *agreed.entry(format!("{group} {name}")).or_default() += 1;
            } else {
                differing
                    .push_str(&format!("{id} {name} {}\n  want {theirs}\n  got  {ours}\n", fact["argv"]));
            }
        }
    }
    eprintln!("{agreed:#?}");
    assert!(differing.is_empty(), "{differing}");
}

#[test]
fn cjson_agrees_with_real_servers() {
    check(&["cjson"], &[]);
}

#[test]
fn cmsgpack_agrees_with_real_servers() {
    // 109 shows the address of a table.
    check(&["cmsgpack"], &["cmsgpack-109"]);
}

#[test]
fn struct_agrees_with_real_servers() {
    check(&["struct"], &[]);
}

#[test]
fn bit_agrees_with_real_servers() {
    check(&["bit"], &[]);
}

#[test]
fn globals_agree_with_real_servers() {
    check(&["globals"], &[]);
}

#[test]
fn sandbox_agrees_with_real_servers() {
    check(&["sandbox"], &[]);
}

#[test]
fn errors_agree_with_real_servers() {
    // 023: 7.4.1 and 8.2.3 send a raised line feed as it is and so break the protocol; we write a blank, as 7.0 and 8.6 do.
    check(&["runtime-error", "compile-error"], &["runtime-error-023"]);
}
