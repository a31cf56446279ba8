//! Work that a script leaves to C code, where Lua's hooks are blind: it counts towards the budget, and what it builds has a
//! bound. A server is never held for good, and answers as usual afterwards.

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::{Reply, terminal_text};
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use playground_core::state::Cost;

const ALICE: ClientId = ClientId(1);
const BOB: ClientId = ClientId(2);

fn send(server: &mut Server, client: ClientId, words: &[&str]) -> Option<Reply> {
    let argv = words.iter().map(|word| Bytes::from(*word)).collect();
    let events = server.apply(Input { at: server.now(), kind: InputKind::Command { client, argv } });
    events.into_iter().find_map(|event| match event.kind {
        EventKind::Replied { reply, client: to, .. } if to == client => Some(reply),
        _ => None,
    })
}

/// Lets time pass until the client is answered, or nothing is due any more.
fn answer(server: &mut Server, client: ClientId, words: &[&str]) -> Option<String> {
    let mut reply = send(server, client, words);
    while reply.is_none() {
        let at = server.next_due()?;
        reply =
            server.apply(Input { at, kind: InputKind::Advance }).into_iter().find_map(|event| {
                match event.kind {
                    EventKind::Replied { reply, client: to, .. } if to == client => Some(reply),
                    _ => None,
                }
            });
    }
    reply.map(|reply| terminal_text(&reply, Version::default()))
}

/// The script never ends by itself; past the busy threshold another client can kill it, and then all is well.
#[track_caller]
fn check_killable(script: &str) {
    // Three times the threshold is for ever.
    let cost = Cost { instructions_max: 3_000_000, ..Cost::default() };
    let mut server = Server::new(Options { detailed: false, cost, ..Options::default() });
    server.configure("busy-reply-threshold", "100").expect("the parameter exists");
    assert_eq!(answer(&mut server, ALICE, &["EVAL", script, "0"]), None, "{script}");
    assert!(server.is_waiting(ALICE), "{script}");
    let later = playground_core::clock::Micros(server.now().0 + 1_000_000);
    server.apply(Input { at: later, kind: InputKind::Advance });
    assert_eq!(answer(&mut server, BOB, &["SCRIPT", "KILL"]).as_deref(), Some("OK"), "{script}");
    assert_eq!(answer(&mut server, BOB, &["PING"]).as_deref(), Some("PONG"), "{script}");
    let after = answer(&mut server, ALICE, &["EVAL", "return #string.rep('x', 9)", "0"]);
    assert_eq!(after.as_deref(), Some("(integer) 9"), "{script}");
}

#[track_caller]
fn check_answer(script: &str, expected: &str) {
    let mut server = Server::new(Options { detailed: false, ..Options::default() });
    let text = answer(&mut server, ALICE, &["EVAL", script, "0"]).unwrap_or_default();
    assert!(text.contains(expected), "{script}\n{text}");
    assert_eq!(answer(&mut server, ALICE, &["PING"]).as_deref(), Some("PONG"), "{script}");
}

#[test]
fn a_pattern_that_backtracks_for_ever_can_be_killed() {
    check_killable("return string.find(('a'):rep(40), ('a?'):rep(40) .. ('a'):rep(40))");
    check_killable("return ('a'):rep(1000000):find('.-b')");
    check_killable("while true do pcall(string.gsub, ('a'):rep(100000), '.-b', '') end");
}

#[test]
fn an_insertion_that_moves_billions_of_elements_can_be_killed() {
    check_killable("table.insert({}, -2^31, 1)");
}

#[test]
fn a_small_table_that_unfolds_without_end_can_be_killed() {
    check_killable("local t = {} for i = 1, 60 do t = {t, t} end return cjson.encode(t)");
}

#[test]
fn what_a_library_builds_has_a_bound() {
    let too_large = "resulting string too large";
    check_answer("return string.rep('x', 1e9)", too_large);
    check_answer("return (('x'):rep(1e5):gsub('x', ('y'):rep(1e4)))", too_large);
    check_answer(
        "local s = ('x'):rep(1e6) local t = {} for i = 1, 99 do t[i] = s end return table.concat(t)",
        too_large,
    );
    check_answer(
        "local s = ('x'):rep(1e6) local t = {} for i = 1, 99 do t[i] = s end return cjson.encode(t)",
        too_large,
    );
    check_answer(
        "local s = ('x'):rep(1e6) local t = {} for i = 1, 99 do t[i] = s end return cmsgpack.pack(t)",
        too_large,
    );
}

#[test]
fn nesting_has_the_bounds_of_real_servers() {
    check_answer(
        "cjson.encode_max_depth(1e5) local t = {} for i = 1, 9000 do t = {t} end return cjson.encode(t)",
        "excessive nesting (7998)",
    );
    check_answer(
        "cjson.decode_max_depth(1e5) return cjson.decode(('['):rep(9000))",
        "nested data structures (7999)",
    );
    check_answer(
        "return cmsgpack.unpack(('\\145'):rep(9000))",
        "stack overflow (in function mp_decode_to_lua_array)",
    );
    check_answer("return {pcall(cmsgpack.unpack, ('\\145'):rep(9000))}", "stack overflow (in function");
    check_answer("local function f() return (('x'):gsub('x', f)) end return {pcall(f)}", "C stack overflow");
    check_answer("return ('x'):find(('a?'):rep(100000) .. 'x')", "(integer) 1");
}

#[test]
fn what_is_raised_and_is_no_text_is_told_by_its_address() {
    check_answer("error(function() end)", "ERR function: 0x");
    check_answer("error(coroutine.create(function() end))", "ERR thread: 0x");
}

#[test]
fn errors_in_callbacks_leave_nothing_behind() {
    check_answer(
        "for i = 1, 2000 do pcall(string.gsub, ('x'):rep(1e4), 'x', function() error('no') end) end return 'done'",
        "done",
    );
}

#[test]
fn an_empty_array_stays_one_where_that_is_wished() {
    let script = "cjson.decode_array_with_array_mt(true) \
        return cjson.encode(cjson.decode('[[],{},[1],[[]]]'))";
    check_answer(script, r#"[[],{},[1],[[]]]"#);
    check_answer("return cjson.encode(cjson.decode('[[],{}]'))", "[{},{}]");
}
