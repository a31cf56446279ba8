//! The ways out of Redis's Lua that were found over the years, by their public numbers, and their kin: each ends as on a
//! server that is mended, which is where the answers were seen, and never in a crash or a look at foreign memory.

use playground_core::Bytes;
use playground_core::profile::Version;
use playground_core::resp::terminal_text;
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};

const ALICE: ClientId = ClientId(1);

fn send(server: &mut Server, words: &[&str]) -> String {
    let argv = words.iter().map(|word| Bytes::from(*word)).collect();
    let events = server.apply(Input { at: server.now(), kind: InputKind::Command { client: ALICE, argv } });
    let reply = events.into_iter().find_map(|event| match event.kind {
        EventKind::Replied { reply, .. } => Some(terminal_text(&reply, Version::default())),
        _ => None,
    });
    reply.unwrap_or_default()
}

fn new_server() -> Server {
    Server::new(Options { detailed: false, ..Options::default() })
}

/// The script gives a text with `expected` in it, and the server is as sound afterwards as it was.
#[track_caller]
fn check(script: &str, expected: &str) {
    let mut server = new_server();
    let text = send(&mut server, &["EVAL", &format!("return tostring({script})"), "0"]);
    assert!(text.contains(expected), "{script}\n{text}");
    assert_eq!(send(&mut server, &["EVAL", "return #('x'):rep(9)", "0"]), "(integer) 9", "{script}");
}

#[test]
fn bytecode_is_text_and_nothing_else() {
    // CVE-2015-4335
    check("loadstring(string.dump(function() return 1 end))", "nil");
    check("load(coroutine.wrap(function() coroutine.yield('\\27') coroutine.yield('Lua') end))", "nil");
    let mut server = new_server();
    assert!(send(&mut server, &["EVAL", "\u{1b}Lua", "0"]).contains("Error compiling script"));
}

#[test]
fn msgpack_that_is_deep_or_lies_about_its_length_is_refused() {
    // CVE-2018-11218, CVE-2022-24834
    check("select(2, pcall(cmsgpack.unpack, ('\\1'):rep(100000)))", "too many return values at once");
    check("select(2, pcall(cmsgpack.unpack, '\\221\\255\\255\\255\\255'))", "Missing bytes in input.");
    check("select(2, pcall(cmsgpack.unpack, '\\219\\255\\255\\255\\255a'))", "Missing bytes in input.");
    check("select(2, pcall(cmsgpack.unpack_one, 'abc', 4))", "Start offset 4 greater than input length 3.");
    check("select(2, pcall(cmsgpack.unpack_limit, 'abc', -1))", "offset of 0 and limit of 3");
    check("(function() local t = {} t.t = t return #cmsgpack.pack(t) end)()", "49");
    check("(function() local t = {} for i = 1, 100 do t = {t} end return #cmsgpack.pack(t) end)()", "17");
}

#[test]
fn sizes_and_offsets_of_struct_stay_inside_their_string() {
    // CVE-2018-11219, CVE-2020-14147
    check("select(2, pcall(struct.pack, '>I2147483648', 10))", "integral size overflow");
    check("select(2, pcall(struct.unpack, '>I33', 'abc'))", "larger than limit of 32");
    check("select(2, pcall(struct.unpack, '>I', 'ab', -1))", "data string too short");
    check("select(2, pcall(struct.unpack, 'i', 'abcd', 2147483647))", "data string too short");
    check("select(2, pcall(struct.unpack, 'c2147483647', 'abc'))", "data string too short");
    check("select(2, pcall(struct.unpack, 'Bc0', '\\255abc'))", "data string too short");
    check("select(2, pcall(struct.unpack, 'c0', 'abc'))", "needs a previous size");
}

#[test]
fn deep_json_ends_at_its_bound() {
    // CVE-2021-32626, CVE-2022-24834
    check("select(2, pcall(cjson.decode, ('['):rep(100000)))", "too many nested data structures (1001)");
    check(
        "select(2, pcall(cjson.encode, (function() local t = {} t[1] = t return t end)()))",
        "excessive nesting (1001)",
    );
    check("#cjson.encode(('\\0'):rep(1000000))", "6000002");
}

#[test]
fn hexadecimal_text_has_at_most_eight_digits() {
    // CVE-2024-31449
    check("bit.tohex(65535, -2147483648)", "0000FFFF");
    check("bit.tohex(65535, 2147483647)", "0000ffff");
}

#[test]
fn a_range_to_unpack_does_not_overflow() {
    // CVE-2025-46817
    check("select(2, pcall(unpack, {'a'}, 0, 2147483647))", "too many results to unpack");
    check("select(2, pcall(unpack, {'a'}, -2147483648, 2147483647))", "too many results to unpack");
    check("select(2, pcall(unpack, {'a'}, 1, 8001))", "too many results to unpack");
    check("select('#', unpack({'a'}, 2147483647, 2147483647))", "1");
    check("select('#', unpack({'a'}, 2147483646, -2147483648))", "0");
    check("select('#', unpack({'a', nil, 'c'}, 1, 3)) .. unpack({'x', 'y'}, 2)", "3y");
}

#[test]
fn what_a_script_does_to_basic_types_is_seen_by_no_other() {
    // CVE-2022-24735, CVE-2025-46818
    check("select(2, pcall(function() getmetatable('').__index = 1 end))", "readonly table");
    check("select(2, pcall(function() string.len = 1 end))", "readonly table");
    check("select(2, pcall(function() redis.call = 1 end))", "readonly table");
    check("select(2, pcall(function() setmetatable(_G, {}) end))", "readonly table");
    check("select(2, pcall(rawset, _G, 'x', 1))", "readonly table");
}

#[test]
fn a_delimiter_of_a_million_signs_is_a_syntax_error() {
    // CVE-2025-46819
    check("select(2, loadstring('return [' .. ('='):rep(1000000) .. 'x'))", "invalid long string delimiter");
}

#[test]
fn a_chunk_keeps_its_name_while_its_reader_collects_garbage() {
    // CVE-2025-49844. After a first piece that is empty the reader is asked again, when the name has just been made.
    let junk = "local junk = {} for i = 1, 1000 do junk[i] = ('%07d'):format(i) end";
    let reader = format!("n = n + 1 if n == 1 then return '' end collectgarbage() {junk} return 'x x'");
    check(
        &format!("(function() local n = 0 return select(2, load(function() {reader} end)) end)()"),
        "(load):1: '=' expected near 'xx'",
    );
}

#[test]
fn nothing_of_the_machine_can_be_reached() {
    for name in ["loadfile", "dofile", "require", "io", "package", "print", "newproxy", "module", "getfenv"] {
        let read = format!("select(2, pcall(function() return {name} end))");
        check(&read, &format!("nonexistent global variable '{name}'"));
    }
    for name in ["execute", "exit", "getenv", "remove", "rename", "tmpname", "setlocale", "time", "date"] {
        check(&format!("type(os.{name})"), "nil");
    }
}

#[test]
fn a_pattern_of_stars_does_not_take_for_ever() {
    // CVE-2024-31228
    let mut server = new_server();
    let key = "a".repeat(1_000);
    send(&mut server, &["SET", &key, "1"]);
    assert_eq!(send(&mut server, &["KEYS", &("*a".repeat(400) + "b")]), "(empty array)");
    assert_eq!(send(&mut server, &["KEYS", &"*a".repeat(400)]), format!("1) \"{key}\""));
}

const ODD_CALLS: &str = include_str!("../../tests/shared/odd_calls.lua");

#[test]
fn no_function_with_any_odd_values_ends_the_process() {
    for version in [Version::V7_0, Version::V8_0, Version::default()] {
        let cost = playground_core::state::Cost { instructions_max: 2_000_000_000, ..Default::default() };
        let mut server = Server::new(Options { version, detailed: false, cost, ..Options::default() });
        server.configure("busy-reply-threshold", "1000000").expect("a parameter of ours");
        assert_eq!(send(&mut server, &["EVAL", ODD_CALLS, "0"]), "\"tried\"", "{version:?}");
    }
}

#[test]
fn what_was_done_to_strings_ends_with_the_interpreter() {
    // 7.4 leaves their metatable open; SCRIPT FLUSH throws the interpreter away.
    let mut server = Server::new(Options { version: Version::V7_4, detailed: false, ..Options::default() });
    let upper = ["EVAL", "return ('x'):upper()", "0"];
    let broken = "local strings = getmetatable('') strings.__index = nil strings.__len = 1 return 1";
    assert_eq!(send(&mut server, &["EVAL", broken, "0"]), "(integer) 1");
    assert!(send(&mut server, &upper).contains("attempt to index"));
    assert_eq!(send(&mut server, &["SCRIPT", "FLUSH"]), "OK");
    assert_eq!(send(&mut server, &upper), "\"X\"");
}
