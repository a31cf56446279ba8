//! ACL's commands on users.

use crate::Bytes;
use crate::bytes::word_bytes;
use crate::commands::args;
use crate::commands::call::lookup;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::spec::CATEGORIES;
use crate::commands::versions::records;
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{DEFAULT_USER, Selector, State, User};
use crate::value::sha256;

use super::{check, describe, rules};

pub(super) fn setuser(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let name = &argv[2];
    if rules::has_blank(name) {
        return Err(CommandError::Line("ERR Usernames can't contain spaces or null characters".into()));
    }
    let rules = rules::join_selectors(&argv[3..], ctx.version())
        .map_err(|opened| CommandError::AclUnmatchedParenthesis(opened.to_word()))?;
    let version = ctx.version();
    let mut user = match ctx.state.acl.user(name) {
        Some(user) => User::clone(user),
        None => User::new(name.clone(), sanitize_payload(version)),
    };
    for rule in &rules {
        rules::apply(&mut user, rule, version)
            .map_err(|error| CommandError::AclRule { rule: rule.to_word(), reason: error.text() })?;
    }
    let before = ctx.state.acl.user(name).map(|before| User::clone(before));
    if before.is_some_and(|before| looks_at_listeners(&before, &user)) {
        close_listeners(ctx, &user);
    }
    ctx.state.acl.insert(user);
    Ok(Reply::OK.into())
}

/// Before 7.2 a user has this flag only once it was given.
fn sanitize_payload(version: Version) -> Option<bool> {
    (version >= Version::V7_2).then_some(true)
}

/// Whether it is looked at again who may listen: wherever the user was given any channel before, even if it keeps them all, and
/// may not listen to every channel now. The servers mean to ask only for channels that are gone, but take none for kept.
fn looks_at_listeners(before: &User, after: &User) -> bool {
    let had_channels = |selector: &Selector| selector.all_channels || !selector.channels.is_empty();
    !after.all_selectors().any(|selector| selector.all_channels) && before.all_selectors().any(had_channels)
}

/// Clients that listen to what their user may not listen to any more are closed.
fn close_listeners(ctx: &mut Ctx<'_>, user: &User) {
    let concerned =
        ctx.state.clients.values().filter(|client| client.user == user.name).map(|client| client.id);
    let victims: Vec<ClientId> =
        concerned.filter(|client| !check::may_listen(user, ctx.state, *client)).collect();
    for victim in victims {
        ctx.state.doom(victim);
    }
}

pub(super) fn deluser(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if argv[2..].iter().any(|name| *name == DEFAULT_USER) {
        return Err(CommandError::Line("ERR The 'default' user cannot be removed".into()));
    }
    let mut removed = 0;
    for name in &argv[2..] {
        if !ctx.state.acl.remove(name) {
            continue;
        }
        removed += 1;
        let of_user = ctx.state.clients.values().filter(|client| client.user == *name);
        let victims: Vec<ClientId> = of_user.map(|client| client.id).collect();
        for victim in victims {
            ctx.state.doom(victim);
        }
    }
    Ok(Reply::Int(removed).into())
}

pub(super) fn getuser(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let version = ctx.version();
    let Some(user) = ctx.state.acl.user(&argv[2]) else { return Ok(Reply::Nil.into()) };
    let mut fields = vec![
        (Reply::bulk("flags"), Reply::Set(describe::flags(user).into_iter().map(Reply::bulk).collect())),
        (Reply::bulk("passwords"), Reply::bulks(user.passwords.iter().cloned())),
    ];
    fields.extend(permissions(&user.root, version));
    let selectors = user.selectors.iter().map(|selector| Reply::Map(permissions(selector, version)));
    fields.push((Reply::bulk("selectors"), Reply::Array(selectors.collect())));
    Ok(Reply::Map(fields).into())
}

fn permissions(selector: &Selector, version: Version) -> Vec<(Reply, Reply)> {
    vec![
        (Reply::bulk("commands"), Reply::bulk(describe::commands(selector, version))),
        (Reply::bulk("keys"), Reply::bulk(describe::keys(selector))),
        (Reply::bulk("channels"), Reply::bulk(describe::channels(selector))),
    ]
}

pub(super) fn list(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let version = ctx.version();
    Ok(Reply::bulks(ctx.state.acl.users().map(|user| describe::line(user, version))).into())
}

pub(super) fn users(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::bulks(ctx.state.acl.users().map(|user| user.name.clone())).into())
}

pub(super) fn whoami(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(Reply::Bulk(ctx.client().user.clone()).into())
}

pub(super) fn no_file(_: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Err(CommandError::Line(
        "ERR This Redis instance is not configured to use an ACL file. You may want to specify users via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis configuration file set) in order to store users in the Redis configuration."
            .into(),
    ))
}

pub(super) fn cat(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    match &argv[2..] {
        [] => Ok(Reply::bulks(CATEGORIES.iter().copied()).into()),
        [category] => {
            let known = CATEGORIES.iter().find(|name| args::is(category, name));
            let known = known.ok_or_else(|| CommandError::AclUnknownCategory(category.to_word()))?;
            let members = records(ctx.version()).all().filter(|spec| spec.in_category(known));
            Ok(Reply::bulks(members.map(|spec| spec.name)).into())
        }
        _ => Err(CommandError::subcommand_syntax(argv)),
    }
}

/// Not a secret: the engine's random numbers are the same every time.
pub(super) fn genpass(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    const BITS_MAX: i64 = 4096;
    let bits = match &argv[2..] {
        [] => 256,
        [bits] => args::int(bits)?,
        _ => return Err(CommandError::subcommand_syntax(argv)),
    };
    if !(1..=BITS_MAX).contains(&bits) {
        return Err(CommandError::Line(
            "ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096"
                .into(),
        ));
    }
    let digits = (bits as usize).div_ceil(4);
    let text: String = (0..digits).map(|_| format!("{:x}", ctx.state.rng.below(16))).collect();
    Ok(Reply::bulk(text).into())
}

pub(super) fn dryrun(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let version = ctx.version();
    let Some(user) = ctx.state.acl.user(&argv[2]) else {
        return Err(CommandError::AclUserNotFound(argv[2].to_word()));
    };
    let command = &argv[3..];
    let spec = match lookup(version, command) {
        Ok(spec) => spec,
        Err(CommandError::WrongArity(name)) => return Err(CommandError::WrongArity(name)),
        Err(_) => return Err(CommandError::AclCommandNotFound(command[0].to_word())),
    };
    if !spec.arity_fits(command.len()) {
        return Err(CommandError::WrongArity(spec.name.into()));
    }
    Ok(match check::check_user(user, spec, command) {
        Ok(()) => Reply::OK,
        Err(denied) => Reply::bulk(word_bytes(&denied.dry_run_text(&user.name, version))),
    }
    .into())
}

/// What `requirepass` means: the default user's only password, or none at all.
pub(crate) fn set_default_password(state: &mut State, password: &[u8]) {
    let mut user = state.acl.default_user().clone();
    user.no_password = password.is_empty();
    user.passwords.clear();
    if !password.is_empty() {
        user.passwords.push(sha256::hex(password).into());
    }
    state.acl.insert(user);
}
