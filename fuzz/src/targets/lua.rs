//! Lua: scripts against the sandbox, data against the libraries, and texts against the lints.

use std::cell::RefCell;

use playground_core::Bytes;
use playground_core::clock::Micros;
use playground_core::profile::Version;
use playground_core::resp::Reply;
use playground_core::server::{ClientId, EventKind, Input, InputKind, Options, Server};
use playground_lint::lint_script;

use super::same;
use crate::chance::Chance;

/// In the versions between, a script may change the methods of strings for those that follow; that is how they are.
const SEALED: &[Version] = &[Version::V7_0, Version::V8_2, Version::V8_4, Version::V8_6];

/// Pieces that scripts are made of. `E` becomes an expression, `N` a name.
const STATEMENTS: &[&str] = &[
    "local N = E",
    "N = E",
    "local N = {E, E, N = E}",
    "if E then return E end",
    "for i = 1, 3 do local N = E end",
    "for k, v in pairs(N) do N[k] = E end",
    "while E do break end",
    "while true do end",
    "pcall(function() while true do end end)",
    "local N = function(N, ...) return E, ... end",
    "N.x = E",
    "rawset(N, E, E)",
    "setmetatable(N, {__index = E, __gc = E, __mode = 'k'})",
    "string.N = E",
    "_G.N = E",
    "redis.N = E",
    "getmetatable('').__index = E",
    "collectgarbage(E)",
    "local co = coroutine.wrap(function() coroutine.yield(E) end) co() co()",
    "table.sort(N, function(a, b) return E end)",
    "error(E)",
    "error({err = E})",
    "return {E, E}",
    "redis.call('SET', 'k', E)",
    "redis.pcall(E, E)",
    "redis.setresp(E)",
    "redis.log(E, E)",
    "redis.breakpoint()",
];
const EXPRESSIONS: &[&str] = &[
    "nil",
    "true",
    "1",
    "-0.5",
    "1/0",
    "0/0",
    "2^53",
    "'text'",
    "''",
    "{}",
    "{1, 2, {3}}",
    "N",
    "N.x",
    "N[E]",
    "#N",
    "N .. E",
    "E + E",
    "E == E",
    "E < E",
    "not E",
    "N(E)",
    "(E)(E)",
    "function() return E end",
    "KEYS",
    "ARGV",
    "ARGV[1]",
    "KEYS[2]",
    "_G",
    "getmetatable(E)",
    "setmetatable({}, {__call = N, __tostring = N, __len = N, __eq = N})",
    "tostring(E)",
    "tonumber(E, 16)",
    "type(E)",
    "select(E, E, E)",
    "unpack(E)",
    "unpack({}, 1, 7000)",
    "next(E)",
    "rawget(_G, E)",
    "rawequal(E, E)",
    "loadstring('return ' .. E)",
    "loadstring(string.dump(N))",
    "load(function() return E end)",
    "dofile",
    "require",
    "print",
    "os.clock()",
    "debug",
    "package",
    "io",
    "newproxy",
    "gcinfo",
    "module",
    "setfenv",
    "getfenv",
    "xpcall(N, N)",
    "pcall(N, E)",
    "pcall(error)",
    "pcall(pcall)",
    "coroutine.create(N)",
    "coroutine.resume(E, E)",
    "coroutine.status(E)",
    "coroutine.running()",
    "string.rep(E, 100)",
    "string.rep('x', 100000)",
    "string.format('%s %d %q %5.2f', E, E, E, E)",
    "string.gsub(E, '.', N)",
    "string.find(E, '.-x')",
    "string.byte(E, 1, -1)",
    "string.char(E)",
    "string.dump(N)",
    "('x'):rep(E)",
    "table.concat(N, E)",
    "table.insert(N, E)",
    "table.remove(N)",
    "table.maxn(N)",
    "math.random(E)",
    "math.randomseed(E)",
    "math.floor(E)",
    "math.huge",
    "bit.band(E, E)",
    "bit.lshift(E, E)",
    "bit.tohex(E)",
    "cjson.encode(E)",
    "cjson.decode(E)",
    "cjson.null",
    "cjson.encode_max_depth(E)",
    "cmsgpack.pack(E, E)",
    "cmsgpack.unpack(E)",
    "struct.pack('>I2s', E, E)",
    "struct.unpack('<d', E)",
    "redis",
    "redis.call",
    "redis.call('GET', E)",
    "redis.call(E)",
    "redis.sha1hex(E)",
    "redis.error_reply(E)",
    "redis.status_reply(E)",
    "redis.REDIS_VERSION",
    "redis.acl_check_cmd(E)",
    "redis.register_function(E)",
    "redis.set_repl(E)",
    "redis.replicate_commands()",
];
const NAMES: &[&str] = &[
    "a", "b", "x", "k", "self", "redis", "string", "table", "_G", "KEYS", "cjson", "math", "pairs",
    "tostring", "__index",
];

/// What the next script finds. Names and kinds only: two VMs have functions at different places.
const PROBE: &str = "
local seen, out = {}, {}
local function walk(path, value, depth)
  if type(value) == 'table' and not seen[value] and depth < 4 then
    seen[value] = true
    local keys = {}
    for key in pairs(value) do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    for _, key in ipairs(keys) do walk(path .. '.' .. key, rawget(value, key), depth + 1) end
    local ok, meta = pcall(getmetatable, value)
    if ok and meta then walk(path .. '#', meta, depth + 1) end
  else
    local plain = type(value) == 'number' or type(value) == 'string' or type(value) == 'boolean'
    out[#out + 1] = path .. '=' .. (plain and tostring(value) or type(value))
  end
end
walk('_G', _G, 0)
local ok, meta = pcall(getmetatable, '')
if ok and meta then walk('string', meta, 0) end
return out";

/// A script answers or can be ended; it leaves nothing behind for the next one, and does the same a second time.
pub(super) fn scripts(chance: &mut Chance) -> Result<(), String> {
    let version = *chance.pick(SEALED);
    let source = if chance.one_in(4) { mutated(chance) } else { script(chance) };
    let mut server = server(version);
    let first = play(&mut server, &source);
    server.audit().map_err(|broken| format!("{broken}\nafter\n{source}"))?;
    if server.is_stopped() {
        // 7.0 ends on an error that is a table without a text, as the real one does.
        return Ok(());
    }
    let left = reply(&mut server, &["EVAL", PROBE, "0"]);
    same("what the next script finds", &left, &Some(untouched(version)))
        .map_err(|reason| format!("{reason}\nafter\n{source}"))?;
    let mut other = self::server(version);
    let second = play(&mut other, &source);
    same("what a script answers", &without_places(&first), &without_places(&second))
        .map_err(|reason| format!("{reason}\nto\n{source}"))
}

/// Addresses differ from VM to VM, as they do on real servers.
fn without_places(replies: &[Option<Reply>]) -> String {
    let text = format!("{replies:?}");
    let mut parts = text.split("0x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |whole, part| whole + part.trim_start_matches(|digit: char| digit.is_ascii_hexdigit()))
}

fn server(version: Version) -> Server {
    let mut options = Options { version, ..Options::default() };
    options.cost.instructions_max = 2_000_000;
    let mut server = Server::new(options);
    let set = server.configure("busy-reply-threshold", "50");
    debug_assert_eq!(set, Ok(()));
    server
}

fn untouched(version: Version) -> Reply {
    thread_local! {
        static KNOWN: RefCell<Vec<(Version, Reply)>> = const { RefCell::new(Vec::new()) };
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some((_, reply)) = known.iter().find(|(of, _)| *of == version) {
            return reply.clone();
        }
        let reply = reply(&mut server(version), &["EVAL", PROBE, "0"]).unwrap_or(Reply::Nil);
        known.push((version, reply.clone()));
        reply
    })
}

/// Runs a script to its end, killed if need be; the last reply is of somebody else.
fn play(server: &mut Server, source: &str) -> Vec<Option<Reply>> {
    let mut replies = vec![reply(server, &["EVAL", source, "2", "k", "x", "1", "text"])];
    // Time enough for every bound, and a KILL for what has not written.
    for _ in 0..3 {
        if server.state().running.is_some() {
            let at = server.now() + Micros(1_000_000);
            server.apply(Input { at, kind: InputKind::Advance });
            replies.push(send(server, ClientId(2), &["SCRIPT", "KILL"]));
        }
    }
    if server.state().running.is_some() {
        server.apply(Input { at: server.now(), kind: InputKind::Restart { keep_data: true } });
    }
    replies.push(send(server, ClientId(2), &["PING"]));
    replies
}

fn reply(server: &mut Server, words: &[&str]) -> Option<Reply> {
    send(server, ClientId(1), words)
}

fn send(server: &mut Server, client: ClientId, words: &[&str]) -> Option<Reply> {
    let argv = words.iter().map(|word| Bytes::from(*word)).collect();
    let events =
        server.apply(Input { at: server.now() + Micros(1), kind: InputKind::Command { client, argv } });
    events.into_iter().find_map(|event| match event.kind {
        EventKind::Replied { client: of, reply, .. } if of == client => Some(reply),
        _ => None,
    })
}

fn script(chance: &mut Chance) -> String {
    let lines: Vec<String> = (0..=chance.below(6)).map(|_| statement(chance)).collect();
    lines.join("\n")
}

fn statement(chance: &mut Chance) -> String {
    let pattern = *chance.pick(STATEMENTS);
    filled(chance, pattern, 4)
}

fn filled(chance: &mut Chance, pattern: &str, depth: usize) -> String {
    let mut text = String::new();
    let mut letters = pattern.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        // Holes are capital letters that stand alone.
        let is_hole = !before.is_alphanumeric()
            && before != '_'
            && letters.peek().is_none_or(|next| !next.is_alphanumeric() && *next != '_');
        match letter {
            'E' if is_hole && depth == 0 => text += "N1",
            'E' if is_hole => {
                let expression = *chance.pick(EXPRESSIONS);
                text += &filled(chance, expression, depth - 1);
            }
            'N' if is_hole => text += *chance.pick(NAMES),
            other => text.push(other),
        }
        before = letter;
    }
    text
}

/// A script of the examples, changed.
fn mutated(chance: &mut Chance) -> String {
    let example = *chance.pick(super::super::EXAMPLES);
    let scripts: Vec<&str> = example
        .split("```lua")
        .skip(1)
        .filter_map(|rest| rest.split_once('\n')?.1.split("```").next())
        .collect();
    if scripts.is_empty() {
        return script(chance);
    }
    let script = *chance.pick(&scripts);
    chance.mutate_text(script)
}

/// Each takes ARGV[1] and ARGV[2], bytes of chance, and must not fail past what `pcall` catches.
const LIBRARIES: &[&str] = &[
    "local value = cjson.decode(ARGV[1]) local text = cjson.encode(value) cjson.decode(text) return text",
    "local values = {cmsgpack.unpack(ARGV[1])} local bytes = cmsgpack.pack(unpack(values)) return {cmsgpack.unpack(bytes)}",
    "return {cmsgpack.unpack_limit(ARGV[1], 2, 1)}",
    "return {struct.unpack(ARGV[2], ARGV[1])}",
    "return {struct.pack(ARGV[2], ARGV[1], 2, 3, 4), struct.size(ARGV[2])}",
    "return string.format(ARGV[2], ARGV[1], 2, 3)",
    "return {string.find(ARGV[1], ARGV[2])}",
    "return {string.gsub(ARGV[1], ARGV[2], '%1')}",
    "return {loadstring(ARGV[1])}",
    "return tostring(tonumber(ARGV[1], 2 + #ARGV[2]))",
    "return bit.tohex(tonumber(ARGV[1]) or 7, #ARGV[2] - 8)",
    "return redis.call(ARGV[2], ARGV[1])",
    "return loadstring('return ' .. ARGV[1])()",
];
const JSON: &[&str] = &[
    r#"{"a":[1,2.5,null,true,"x\u00e9\n"],"b":{}}"#,
    "[[[[[[1]]]]]]",
    "[1e309,-0,0.1]",
    "\"\\ud83d\\ude00\"",
    "nan",
];
const FORMATS: &[u8] = b"<>!=bBhHlLiIsfdxXc0123456789%sdqg.*[^]()-+ ";

/// Libraries take what they are given, or raise an error.
pub(super) fn libraries(chance: &mut Chance) -> Result<(), String> {
    let mut server = server(*chance.pick(&Version::ALL));
    let mut data = match chance.below(4) {
        0 => chance.pick(JSON).as_bytes().to_vec(),
        1 => match reply(
            &mut server,
            &["EVAL", "return cmsgpack.pack({1, -5, 2^40, 1.5, 'x', {a = true}}, 'text')", "0"],
        ) {
            Some(Reply::Bulk(bytes)) => bytes.to_vec(),
            other => return Err(format!("pack gave {other:?}")),
        },
        _ => chance.bytes(40),
    };
    if chance.one_in(2) {
        chance.mutate(&mut data);
    }
    let format = chance.bytes_of(FORMATS, 10);
    let source = format!(
        "local ok, value = pcall(function() {} end) return {{tostring(ok), value}}",
        chance.pick(LIBRARIES)
    );
    let argv = vec![
        "EVAL".into(),
        Bytes::from(source.as_str()),
        "0".into(),
        Bytes::from(data.clone()),
        Bytes::from(format.clone()),
    ];
    let at = server.now();
    let events = server.apply(Input { at, kind: InputKind::Command { client: ClientId(1), argv } });
    let answered = events.iter().any(|event| matches!(event.kind, EventKind::Replied { .. }));
    if !answered && server.state().running.is_none() {
        return Err(format!("no answer to {source} with {data:?} and {format:?}"));
    }
    Ok(())
}

/// Lints read every text, and complain about places in it.
pub(super) fn lints(chance: &mut Chance) -> Result<(), String> {
    let text = if chance.one_in(2) { mutated(chance) } else { script(chance) };
    let lines = text.lines().count() + 1;
    match lint_script(&text) {
        Ok(findings) => match findings
            .iter()
            .find(|finding| finding.line == 0 || finding.line > lines || finding.column == 0)
        {
            Some(finding) => Err(format!("{finding} stands outside of\n{text}")),
            None => Ok(()),
        },
        Err(mistakes) if mistakes.is_empty() => Err(format!("refused without a reason:\n{text}")),
        Err(_) => Ok(()),
    }
}
