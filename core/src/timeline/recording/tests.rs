//! What a reader of a recording sees, from the text of a scenario on.

use super::*;
use crate::profile::Version;
use crate::script::{Breakpoint, Level, Pair, PointKind};
use crate::timeline::{Timeline, parse};

fn timeline_of(text: &str) -> Timeline {
    let (scenario, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    Timeline::run(scenario, Version::V8_6).expect("the configuration is valid")
}

/// The recording of the first script of a step. Opening it must not change the timeline.
#[track_caller]
fn open(timeline: &Timeline, step: usize) -> Recording {
    let last = timeline.records().len() - 1;
    let before = timeline.at(last).digest();
    let mut runs = timeline.script_runs(step);
    assert!(!runs.is_empty(), "step {step} runs no script");
    let mut recording = Recording::open(runs.remove(0));
    recording.find_end();
    assert_eq!(timeline.at(last).digest(), before);
    assert_eq!(timeline.replay().expect("as before").digest(), before, "recording is no part of the run");
    recording
}

/// A scenario with one script, and one EVAL of it by a client with this rest of the line.
fn script(setup: &str, body: &str, rest: &str) -> Timeline {
    timeline_of(&format!("```lua s\n{body}\n```\n\n```redis\n{setup}A> EVAL $s {rest}\n```\n"))
}

/// The lines of a run in order, calls as the line in brackets.
fn walk(recording: &Recording) -> String {
    let show = |point: &Point| match (point.kind, point.in_script) {
        (PointKind::Call, _) => format!("({})", point.line),
        (_, true) => point.line.to_string(),
        (_, false) => format!("?{}", point.line),
    };
    recording.points().iter().map(show).collect::<Vec<_>>().join(" ")
}

fn lua(value: &LuaValue) -> String {
    match value {
        LuaValue::Nil => "nil".to_owned(),
        LuaValue::Boolean(yes) => yes.to_string(),
        LuaValue::Number(number) => number.to_string(),
        LuaValue::String(text) => format!("'{}'", String::from_utf8_lossy(&text.bytes)),
        LuaValue::Table(table) => {
            let items = table.items.iter().map(lua);
            let rest = table.rest.iter().map(|(key, value)| format!("{}={}", lua(key), lua(value)));
            format!("{{{}}}", items.chain(rest).collect::<Vec<_>>().join(" "))
        }
        LuaValue::Other(kind) => (*kind).to_owned(),
    }
}

fn variables(pairs: &[Pair]) -> String {
    pairs.iter().map(|pair| format!("{}={}", pair.name, lua(&pair.value))).collect::<Vec<_>>().join(" ")
}

fn level(recording: &mut Recording, position: usize, number: usize) -> Level {
    recording.at(position).expect("a point").stack[number].clone()
}

fn key(state: &State, name: &str) -> Option<String> {
    let (_, entry) = state.dbs[0].iter().find(|(key, _)| key.as_slice() == name.as_bytes())?;
    Some(format!("{:?}", entry.value))
}

const LIMITER: &str = "local n = redis.call('INCR', KEYS[1])
if n == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return n";

#[test]
fn a_run_is_listed_line_by_line_and_call_by_call() {
    let timeline = script("", LIMITER, "1 k 100");
    let recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "1 (1) 2 3 (3) 5");
    let end = recording.end().unwrap();
    assert_eq!((end.how, lua(end.value.as_ref().unwrap())), (Ending::Returned, "1".to_owned()));
    assert_eq!(end.reply, Some(Reply::Int(1)));
}

#[test]
fn locals_upvalues_and_types_are_those_of_the_moment() {
    let body = "local sum, names = 0, {}
local function add(name, by)
  sum = sum + by
  names[#names + 1] = name
end
add('a', 2)
add('b', 0.5)
return sum";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "1 5 6 3 4 5 7 3 4 5 8");
    let inner = level(&mut recording, 8, 0);
    assert_eq!(inner.name, "add");
    assert_eq!(variables(&inner.locals), "name='b' by=0.5");
    assert_eq!(variables(&inner.upvalues), "sum=2.5 names={'a'}");
    let outer = level(&mut recording, 8, 1);
    assert_eq!((outer.kind, outer.line), (crate::script::LevelKind::Main, 7));
    assert_eq!(variables(&outer.locals), "sum=2.5 names={'a'} add=function");
    // Looking back shows what was, not what has become.
    assert_eq!(variables(&level(&mut recording, 4, 0).upvalues), "sum=2 names={}");
}

#[test]
fn a_call_is_shown_with_its_reply_and_with_what_lua_got_of_it() {
    let timeline = script("A> SET s v\n", "redis.call('GET', 'no')\nreturn redis.pcall('INCR', 's')", "0");
    let mut recording = open(&timeline, 1);
    assert_eq!(walk(&recording), "1 (1) 2 (2)");
    let frame = recording.at(3).unwrap();
    let told: Vec<(String, Reply, String, bool)> = frame
        .calls
        .iter()
        .map(|call| (call.argv[0].to_text(), call.reply.clone(), lua(&call.value), call.raised))
        .collect();
    assert_eq!(told[0], ("GET".to_owned(), Reply::Nil, "false".to_owned(), false));
    assert!(told[1].1.is_error());
    assert_eq!(
        told[1].2,
        "{'err'='ERR value is not an integer or out of range' 'ignore_error_stats_update'=true}"
    );
}

#[test]
fn stepping_back_over_a_call_shows_the_keys_as_they_were_while_the_server_shows_nothing_yet() {
    let timeline = script("", LIMITER, "1 k 100");
    let mut recording = open(&timeline, 0);
    assert_eq!(key(&recording.at(2).unwrap().state, "k"), Some("String(StringValue(Integer(1)))".to_owned()));
    let back = recording.back_over(2);
    assert_eq!(back, 0);
    assert_eq!(key(&recording.at(back).unwrap().state, "k"), None);
    assert_eq!(key(recording.run().state(), "k"), None);
    assert_eq!(key(&recording.end().unwrap().state, "k"), key(&recording.at(5).unwrap().state, "k"));
}

#[test]
fn steps_go_into_over_and_out_of_functions_and_to_calls() {
    let body = "local function get(key)
  local value = redis.call('GET', key)
  return value
end
local one = get('a')
local two = get('b')
return one";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "4 5 2 (2) 3 6 2 (2) 3 7");
    assert_eq!(recording.step_over(1), 5, "over the call of a function");
    assert_eq!(recording.step_in(1), 2, "into it");
    assert_eq!(recording.step_out(2), 5, "out of it");
    assert_eq!(recording.step_over(4), 5, "from its last line");
    assert_eq!(recording.step_over(3), 4, "from within a call of the server");
    assert_eq!(recording.next_call(0), 3);
    assert_eq!(recording.next_call(3), 7);
    assert_eq!(recording.next_call(7), 10, "there is no other: to the end");
    assert_eq!((recording.back(3), recording.back_over(5), recording.back_out(8)), (2, 1, 5));
    assert_eq!(recording.previous_call(7), 3);
    assert_eq!((recording.step_in(10), recording.back(0)), (10, 0));
    assert_eq!(recording.back_over(10), 9, "back from the end");
}

#[test]
fn breakpoints_hold_on_lines_and_where_their_condition_is_true() {
    let body = "local sum = 0
for i = 1, 10 do
  sum = sum + i
end
return sum";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    let at = |condition: Option<&str>| {
        [Breakpoint { line: 3, condition: condition.map(|text| Bytes::from(text.as_bytes())) }]
    };
    let first = recording.run_to(0, &at(None));
    assert_eq!(variables(&level(&mut recording, first, 0).locals), "sum=0 i=1");
    let second = recording.run_to(first, &at(None));
    assert_eq!(variables(&level(&mut recording, second, 0).locals), "sum=1 i=2");
    let found = recording.run_to(0, &at(Some("sum > 20")));
    assert_eq!(variables(&level(&mut recording, found, 0).locals), "sum=21 i=7");
    let end = recording.points().len();
    let last = recording.run_back_to(end, &at(Some("i % 4 == 0")));
    assert_eq!(variables(&level(&mut recording, last, 0).locals), "sum=28 i=8");
    assert_eq!(recording.run_to(0, &at(Some("sum > 1000"))), end, "none holds: to the end");
    assert_eq!(
        recording.run_to(0, &at(Some("redis.call('SET', 'x', 1)"))),
        end,
        "a condition changes nothing"
    );
}

#[test]
fn watched_expressions_see_what_the_function_sees_and_leave_no_trace() {
    let body = "local hits = {}
local missing
local function note(key)
  hits[#hits + 1] = key
  return #hits
end
note('a')
redis.call('SET', 'n', 5)
local last = note('b')
return last";
    let timeline = script("", body, "1 k v");
    let mut recording = open(&timeline, 0);
    let inside = recording.points().len() - 2;
    let digest = |recording: &Recording| format!("{:?}", recording.end().unwrap().reply);
    let before = (digest(&recording), variables(&level(&mut recording, inside, 0).upvalues));
    let mut watch = |text: &str, level: usize| match &recording.evaluate(
        inside,
        level,
        vec![Bytes::from(text.as_bytes())],
    )[..]
    {
        [Ok(value)] => lua(value),
        [Err(error)] => format!("error: {error}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(watch("key .. '!' .. #hits", 0), "'b!2'");
    assert_eq!(watch("KEYS[1] .. ARGV[1]", 0), "'kv'");
    assert_eq!(watch("missing", 1), "nil", "a local of the caller that is nil");
    assert_eq!(watch("redis.call('INCR', 'n')", 0), "6", "on a copy of the server");
    assert_eq!(watch("redis.call('GET', 'n')", 0), "'5'", "each on a copy of its own");
    assert_eq!(watch("hits[1] = nil", 0), "nil");
    assert_eq!(watch("string.rep", 0), "function");
    assert_eq!(
        watch("nothing", 0),
        "error: Script attempted to access nonexistent global variable 'nothing'"
    );
    assert!(watch("1 +", 0).starts_with("error: watch:1: unexpected symbol"), "a mistake");
    assert_eq!(watch("while true do end", 0), "error: it has not ended within 1000000 instructions");
    assert_eq!(
        watch("(function() pcall(function() while true do end end) end)()", 0),
        "error: it has not ended within 1000000 instructions"
    );
    assert_eq!((digest(&recording), variables(&level(&mut recording, inside, 0).upvalues)), before);
}

#[test]
fn errors_are_followed_into_pcall_and_to_the_end() {
    let body = "local ok, why = pcall(function()
  error({err = 'MY reason'})
end)
local function broken()
  return nil + 1
end
broken()";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "1 3 1 2 6 7 5");
    assert_eq!(variables(&level(&mut recording, 4, 0).locals), "ok=false why='MY reason'");
    let end = recording.end().unwrap().clone();
    assert_eq!(end.how, Ending::Failed);
    let Some(Reply::Error(line)) = end.reply else { panic!("{end:?}") };
    assert!(
        String::from_utf8_lossy(&line).contains("user_script:5: attempt to perform arithmetic"),
        "{line:?}"
    );
}

#[test]
fn coroutines_are_followed_with_the_stack_of_whoever_resumed_them() {
    let body = "local co = coroutine.wrap(function(a)
  local b = coroutine.yield(a + 1)
  return b * 2
end)
local one = co(1)
local two = co(10)
return two";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "1 4 1 5 2 6 3 7");
    let frame = recording.at(6).unwrap();
    assert_eq!(variables(&frame.stack[0].locals), "a=1 b=10");
    assert!(frame.stack[0].coroutine);
    assert_eq!(frame.stack.last().map(|level| level.line), Some(6));
    assert_eq!(recording.step_over(3), 5, "over what a coroutine does");
    assert_eq!(recording.step_out(4), 5);
}

#[test]
fn metamethods_and_loaded_chunks_are_followed() {
    let body = "local t = setmetatable({}, {__index = function(_, key)
  return key .. '?'
end})
local chunk = loadstring('local x = 1\\nreturn x')
return t.name .. chunk()";
    let timeline = script("", body, "0");
    let mut recording = open(&timeline, 0);
    assert_eq!(walk(&recording), "1 3 1 4 5 2 ?1 ?2");
    let inner = level(&mut recording, 5, 0);
    assert_eq!(variables(&inner.locals), "_={} key='name'");
    let line_2 = [Breakpoint { line: 2, condition: None }];
    assert_eq!((recording.run_to(0, &line_2), recording.run_to(5, &line_2)), (5, 8), "not in another text");
}

#[test]
fn a_killed_script_is_recorded_up_to_the_kill_and_what_it_still_does() {
    let text = "@ config busy-reply-threshold 1\nA> EVAL 'pcall(function() while true do end end) local after = 1 return after' 0\n\
                @ +2ms\nB> SCRIPT KILL\n@ +1ms\nB> PING\n";
    let timeline = timeline_of(text);
    let recording = open(&timeline, 0);
    let end = recording.end().unwrap();
    assert_eq!((end.how, end.reply.clone()), (Ending::Returned, Some(Reply::Int(1))), "pcall has caught it");
    let killed_at = end.killed_at.expect("it was killed");
    assert!(killed_at > 1_000 && recording.points().len() - killed_at <= 3, "what it does then is recorded");

    let text = "@ config busy-reply-threshold 1\nA> EVAL 'while true do end' 0\n@ +2ms\nB> SCRIPT KILL\n@ +1ms\nB> PING\n";
    let killed = timeline_of(text);
    let end = open(&killed, 0).end().unwrap().clone();
    assert_eq!(end.how, Ending::Killed);
    let late = killed.records().iter().flat_map(|record| &record.late).find(|(step, _)| *step == 0);
    assert_eq!(late.map(|(_, seen)| seen.clone()), end.reply.map(crate::timeline::Seen::Reply));
    let endless =
        timeline_of("@ config busy-reply-threshold 1\nA> EVAL 'while true do end' 0\n@ +2ms\nB> PING\n");
    assert_eq!(open(&endless, 0).end().unwrap().how, Ending::Running);
}

#[test]
fn the_run_is_the_same_with_and_without_a_recording() {
    let bodies = [
        "local t = {} for i = 1, 3000 do t[i] = i * 2 end return #t",
        "local co = coroutine.wrap(function() for i = 1, 2000 do coroutine.yield(i) end end) local s = 0 for i = 1, 1999 do s = s + co() end return s",
        "for i = 1, 500 do redis.call('INCRBY', 'n', i) end return redis.call('GET', 'n')",
        "for i = 1, 400 do local f = coroutine.wrap(function() for j = 1, 50 do end end) f() end return math.random(1000)",
        "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(150)",
        "return {pcall(error, 'x'), string.rep('a', 100000):len(), tostring({})}",
        "table.sort({3, 1, 2}, function(a, b) redis.call('INCR', 'cmp') return a < b end) return redis.call('TIME')",
    ];
    for body in bodies {
        let timeline = script("A> SET n 0\n", body, "0");
        let mut recording = open(&timeline, 1);
        let record = &timeline.records()[1];
        let end = recording.end().unwrap().clone();
        let Some(crate::timeline::Seen::Reply(reply)) = &record.observed.reply else { panic!("{body}") };
        assert_eq!(end.reply.as_ref(), Some(reply), "{body}");
        let instructions = record.events.iter().find_map(|event| match event.kind {
            crate::event::EventKind::ScriptEnded { instructions, .. } => Some(instructions),
            _ => None,
        });
        let plain = recording.run().trace(Job::List { points: Vec::new(), limit: usize::MAX }, None);
        let crate::script::RunEnd::Finished { instructions: traced, .. } = plain.end else {
            panic!("{body}")
        };
        assert_eq!(Some(traced), instructions, "counted alike: {body}");
        // The same points wherever one comes from.
        let points = recording.points().to_vec();
        for position in [0, points.len() / 2, points.len() - 1] {
            assert_eq!(recording.at(position).unwrap().point, points[position], "{body}");
        }
        assert!(points.is_sorted_by_key(|point| point.instructions), "{body}");
    }
}

/// Frames without the state, which is the run's own.
fn frames(run: &ScriptRun, range: Range<usize>, from: Option<Milestone>) -> Vec<String> {
    let traced = run.trace(Job::Show { range, frames: Vec::new() }, from);
    let Job::Show { frames, .. } = traced.tracer.job else { panic!("the job was another") };
    frames.iter().map(|frame| format!("{:?} {:?} {:?}", frame.point, frame.stack, frame.calls)).collect()
}

#[test]
fn a_run_that_is_joined_on_its_way_shows_what_one_from_its_start_shows() {
    let bodies = [
        "for i = 1, 3000 do end return 1",
        "local n = 0\nwhile n < 3000 do\n  n = n + 1\nend\nreturn n",
        "local function f(n)\n  if n == 0 then return 0 end\n  return 1 + f(n - 1)\nend\nlocal s = 0\nfor i = 1, 30 do\n  s = s + f(100)\nend\nreturn s",
        "for i = 1, 400 do\n  pcall(function()\n    redis.call('INCR', 'n')\n    error('x')\n  end)\nend",
        "local t = setmetatable({}, {__index = function(_, k)\n  return k\nend})\nlocal s = 0\nfor i = 1, 2000 do\n  s = s + t[i]\nend\nreturn s",
        "local t = {}\nfor i = 1, 500 do t[i] = i * 7919 % 500 end\ntable.sort(t, function(a, b)\n  return a < b\nend)\nreturn t[1]",
        "local s = 0\nfor i = 1, 300 do\n  s = s + loadstring('local x = ' .. i .. '\\nreturn x')()\nend\nreturn s",
        "pcall(function() while true do end end)\nlocal after = 1\nreturn after",
    ];
    for body in bodies {
        let kill = "@ +2ms\nB> SCRIPT KILL\n@ +1ms\nB> PING\n";
        let timeline = timeline_of(&format!(
            "```lua s\n{body}\n```\n\n```redis\n@ config busy-reply-threshold 1\nA> EVAL $s 0\n{kill}```\n"
        ));
        let run = timeline.script_runs(0).remove(0);
        let mut recording = Recording::open_in_part(run.clone(), 700);
        recording.find_end();
        let whole = run.trace(Job::List { points: Vec::new(), limit: usize::MAX }, None).tracer;
        let Job::List { points, .. } = whole.job else { panic!("the job was another") };
        assert!(recording.points() == points, "listed part by part: {body}");
        assert_eq!(recording.milestones, whole.milestones, "{body}");
        assert!(whole.milestones.len() >= 3, "{body}");
        for milestone in &whole.milestones {
            let range = milestone.seen()..milestone.seen() + 4;
            assert_eq!(frames(&run, range.clone(), Some(*milestone)), frames(&run, range, None), "{body}");
        }
    }
}

#[test]
fn the_end_of_a_run_with_too_many_points_is_told_all_the_same() {
    let text = "@ config busy-reply-threshold 1\nA> EVAL 'while true do end' 0\n@ +120ms\nB> SCRIPT KILL\n@ +1ms\nB> PING\n";
    let mut recording = open(&timeline_of(text), 0);
    let end = recording.find_end().clone();
    assert_eq!((end.how, end.is_listed), (Ending::Killed, false));
    assert!(recording.time_at(usize::MAX).0 > recording.time_at(POINTS_MAX - 1).0);
}

#[test]
fn functions_and_scripts_in_a_transaction_are_recorded_one_by_one() {
    let text = "```lua lib\n#!lua name=lib\nlocal function twice(keys, args)\n  local v = args[1] * 2\n  return v\nend\nredis.register_function('twice', twice)\n```\n\n```redis\nA> FUNCTION LOAD $lib\nA> FCALL twice 1 k 21\nA> MULTI\nA> EVAL 'return 1' 0\nA> FCALL_RO nothing 0\nA> EVAL_RO 'return ARGV[1]' 0 x\nA> EXEC\n```\n";
    let timeline = timeline_of(text);
    let mut recording = open(&timeline, 1);
    assert_eq!(walk(&recording), "3 4");
    assert_eq!(variables(&level(&mut recording, 1, 0).locals), "keys={'k'} args={'21'} v=42");
    let values: Vec<String> = timeline
        .script_runs(6)
        .into_iter()
        .map(|run| lua(Recording::open(run).find_end().value.as_ref().unwrap()))
        .collect();
    assert_eq!(values, ["1", "'x'"]);
}

#[test]
fn a_long_script_opens_in_part_and_is_found_through() {
    let body = "local n = 0
for i = 1, 100000 do
  n = n + 1
end
return n";
    let timeline = script("@ config busy-reply-threshold 60000\n", body, "0");
    let mut recording = Recording::open(timeline.script_runs(0).remove(0));
    assert!(recording.end().is_none() && recording.points().len() < 200_000);
    assert_eq!(variables(&level(&mut recording, 1_000, 0).locals), "n=499 i=500");
    let at = [Breakpoint { line: 3, condition: Some(Bytes::from("n == 80000")) }];
    let found = recording.run_to(1_000, &at);
    assert_eq!(variables(&level(&mut recording, found, 0).locals), "n=80000 i=80001");
    assert_eq!(recording.find_end().reply, Some(Reply::Int(100_000)));
}
