//! Every order of small stories, played to a real server one by one: `explore` counts the same.
//!
//! The orders are made here from the text, without the explorer. Where there is no redis-server, nothing is shown.

#![allow(clippy::print_stdout, reason = "who runs the test is told why it shows nothing")]

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server of our own, ended with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let program = std::env::var("PLAYGROUND_OTHER_REDIS").unwrap_or_else(|_| "redis-server".to_owned());
        let process = Command::new(program)
            .args(["--port", &port.to_string(), "--save", "", "--enable-debug-command", "yes"])
            .stdout(Stdio::null())
            .spawn()
            .ok()?;
        let server = Self { process, address: format!("127.0.0.1:{port}") };
        for _ in 0..200 {
            if TcpStream::connect(&server.address).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not listen");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn playground(args: &[String]) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_playground")).args(args).output().expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text + &String::from_utf8_lossy(&output.stderr))
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder for tests can be written");
    folder
}

/// A client's steps, each with the lines that go with it.
type Program = Vec<String>;

/// All ways to put the programs' steps in one order.
fn orders(programs: &[Program]) -> Vec<String> {
    if programs.iter().all(Vec::is_empty) {
        return vec![String::new()];
    }
    let mut all = Vec::new();
    for (client, program) in programs.iter().enumerate() {
        let Some((first, rest)) = program.split_first() else { continue };
        let mut left = programs.to_vec();
        left[client] = rest.to_vec();
        all.extend(orders(&left).into_iter().map(|later| format!("{first}{later}")));
    }
    all
}

/// The value of the key `n` and each client's last reply, for one order.
type Ending = String;

/// Plays every order to the server and counts how they end.
fn played(
    server: &Server,
    name: &str,
    start: &str,
    clients: &[&str],
    programs: &[Program],
) -> BTreeMap<Ending, u64> {
    let folder = folder(name);
    let mut files = Vec::new();
    for (number, order) in orders(programs).iter().enumerate() {
        let path = folder.join(format!("{number}.md"));
        // A last client looks what has come of it all.
        let text = format!("{start}{order}Z> GET n\n");
        std::fs::write(&path, text).expect("the folder for tests can be written");
        files.push(path.to_string_lossy().into_owned());
    }
    let mut args = words(&["verify", "--json", "--update", "--server", &server.address]);
    args.extend(files);
    let (code, text) = playground(&args);
    assert_eq!(code, Some(0), "{text}");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let mut endings = BTreeMap::new();
    for file in report["files"].as_array().expect("a list of files") {
        let steps = file["steps"].as_array().expect("a list of steps");
        let last = |client: &str| {
            let own = steps.iter().rev().filter(|step| {
                step["step"].as_str().is_some_and(|text| text.starts_with(&format!("{client}>")))
            });
            let replies = own.filter_map(|step| step["reply"].as_str());
            replies.filter(|reply| *reply != "(skipped)").map(str::to_owned).next()
        };
        let replies: Vec<String> =
            clients.iter().map(|client| format!("{client} {}", last(client).unwrap_or_default())).collect();
        *endings.entry(format!("n={} {}", last("Z").unwrap_or_default(), replies.join(" "))).or_default() +=
            1;
    }
    endings
}

/// What `explore` counts for the same story.
fn explored(name: &str, start: &str, programs: &[Program]) -> BTreeMap<Ending, u64> {
    let steps: String = programs.iter().flatten().map(String::as_str).collect();
    let path = folder(name).join("story.md");
    std::fs::write(&path, format!("{start}@ explore\n{steps}")).expect("the folder for tests can be written");
    let (code, text) = playground(&words(&["explore", "--json", &path.to_string_lossy()]));
    assert_eq!(code, Some(0), "{text}");
    let report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let outcomes = report["files"][0]["parts"][0]["outcomes"].as_array().expect("a list of outcomes");
    let mut endings = BTreeMap::new();
    for outcome in outcomes {
        let clients = outcome["clients"].as_array().expect("a list of clients");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let replies: Vec<String> = clients
            .iter()
            .map(|client| format!("{} {}", text(&client["client"]), text(&client["reply"])))
            .collect();
        let count: u64 = text(&outcome["count"]).parse().expect("a small number");
        *endings
            .entry(format!("n={} {}", text(&outcome["keys"][0]["value"]), replies.join(" ")))
            .or_default() += count;
    }
    endings
}

/// Compares the two; gives the number of orders.
#[track_caller]
fn check(server: &Server, name: &str, start: &str, clients: &[&str], program: fn(&str) -> Program) -> u64 {
    let programs: Vec<Program> = clients.iter().map(|client| program(client)).collect();
    let really = played(server, &format!("orders-{name}"), start, clients, &programs);
    let explored = explored(&format!("story-{name}"), start, &programs);
    assert_eq!(explored, really, "{name}");
    really.values().sum()
}

fn get_and_set(client: &str) -> Program {
    vec![format!("{client}> GET n\n@ {client}: keep n\n"), format!("{client}> SET n $n+1\n")]
}

fn increment(client: &str) -> Program {
    vec![format!("{client}> EVAL \"return redis.call('INCR', KEYS[1])\" 1 n\n")]
}

fn with_watch(client: &str) -> Program {
    vec![
        format!("{client}> WATCH n\n"),
        format!("{client}> GET n\n@ {client}: keep n\n"),
        format!("{client}> MULTI\n"),
        format!("{client}> SET n $n+1\n"),
        format!("{client}> EXEC\n"),
    ]
}

/// Story 26: A looks under WATCH, B writes in between, or does not.
fn watch_and_write(client: &str) -> Program {
    if client == "A" {
        with_watch(client)
    } else {
        vec![format!("{client}> GET n\n"), format!("{client}> SET n 9\n")]
    }
}

#[test]
fn a_real_server_ends_every_order_as_explore_says() {
    let Some(server) = Server::start() else {
        println!("there is no redis-server to ask");
        return;
    };
    let start = "A> SET n 0\n";
    assert_eq!(check(&server, "lost-2", start, &["A", "B"], get_and_set), 6);
    assert_eq!(check(&server, "lost-3", start, &["A", "B", "C"], get_and_set), 90);
    assert_eq!(check(&server, "script", start, &["A", "B", "C"], increment), 6);
    assert_eq!(check(&server, "watch", start, &["A", "B"], with_watch), 252);
    assert_eq!(check(&server, "26", start, &["A", "B"], watch_and_write), 21);
}

#[test]
fn a_real_server_ends_the_stolen_lock_as_explore_says() {
    let Some(server) = Server::start() else {
        println!("there is no redis-server to ask");
        return;
    };
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/01-lock-stolen.md");
    let story = std::fs::read_to_string(example).expect("it is part of the project");
    // Its check does not hold in every order, which is the point of the story.
    let story: Vec<&str> = story.split("@ finally GET lock\n\"C\"\n").collect();
    let example = folder("stolen-story").join("01-lock-stolen.md");
    std::fs::write(&example, story.concat()).expect("the folder for tests can be written");
    let witnesses = folder("stolen");
    let folder = witnesses.to_string_lossy();
    // Every order with other replies has a witness of its own.
    let (_, text) = playground(&words(&[
        "explore",
        "--replies",
        "all",
        "--witnesses",
        &folder,
        &example.to_string_lossy(),
    ]));
    let mut args = words(&["verify", "--server", &server.address]);
    for entry in std::fs::read_dir(&witnesses).expect("it has been made") {
        let path = entry.expect("a folder can be read").path();
        args.push(path.to_string_lossy().into_owned());
    }
    assert!(args.len() > 4, "{text}");
    let (code, text) = playground(&args);
    assert_eq!(code, Some(0), "{text}");
}
