//! The machine over time: stories of several clients, as data.

use crate::event::{ClientId, EventKind};
use crate::resp::{Protocol, split_args, transcript_text};

use crate::profile::Version;

use super::{Input, InputKind, Options, Server};
use crate::clock::Micros;

/// Plays lines like `A: GET k`, `A leaves` and `+300ms` and lists what every client got: `A 0.001 "v"` (milliseconds since the start).
pub(super) fn play(server: &mut Server, story: &str) -> String {
    let start = server.now();
    let mut out = String::new();
    let mut at = start;
    for line in story.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let kind = if let Some(span) = line.strip_prefix('+') {
            at = at.max(server.now())
                + Micros::from_millis(span.trim_end_matches("ms").parse().expect("+Nms"));
            InputKind::Advance
        } else if let Some(client) = line.strip_suffix(" leaves") {
            InputKind::Disconnect { client: ClientId(u64::from(client.as_bytes()[0])) }
        } else if line == "restart" {
            InputKind::Restart { keep_data: false }
        } else {
            let (client, command) = line.split_once(": ").expect("CLIENT: COMMAND");
            let argv = split_args(command.as_bytes()).expect("well quoted");
            InputKind::Command { client: ClientId(u64::from(client.as_bytes()[0])), argv }
        };
        for event in server.apply(Input { at, kind }) {
            let micros = (event.at - start).0;
            let (client, text) = match event.kind {
                EventKind::Replied { client, reply, .. } => (
                    client,
                    transcript_text(
                        &reply.as_sent(Protocol::Resp2, server.state().version),
                        server.state().version,
                    ),
                ),
                EventKind::Closed { client } => (client, "closed".into()),
                EventKind::BusyBegan { client } => (client, "busy".into()),
                _ => continue,
            };
            let client = char::from(client.0 as u8);
            out.push_str(&format!("{client} {}.{:03} {}\n", micros / 1000, micros % 1000, text.trim_end()));
        }
    }
    out
}

pub(super) fn check(story: &str, expected: &str) {
    check_in(Version::default(), story, expected);
}

pub(super) fn check_in(version: Version, story: &str, expected: &str) {
    let mut server = Server::new(Options { version, ..Options::default() });
    let got = play(&mut server, story);
    let tidy = |text: &str| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(tidy(&got), tidy(expected), "\n{story}");
}

#[test]
fn a_lock_that_ran_out_is_deleted_from_under_its_new_holder() {
    check(
        "A: SET lock A NX PX 300
         +400ms
         B: SET lock B NX PX 30000
         A: DEL lock
         B: EXISTS lock",
        "A 0.001 OK
         B 400.002 OK
         A 400.003 (integer) 1
         B 400.004 (integer) 0",
    );
}

#[test]
fn an_endless_script_makes_others_wait_and_then_busy_until_it_is_killed() {
    check(
        "A: CONFIG SET busy-reply-threshold 200
         A: EVAL \"while true do end\" 0
         B: PING
         +100ms
         C: PING
         +300ms
         B: PING
         C: SCRIPT KILL
         B: PING
         +1ms
         B: PING",
        "A 0.001 OK
         A 200.001 busy
         B 200.002 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         C 200.003 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         B 400.002 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         C 400.003 OK
         B 400.004 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         A 400.005 (error) ERR Script killed by user with SCRIPT KILL... script: 694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.
         B 401.005 PONG",
    );
}

#[test]
fn a_script_goes_on_when_its_client_leaves_and_can_still_be_killed() {
    let mut server = Server::new(Options::default());
    let got = play(
        &mut server,
        "A: EVAL \"while true do redis.pcall('GET', 'k') end\" 0
         A leaves
         +5000ms
         B: PING
         B: SCRIPT KILL
         +1000ms
         B: PING",
    );
    for line in ["B 5000.001 (error) BUSY", "B 5000.002 OK", "(error) ERR Script killed by user", "PONG"] {
        assert!(got.contains(line), "{line} is not in\n{got}");
    }
    assert!(server.state().clients.keys().eq([&ClientId(u64::from(b'B'))]));
    assert_eq!(server.audit(), Ok(()));
}

#[test]
fn a_script_that_has_written_can_not_be_killed() {
    check(
        "A: CONFIG SET busy-reply-threshold 200
         A: EVAL \"redis.call('set', KEYS[1], 'x') while true do end\" 1 k
         +300ms
         B: SCRIPT KILL
         B: FUNCTION KILL
         B: SHUTDOWN NOSAVE
         restart
         B: GET k",
        "A 0.001 OK
         A 200.001 busy
         B 300.002 (error) UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.
         B 300.003 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         A 300.003 closed
         B 300.003 closed
         B 300.004 (nil)",
    );
}

#[test]
fn a_slow_script_ends_by_itself_and_its_effects_land_at_its_end() {
    check(
        "A: CONFIG SET busy-reply-threshold 10
         A: EVAL \"for i = 1, 1e6 do end redis.call('set', KEYS[1], 'done') return 1\" 1 k
         +5ms
         B: GET k
         +200ms
         B: GET k",
        "A 0.001 OK
         A 10.001 busy
         B 10.002 (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.
         A 100.012 (integer) 1
         B 205.002 \"done\"",
    );
}

#[test]
fn one_pcall_survives_a_kill_but_a_loop_of_them_does_not() {
    check(
        "A: CONFIG SET busy-reply-threshold 1
         A: EVAL \"local ok, e = pcall(function() while true do end end) return {tostring(ok), e}\" 0
         +10ms
         B: SCRIPT KILL
         +10ms
         A: EVAL \"while true do pcall(function() while true do end end) end\" 0
         +10ms
         B: SCRIPT KILL
         +10ms
         B: PING",
        "A 0.001 OK
         A 1.001 busy
         B 10.002 OK
         A 10.003 1) \"false\"
         2) \"ERR Script killed by user with SCRIPT KILL...\"
         A 21.002 busy
         B 30.003 OK
         A 30.004 (error) ERR Script killed by user with SCRIPT KILL... script: 3d7b0cfd4124d0a72b8a39e531e7c806bc453d3e, on @user_script:1.
         B 40.004 PONG",
    );
}

#[test]
fn exec_goes_on_behind_a_killed_script() {
    check(
        "A: CONFIG SET busy-reply-threshold 1
         A: MULTI
         A: SET k 1
         A: EVAL \"while true do end\" 0
         A: INCR k
         A: EXEC
         +5ms
         B: SCRIPT KILL
         +1ms
         B: GET k",
        "A 0.001 OK
         A 0.002 OK
         A 0.003 QUEUED
         A 0.004 QUEUED
         A 0.005 QUEUED
         A 1.005 busy
         B 5.006 OK
         A 5.007 1) OK
         2) (error) ERR Script killed by user with SCRIPT KILL... script: 694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.
         3) (integer) 2
         B 6.007 \"2\"",
    );
}

#[test]
fn a_watched_key_that_changes_or_runs_out_breaks_exec() {
    check(
        "A: SET k 1 PX 100
         A: WATCH k
         B: SET k 2
         A: MULTI
         A: EXEC
         A: SET k 1 PX 99
         A: WATCH k
         +100ms
         A: MULTI
         A: EXEC
         A: WATCH k
         A: MULTI
         A: PING
         A: EXEC",
        "A 0.001 OK
         A 0.002 OK
         B 0.003 OK
         A 0.004 OK
         A 0.005 (nil)
         A 0.006 OK
         A 0.007 OK
         A 100.008 OK
         A 100.009 (nil)
         A 100.010 OK
         A 100.011 OK
         A 100.012 QUEUED
         A 100.013 1) PONG",
    );
}

#[test]
fn a_database_that_is_emptied_or_swapped_breaks_watches_but_not_those_on_keys_past_their_expiry() {
    check(
        "A: DEBUG SET-ACTIVE-EXPIRE 0
         A: SET k 1 PX 1
         +5ms
         A: WATCH k
         A: FLUSHDB
         A: MULTI
         A: EXEC
         A: SET k 1 PX 1
         +5ms
         A: WATCH k
         A: SWAPDB 0 1
         A: MULTI
         A: EXEC
         A: WATCH k
         A: SWAPDB 0 1
         A: MULTI
         A: EXEC
         A: SET k 1
         A: WATCH k
         A: DEBUG RELOAD NOFLUSH MERGE
         A: MULTI
         A: EXEC
         A: WATCH k
         A: DEBUG RELOAD
         A: MULTI
         A: EXEC
         A: WATCH k
         A: SWAPDB 0 1
         A: MULTI
         A: EXEC",
        "A 0.001 OK
         A 0.002 OK
         A 5.003 OK
         A 5.004 OK
         A 5.005 OK
         A 5.006 (empty array)
         A 5.007 OK
         A 10.008 OK
         A 10.009 OK
         A 10.010 OK
         A 10.011 (empty array)
         A 10.012 OK
         A 10.013 OK
         A 10.014 OK
         A 10.015 (empty array)
         A 10.016 OK
         A 10.017 OK
         A 10.018 OK
         A 10.019 OK
         A 10.020 (empty array)
         A 10.021 OK
         A 10.022 OK
         A 10.023 OK
         A 10.024 (nil)
         A 10.025 OK
         A 10.026 OK
         A 10.027 OK
         A 10.028 (nil)",
    );
}

#[test]
fn fields_of_a_hash_run_out_one_by_one_and_the_hash_with_the_last() {
    check(
        "A: CONFIG SET notify-keyspace-events Ehg
         A: HSET h a 1 b 2
         A: HPEXPIRE h 100 FIELDS 1 a
         A: HPEXPIRE h 200 FIELDS 1 b
         A: WATCH h
         +150ms
         A: HLEN h
         A: HPTTL h FIELDS 2 a b
         +100ms
         A: EXISTS h
         A: MULTI
         A: PING
         A: EXEC",
        "A 0.001 OK
         A 0.002 (integer) 2
         A 0.003 1) (integer) 1
         A 0.004 1) (integer) 1
         A 0.005 OK
         A 150.006 (integer) 1
         A 150.007 1) (integer) -2
         2) (integer) 50
         A 250.008 (integer) 0
         A 250.009 OK
         A 250.010 QUEUED
         A 250.011 1) PONG",
    );
}

#[test]
fn a_field_does_not_run_out_while_a_script_runs() {
    check(
        "A: HSET h a 1
         A: HPEXPIRE h 1 FIELDS 1 a
         A: EVAL \"for i = 1, 1e6 do end return redis.call('hget', KEYS[1], 'a')\" 1 h
         A: HGET h a",
        "A 0.001 (integer) 1
         A 0.002 1) (integer) 1
         A 100.013 \"1\"
         A 100.014 (nil)",
    );
}

#[test]
fn the_same_inputs_give_the_same_digest() {
    let story = "A: SET k 1 PX 50
                 A: EVAL \"return math.random()\" 0
                 B: MULTI
                 B: INCR k
                 +60ms
                 B: EXEC";
    let digest = || {
        let mut server = Server::new(Options::default());
        play(&mut server, story);
        server.digest()
    };
    assert_eq!(digest(), digest());
}

#[test]
fn a_key_that_outlives_the_clock_is_there_at_its_last_moment() {
    let mut server = Server::new(Options::default());
    play(&mut server, "A: PEXPIREAT none 9223372036854775000\nA: SET k v PXAT 9223372036854775000");
    server.apply(Input { at: Micros(u64::MAX), kind: InputKind::Advance });
    assert_eq!(server.now(), Micros(u64::MAX));
    assert_eq!(server.next_due(), None);
}
