//! Client-side caching: CLIENT TRACKING and its kin, and the invalidation messages.
//!
//! A key is told once: whoever read it is told at its next change and then has to read it again.

use std::collections::BTreeSet;

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::commands::keys::key_positions;
use crate::commands::spec::{CommandSpec, Flags};
use crate::error::CommandError;
use crate::event::ClientId;
use crate::resp::{Protocol, Reply};
use crate::state::{Place, State, Tracking};

use super::identity::on_or_off;

fn line(text: &'static str) -> CommandError {
    CommandError::Line(text.into())
}

pub(super) fn tracking(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (options, prefixes) = parse(ctx, &argv[3..])?;
    if !on_or_off(&argv[2])? {
        forget_tracking(ctx.state, ctx.client);
        return Ok(Reply::OK.into());
    }
    check(ctx, &options, &prefixes)?;
    enable(ctx, Tracking { prefixes: prefixes.into_iter().collect(), ..options });
    Ok(Reply::OK.into())
}

/// The options, and the prefixes in the order given.
fn parse(ctx: &Ctx<'_>, words: &[Bytes]) -> Result<(Tracking, Vec<Bytes>), CommandError> {
    let (mut options, mut prefixes) = (Tracking::default(), Vec::new());
    let mut words = args::Cursor::new(words);
    while let Some(word) = words.peek() {
        let has_value = words.remaining().len() > 1;
        words.next()?;
        if args::is(word, "redirect") && has_value {
            if options.redirect.is_some() {
                return Err(line("ERR A client can only redirect to a single other client"));
            }
            let id = ClientId(args::int(words.next()?)? as u64);
            if !ctx.state.clients.contains_key(&id) {
                return Err(line("ERR The client ID you want redirect to does not exist"));
            }
            options.redirect = Some(id);
        } else if args::is(word, "prefix") && has_value {
            prefixes.push(words.next()?.clone());
        } else if args::is(word, "bcast") {
            options.broadcast = true;
        } else if args::is(word, "optin") {
            options.opt_in = true;
        } else if args::is(word, "optout") {
            options.opt_out = true;
        } else if args::is(word, "noloop") {
            options.no_loop = true;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok((options, prefixes))
}

fn check(ctx: &Ctx<'_>, new: &Tracking, prefixes: &[Bytes]) -> Result<(), CommandError> {
    if !new.broadcast && !prefixes.is_empty() {
        return Err(line("ERR PREFIX option requires BCAST mode to be enabled"));
    }
    let old = ctx.client().tracking.as_deref();
    if old.is_some_and(|old| old.broadcast != new.broadcast) {
        return Err(line(
            "ERR You can't switch BCAST mode on/off before disabling tracking for this client, and then re-enabling it with a different mode.",
        ));
    }
    if new.broadcast && (new.opt_in || new.opt_out) {
        return Err(line("ERR OPTIN and OPTOUT are not compatible with BCAST"));
    }
    if new.opt_in && new.opt_out {
        return Err(line("ERR You can't specify both OPTIN mode and OPTOUT mode"));
    }
    if old.is_some_and(|old| new.opt_in && old.opt_out || new.opt_out && old.opt_in) {
        return Err(line(
            "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, and then re-enabling it with a different mode.",
        ));
    }
    match old {
        Some(old) if new.broadcast => check_prefixes(&old.prefixes, prefixes),
        _ => check_prefixes(&BTreeSet::new(), prefixes),
    }
}

fn check_prefixes(old: &BTreeSet<Bytes>, new: &[Bytes]) -> Result<(), CommandError> {
    let overlap = |one: &Bytes, other: &Bytes| one.starts_with(other) || other.starts_with(one);
    for (index, prefix) in new.iter().enumerate() {
        let error = |with, other: &Bytes| {
            Err(CommandError::PrefixOverlap { prefix: prefix.to_word(), with, other: other.to_word() })
        };
        if let Some(known) = old.iter().find(|known| overlap(known, prefix)) {
            return error("an existing prefix", known);
        }
        if let Some(other) = new[index + 1..].iter().find(|other| overlap(other, prefix)) {
            return error("another provided prefix", other);
        }
    }
    Ok(())
}

fn enable(ctx: &mut Ctx<'_>, mut options: Tracking) {
    let id = ctx.client;
    let old = ctx.client_mut().tracking.take();
    if old.is_none() {
        ctx.state.tracking.clients += 1;
    }
    if options.broadcast {
        if options.prefixes.is_empty() {
            options.prefixes.insert(Bytes::default());
        }
        for prefix in &options.prefixes {
            ctx.state.tracking.prefixes.entry(prefix.clone()).or_default().clients.insert(id);
        }
        options.prefixes.extend(old.into_iter().flat_map(|old| old.prefixes));
    }
    ctx.client_mut().tracking = Some(Box::new(options));
}

/// Ends a client's tracking, also where it is about to go.
pub(crate) fn forget_tracking(state: &mut State, client: ClientId) {
    let Some(tracking) = state.client_mut(client).tracking.take() else { return };
    state.tracking.clients -= 1;
    for prefix in tracking.prefixes {
        let listeners = state.tracking.prefixes.get_mut(&prefix);
        let deserted = listeners.is_some_and(|known| {
            known.clients.remove(&client);
            known.clients.is_empty()
        });
        if deserted {
            state.tracking.prefixes.remove(&prefix);
        }
    }
}

pub(super) fn caching(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let Some(tracking) = ctx.client_mut().tracking.as_mut() else {
        return Err(line(
            "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled",
        ));
    };
    if args::is(&argv[2], "yes") {
        if !tracking.opt_in {
            return Err(line("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."));
        }
    } else if args::is(&argv[2], "no") {
        if !tracking.opt_out {
            return Err(line("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."));
        }
    } else {
        return Err(CommandError::Syntax);
    }
    tracking.caching = true;
    Ok(Reply::OK.into())
}

pub(super) fn getredir(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    Ok(redirect(ctx.client().tracking.as_deref()).into())
}

/// -1: no tracking, 0: no redirection.
fn redirect(tracking: Option<&Tracking>) -> Reply {
    Reply::Int(tracking.map_or(-1, |tracking| tracking.redirect.map_or(0, |to| to.0 as i64)))
}

pub(super) fn trackinginfo(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let tracking = ctx.client().tracking.as_deref();
    let mut flags = vec![if tracking.is_some() { "on" } else { "off" }];
    if let Some(tracking) = tracking {
        let set = [
            (tracking.broadcast, "bcast"),
            (tracking.opt_in, "optin"),
            (tracking.opt_in && tracking.caching, "caching-yes"),
            (tracking.opt_out, "optout"),
            (tracking.opt_out && tracking.caching, "caching-no"),
            (tracking.no_loop, "noloop"),
            (tracking.broken_redirect, "broken_redirect"),
        ];
        flags.extend(set.into_iter().filter(|(is_set, _)| *is_set).map(|(_, name)| name));
    }
    let prefixes = tracking.iter().flat_map(|tracking| &tracking.prefixes).cloned();
    Ok(Reply::Map(vec![
        (Reply::bulk("flags"), Reply::Set(flags.into_iter().map(Reply::bulk).collect())),
        (Reply::bulk("redirect"), redirect(tracking)),
        (Reply::bulk("prefixes"), Reply::bulks(prefixes)),
    ])
    .into())
}

/// Notes the keys that a client has read with a command, its own or one in a script of its.
pub(crate) fn remember(state: &mut State, client: ClientId, spec: &CommandSpec, argv: &[Bytes]) {
    if !reads(state, client, spec) {
        return;
    }
    for key in key_positions(spec, argv).unwrap_or_default() {
        state.tracking.readers.entry(argv[key.index].clone()).or_default().insert(client);
    }
}

/// Before 7.2 a script's first read stands for all keys that the script declares, and for no others.
pub(crate) fn remember_declared(state: &mut State, client: ClientId, spec: &CommandSpec, keys: &[Bytes]) {
    if !reads(state, client, spec) {
        return;
    }
    for key in keys {
        state.tracking.readers.entry(key.clone()).or_default().insert(client);
    }
}

fn reads(state: &State, client: ClientId, spec: &CommandSpec) -> bool {
    const SCRIPTS: &[&str] = &["eval_ro", "evalsha_ro", "fcall_ro"];
    if state.tracking.clients == 0 || !spec.has(Flags::READONLY) || SCRIPTS.contains(&spec.name) {
        return false;
    }
    state.client(client).tracking.as_deref().is_some_and(|tracking| {
        let left_out = tracking.opt_in && !tracking.caching || tracking.opt_out && tracking.caching;
        !tracking.broadcast && !left_out
    })
}

/// CLIENT CACHING holds for one command or one transaction; CLIENT itself does not use it up.
pub(crate) fn end_caching(state: &mut State, client: ClientId, spec: &CommandSpec) {
    if state.tracking.clients == 0 || spec.name.starts_with("client|") {
        return;
    }
    let record = state.client_mut(client);
    if record.transaction.is_none()
        && let Some(tracking) = record.tracking.as_mut()
    {
        tracking.caching = false;
    }
}

/// Tells those who read a key that it has changed; `by`: who changed it, if anybody did, `in_script`: while a script of theirs ran.
/// To those who listen to prefixes a script is somebody else, NOLOOP or not.
pub(crate) fn invalidate(state: &mut State, key: &Bytes, by: Option<ClientId>, in_script: bool) {
    if state.tracking.clients == 0 {
        return;
    }
    for (prefix, listeners) in &mut state.tracking.prefixes {
        if key.starts_with(prefix) {
            listeners.changed.insert(key.clone(), by.filter(|_| !in_script));
        }
    }
    for client in state.tracking.readers.remove(key).into_iter().flatten() {
        let tracking = state.clients.get(&client).and_then(|record| record.tracking.as_deref());
        let concerned =
            tracking.is_some_and(|tracking| !(tracking.broadcast || tracking.no_loop && by == Some(client)));
        if concerned {
            send(state, client, Reply::bulks([key.clone()]), Place::Behind);
        }
    }
}

/// All keys of a database went at once. `place`: where the client that did it is told.
pub(crate) fn invalidate_all(state: &mut State, place: Place) {
    if state.tracking.clients == 0 {
        return;
    }
    state.tracking.readers.clear();
    let trackers: Vec<ClientId> =
        state.clients.values().filter(|client| client.tracking.is_some()).map(|client| client.id).collect();
    for client in trackers {
        send(state, client, Reply::Nil, place);
    }
}

/// Sends what has gathered for the listeners of prefixes since the last time.
pub(crate) fn flush_broadcasts(state: &mut State) {
    if state.tracking.prefixes.is_empty() {
        return;
    }
    let mut messages = Vec::new();
    for listeners in state.tracking.prefixes.values_mut().filter(|prefix| !prefix.changed.is_empty()) {
        let changed = std::mem::take(&mut listeners.changed);
        messages.extend(listeners.clients.iter().map(|client| (*client, changed.clone())));
    }
    for (client, changed) in messages {
        let no_loop = state.client(client).tracking.as_ref().is_some_and(|tracking| tracking.no_loop);
        let keys: Vec<Bytes> = changed
            .into_iter()
            .filter(|(_, by)| !(no_loop && *by == Some(client)))
            .map(|(key, _)| key)
            .collect();
        if !keys.is_empty() {
            send(state, client, Reply::bulks(keys), Place::Behind);
        }
    }
}

/// Sends an invalidation to a client or to whom it redirects. A RESP2 client can only get it as a message of a
/// channel, so it has to listen to one.
fn send(state: &mut State, client: ClientId, keys: Reply, place: Place) {
    let Some(tracking) = state.client_mut(client).tracking.as_mut() else { return };
    let target = tracking.redirect.unwrap_or(client);
    let redirected = target != client || tracking.redirect.is_some();
    if !state.clients.contains_key(&target) {
        let record = state.client_mut(client);
        if let Some(tracking) = record.tracking.as_mut() {
            tracking.broken_redirect = true;
        }
        if record.protocol == Protocol::Resp3 {
            let id = Reply::Int(target.0 as i64);
            state.push_at(place, client, Reply::Push(vec![Reply::bulk("tracking-redir-broken"), id]));
        }
        return;
    }
    let record = state.client(target);
    if record.protocol == Protocol::Resp3 {
        state.push_at(place, target, Reply::Push(vec![Reply::bulk("invalidate"), keys]));
    } else if redirected && record.subscriptions() > 0 {
        let parts = vec![Reply::bulk("message"), Reply::bulk("__redis__:invalidate"), null_array(keys)];
        state.push_at(place, target, Reply::Push(parts));
    }
}

/// "All keys" is a null array in RESP2.
fn null_array(keys: Reply) -> Reply {
    if keys == Reply::Nil { Reply::NilArray } else { keys }
}
