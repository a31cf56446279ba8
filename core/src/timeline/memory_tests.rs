//! The Lua values of function libraries: a timeline goes back and on, and they go with it, wherever the VM has been meanwhile.

use super::*;
use crate::Bytes;
use crate::profile::Version;
use crate::server::{ClientId, Input, InputKind, Server};

const COUNTER: &str = "```lua lib
#!lua name=lib
local calls, seen = 0, {}
redis.register_function('count', function(keys, args)
  calls = calls + 1
  seen[#seen + 1] = args[1] or redis.call('GET', 'k') or '-'
  return {calls, table.concat(seen, ' ')}
end)
redis.register_function('fail', function() calls = calls + 10 error('no') end)
redis.register_function('look', function() return calls end)
redis.register_function{function_name = 'slow', callback = function()
  calls = calls + 100
  for i = 1, 100000 do end
  return calls
end}
```

```redis
";

/// The timeline of these steps, all of them run.
#[track_caller]
fn told(steps: &str, version: Version) -> Timeline {
    let text = format!("{COUNTER}A> FUNCTION LOAD $lib\n{steps}```\n");
    let (scenario, diagnostics) = parse(&text);
    assert_eq!(diagnostics, [], "{text}");
    Timeline::run(scenario, version).expect("the configuration is valid")
}

/// The reply to a step, on one line.
fn reply(timeline: &Timeline, step: usize) -> String {
    format!("{:?}", timeline.records()[step].observed.reply)
}

fn replies(timeline: &Timeline) -> Vec<String> {
    (0..timeline.records().len()).map(|step| reply(timeline, step)).collect()
}

/// Calls `count` on a server that somebody else goes on with.
fn go_on(mut server: Server) {
    let argv = ["FCALL", "count", "0", "other"].map(Bytes::from).to_vec();
    server.apply(Input { at: server.now(), kind: InputKind::Command { client: ClientId(99), argv } });
}

/// What the Lua values of the library have been through, as a name; None where no call has changed them.
fn memory(timeline: &Timeline, step: usize) -> Option<String> {
    let server = timeline.at(step);
    let memory = &server.state().functions.libraries().next().expect("it was loaded").memory;
    (!memory.is_fresh()).then(|| format!("{memory:?}"))
}

#[test]
fn going_back_takes_the_values_of_libraries_back() {
    let steps = "A> SET k v\nA> FCALL count 0 a\nB> FCALL count 0\nA> FCALL fail 0\nB> FCALL count 0 c\nA> FCALL look 0\n\
                 A> MULTI\nA> FCALL count 0 x\nA> EXEC\nA> FCALL look 0\n";
    for version in Version::ALL {
        let mut timeline = told(steps, version);
        let (all, digest) = (replies(&timeline), timeline.at(10).digest());
        assert!(all[5].contains("a v c") && all[6].contains("13") && all[10].contains("14"), "{all:?}");
        for step in [9, 3, 6, 1, 2, 4, 8, 5, 7] {
            go_on(timeline.at(step));
            timeline.truncate(step);
            while timeline.advance().is_some() {}
            assert_eq!(replies(&timeline), all, "from step {step} on, in {version:?}");
        }
        assert_eq!(timeline.at(10).digest(), digest);
        assert_eq!(timeline.replay().expect("as before").digest(), digest);
    }
}

#[test]
fn a_function_that_is_run_several_times_to_know_its_course_counts_once() {
    let busy = "A> CONFIG SET busy-reply-threshold 1\nA> FCALL slow 0\n@ +5ms\n";
    let timeline = told(&format!("{busy}B> PING\n@ +1s\nA> FCALL look 0\n"), Version::V8_6);
    assert!(reply(&timeline, 4).contains("Error"), "{:?}", replies(&timeline));
    assert!(reply(&timeline, 6).contains("100"), "{:?}", replies(&timeline));
    let timeline = told(&format!("{busy}B> FUNCTION KILL\n@ +1s\nA> FCALL look 0\n"), Version::V8_6);
    assert!(reply(&timeline, 6).contains("100"), "it began before the KILL: {:?}", replies(&timeline));
}

#[test]
fn looking_into_a_function_changes_no_value_of_its_library() {
    let steps = "A> FCALL count 0 a\nA> FCALL count 0 b\nA> FCALL count 0 c\nA> FCALL look 0\n";
    let mut timeline = told(steps, Version::V8_6);
    let all = replies(&timeline);
    let mut recording = Recording::open(timeline.script_runs(2).remove(0));
    let end = recording.find_end().clone();
    assert!(format!("{:?}", end.reply).contains("a b"), "{:?}", end.reply);
    let expressions = ["calls", "seen[1]", "seen[2]"].map(Bytes::from).to_vec();
    let before = format!("{:?}", recording.evaluate(0, 0, expressions.clone()));
    assert!(before.contains("Number(1.0)") && before.contains("Nil"), "{before}");
    recording.evaluate(0, 0, vec![Bytes::from("table.insert(seen, 'spoilt')")]);
    assert_eq!(format!("{:?}", recording.evaluate(0, 0, expressions)), before);
    timeline.truncate(3);
    while timeline.advance().is_some() {}
    assert_eq!(replies(&timeline), all);
}

#[test]
fn a_new_process_and_a_reload_start_with_new_values() {
    for again in ["@ restart", "@ failover", "A> DEBUG RELOAD", "A> FUNCTION LOAD REPLACE $lib"] {
        let steps = format!("A> FCALL count 0 a\nA> FCALL count 0 b\n{again}\nA> FCALL count 0 c\n");
        let mut timeline = told(&steps, Version::V8_6);
        let last = reply(&timeline, 4);
        assert!(last.contains("(1)") && !last.contains("a b"), "{again}: {last}");
        timeline.truncate(2);
        while timeline.advance().is_some() {}
        assert_eq!(reply(&timeline, 4), last);
    }
}

#[test]
fn only_calls_that_change_something_are_remembered() {
    let timeline =
        told("A> FCALL look 0\nA> FCALL count 0 a\nA> FCALL look 0\nA> FCALL count 0 b\n", Version::V8_6);
    assert_eq!(memory(&timeline, 1), None);
    let (first, second) = (memory(&timeline, 2), memory(&timeline, 4));
    assert!(first.is_some() && first != second);
    assert_eq!(memory(&timeline, 3), first);
    // Two orders that leave different values are different states, though no key tells them apart.
    let swapped =
        told("A> FCALL look 0\nA> FCALL count 0 b\nA> FCALL look 0\nA> FCALL count 0 a\n", Version::V8_6);
    assert_ne!(timeline.at(4).digest(), swapped.at(4).digest());
}
