//! `playground serve` over real sockets.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server of its own for each test; it ends with it.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_playground"));
        command.args(["serve", "--port", "0"]).args(options).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the program runs");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("it says when it is ready");
        let address = line.rsplit(' ').next().unwrap_or_default().trim().to_owned();
        assert!(line.contains("ready"), "{line}");
        Self { process, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout can be set");
        stream
    }

    /// Sends the bytes on a connection of their own and gives what comes back: as much as is expected, or all up to the end.
    fn ask(&self, bytes: &[u8], expected: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("it reads");
        receive(&mut stream, expected.len())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn receive(stream: &mut TcpStream, len: usize) -> String {
    let mut bytes = vec![0; len];
    let mut got = 0;
    while got < len {
        match stream.read(&mut bytes[got..]) {
            Ok(more) if more > 0 => got += more,
            _ => break,
        }
    }
    bytes.truncate(got);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
fn call(stream: &mut TcpStream, command: &str, expected: &str) {
    stream.write_all(format!("{command}\r\n").as_bytes()).expect("it reads");
    assert_eq!(receive(stream, expected.len()), expected, "{command}");
}

fn is_closed(stream: &mut TcpStream) -> bool {
    matches!(stream.read(&mut [0]), Ok(0) | Err(_))
}

#[test]
fn inline_and_multibulk_requests_are_answered_in_one_pipeline() {
    let server = Server::start(&[]);
    let request = "PING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\nGET k\r\nECHO 'x y'\r\n";
    let expected = "+PONG\r\n+OK\r\n$4\r\na\r\nb\r\n$3\r\nx y\r\n";
    assert_eq!(server.ask(request.as_bytes(), expected), expected);
}

#[test]
fn hello_3_changes_the_protocol_of_one_connection() {
    let server = Server::start(&[]);
    let (mut new, mut old) = (server.connect(), server.connect());
    new.write_all(b"HELLO 3\r\nECHO end\r\n").expect("it reads");
    let mut lines = BufReader::new(&mut new).lines().map(|line| line.expect("it is answered"));
    assert!(lines.next().is_some_and(|line| line.starts_with('%')));
    assert!(lines.any(|line| line == "end"));
    call(&mut new, "GET missing", "_\r\n");
    call(&mut old, "GET missing", "$-1\r\n");
}

/// As 7.0.15 and 8.2.3 send it: what stands before HELLO keeps the form it was answered in.
#[test]
fn hello_inside_a_transaction_holds_for_the_elements_behind_it() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    for command in
        ["MULTI", "GET missing", "HELLO 3", "GET missing", "CONFIG GET maxmemory", "HELLO 2", "GET missing"]
    {
        let expected = if command == "MULTI" { "+OK\r\n" } else { "+QUEUED\r\n" };
        call(&mut stream, command, expected);
    }
    stream.write_all(b"EXEC\r\nECHO end\r\n").expect("it reads");
    let lines = BufReader::new(&mut stream).lines().map(|line| line.expect("it is answered"));
    let got: Vec<String> = lines.take_while(|line| line != "end").collect();
    assert_eq!(got[..3], ["*6", "$-1", "%7"], "HELLO 3 answers with a map, and what came before is RESP2's");
    let between: Vec<&str> = got.iter().skip_while(|line| *line != "_").take(6).map(String::as_str).collect();
    assert_eq!(
        between,
        ["_", "%1", "$9", "maxmemory", "$1", "0"],
        "behind it all is RESP3's, even after HELLO 2"
    );
    assert_eq!(got[got.len() - 2..], ["$-1", "$3"], "the last element, and the length of ECHO's text");
}

/// The lines are no elements of EXEC's array, and still stand between them: as 7.0.15 and 8.2.3 send it.
#[test]
fn a_client_that_monitors_itself_gets_its_lines_inside_the_array() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    stream.write_all(b"MONITOR\r\nMULTI\r\nPING\r\nECHO x\r\nEXEC\r\n").expect("it reads");
    let mut got = Vec::new();
    for line in BufReader::new(&mut stream).lines() {
        let line = line.expect("it is answered");
        let command = line.split_once("] ").map(|(_, command)| format!("monitor: {command}"));
        got.push(command.unwrap_or(line));
        if got.last().is_some_and(|line| line.ends_with("\"EXEC\"")) {
            break;
        }
    }
    let expected = "+OK|+OK|monitor: \"MULTI\"|+QUEUED|+QUEUED\
        |*2|+PONG|monitor: \"PING\"|$1|x|monitor: \"ECHO\" \"x\"|monitor: \"EXEC\"";
    assert_eq!(got.join("|"), expected);
}

#[test]
fn a_broken_request_closes_only_its_own_connection() {
    let server = Server::start(&[]);
    let mut other = server.connect();
    call(&mut other, "PING", "+PONG\r\n");
    let mut broken = server.connect();
    call(&mut broken, "*1\r\nx", "-ERR Protocol error: expected '$', got 'x'\r\n");
    assert!(is_closed(&mut broken));
    call(&mut other, "PING", "+PONG\r\n");
}

#[test]
fn quit_is_answered_before_the_end() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    call(&mut stream, "QUIT", "+OK\r\n");
    assert!(is_closed(&mut stream));
}

#[test]
fn a_busy_server_says_so_and_can_be_freed() {
    let server = Server::start(&["--config", "busy-reply-threshold=50"]);
    let (mut a, mut b) = (server.connect(), server.connect());
    a.write_all(b"EVAL 'while true do end' 0\r\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    let busy = "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";
    call(&mut b, "PING", busy);
    call(&mut b, "SHUTDOWN NOW", busy);
    call(&mut b, "SHUTDOWN NOSAVE SAVE", "-ERR syntax error\r\n");
    call(&mut b, "SCRIPT KILL", "+OK\r\n");
    let killed = "-ERR Script killed by user with SCRIPT KILL... script: 694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.\r\n";
    assert_eq!(receive(&mut a, killed.len()), killed);
    call(&mut b, "PING", "+PONG\r\n");
}

#[test]
fn a_script_that_works_for_seconds_ends() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    call(&mut stream, "EVAL 'for i = 1, 2.5e8 do end return 7' 0", ":7\r\n");
    call(&mut stream, "PING", "+PONG\r\n");
}

#[test]
fn keys_run_out_in_real_time() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    call(&mut stream, "SET k v PX 100", "+OK\r\n");
    call(&mut stream, "GET k", "$1\r\nv\r\n");
    std::thread::sleep(Duration::from_millis(200));
    call(&mut stream, "GET k", "$-1\r\n");
}

#[test]
fn many_clients_are_served_side_by_side() {
    let server = Server::start(&[]);
    let mut clients: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    for round in 0..3 {
        for client in &mut clients {
            client.write_all(&b"INCR n\r\n".repeat(16)).expect("it reads");
        }
        for client in &mut clients {
            let mut replies = BufReader::new(client);
            for _ in 0..16 {
                let mut line = String::new();
                replies.read_line(&mut line).expect("every request is answered");
                assert!(line.starts_with(':'), "{line}");
            }
        }
        let sum = (round + 1) * 50 * 16;
        call(&mut clients[0], "GET n", &format!("${}\r\n{sum}\r\n", sum.to_string().len()));
    }
}

#[test]
fn shutdown_without_saving_ends_a_busy_process() {
    let mut server = Server::start(&["--config", "busy-reply-threshold=50"]);
    let (mut a, mut b) = (server.connect(), server.connect());
    a.write_all(b"EVAL 'while true do end' 0\r\n").expect("it reads");
    std::thread::sleep(Duration::from_millis(300));
    b.write_all(b"SHUTDOWN NOSAVE NOW\r\n").expect("it reads");
    assert!(is_closed(&mut b));
    assert_eq!(server.process.wait().expect("it ends").code(), Some(0));
}

#[test]
fn shutdown_ends_the_process() {
    let mut server = Server::start(&["--redis-version", "7.0"]);
    let mut stream = server.connect();
    stream.write_all(b"SHUTDOWN NOSAVE\r\n").expect("it reads");
    assert!(is_closed(&mut stream));
    assert_eq!(server.process.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_table_that_holds_itself_is_answered_as_deep_as_lua_goes() {
    let server = Server::start(&[]);
    let mut expected = "*1\r\n".repeat(7995);
    expected.push_str("-ERR reached lua stack limit\r\n");
    let request = b"EVAL \"local a = {} a[1] = a return a\" 0\r\n";
    assert!(server.ask(request, &expected) == expected);
    assert_eq!(server.ask(b"PING\r\n", "+PONG\r\n"), "+PONG\r\n");
}
