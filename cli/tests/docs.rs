//! Pages of a documentation, held to what they say: the command under the action and the hook.

use std::path::PathBuf;
use std::process::Command;

/// A folder with pages, as a documentation has them.
fn docs(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&root);
    let pages = [
        (
            "docs/true.md",
            "# A\n\n```redis\nA> INCR n\n(integer) 1\n```\n\n```redis new\nA> INCR n\n(integer) 1\n```\n",
        ),
        (
            "docs/deep/down/false.md",
            "---\nsidebar_position: 3\n---\n1. A list:\n\n   ```redis\n   A> SET k 1\n   OK\n   B> GET k\n   \"2\"\n   ```\n\n```redis new\nC> INCR k\n(integer) 7\n```\n",
        ),
        ("docs/plain.md", "# No story\n\n```sh\nredis-cli PING\n```\n"),
        ("docs/.hidden/old.md", "```redis\nA> PING\nOLD\n```\n"),
        ("docs/notes.txt", "A> PING\nNO\n"),
    ];
    for (path, text) in pages {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be made");
        std::fs::write(path, text).expect("the page can be written");
    }
    root
}

#[track_caller]
fn check(root: &PathBuf, args: &[&str], code: i32, says: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_playground"))
        .args(args)
        .current_dir(root)
        .output()
        .expect("the program can be started");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{text}");
    for part in says {
        assert!(text.contains(part), "{args:?} should say {part:?}:\n{text}");
    }
    text
}

#[test]
fn a_wrong_reply_is_told_with_its_place() {
    let root = docs("wrong");
    let says = [
        "ok        docs/true.md  2 replies",
        "skipped   docs/plain.md  it has no scenario",
        "docs/deep/down/false.md:10: B, B> GET k\n  expected: \"2\"\n  got:      \"1\"",
        "docs/deep/down/false.md:15: C, C> INCR k\n  expected: (integer) 7\n  got:      (integer) 1",
        "1 ok, 1 differ, 1 skipped, 0 unusable",
    ];
    for what in ["docs/**/*.md", "docs"] {
        let text = check(&root, &["run", what], 1, &says);
        assert!(!text.contains("hidden") && !text.contains("notes.txt"), "{text}");
    }
    check(&root, &["run", "docs/*.md"], 0, &["1 ok, 0 differ, 1 skipped"]);
    check(&root, &["run", "nothing/**/*.md"], 2, &["no file is meant by this"]);
}

#[test]
fn github_is_told_where() {
    let annotation = "::error file=docs/deep/down/false.md,line=10,title=Redis replies otherwise::B> GET k%0Aexpected: \"2\"%0Agot: \"1\"";
    check(&docs("github"), &["run", "--github", "docs"], 1, &[annotation]);
}

#[test]
fn update_mends_every_timeline_of_a_page() {
    let root = docs("update");
    check(&root, &["run", "--update", "docs/**/*.md"], 0, &["updated   docs/deep/down/false.md  2 places"]);
    let text = std::fs::read_to_string(root.join("docs/deep/down/false.md")).expect("it is still there");
    assert!(text.contains("   B> GET k\n   \"1\"\n   ```"), "{text}");
    assert!(text.contains("C> INCR k\n(integer) 1\n```"), "{text}");
    check(&root, &["run", "docs"], 0, &["2 ok"]);
}

#[test]
fn the_hook_and_the_action_call_what_there_is() {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let read =
        |name: &str| std::fs::read_to_string(repository.join(name)).expect("it is part of the project");
    let hooks = read(".pre-commit-hooks.yaml");
    let entries: Vec<&str> =
        hooks.lines().filter_map(|line| line.trim().strip_prefix("entry: playground ")).collect();
    assert_eq!(entries.len(), 2);
    for entry in entries {
        let root = docs("hook");
        // As pre-commit does: the entry, then the names of the files.
        let args: Vec<&str> = entry.split(' ').chain(["docs/true.md", "docs/plain.md"]).collect();
        check(&root, &args, 0, &[]);
    }
    let root = docs("action");
    let action = read("action.yml");
    for line in action.lines().filter_map(|line| line.split_once("/bin/playground\" ")).map(|(_, rest)| rest)
    {
        let line = line.replace("${VERSION:+--redis-version \"$VERSION\"}", "--redis-version 7.4");
        let line = line.replace("\"$SERVER\"", "127.0.0.1:1").replace("$FILES", "docs/true.md");
        let args: Vec<&str> = line.split_whitespace().collect();
        match args[0] {
            "run" => check(&root, &args, 0, &["ok"]),
            _ => check(&root, &args, 2, &["no server at 127.0.0.1:1"]),
        };
    }
}
