//! SLOWLOG: commands that took long in virtual time.

use std::sync::Arc;

use crate::Bytes;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::limits::{SLOWLOG_ARG_BYTES_MAX, SLOWLOG_ARGS_MAX};
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Param, SlowCommand, State};

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::spec::{CommandSpec, Example, Flags, Group, Shape};

pub(super) const COMMANDS: &[CommandSpec] = &[CommandSpec {
    name: "slowlog",
    arity: -2,
    since: (2, 2, 12),
    group: Group::Server,
    summary: "Looks after the log of slow commands.",
    syntax: "SLOWLOG",
    subcommands: SLOWLOG,
    ..CommandSpec::BASE
}];

const SLOWLOG: &[CommandSpec] = &[
    CommandSpec {
        name: "slowlog|get",
        arity: -2,
        flags: Flags::ADMIN.or(Flags::LOADING).or(Flags::STALE),
        since: (2, 2, 12),
        group: Group::Server,
        summary: "Answers the commands that took long, the latest first.",
        syntax: "SLOWLOG GET [count]",
        reply: Shape::Array,
        tips: &["request_policy:all_nodes", "nondeterministic_output"],
        handler: get,
        examples: &[Example { setup: "", run: "SLOWLOG GET", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("slowlog|help", (6, 2, 0), Group::Server, &[], &[]),
    CommandSpec {
        name: "slowlog|len",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::LOADING).or(Flags::STALE),
        since: (2, 2, 12),
        group: Group::Server,
        summary: "Counts the commands in the log.",
        syntax: "SLOWLOG LEN",
        reply: Shape::Int,
        tips: &["request_policy:all_nodes", "response_policy:agg_sum", "nondeterministic_output"],
        handler: len,
        examples: &[Example { setup: "DEBUG SLEEP 1", run: "SLOWLOG LEN", shows: "(integer) 1" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "slowlog|reset",
        arity: 2,
        flags: Flags::ADMIN.or(Flags::LOADING).or(Flags::STALE),
        since: (2, 2, 12),
        group: Group::Server,
        summary: "Empties the log.",
        syntax: "SLOWLOG RESET",
        reply: Shape::Status,
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        handler: reset,
        examples: &[Example { setup: "", run: "SLOWLOG RESET", shows: "OK" }],
        ..CommandSpec::BASE
    },
];

fn get(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    const SHOWN: usize = 10;
    let count = match &argv[2..] {
        [] => SHOWN,
        [count] => {
            let text = "ERR count should be greater than or equal to -1";
            let count = args::int(count).ok().filter(|count| *count >= -1);
            let count = count.ok_or(CommandError::Line(text.into()))?;
            usize::try_from(count).unwrap_or(usize::MAX)
        }
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    let entries = ctx.state.slowlog.entries.iter().take(count).map(|entry| {
        Reply::Array(vec![
            Reply::Int(entry.id as i64),
            Reply::Int((entry.at.0 / 1_000_000) as i64),
            Reply::Int(entry.micros as i64),
            Reply::bulks(entry.argv.iter().cloned()),
            Reply::bulk(entry.address.clone()),
            Reply::Bulk(entry.client_name.clone()),
        ])
    });
    Ok(Reply::Array(entries.collect()).into())
}

fn len(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::from(ctx.state.slowlog.entries.len()).into())
}

fn reset(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    ctx.state.slowlog.entries = Arc::default();
    Ok(Reply::OK.into())
}

/// Notes a command that has run, if it took long enough.
pub(super) fn note(state: &mut State, client: ClientId, spec: &CommandSpec, argv: &[Bytes], micros: u64) {
    let threshold = state.config.int(Param::SLOWLOG_LOG_SLOWER_THAN);
    if threshold < 0 || micros < threshold as u64 || spec.has(Flags::SKIP_SLOWLOG) {
        return;
    }
    let record = state.client(client);
    let entry = SlowCommand {
        id: state.slowlog.next_id,
        at: state.now,
        micros,
        argv: shortened(&redacted(state.version, spec, argv)),
        address: record.address.clone(),
        client_name: record.name.clone(),
    };
    let max = state.config.int(Param::SLOWLOG_MAX_LEN).max(0) as usize;
    state.slowlog.next_id += 1;
    let entries = Arc::make_mut(&mut state.slowlog.entries);
    entries.push_front(entry);
    entries.truncate(max);
}

/// What is secret is not kept.
pub(super) fn redacted(version: Version, spec: &CommandSpec, argv: &[Bytes]) -> Vec<Bytes> {
    const SECRET_PARAMETERS: &[&str] = &["requirepass", "masterauth", "masteruser", "tls-key-file-pass"];
    let hide_from = |first: usize| {
        let hidden = |(index, word): (usize, &Bytes)| {
            if index >= first { Bytes::from("(redacted)") } else { word.clone() }
        };
        argv.iter().enumerate().map(hidden).collect()
    };
    match spec.name {
        "auth" => hide_from(1),
        "hello" => {
            let at = argv.iter().position(|word| args::is(word, "auth")).unwrap_or(argv.len());
            let hidden = |(index, word): (usize, &Bytes)| {
                if (at + 1..at + 3).contains(&index) { Bytes::from("(redacted)") } else { word.clone() }
            };
            argv.iter().enumerate().map(hidden).collect()
        }
        "acl|setuser" | "acl|getuser" => hide_from(2),
        "acl|deluser" if version >= Version::V7_2 => hide_from(2),
        "config|set" => {
            let mut words = argv.to_vec();
            for index in (2..argv.len().saturating_sub(1)).step_by(2) {
                if SECRET_PARAMETERS.iter().any(|name| args::is(&argv[index], name)) {
                    words[index + 1] = Bytes::from("(redacted)");
                }
            }
            words
        }
        "migrate" => without_migrate_passwords(argv),
        _ => argv.to_vec(),
    }
}

/// The options end at the first that MIGRATE does not know, or with its keys.
fn without_migrate_passwords(argv: &[Bytes]) -> Vec<Bytes> {
    const FIRST_OPTION: usize = 6;
    let mut words = argv.to_vec();
    let mut at = FIRST_OPTION;
    while let Some(option) = argv.get(at) {
        let secret = match option {
            _ if args::is(option, "auth") => 1,
            _ if args::is(option, "auth2") => 2,
            _ if args::is(option, "copy") || args::is(option, "replace") => 0,
            _ => break,
        };
        let Some(secrets) = words.get_mut(at + 1..at + 1 + secret) else { break };
        secrets.fill(Bytes::from("(redacted)"));
        at += 1 + secret;
    }
    words
}

fn shortened(argv: &[Bytes]) -> Vec<Bytes> {
    let shorten = |word: &Bytes| {
        if word.len() <= SLOWLOG_ARG_BYTES_MAX {
            return word.clone();
        }
        let rest = format!("... ({} more bytes)", word.len() - SLOWLOG_ARG_BYTES_MAX);
        Bytes::from([&word[..SLOWLOG_ARG_BYTES_MAX], rest.as_bytes()].concat())
    };
    if argv.len() <= SLOWLOG_ARGS_MAX {
        return argv.iter().map(shorten).collect();
    }
    let mut words: Vec<Bytes> = argv[..SLOWLOG_ARGS_MAX - 1].iter().map(shorten).collect();
    words.push(Bytes::from(format!("... ({} more arguments)", argv.len() - words.len())));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passwords_of_migrate_are_hidden_where_they_are_options() {
        let check = |options: &str, shown: &str| {
            let words = |options: &str| -> Vec<Bytes> {
                format!("MIGRATE h 1 k 9 5000 {options}").split_whitespace().map(Bytes::from).collect()
            };
            assert_eq!(without_migrate_passwords(&words(options)), words(shown));
        };
        check("AUTH user", "AUTH (redacted)");
        check("COPY AUTH2 user pw KEYS a", "COPY AUTH2 (redacted) (redacted) KEYS a");
        check("COPY AUTH", "COPY AUTH");
        check("AUTH2 user", "AUTH2 user");
        check("KEYS AUTH b", "KEYS AUTH b");
    }
}
