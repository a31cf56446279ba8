//! The rules of ACL SETUSER: each changes a user or one of its selectors.

use crate::Bytes;
use crate::commands::spec::{CATEGORIES, CommandSpec};
use crate::commands::versions::{Records, records};
use crate::profile::Version;
use crate::state::{KeyPattern, Selector, User};
use crate::value::sha256;

/// Why a rule is refused. The texts stand in [`RuleError::text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleError {
    Syntax,
    UnknownCommand,
    /// A first argument of a subcommand.
    TooDeep,
    KeysAlreadyAll,
    ChannelsAlreadyAll,
    BadHash,
    NoSuchPassword,
}

impl RuleError {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Syntax => "Syntax error",
            Self::UnknownCommand => "Unknown command or category name in ACL",
            Self::TooDeep => "Allowing first-arg of a subcommand is not supported",
            Self::KeysAlreadyAll => {
                "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any \
                 effect. Try 'resetkeys' to start with an empty list of patterns"
            }
            Self::ChannelsAlreadyAll => {
                "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have \
                 any effect. Try 'resetchannels' to start with an empty list of channels"
            }
            Self::BadHash => {
                "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters"
            }
            Self::NoSuchPassword => "The password you are trying to remove from the user does not exist",
        }
    }
}

/// Arguments in parentheses belong together, though blanks part them; the error is the one that opens too much.
pub(super) fn join_selectors(words: &[Bytes], version: Version) -> Result<Vec<Bytes>, Bytes> {
    let mut joined = Vec::with_capacity(words.len());
    let mut open: Option<Vec<u8>> = None;
    for word in words {
        // Before 7.2 whoever opens again loses what was open.
        if version < Version::V7_2 && word.starts_with(b"(") && !word.ends_with(b")") {
            open = None;
        }
        let mut text = match open.take() {
            Some(mut text) => {
                text.push(b' ');
                text.extend_from_slice(word);
                text
            }
            None => word.to_vec(),
        };
        if text.starts_with(b"(") && !text.ends_with(b")") {
            open = Some(std::mem::take(&mut text));
        } else {
            joined.push(Bytes::from(text));
        }
    }
    match open {
        None => Ok(joined),
        Some(text) => {
            // The message names the argument that opened it, not what was joined to it.
            Err(words
                .iter()
                .find(|word| text.starts_with(word) && word.starts_with(b"("))
                .cloned()
                .unwrap_or_default())
        }
    }
}

/// Applies one rule to a user.
pub(super) fn apply(user: &mut User, rule: &[u8], version: Version) -> Result<(), RuleError> {
    let is = |word: &str| rule.eq_ignore_ascii_case(word.as_bytes());
    match rule {
        b"" => {}
        _ if is("on") => user.enabled = true,
        _ if is("off") => user.enabled = false,
        _ if is("nopass") => {
            user.no_password = true;
            user.passwords.clear();
        }
        _ if is("skip-sanitize-payload") => user.sanitize_payload = Some(false),
        _ if is("sanitize-payload") => user.sanitize_payload = Some(true),
        _ if is("resetpass") => {
            user.no_password = false;
            user.passwords.clear();
        }
        _ if is("reset") => *user = User::new(user.name.clone(), Some(true)),
        _ if is("clearselectors") => user.selectors.clear(),
        [b'>', password @ ..] => add_password(user, sha256::hex(password).into()),
        [b'#', hash @ ..] => add_password(user, checked_hash(hash)?),
        [b'<', password @ ..] => remove_password(user, &sha256::hex(password).into())?,
        [b'!', hash @ ..] => remove_password(user, &checked_hash(hash)?)?,
        [b'(', rules @ .., b')'] => {
            let mut selector = Selector::default();
            for rule in rules.split(|&byte| byte == b' ').filter(|rule| !rule.is_empty()) {
                apply_to_selector(&mut selector, rule, version)?;
            }
            user.selectors.push(selector);
        }
        _ => apply_to_selector(&mut user.root, rule, version)?,
    }
    Ok(())
}

fn add_password(user: &mut User, hash: Bytes) {
    if !user.passwords.contains(&hash) {
        user.passwords.push(hash);
    }
    user.no_password = false;
}

fn remove_password(user: &mut User, hash: &Bytes) -> Result<(), RuleError> {
    let place = user.passwords.iter().position(|known| known == hash).ok_or(RuleError::NoSuchPassword)?;
    user.passwords.remove(place);
    Ok(())
}

fn checked_hash(hash: &[u8]) -> Result<Bytes, RuleError> {
    let fits = hash.len() == 64 && hash.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if fits { Ok(Bytes::from(hash)) } else { Err(RuleError::BadHash) }
}

fn apply_to_selector(selector: &mut Selector, rule: &[u8], version: Version) -> Result<(), RuleError> {
    let is = |word: &str| rule.eq_ignore_ascii_case(word.as_bytes());
    match rule {
        _ if is("allkeys") || rule == b"~*" => {
            selector.all_keys = true;
            selector.keys.clear();
        }
        _ if is("resetkeys") => {
            selector.all_keys = false;
            selector.keys.clear();
        }
        _ if is("allchannels") || rule == b"&*" => {
            selector.all_channels = true;
            selector.channels.clear();
        }
        _ if is("resetchannels") => {
            selector.all_channels = false;
            selector.channels.clear();
        }
        _ if is("allcommands") || is("+@all") => set_all_commands(selector, true),
        _ if is("nocommands") || is("-@all") => set_all_commands(selector, false),
        [b'~' | b'%', ..] => add_key_pattern(selector, rule)?,
        [b'&', pattern @ ..] => add_channel(selector, pattern)?,
        [sign @ (b'+' | b'-'), b'@', category @ ..] => {
            change_category(selector, *sign == b'+', category, records(version))?;
        }
        [b'+', command @ ..] => allow_command(selector, command, records(version))?,
        [b'-', command @ ..] => {
            let spec = records(version).find_full(command).ok_or(RuleError::UnknownCommand)?;
            change_command(selector, spec, false, records(version));
            note_rule(selector, false, spec.name.to_owned());
        }
        _ => return Err(RuleError::Syntax),
    }
    Ok(())
}

fn set_all_commands(selector: &mut Selector, allowed: bool) {
    selector.all_commands = allowed;
    selector.future_commands = allowed;
    selector.commands.clear();
    selector.first_arguments.clear();
    selector.rules.clear();
}

/// `~pattern`, or `%R~pattern` and the like.
fn add_key_pattern(selector: &mut Selector, rule: &[u8]) -> Result<(), RuleError> {
    if selector.all_keys {
        return Err(RuleError::KeysAlreadyAll);
    }
    let (mut read, mut write) = (true, true);
    let mut pattern = &rule[1..];
    if rule[0] == b'%' {
        (read, write) = (false, false);
        loop {
            match pattern {
                [b'r' | b'R', rest @ ..] if !read => (read, pattern) = (true, rest),
                [b'w' | b'W', rest @ ..] if !write => (write, pattern) = (true, rest),
                [b'~', rest @ ..] => {
                    pattern = rest;
                    break;
                }
                [] => break,
                _ => return Err(RuleError::Syntax),
            }
        }
        if !read && !write {
            return Err(RuleError::Syntax);
        }
    }
    if has_blank(pattern) {
        return Err(RuleError::Syntax);
    }
    match selector.keys.iter_mut().find(|known| *known.pattern == *pattern) {
        Some(known) => (known.read, known.write) = (known.read || read, known.write || write),
        None => selector.keys.push(KeyPattern { pattern: pattern.into(), read, write }),
    }
    Ok(())
}

fn add_channel(selector: &mut Selector, pattern: &[u8]) -> Result<(), RuleError> {
    if selector.all_channels {
        return Err(RuleError::ChannelsAlreadyAll);
    }
    if has_blank(pattern) {
        return Err(RuleError::Syntax);
    }
    if !selector.channels.iter().any(|known| **known == *pattern) {
        selector.channels.push(pattern.into());
    }
    Ok(())
}

/// Blanks part rules, and NUL ends texts.
pub(super) fn has_blank(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b))
}

fn change_category(
    selector: &mut Selector,
    allowed: bool,
    category: &[u8],
    records: &Records,
) -> Result<(), RuleError> {
    let known = CATEGORIES.iter().find(|name| category.eq_ignore_ascii_case(name.as_bytes()));
    let category = known.ok_or(RuleError::UnknownCommand)?;
    materialise(selector, allowed, records);
    for spec in records.all().filter(|spec| spec.in_category(category)) {
        change_one(selector, spec, allowed);
    }
    note_rule(selector, allowed, format!("@{category}"));
    Ok(())
}

fn allow_command(selector: &mut Selector, rule: &[u8], records: &'static Records) -> Result<(), RuleError> {
    let Some(bar) = rule.iter().rposition(|&byte| byte == b'|') else {
        let spec = records.find(rule).ok_or(RuleError::UnknownCommand)?;
        change_command(selector, spec, true, records);
        note_rule(selector, true, spec.name.to_owned());
        return Ok(());
    };
    let (command, last) = (&rule[..bar], &rule[bar + 1..]);
    let spec = records.find_full(command).ok_or(RuleError::UnknownCommand)?;
    if spec.name.contains('|') {
        return Err(RuleError::TooDeep);
    }
    if last.is_empty() {
        return Err(RuleError::Syntax);
    }
    if spec.is_container() {
        let spec = spec.subcommand(last).ok_or(RuleError::UnknownCommand)?;
        change_command(selector, spec, true, records);
    } else {
        let arguments = selector.first_arguments.entry(spec.name).or_default();
        if !arguments.iter().any(|known| known.eq_ignore_ascii_case(last)) {
            arguments.push(last.into());
        }
    }
    note_rule(selector, true, String::from_utf8_lossy(rule).to_ascii_lowercase());
    Ok(())
}

/// A container's rule goes for its subcommands too.
fn change_command(selector: &mut Selector, spec: &CommandSpec, allowed: bool, records: &Records) {
    materialise(selector, allowed, records);
    change_one(selector, spec, allowed);
    for sub in spec.subcommands {
        change_one(selector, sub, allowed);
    }
}

/// Once not all commands are allowed any more, those that are have to be named.
fn materialise(selector: &mut Selector, allowed: bool, records: &Records) {
    if selector.all_commands && !allowed {
        selector.all_commands = false;
        selector.commands = records.all().map(|spec| spec.name).collect();
    }
}

fn change_one(selector: &mut Selector, spec: &CommandSpec, allowed: bool) {
    if allowed {
        if !selector.all_commands {
            selector.commands.insert(spec.name);
        }
    } else {
        selector.commands.remove(spec.name);
    }
    selector.first_arguments.remove(spec.name);
}

/// A new rule takes the place of those it makes meaningless: itself, and those for its subcommands.
fn note_rule(selector: &mut Selector, allowed: bool, rule: String) {
    selector.rules.retain(|known| {
        let known = &known[1..];
        known != rule && !known.strip_prefix(rule.as_str()).is_some_and(|rest| rest.starts_with('|'))
    });
    selector.rules.push(format!("{}{rule}", if allowed { '+' } else { '-' }));
}
