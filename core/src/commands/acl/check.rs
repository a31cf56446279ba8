//! May this user run this command, with these keys and channels?

use crate::Bytes;
use crate::commands::ctx::Origin;
use crate::commands::keys::key_positions;
use crate::commands::spec::{CommandSpec, Flags};
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::state::{LogEntry, Selector, State, User};
use crate::value::glob;

/// What a user lacks the permission for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Denied {
    Command(&'static str),
    Key(Bytes),
    Channel(Bytes),
}

impl Denied {
    fn reason(&self) -> &'static str {
        match self {
            Self::Command(_) => "command",
            Self::Key(_) => "key",
            Self::Channel(_) => "channel",
        }
    }

    fn object(&self) -> Bytes {
        match self {
            Self::Command(name) => Bytes::from(*name),
            Self::Key(name) | Self::Channel(name) => name.clone(),
        }
    }

    /// The error line for a client.
    pub(in crate::commands) fn to_error(&self, user: &Bytes, version: Version) -> CommandError {
        let text = if version >= Version::V7_2 { self.text(user, false) } else { self.old_text() };
        CommandError::NoPermission(text)
    }

    fn old_text(&self) -> String {
        match self {
            Self::Command(name) => format!("this user has no permissions to run the '{name}' command"),
            Self::Key(_) => "this user has no permissions to access one of the keys used as arguments".into(),
            Self::Channel(_) => {
                "this user has no permissions to access one of the channels used as arguments".into()
            }
        }
    }

    /// The sentence of 7.2 and later; `verbose`: it names the key or channel.
    fn text(&self, user: &Bytes, verbose: bool) -> String {
        let user = user.to_word();
        match self {
            Self::Command(name) => format!("User {user} has no permissions to run the '{name}' command"),
            Self::Key(key) if verbose => {
                format!("User {user} has no permissions to access the '{}' key", key.to_word())
            }
            Self::Channel(channel) if verbose => {
                format!("User {user} has no permissions to access the '{}' channel", channel.to_word())
            }
            Self::Key(_) => "No permissions to access a key".into(),
            Self::Channel(_) => "No permissions to access a channel".into(),
        }
    }

    /// What ACL DRYRUN answers.
    pub(super) fn dry_run_text(&self, user: &Bytes, version: Version) -> String {
        if version >= Version::V7_2 {
            return self.text(user, true);
        }
        let text = self.text(&Bytes::from("X"), true);
        text.replacen("User X", "This user", 1)
    }

    /// The error inside a script.
    pub(in crate::commands) fn to_script_error(&self, user: &Bytes, version: Version) -> CommandError {
        if version >= Version::V7_2 {
            return CommandError::ScriptNoPermission(format!(
                "ACL failure in script: {}",
                self.text(user, false)
            ));
        }
        let what = match self {
            Self::Command(_) => "run this command or subcommand",
            Self::Key(_) => "access at least one of the keys mentioned in the command arguments",
            Self::Channel(_) => "publish to the channel mentioned in the command",
        };
        CommandError::ScriptNoPermission(format!("The user executing the script can't {what}"))
    }

    /// The error for a queued command that was still allowed when it was queued.
    pub(in crate::commands) fn to_exec_error(&self) -> CommandError {
        let what = match self {
            Self::Command(_) => "no permission to execute the command or subcommand",
            Self::Key(_) => "no permission to touch the specified keys",
            Self::Channel(_) => "no permission to access one of the channels used as arguments",
        };
        CommandError::NoPermission(format!(
            "ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This \
             command is no longer allowed for the following reason: {what}"
        ))
    }
}

/// What the client's user lacks for a command, noted in the log.
pub(in crate::commands) fn check(
    state: &mut State,
    client: ClientId,
    spec: &'static CommandSpec,
    argv: &[Bytes],
    origin: Origin,
) -> Result<(), Denied> {
    let Some(user) = state.acl.user(&state.client(client).user) else { return Ok(()) };
    if user.root.unrestricted() {
        return Ok(());
    }
    let denied = match check_user(user, spec, argv) {
        Ok(()) => return Ok(()),
        Err(denied) => denied,
    };
    let context = match origin {
        Origin::Script => "lua",
        Origin::Exec => "multi",
        Origin::Client if state.client(client).transaction.is_some() => "multi",
        Origin::Client => "toplevel",
    };
    let name = state.client(client).user.clone();
    log(state, client, denied.reason(), context, denied.object(), name);
    Err(denied)
}

/// What a user lacks for a command. Several selectors can lack different things: what comes latest is told.
pub(in crate::commands) fn check_user(
    user: &User,
    spec: &'static CommandSpec,
    argv: &[Bytes],
) -> Result<(), Denied> {
    let mut worst = (0, 0, Denied::Command(spec.name));
    for selector in user.all_selectors() {
        match check_selector(selector, spec, argv) {
            Ok(()) => return Ok(()),
            Err((place, denied)) => {
                let rank = match denied {
                    Denied::Command(_) => 0,
                    Denied::Key(_) => 1,
                    Denied::Channel(_) => 2,
                };
                if (rank, place) > (worst.0, worst.1) {
                    worst = (rank, place, denied);
                }
            }
        }
    }
    Err(worst.2)
}

/// The place of the argument goes with what is lacking.
fn check_selector(
    selector: &Selector,
    spec: &'static CommandSpec,
    argv: &[Bytes],
) -> Result<(), (usize, Denied)> {
    if !selector.all_commands && !spec.has(Flags::NO_AUTH) && !allows_command(selector, spec, argv) {
        return Err((0, Denied::Command(spec.name)));
    }
    if !selector.all_keys {
        for key in key_positions(spec, argv).unwrap_or_default() {
            if !key.flags.contains(&"not_key") && !allows_key(selector, &argv[key.index], key.flags) {
                return Err((key.index, Denied::Key(argv[key.index].clone())));
            }
        }
    }
    if !selector.all_channels {
        let (channels, literal) = channels(spec, argv);
        for (place, channel) in channels.iter().enumerate() {
            if !allows_channel(selector, channel, literal) {
                return Err((place + 1, Denied::Channel(channel.clone())));
            }
        }
    }
    Ok(())
}

/// Whether a user may run a command that finds keys by what it reads: only who may read every key.
pub(in crate::commands) fn may_read_all(
    state: &State,
    client: ClientId,
    spec: &'static CommandSpec,
    argv: &[Bytes],
) -> bool {
    let reads_all = |selector: &Selector| {
        selector.all_keys || selector.keys.iter().any(|key| key.read && key.pattern == "*")
    };
    let runs = |selector: &Selector| selector.all_commands || allows_command(selector, spec, argv);
    let user = state.acl.user(&state.client(client).user);
    user.is_none_or(|user| user.all_selectors().any(|selector| reads_all(selector) && runs(selector)))
}

fn allows_command(selector: &Selector, spec: &CommandSpec, argv: &[Bytes]) -> bool {
    selector.commands.contains(spec.name)
        || selector.first_arguments.get(spec.name).is_some_and(|allowed| {
            argv.get(1).is_some_and(|first| allowed.iter().any(|known| known.eq_ignore_ascii_case(first)))
        })
}

fn allows_key(selector: &Selector, key: &Bytes, flags: &[&str]) -> bool {
    let reads = flags.contains(&"access");
    let writes = ["insert", "delete", "update"].iter().any(|flag| flags.contains(flag));
    selector.keys.iter().any(|pattern| {
        (pattern.read || !reads)
            && (pattern.write || !writes)
            && glob::matches(&pattern.pattern, key, glob::Case::Sensitive)
    })
}

/// The channels that a command publishes to or begins to listen to; a pattern has to be allowed literally.
fn channels<'a>(spec: &CommandSpec, argv: &'a [Bytes]) -> (&'a [Bytes], bool) {
    match spec.name {
        "publish" | "spublish" => (&argv[1..2], false),
        "subscribe" | "ssubscribe" => (&argv[1..], false),
        "psubscribe" => (&argv[1..], true),
        _ => (&[], false),
    }
}

fn allows_channel(selector: &Selector, channel: &Bytes, literal: bool) -> bool {
    selector.channels.iter().any(|pattern| {
        if literal { pattern == channel } else { glob::matches(pattern, channel, glob::Case::Sensitive) }
    })
}

/// Whether a user may go on listening to what it listens to.
pub(super) fn may_listen(user: &User, state: &State, client: ClientId) -> bool {
    let record = state.client(client);
    let names = |names: &std::collections::BTreeSet<Bytes>, literal: bool| {
        names.iter().all(|name| {
            user.all_selectors()
                .any(|selector| selector.all_channels || allows_channel(selector, name, literal))
        })
    };
    names(&record.channels, false) && names(&record.shard_channels, false) && names(&record.patterns, true)
}

/// Notes a refusal; the same one within a minute is only counted.
pub(in crate::commands) fn log(
    state: &mut State,
    client: ClientId,
    reason: &'static str,
    context: &'static str,
    object: Bytes,
    user: Bytes,
) {
    const SAME_FOR_MICROS: u64 = 60_000_000;
    let now = state.now;
    let info = crate::commands::client::describe(state, state.client(client));
    let entries = std::sync::Arc::make_mut(&mut state.acl.log);
    let known = entries.iter().position(|entry| {
        (entry.reason, entry.context) == (reason, context)
            && entry.object == object
            && entry.user == user
            && (now - entry.updated_at).0 < SAME_FOR_MICROS
    });
    if let Some(mut entry) = known.and_then(|place| entries.remove(place)) {
        entry.count += 1;
        (entry.updated_at, entry.client) = (now, info);
        entries.push_front(entry);
        return;
    }
    let id = state.acl.logged;
    entries.push_front(LogEntry {
        id,
        count: 1,
        reason,
        context,
        object,
        user,
        created_at: now,
        updated_at: now,
        client: info,
    });
    state.acl.logged += 1;
    let max = state.config.int(crate::state::Param::ACLLOG_MAX_LEN) as usize;
    std::sync::Arc::make_mut(&mut state.acl.log).truncate(max);
}
