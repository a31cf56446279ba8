//! The program as its users run it: exit codes, reports, and files that are updated.

use std::path::PathBuf;
use std::process::{Command, Output};

fn playground(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_playground")).args(args).output().expect("the program runs")
}

/// A scenario in a file of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("the folder for tests can be written");
    path
}

#[track_caller]
fn check(args: &[&str], code: i32, says: &[&str]) -> String {
    let output = playground(args);
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{text}");
    says.iter().for_each(|part| assert!(text.contains(part), "{part:?} is missing in:\n{text}"));
    text
}

#[test]
fn a_scenario_that_is_true_exits_with_0() {
    let path = file("true.md", "A> SET k 1\nOK\n@ finally GET k\n\"1\"\n");
    check(&["run", &path.to_string_lossy()], 0, &["ok", "2 replies"]);
}

#[test]
fn a_difference_exits_with_1_and_names_its_place() {
    let path = file("false.md", "A> SET k 1\nOK\nB> GET k\n\"2\"\n");
    let path = path.to_string_lossy();
    check(&["run", &path], 1, &["false.md:4: B, B> GET k", "expected: \"2\"", "got:      \"1\""]);
    let json = check(&["run", "--json", &path], 1, &[]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("the report is JSON");
    let difference = &report["files"][0]["differences"][0];
    assert_eq!((difference["line"].as_u64(), difference["got"].as_str()), (Some(4), Some("\"1\"")));
    assert_eq!(report["files"][0]["steps"][1]["reply"], "\"1\"");
}

#[test]
fn what_cannot_be_used_exits_with_2() {
    let path = file("mistake.md", "A> SET k \"1\nOK\n@ fly\n");
    let says =
        ["mistake.md:1:10: this quote is never closed", "mistake.md:3:3: unknown directive \"fly\"", "help:"];
    check(&["run", &path.to_string_lossy()], 2, &says);
    check(&["run"], 2, &["which files?"]);
    check(&["run", "no-such-file.md"], 2, &["no-such-file.md"]);
    check(&["run", "--redis-version", "6.2", "x.md"], 2, &["--redis-version 6.2: there are 7.0.15, "]);
    check(&["serve", "--port", "many"], 2, &["--port many: invalid digit found in string"]);
    check(&["explore", "--max-states", "-1", "x.md"], 2, &["--max-states -1: "]);
    check(&["dance"], 2, &["there is no command \"dance\""]);
    check(&["verify", "x.md"], 2, &["--server HOST:PORT"]);
    check(&["verify", "x.md", "--server", "127.0.0.1:1"], 2, &["no server at 127.0.0.1:1"]);
}

/// As in `playground … | head`: whoever reads has gone away before anything is written.
#[test]
fn every_command_says_what_it_takes() {
    for command in ["run", "verify", "explore", "lint", "export", "embed", "mdbook", "serve"] {
        let text = check(&[command, "--help"], 0, &[]);
        assert!(text.trim_start().starts_with(command), "{text}");
        assert_eq!(text, check(&["help", command], 0, &[]));
        assert_eq!(text, check(&[command, "x.md", "-h"], 0, &[]));
    }
    check(&["help"], 0, &["Usage: playground COMMAND", "serve", "Exit codes"]);
    check(&["dance", "--help"], 0, &["Usage: playground COMMAND"]);
}

#[test]
fn a_closed_pipe_ends_the_program_without_a_word() {
    let (reader, writer) = std::io::pipe().expect("there is room for a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_playground"));
    let output = command.arg("lint").arg("--rules").stdout(writer).output().expect("the program runs");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn a_scenario_about_other_versions_is_skipped_and_counted() {
    let path = file("new.md", "@ redis >= 8.4\nA> SET k 1 IFEQ 0\n(nil)\n");
    let says = ["skipped", "needs Redis >= 8.4", "1 skipped"];
    check(&["run", "--redis-version", "7.0", &path.to_string_lossy()], 0, &says);
    check(&["run", &path.to_string_lossy()], 0, &["ok"]);
}

#[test]
fn update_fills_in_replies_and_nothing_else() {
    let path = file("update.md", "text  \n```redis\nA> SET k 1\nA> GET k\n(nil)\n```\n");
    check(&["run", "--update", &path.to_string_lossy()], 0, &["updated", "2 places"]);
    let text = std::fs::read_to_string(&path).expect("it is still there");
    assert_eq!(text, "text  \n```redis\nA> SET k 1\nOK\nA> GET k\n\"1\"\n```\n");
    check(&["run", "--update", &path.to_string_lossy()], 0, &["nothing to update"]);
}

#[test]
fn explore_finds_the_order_that_fails() {
    let steps = |client: &str| format!("{client}> GET n\n@ {client}: keep n\n{client}> SET n $n+1\n");
    let story = format!("A> SET n 0\n@ explore\n{}{}@ finally GET n\n\"2\"\n", steps("A"), steps("B"));
    let path = file("lost.md", &story);
    let path = path.to_string_lossy();
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("witnesses");
    let folder = folder.to_string_lossy();
    let says =
        ["FAILS", "6 orders, 2 outcomes", "fails in 4 of 6: @ finally GET n", "1. 4 (66.7 %)", "n = \"1\""];
    check(&["explore", &path, "--witnesses", &folder], 1, &says);
    // A witness is a story like any other, in which the check fails.
    check(
        &["run", &format!("{folder}/lost-1.md")],
        1,
        &["1 difference", "expected: \"2\"", "got:      \"1\""],
    );
    check(&["run", &format!("{folder}/lost-2.md")], 0, &["ok"]);
    let json = check(&["explore", "--json", &path], 1, &[]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("the report is JSON");
    assert_eq!(report["files"][0]["parts"][0]["schedules"], "6");
    assert_eq!(report["files"][0]["parts"][0]["outcomes"][0]["count"], "4");
    check(&["explore", "--max-states", "3", &path], 1, &["NOT COMPLETE", "--max-states 3"]);
    check(&["explore", "--sample", "50", "--seed", "1", &path], 1, &["50 orders drawn", "2 outcomes met"]);
    let safe = file("safe.md", "A> INCR n\nB> INCR n\n@ finally GET n\n\"2\"\n");
    check(&["explore", &safe.to_string_lossy()], 0, &["ok", "2 orders", "holds in all: @ finally GET n"]);
    check(&["explore"], 2, &["which files?"]);
}

#[test]
fn a_surprise_is_explained_where_that_is_asked_for() {
    let path = file("stolen.md", "A> SET lock A NX PX 300\n@ +400ms\nB> SET lock B NX\nA> DEL lock\n");
    let path = path.to_string_lossy();
    let says = ["Somebody else's lock was removed", "A deleted `lock`, which B had taken in step 3."];
    check(&["run", "--explain", &path], 0, &says);
    let json = check(&["run", "--explain", "--json", &path], 0, &[]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("the report is JSON");
    assert_eq!(report["files"][0]["steps"][3]["explained"][0]["id"], "lock-of-another");
}

#[test]
fn lint_tells_by_its_exit_code_whether_it_found_something() {
    let bad = file("bad.lua", "return redis.call('GET', KEYS[1]) + 1\n");
    let good = file("good.lua", "return redis.call('INCR', KEYS[1])\n");
    let hint = file("hint.lua", "return redis.call('GET', KEYS[1])\n");
    let broken = file("broken.lua", "return (\n");
    let [bad, good, hint, broken] = [&bad, &good, &hint, &broken].map(|path| path.to_string_lossy());
    check(&["lint", &good], 0, &["0 findings in 1 files"]);
    check(&["lint", &good, &bad], 1, &["bad.lua:1:8: error: GET answers false", "[arithmetic-on-missing]"]);
    check(&["lint", &hint], 1, &["could-be-read-only"]);
    check(&["lint", "--no-hints", &hint], 0, &[]);
    check(&["lint", &broken], 2, &["broken.lua:"]);
    let json = check(&["lint", "--json", &bad], 1, &[]);
    let report: serde_json::Value = serde_json::from_str(&json).expect("the report is JSON");
    assert_eq!(report["files"][0]["findings"][0]["rule"], "arithmetic-on-missing");
}
