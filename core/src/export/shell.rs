//! A shell script that plays the story to a real server, one redis-cli for each client.
//!
//! Each client is a redis-cli that reads commands from a pipe; what it prints goes to a file. How many lines a reply has is
//! known from the run, so the script can wait for it: for a time, after which it goes on.

use std::fmt::Write as _;

use crate::Bytes;
use crate::clock::Micros;

use super::played::{ActKind, Played, command};
use super::transcript::event;

const HEAD: &str = r#"#!/bin/sh
# Plays a story to a real Redis and prints what its clients see. Needs redis-cli.
#   sh FILE [HOST] [PORT]
# THE SERVER'S KEYS, SCRIPTS AND FUNCTIONS ARE DELETED: it goes on only if there are no keys, or with FORCE=1.
set -u
host=${1:-127.0.0.1}
port=${2:-6379}
cli() { redis-cli -h "$host" -p "$port" "$@"; }
[ "$(cli PING)" = PONG ] || { echo "no Redis answers at $host:$port" >&2; exit 2; }
if [ "$(cli DBSIZE)" != 0 ] && [ "${FORCE:-}" != 1 ]; then
  echo "$host:$port is not empty; FORCE=1 deletes all its keys" >&2
  exit 2
fi
cli FLUSHALL >/dev/null; cli SCRIPT FLUSH >/dev/null; cli FUNCTION FLUSH >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# connect CLIENT: a redis-cli that reads from a pipe.
connect() {
  mkfifo "$work/$1.in"
  : >"$work/$1.out"
  echo 0 >"$work/$1.seen"
  cli --no-raw <"$work/$1.in" >"$work/$1.out" 2>&1 &
}
# show CLIENT LINES SECONDS [LABEL]: waits until that many new lines are there, and prints them.
show() {
  seen=$(cat "$work/$1.seen")
  tries=0
  # redis-cli adds the time that a slow reply took.
  while grep -vE '^\([0-9]+\.[0-9]+s\)$' "$work/$1.out" >"$work/all"
    [ "$(wc -l <"$work/all")" -lt $((seen + $2)) ] && [ "$tries" -lt $(($3 * 50)) ]; do
    sleep 0.02
    tries=$((tries + 1))
  done
  tail -n +$((seen + 1)) "$work/all" | head -n "$2" >"$work/new"
  echo $((seen + $(wc -l <"$work/new"))) >"$work/$1.seen"
  if [ $# -gt 3 ]; then
    indent=$(printf '%s' "$4" | tr -c '' ' ')
    awk -v label="$4" -v indent="$indent" '{ print (NR == 1 ? label : indent) $0 }' "$work/new"
  else
    cat "$work/new"
  fi
}
"#;

pub(super) fn write(played: &Played<'_>) -> String {
    let mut script = HEAD.to_owned();
    let mut line = |text: &str| {
        script.push_str(text);
        script.push('\n');
    };
    line("");
    for (name, value) in &played.scenario.setup.config {
        line(&format!("cli CONFIG SET {} {} >/dev/null", quoted(name), quoted(value)));
    }
    if played.scenario.setup.cluster.is_some() {
        line("# The story needs a cluster node that serves all slots.");
    }
    // A descriptor for each client keeps its pipe open; a shell has 3 to 9.
    for (client, name) in played.scenario.clients.iter().enumerate() {
        line(&format!("connect {name}; exec {}>\"$work/{name}.in\"", descriptor(client)));
    }
    line("");
    for (index, act) in played.acts.iter().enumerate() {
        line(&act_text(played, index, &act.kind));
    }
    script
}

/// The first of a client's descriptors that POSIX shells have; stories with more clients than seven need bash.
fn descriptor(client: usize) -> usize {
    client + 3
}

fn act_text(played: &Played<'_>, index: usize, kind: &ActKind) -> String {
    match kind {
        ActKind::Remark(remark) => echo(&format!("# {remark}")),
        ActKind::Skipped(text) => echo(&format!("# not sent: {text}")),
        ActKind::Send { argv, .. } if listens(argv) => {
            echo(&format!("# not replayed, redis-cli would listen for ever: {}", command(argv)))
        }
        ActKind::Send { client, argv, reply, .. } => {
            let name = played.name(*client);
            let command = command(argv);
            let mut text = echo(&format!("{name}> {command}"));
            write!(text, "\nprintf '%s\\n' {} >&{}", quoted(&command), descriptor(*client))
                .expect("a string can be written to");
            match reply {
                Some(seen) => {
                    let lines = played.text(seen).lines().count().max(1);
                    write!(text, "\nshow {name} {lines} 10").expect("a string can be written to");
                }
                // Whatever comes next must find it sent.
                None => text.push_str("\nsleep 0.05"),
            }
            text
        }
        ActKind::Receive { client, seen, answers } => {
            let name = played.name(*client);
            let listened = answers.is_none();
            let lines = played.text(seen).lines().count().max(1);
            if listened {
                echo(&format!("# {name} receives a message, which is not replayed"))
            } else {
                format!("show {name} {lines} 10 '{name}< '")
            }
        }
        ActKind::Wait(time) => {
            let time = time.saturating_sub(spent_waiting(played, index));
            format!(
                "{}\nsleep {}.{:06}",
                echo(&format!("# {}", event(kind))),
                time.0 / 1_000_000,
                time.0 % 1_000_000
            )
        }
        ActKind::Restart { .. } | ActKind::Failover | ActKind::Replicate { .. } => {
            let what = event(kind);
            format!(
                "{}\nprintf '%s, then press Enter: ' {} >/dev/tty; read -r _ </dev/tty",
                echo(&format!("# {what}")),
                quoted(&format!("Now see to it that {what}"))
            )
        }
    }
}

/// What the pause behind an unanswered command has taken of the time that is to pass.
fn spent_waiting(played: &Played<'_>, index: usize) -> Micros {
    let before = index.checked_sub(1).map(|index| &played.acts[index].kind);
    match before {
        Some(ActKind::Send { reply: None, .. }) => Micros(50_000),
        _ => Micros(0),
    }
}

fn listens(argv: &[Bytes]) -> bool {
    const NAMES: &[&str] = &["subscribe", "psubscribe", "ssubscribe", "monitor", "sync", "psync"];
    argv.first().is_some_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())))
}

fn echo(text: &str) -> String {
    format!("printf '%s\\n' {}", quoted(text))
}

/// In single quotes for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
