//! Plays every recorded fact on the engine, in process and on the virtual clock, for each server version it was
//! recorded from. What differs must stand in `known_diffs.tsv` with its reason, and what stands there must differ.
//!
//! `facts.jsonl` is the shared recording, `own.jsonl` one of our own (`record_facts.py` makes it).
//! `FACTS_SHOW=GROUP[,GROUP]` (or `all`, or an id) prints what differs; `FACTS_VERSION=8.6.3` looks at one version.

#![expect(clippy::print_stdout, reason = "the report is the point of it")]

use std::collections::{BTreeMap, VecDeque};

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::event::{ClientId, EventKind};
use playground_core::profile::Version;
use playground_core::resp::encode;
use playground_core::server::{Input, InputKind, Options, Server};
use playground_core::state::{Cost, Layout};
use serde::Deserialize;

const VERSIONS: [&str; 4] = ["7.0.15", "7.4.1", "8.2.3", "8.6.3"];

#[derive(Deserialize)]
struct Fact {
    id: String,
    group: String,
    #[serde(default)]
    server: Option<String>,
    setup: Vec<Vec<String>>,
    argv: Vec<String>,
    resp: u8,
    replies: BTreeMap<String, String>,
    #[serde(default)]
    cleanup: Vec<Vec<String>>,
    /// Not the same on every run of the real server.
    #[serde(default)]
    unstable: Option<serde_json::Value>,
}

/// What a connection has received and not yet read.
#[derive(Default)]
struct Inbox {
    replies: VecDeque<Vec<u8>>,
    closed: bool,
}

/// One server with the connections of one fact.
struct Stage {
    server: Server,
    at: Micros,
    inboxes: BTreeMap<String, (ClientId, Inbox)>,
    resp: u8,
    version: Version,
    ended: bool,
}

const SECOND: u64 = 1_000_000;

impl Stage {
    fn new(model: &Server, version: Version, resp: u8, cluster: bool) -> Self {
        let mut server = model.new_beside(Options {
            version,
            cluster: cluster.then(Layout::default),
            detailed: false,
            cost: Cost { instructions_max: 100_000_000, ..Cost::REAL_TIME },
            ..Options::default()
        });
        server.configure("busy-reply-threshold", "100").expect("a parameter of ours");
        let at = server.now();
        Self { server, at, inboxes: BTreeMap::new(), resp, version, ended: false }
    }

    fn feed(&mut self, kind: InputKind) {
        self.at = self.at.max(self.server.now());
        for event in self.server.apply(Input { at: self.at, kind }) {
            let mut to = |client: ClientId, bytes: Option<Vec<u8>>| {
                let inbox = self.inboxes.values_mut().find(|(id, _)| *id == client);
                if let Some((_, inbox)) = inbox {
                    match bytes {
                        Some(bytes) => inbox.replies.push_back(bytes),
                        None => inbox.closed = true,
                    }
                }
            };
            match event.kind {
                EventKind::Replied { client, reply, protocol }
                | EventKind::Pushed { client, message: reply, protocol } => {
                    let mut bytes = Vec::new();
                    encode(&reply, protocol, self.version, &mut bytes);
                    to(client, Some(bytes));
                }
                EventKind::Closed { client } => to(client, None),
                EventKind::Stopped => self.ended = true,
                _ => {}
            }
        }
    }

    fn connect(&mut self, name: &str) -> ClientId {
        if let Some((id, _)) = self.inboxes.get(name) {
            return *id;
        }
        let id = ClientId(self.inboxes.len() as u64 + 10);
        self.inboxes.insert(name.into(), (id, Inbox::default()));
        self.feed(InputKind::Connect { client: id });
        if self.resp == 3 {
            self.call(name, &["HELLO".into(), "3".into()], SECOND);
        }
        id
    }

    fn send(&mut self, name: &str, argv: &[String]) {
        let client = self.connect(name);
        if self.inboxes.get(name).is_some_and(|(_, inbox)| inbox.closed) {
            return;
        }
        let argv = argv.iter().map(|text| bytes_of(text)).collect();
        self.feed(InputKind::Command { client, argv });
    }

    fn receive(&mut self, name: &str, limit: u64) -> Vec<u8> {
        let deadline = self.at.max(self.server.now()) + Micros(limit);
        loop {
            let (_, inbox) = self.inboxes.get_mut(name).expect("it has sent something");
            if let Some(bytes) = inbox.replies.pop_front() {
                return bytes;
            }
            if inbox.closed {
                return b"<closed>".to_vec();
            }
            if self.at >= deadline {
                return b"<none>".to_vec();
            }
            self.at = (self.at + Micros(1_000)).min(deadline);
            self.feed(InputKind::Advance);
        }
    }

    fn call(&mut self, name: &str, argv: &[String], limit: u64) -> Vec<u8> {
        self.send(name, argv);
        self.receive(name, limit)
    }

    /// One item of `setup`, as check_facts.py reads it.
    fn perform(&mut self, item: &[String], limit: u64) -> Vec<u8> {
        match (item[0].as_str(), &item[1..]) {
            ("@sleep", [seconds]) => {
                let span = (seconds.parse::<f64>().expect("a number of seconds") * 1e6) as u64;
                self.at = self.at + Micros(span);
                self.feed(InputKind::Advance);
                Vec::new()
            }
            ("@on", [name, argv @ ..]) => self.call(name, argv, limit),
            ("@send", [name, argv @ ..]) => {
                self.send(name, argv);
                Vec::new()
            }
            ("@recv", [name]) => self.receive(name, limit),
            _ => self.call("A", item, limit),
        }
    }
}

/// The recording is Latin-1 where it can be, as the checker sends it.
fn bytes_of(text: &str) -> Bytes {
    if text.chars().all(|c| u32::from(c) < 256) {
        Bytes::from(text.chars().map(|c| c as u8).collect::<Vec<u8>>())
    } else {
        Bytes::from(text)
    }
}

/// The text form of the recording: Python's escapes.
fn escape(bytes: &[u8]) -> String {
    if bytes.len() > 6000 {
        let sha = sha1_smol::Sha1::from(bytes).digest();
        let (head, tail) = (&bytes[..300], &bytes[bytes.len() - 120..]);
        return format!("{}<...{} bytes in all, sha1 {sha}...>{}", escape(head), bytes.len(), escape(tail));
    }
    let mut out = String::new();
    for &byte in bytes {
        match byte {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            b'\\' => out.push_str("\\\\"),
            0x20..0x7f => out.push(byte as char),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out
}

fn play(model: &Server, fact: &Fact, version: Version) -> String {
    let cluster = fact.server.as_deref() == Some("cluster");
    let mut stage = Stage::new(model, version, fact.resp, cluster);
    stage.connect("A");
    for item in &fact.setup {
        stage.perform(item, 2 * SECOND);
    }
    let nothing_comes = fact.replies.values().all(|reply| reply == "<none>");
    let limit = if nothing_comes { 40_000 } else { 2 * SECOND };
    let reply = stage.perform(&fact.argv, limit);
    for item in &fact.cleanup {
        if !stage.ended {
            stage.perform(item, 2 * SECOND);
        }
    }
    let ended = if stage.ended { "<server ended> " } else { "" };
    format!("{ended}{}", escape(&reply))
}

/// Where the engine differs on purpose: (id, version or `*`), from `known_diffs.tsv`.
fn known_differences() -> BTreeMap<(&'static str, &'static str), &'static str> {
    let lines = include_str!("known_diffs.tsv").lines();
    lines
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let parts: Vec<&str> = line.splitn(3, '\t').collect();
            let [id, version, reason] = parts[..] else {
                panic!("not an id, a version and a reason: {line}")
            };
            ((id, version), reason)
        })
        .collect()
}

#[derive(Default)]
struct Tally {
    agree: usize,
    differ: usize,
}

/// Plays all facts on one version; gives what differs and should not, and what should differ and does not.
fn surprises(facts: &[Fact], full: &str) -> Vec<String> {
    let known = known_differences();
    let show = std::env::var("FACTS_SHOW").unwrap_or_default();
    let version = Version::parse(full).expect("a version we offer");
    let model = Server::new(Options { version, ..Options::default() });
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut surprises = Vec::new();
    for fact in facts {
        let server = fact.server.as_deref().unwrap_or("plain");
        let Some(want) = fact.replies.get(full) else { continue };
        if fact.unstable.is_some() || !matches!(server, "plain" | "cluster") {
            continue;
        }
        let got = play(&model, fact, version);
        let agrees = got == *want;
        let tally = tallies.entry(&fact.group).or_default();
        tally.agree += usize::from(agrees);
        tally.differ += usize::from(!agrees);
        let told = format!(
            "{} on {full}\n  setup {:?}\n  argv  {:?}\n  want  {want}\n  got   {got}",
            fact.id, fact.setup, fact.argv
        );
        if !agrees && show.split(',').any(|word| word == "all" || word == fact.group || word == fact.id) {
            println!("{told}");
        }
        if agrees == [full, "*"].iter().any(|version| known.contains_key(&(fact.id.as_str(), version))) {
            surprises.push(told);
        }
    }
    let (agree, differ) = tallies.values().fold((0, 0), |(a, d), tally| (a + tally.agree, d + tally.differ));
    let groups = tallies.iter().filter(|(_, tally)| tally.differ > 0);
    let groups: Vec<String> = groups.map(|(group, tally)| format!("{group} {}", tally.differ)).collect();
    println!(
        "{agree} of {} agree with Redis {full} ({:.1} %); differing: {}",
        agree + differ,
        100.0 * agree as f64 / (agree + differ) as f64,
        groups.join(", ")
    );
    surprises
}

#[test]
fn recorded_replies_are_given_by_every_version() {
    let lines =
        include_str!("../facts/facts.jsonl").lines().chain(include_str!("../facts/own.jsonl").lines());
    let facts: Vec<Fact> = lines.map(|line| serde_json::from_str(line).expect("a fact a line")).collect();
    let only = std::env::var("FACTS_VERSION").ok();
    let versions = VERSIONS.iter().filter(|full| only.as_deref().is_none_or(|only| only == **full));
    let surprises: Vec<String> = std::thread::scope(|scope| {
        let facts = &facts;
        let threads: Vec<_> = versions.map(|full| scope.spawn(move || surprises(facts, full))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("it does not panic")).collect()
    });
    assert!(
        surprises.is_empty(),
        "known_diffs.tsv does not tell of these, or they agree by now:\n{}",
        surprises.join("\n")
    );
}
