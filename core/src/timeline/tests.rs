//! Whole scenarios: what is read, what is run, and what is written back.

use super::*;
use crate::profile::Version;

/// Runs the steps and fills in all replies; the text must be free of mistakes.
#[track_caller]
fn filled(text: &str) -> String {
    let (scenario, diagnostics) = parse(text);
    assert_eq!(diagnostics, [], "{text}");
    let timeline = Timeline::run(scenario, Version::V8_6).expect("the configuration is valid");
    let live = timeline.at(timeline.records().len() - 1).digest();
    assert_eq!(
        timeline.replay().expect("as before").digest(),
        live,
        "a replay of the log gives the same state"
    );
    let result = rewrite(text, &timeline.compare().edits);
    let (again, diagnostics) = parse(&result);
    assert_eq!(diagnostics, [], "what is filled in reads back:\n{result}");
    let comparison = Timeline::run(again, Version::V8_6).expect("as before").compare();
    assert_eq!((comparison.differences, comparison.edits), (vec![], vec![]), "and is as expected:\n{result}");
    result
}

#[track_caller]
pub(super) fn check(steps: &str, expected: &str) {
    assert_eq!(filled(steps), expected);
}

/// The diagnostics of a text, one line each.
pub(super) fn mistakes(text: &str) -> String {
    let (_, diagnostics) = parse(text);
    let lines: Vec<String> = diagnostics
        .iter()
        .map(|found| format!("{}:{}: {}", found.line, found.column, found.message))
        .collect();
    lines.join("\n")
}

#[test]
fn the_clock_moves_when_it_is_told_to() {
    check(
        "A> SET lock A NX PX 300\nB> GET lock\n@ +400ms\nB> GET lock\n",
        "A> SET lock A NX PX 300\nOK\nB> GET lock\n\"A\"\n@ +400ms\nB> GET lock\n(nil)\n",
    );
    check(
        "A> SET k v PX 1000\n@ at 1s\nA> GET k\nA> PTTL k\n@ at 1001ms\nA> GET k\n",
        "A> SET k v PX 1000\nOK\n@ at 1s\nA> GET k\n\"v\"\nA> PTTL k\n(integer) 0\n@ at 1001ms\nA> GET k\n(nil)\n",
    );
}

#[test]
fn a_moment_that_is_past_is_a_difference() {
    let (scenario, _) = parse("A> PING\n@ +2s\n@ at 1s\n");
    let comparison = Timeline::run(scenario, Version::V8_6).unwrap().compare();
    assert_eq!(comparison.differences[0].got, "it is 2000.001ms after the start already");
}

#[test]
fn scripts_are_named_by_their_fence() {
    let text = "\
# Title

```lua get
return redis.call('get', KEYS[1])
```

```redis
A> SCRIPT LOAD $get
A> EVALSHA $get.sha 1 k
A> ECHO \"$get\"
```
";
    let expected = text
        .replace("LOAD $get\n", "LOAD $get\n\"4e6d8fc8bb01276962cce5371fa795a7763657ae\"\n")
        .replace("1 k\n", "1 k\n(nil)\n")
        .replace("ECHO \"$get\"\n", "ECHO \"$get\"\n\"$get\"\n");
    check(text, &expected);
    let (scenario, _) = parse(text);
    assert_eq!(scenario.meta.title, "Title");
    assert_eq!(scenario.steps[1].send().unwrap().script, Some(0));
    let kinds = [Block::Prose("# Title".to_owned()), Block::Script(0), Block::Steps(0..3)];
    assert_eq!(scenario.blocks, kinds);
}

#[test]
fn checks_have_their_place_on_the_page_behind_the_steps_of_their_fence() {
    let text =
        "```redis\nA> PING\n@ always PING\n```\nBreak it.\n```redis\n@ finally DBSIZE\n@ finally PING\n```\n";
    let (scenario, _) = parse(text);
    let kinds =
        [Block::Steps(0..1), Block::Checks(0..1), Block::Prose("Break it.".to_owned()), Block::Checks(1..3)];
    assert_eq!(scenario.blocks, kinds);
}

#[test]
fn a_busy_server_answers_late() {
    check(
        "@ config busy-reply-threshold 200\nA> EVAL \"while true do end\" 0\nB> GET k\n@ +300ms\nB> SCRIPT KILL\n@ +1ms\nB> PING\n",
        "@ config busy-reply-threshold 200\nA> EVAL \"while true do end\" 0\nB> GET k\n@ +300ms\n\
         B< (error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\n\
         B> SCRIPT KILL\nOK\n@ +1ms\n\
         A< (error) ERR Error running script\nB> PING\nPONG\n"
            .replace(
                "ERR Error running script",
                "ERR Script killed by user with SCRIPT KILL... script: 694a5fe1ddb97a4c6a1bf299d9537c7d3d0f84e7, on @user_script:1.",
            )
            .as_str(),
    );
}

#[test]
fn a_killed_script_does_not_write_later() {
    let text = filled(
        "@ config busy-reply-threshold 200\nA> EVAL \"for i = 1, 1e7 do end redis.call('SET', KEYS[1], 1)\" 1 k\n\
         @ +400ms\nB> SCRIPT KILL\n@ +2s\nB> EXISTS k\n",
    );
    assert!(text.contains("B> SCRIPT KILL\nOK\n@ +2s\nA< (error) ERR Script killed by user"), "{text}");
    assert!(text.ends_with("B> EXISTS k\n(integer) 0\n"), "{text}");
}

#[test]
fn steps_after_a_pipelined_one_do_not_wait() {
    let text = "A>> EVAL \"for i = 1, 1e6 do end\" 0\nB> PING\n";
    let (scenario, _) = parse(text);
    let timeline = Timeline::run(scenario, Version::V8_6).unwrap();
    let [a, b] = timeline.records() else { panic!("two steps") };
    assert_eq!(b.times.sent.0 - a.times.sent.0, 1, "B does not wait for A");
    assert!(b.times.started >= a.times.ended, "but the server is not free before A's script is over");
    check(text, "A>> EVAL \"for i = 1, 1e6 do end\" 0\n(nil)\nB> PING\nPONG\n");
}

#[test]
fn a_server_that_ends_closes_its_connections() {
    check(
        "A> SHUTDOWN NOSAVE\nB> PING\n@ restart without persistence\nB> PING\n",
        "A> SHUTDOWN NOSAVE\n(closed)\nB> PING\n(refused)\n@ restart without persistence\nB> PING\nPONG\n",
    );
}

#[test]
fn what_comes_back_after_the_end_is_what_was_saved() {
    let told = |end: &str| {
        let steps = "A> SET k 1\nA> SAVE\nA> INCR k\n";
        let text = filled(&format!("{steps}{end}A> GET k\n"));
        text.lines().last().map(str::to_owned)
    };
    let is = |value: &str| Some(format!("\"{value}\""));
    assert_eq!(told("A> SHUTDOWN NOSAVE\n@ restart with persistence\n"), is("1"));
    assert_eq!(told("A> SHUTDOWN SAVE\n@ restart with persistence\n"), is("2"));
    assert_eq!(told("A> SHUTDOWN NOSAVE\n@ failover\n"), is("2"), "a replica had it all");
    assert_eq!(told("A> SHUTDOWN SAVE\n@ restart without persistence\n"), Some("(nil)".to_owned()));
    assert_eq!(told("@ restart with persistence\n"), is("2"));
}

#[test]
fn checks_change_nothing_and_are_told_once() {
    check(
        "A> SET k 1\nA> INCR k\n@ finally GET k\n@ always EXISTS k\n",
        "A> SET k 1\nOK\nA> INCR k\n(integer) 2\n@ finally GET k\n\"2\"\n@ always EXISTS k\n(integer) 1\n",
    );
    let (scenario, _) = parse("A> SET k 1\nA> DEL k\nA> PING\n@ always EXISTS k\n(integer) 1\n");
    let comparison = Timeline::run(scenario, Version::V8_6).unwrap().compare();
    let [difference] = comparison.differences.as_slice() else { panic!("one difference") };
    assert_eq!(difference.step, "EXISTS k (after line 2: A> DEL k)");
    assert_eq!((difference.line, difference.got.as_str()), (5, "(integer) 0"));
    assert_eq!((difference.during, difference.check), (1, Some(0)));
}

#[test]
fn only_what_differs_is_rewritten() {
    check(
        "prose  \n\n- item\n\n  ```redis\n  # remark\n  A> SET k 1\n  OK\n  A> PTTL k\n  (integer) -5..-1\n  A> GET k\n  \"2\"\n  ```\nmore",
        "prose  \n\n- item\n\n  ```redis\n  # remark\n  A> SET k 1\n  OK\n  A> PTTL k\n  (integer) -5..-1\n  A> GET k\n  \"1\"\n  ```\nmore",
    );
    check("A> SET k 1\r\nnil\r\nA> GET k\r\n", "A> SET k 1\r\nOK\r\nA> GET k\r\n\"1\"\r\n");
    check("A> GET k", "A> GET k\n(nil)\n");
    check("A> PING\nPONG\nA< \"left over\"\n", "A> PING\nPONG\n");
}

#[test]
fn a_difference_names_line_and_client() {
    let (scenario, _) = parse("A> SET k 1\nOK\nB> GET k\n\"2\"\n");
    let comparison = Timeline::run(scenario, Version::V8_6).unwrap().compare();
    assert_eq!(comparison.matched, 1);
    let expected = Difference {
        line: 4,
        during: 1,
        check: None,
        client: "B".to_owned(),
        step: "B> GET k".to_owned(),
        expected: "\"2\"".to_owned(),
        got: "\"1\"".to_owned(),
    };
    assert_eq!(comparison.differences, [expected]);
}

#[test]
fn every_mistake_has_its_place() {
    let check = |text: &str, expected: &str| assert_eq!(mistakes(text), expected, "{text}");
    check("", "1:1: there is no step in this text");
    check(
        "```redis\nA> GET \"k\n```\n",
        "1:1: there is no step in this text\n2:8: this quote is never closed",
    );
    check("A> PING\nA> ECHO 'a'b\n", "2:12: a closing quote must be followed by a blank");
    check(
        "A> PING\n(intger) 1\n",
        "2:1: no reply begins like this: expected e.g. (integer) 1, (error) …, (nil), (any)",
    );
    check("A> PING\nB< OK\n", "2:1: no client is called \"B\" up to here");
    check(
        "A> PING\nA< 1) OK\n   3) OK\n",
        "3:4: the reply has ended on the line before: is the index or its indent right?",
    );
    check("A> PING\n\nOK\n", "3:1: this reply belongs to no command");
    check("A> EVAL $x 0\nA> PING\n", "1:9: no script is called \"x\"");
    check("A> PING\nA>\n", "2:3: expected a command");
    check(
        "A> PING\n@ +5\n@ at\n@ restart now\n@ fly\n",
        "2:3: expected a span of time\n3:5: expected a time\n4:11: unknown way to restart\n5:3: unknown directive \"fly\"",
    );
    check("A> PING\n@ config a b\n", "2:1: `@ config` must stand before the first step");
    check(
        "@ redis new\n@ config a\n@ cpu 5\n@ clients 1\nA> PING\n",
        "1:9: expected a version\n2:10: expected a name and a value\n3:7: expected a rate\n4:11: \"1\" can't name a client",
    );
    check(
        "  ```redis\n  A> ECHO \"ä\n",
        "1:1: there is no step in this text\n1:3: this fence is never closed\n2:11: this quote is never closed",
    );
    check(
        "---\ntitle: T\nfoo: 1\nbar\norder: x\n---\n```redis\nA> PING\n```\n",
        "5:8: order must be a whole number",
    );
    check("```lua a\n```\n```lua a\n```\n```redis\nA> PING\n```\n", "3:8: a script is called \"a\" already");
}

#[test]
fn front_matter_is_read() {
    let (scenario, diagnostics) = parse(
        "---\ntitle: \"A: b\"\nsummary: s\ntags: [x, y z]\norder: 7\ncourse: c\nnext: n\n---\n```redis\nA> PING\n```\n",
    );
    assert_eq!(diagnostics, []);
    let tags = vec!["x".to_owned(), "y z".to_owned()];
    let meta = Meta {
        title: "A: b".to_owned(),
        summary: "s".to_owned(),
        tags,
        order: Some(7),
        course: "c".to_owned(),
        next: "n".to_owned(),
    };
    assert_eq!(scenario.meta, meta);
}

#[test]
fn a_page_may_hold_several_timelines() {
    let text = "# Page\n\n```lua get\nreturn 1\n```\n```redis\nA> EVAL $get 0\n```\n```redis new\nB> PING\n```\n```redis skip\nredis 127.0.0.1:6379> PING\n```\n```redis\nB> EVAL $get 0\n```\n";
    let page = parse_page(text);
    let told: Vec<Vec<(usize, &str)>> = page
        .iter()
        .map(|(scenario, diagnostics)| {
            assert_eq!(diagnostics, &[]);
            scenario.steps.iter().map(|step| (step.line, step.text.as_str())).collect()
        })
        .collect();
    assert_eq!(told, [vec![(7, "A> EVAL $get 0")], vec![(10, "B> PING"), (16, "B> EVAL $get 0")]]);
    let (first, diagnostics) = parse(text);
    assert_eq!((first.steps.len(), diagnostics), (1, vec![]));
    let shown = Block::Prose("```redis new\nB> PING\n```".to_owned());
    assert!(first.blocks.contains(&shown), "the rest is shown as it is written: {:?}", first.blocks);
    assert_eq!(parse_page("# A page\n\nwithout a fence\n"), []);
}

#[test]
fn front_matter_of_other_tools_is_left_to_them() {
    let check = |front: &str, title: &str, tags: &[&str]| {
        let (scenario, diagnostics) = parse(&format!("{front}```redis\nA> PING\n```\n"));
        assert_eq!((diagnostics, scenario.meta.title.as_str()), (vec![], title), "{front}");
        assert_eq!(scenario.meta.tags, tags, "{front}");
    };
    check(
        "---\nid: x\nhead:\n  - [meta, {name: y}]\ntags:\n  - a\n  - \"b\"\ntitle: T\n---\n",
        "T",
        &["a", "b"],
    );
    check("+++\ndate = 2026-01-01\ntitle = \"T\"\n[menu.main]\nweight = 1\n+++\n", "T", &[]);
}

#[test]
fn a_question_stands_before_the_step_whose_reply_it_hides() {
    let (scenario, diagnostics) = parse("A> SET k 1\n@ predict And now? | 1 | * 2\n# A remark.\nA> INCR k\n");
    assert_eq!(diagnostics, []);
    assert_eq!(scenario.steps[0].predict, None);
    let predict = scenario.steps[1].predict.as_ref().expect("it is asked");
    assert_eq!(predict.question, "And now?");
    let choices: Vec<_> =
        predict.choices.iter().map(|choice| (choice.text.as_str(), choice.is_right)).collect();
    assert_eq!(choices, [("1", false), ("2", true)]);
    assert_eq!(mistakes("A> PING\n@ predict\n"), "2:10: expected a question");
    assert_eq!(mistakes("A> PING\n@ predict And now?\n"), "2:1: no step follows that could be predicted");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces = [
        "A> ",
        "A>> ",
        "B< ",
        "@ ",
        "+1s",
        "at ",
        "\"",
        "'",
        "1) ",
        "1# ",
        " => ",
        "(",
        "integer) ",
        "\n",
        "\n",
        "```",
        "redis",
        "lua x",
        "---",
        "$x",
        "ä",
        "\\x",
        " ",
        "# ",
        "finally ",
    ];
    let mut seed: u64 = 7;
    let mut below = |limit: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % limit
    };
    for _ in 0..20_000 {
        let text: String = (0..below(24)).map(|_| pieces[below(pieces.len())]).collect();
        let _ = parse(&text);
    }
}

#[test]
fn any_step_can_be_gone_back_to() {
    let steps: String = (0..50).map(|n| format!("A> SET k {n}\n")).collect();
    let (scenario, _) = parse(&steps);
    let mut timeline = Timeline::run(scenario, Version::V8_6).unwrap();
    let digests: Vec<_> = (0..50).map(|step| timeline.at(step).digest()).collect();
    timeline.truncate(20);
    assert_eq!(timeline.records().len(), 20);
    assert_eq!(timeline.at(19).digest(), digests[19]);
    while timeline.advance().is_some() {}
    assert_eq!((0..50).map(|step| timeline.at(step).digest()).collect::<Vec<_>>(), digests);
}

#[test]
fn a_wait_is_told_with_who_is_waited_for_and_who_ends_it() {
    let text = "@ config busy-reply-threshold 100\nA> EVAL 'while true do end' 0\nB> PING\nB> GET k\n@ +200ms\nC> PING\nC> SCRIPT KILL\n@ +1ms\n\
                B> BLPOP jobs 0\nD> BLPOP jobs 0.5\nC> RPUSH jobs j\n@ +1s\n";
    let (scenario, diagnostics) = parse(text);
    assert_eq!(diagnostics, []);
    let mut timeline = Timeline::run(scenario, Version::V8_6).unwrap();
    let records = timeline.records();
    let script = records[0].course;
    let since = |at: crate::clock::Micros| at.saturating_sub(records[0].times.started.unwrap()).0;
    assert_eq!(script.busy.map(since), Some(100_000), "past the threshold");
    assert_eq!(script.killed.map(|killed| killed.by), Some(5));
    assert_eq!((records[1].course.held_by, records[2].course.held_by), (Some(0), Some(1)));
    assert_eq!(records[4].course, Course::default(), "BUSY is answered at once");
    let woken = records[7].course;
    assert!(woken.blocked >= records[7].times.started && woken.blocked < woken.woken.map(|woken| woken.at));
    assert_eq!(woken.woken.unwrap().by, Some(9));
    let late = records[8].course.woken.unwrap();
    assert_eq!((late.by, late.at.saturating_sub(records[8].times.started.unwrap()).0 / 1_000), (None, 500));
    timeline.truncate(5);
    assert_eq!(timeline.records()[0].course, Course { killed: None, ..script });
    timeline.truncate(2);
    assert_eq!(timeline.records()[0].course, Course::default());
}

/// `filled` holds the state of a replay against the one that was lived with. It would notice an engine that is not
/// deterministic: with chance that comes from outside of the state (`fault.rs`), the two differ.
#[test]
fn an_engine_that_breaks_determinism_is_noticed() {
    let is_the_same = || {
        let (scenario, _) = parse("A> SADD s a b c d e f g h\nA> SPOP s\nA> SPOP s\n");
        let timeline = Timeline::run(scenario, Version::V8_6).expect("there is no configuration");
        let live = timeline.at(timeline.records().len() - 1).digest();
        timeline.replay().expect("as before").digest() == live
    };
    assert!(is_the_same());
    assert!(!crate::fault::with(crate::fault::Fault::ChanceRemembers, is_the_same));
}
