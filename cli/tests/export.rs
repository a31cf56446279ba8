//! Exports: what they say, and that the shell script brings the same from a real server as the transcript shows.
//!
//! Where there is no redis-server, that part shows nothing.

#![allow(clippy::print_stdout, reason = "who runs the test is told why it shows nothing")]

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

fn export(file: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_playground")).arg("export").arg(file).args(args).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("an export is text")
}

#[test]
fn a_transcript_shows_what_was_typed_and_what_came_back() {
    let text = export(&example("01-lock-stolen.md"), &[]);
    let parts = ["A> SET lock A NX PX 300\nOK\n", "# 400 ms later\n", "A> DEL lock\n(integer) 1\n"];
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is missing in:\n{text}"));
}

#[test]
fn a_picture_is_whole_and_has_its_theme() {
    for name in ["01-lock-stolen.md", "21-busy.md", "26-watch.md", "11-what-scripts-return.md"] {
        let auto = export(&example(name), &["--as", "svg"]);
        assert_well_formed(&auto);
        assert!(auto.contains("prefers-color-scheme:dark") && auto.contains("<title id=\"title\">"));
        for theme in ["light", "dark"] {
            let one = export(&example(name), &["--as", "svg", "--theme", theme]);
            assert!(!one.contains("prefers-color-scheme"));
        }
        assert!(!auto.contains("href") && !auto.contains("url(http"), "nothing comes from outside");
    }
}

/// Every element that is opened is closed, in order, and nothing stands unescaped.
#[track_caller]
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>') || tag == "style" || text.contains("url"), "{text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn tests_hold_the_replies_of_the_story() {
    let js = export(&example("13-no-rollback.md"), &["--as", "js"]);
    assert!(
        js.contains("import Redis from 'ioredis';") && js.contains("assert.deepEqual(await sent(clientA, ")
    );
    let rust = export(&example("13-no-rollback.md"), &["--as", "rust"]);
    assert!(rust.contains("const STORY: &str = r#\"---\n") && rust.contains("#[test]\nfn "));
}

/// A server of our own, ended with the test.
struct Server(Child, u16);

impl Server {
    fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let arguments = ["--port", &port.to_string(), "--save", ""];
        let process = Command::new("redis-server").args(arguments).stdout(Stdio::null()).spawn().ok()?;
        let server = Self(process, port);
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not listen");
    }

    /// The version that it tells, as `7.0`.
    fn version(&self) -> String {
        let arguments = ["-p", &self.1.to_string(), "INFO", "server"];
        let output =
            Command::new("redis-cli").args(arguments).output().expect("redis-cli comes with the server");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("redis_version:")).unwrap_or_default();
        line.split('.').take(2).collect::<Vec<_>>().join(".")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_server_answers_the_shell_script_as_the_transcript_says() {
    let Some(server) = Server::start() else {
        println!("there is no redis-server to ask");
        return;
    };
    let version = server.version();
    let stories = [
        "01-lock-stolen.md",
        "02-compare-and-delete.md",
        "05-release-with-watch.md",
        "13-no-rollback.md",
        "14-call-and-pcall.md",
        "21-busy.md",
        "25-multi-does-not-branch.md",
        "26-watch.md",
    ];
    for name in stories {
        let as_version = ["--redis-version", version.as_str()];
        let transcript = export(&example(name), &as_version);
        let script = export(&example(name), &[&as_version[..], &["--as", "shell"]].concat());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.sh"));
        std::fs::write(&path, script).expect("the folder for tests can be written");
        let played = Command::new("sh")
            .arg(&path)
            .args(["127.0.0.1", &server.1.to_string()])
            .env("FORCE", "1")
            .output()
            .expect("there is a shell");
        assert!(played.status.success(), "{name}: {}", String::from_utf8_lossy(&played.stderr));
        assert_eq!(String::from_utf8_lossy(&played.stdout), transcript, "{name}");
    }
}
