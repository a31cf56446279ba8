//! CLIENT KILL, in its old form by address and its new one by filters.

use crate::Bytes;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::Client;

use super::list::Kind;

/// What a victim has to fulfil; what is not given fits all.
#[derive(Default)]
struct Filter {
    id: Option<ClientId>,
    kind: Option<Kind>,
    user: Option<Bytes>,
    address: Option<Bytes>,
    own_address: Option<Bytes>,
    age_min_seconds: Option<u64>,
    keep_caller: bool,
}

pub(super) fn kill(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if let [address] = &argv[2..] {
        let filter = Filter { address: Some(address.clone()), ..Filter::default() };
        if close_all(ctx, &filter) == 0 {
            return Err(CommandError::Line("ERR No such client".into()));
        }
        return Ok(Reply::OK.into());
    }
    let filter = parse(ctx, &argv[2..])?;
    Ok(Reply::from(close_all(ctx, &filter)).into())
}

fn parse(ctx: &Ctx<'_>, words: &[Bytes]) -> Result<Filter, CommandError> {
    let mut filter = Filter { keep_caller: true, ..Filter::default() };
    if words.is_empty() || !words.len().is_multiple_of(2) {
        return Err(CommandError::Syntax);
    }
    for pair in words.chunks_exact(2) {
        let [option, value] = pair else { unreachable!("chunks of two") };
        if args::is(option, "id") {
            let id = args::int(value).ok().filter(|id| *id > 0);
            let invalid = || CommandError::Line("ERR client-id should be greater than 0".into());
            filter.id = Some(ClientId(id.ok_or_else(invalid)? as u64));
        } else if args::is(option, "maxage") && ctx.version() >= Version::V7_4 {
            filter.age_min_seconds = Some(age(value)?);
        } else if args::is(option, "type") {
            filter.kind = Some(Kind::parse(value)?);
        } else if args::is(option, "addr") {
            filter.address = Some(value.clone());
        } else if args::is(option, "laddr") {
            filter.own_address = Some(value.clone());
        } else if args::is(option, "user") {
            if ctx.state.acl.user(value).is_none() {
                return Err(CommandError::NoSuchUser(value.to_word()));
            }
            filter.user = Some(value.clone());
        } else if args::is(option, "skipme") {
            filter.keep_caller = match value {
                value if args::is(value, "yes") => true,
                value if args::is(value, "no") => false,
                _ => return Err(CommandError::Syntax),
            };
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(filter)
}

fn age(value: &Bytes) -> Result<u64, CommandError> {
    let seconds = args::int(value)
        .map_err(|_| CommandError::Line("ERR maxage is not an integer or out of range".into()))?;
    if seconds <= 0 {
        return Err(CommandError::Line("ERR maxage should be greater than 0".into()));
    }
    Ok(seconds as u64)
}

impl Filter {
    fn fits(&self, ctx: &Ctx<'_>, client: &Client) -> bool {
        let age = (ctx.state.now - client.connected_at).0 / 1_000_000;
        self.id.is_none_or(|id| id == client.id)
            && self.kind.is_none_or(|kind| kind == Kind::of(client))
            && self.user.as_ref().is_none_or(|user| *user == client.user)
            && self.address.as_ref().is_none_or(|address| **address == *client.address.as_bytes())
            && self
                .own_address
                .as_ref()
                .is_none_or(|address| **address == *super::list::own_address(ctx.state).as_bytes())
            && self.age_min_seconds.is_none_or(|least| age >= least)
            && !(self.keep_caller && client.id == ctx.client)
    }
}

/// The caller itself is closed once it has its reply, the others at once.
fn close_all(ctx: &mut Ctx<'_>, filter: &Filter) -> usize {
    let victims: Vec<ClientId> = ctx
        .state
        .clients
        .values()
        .filter(|client| !client.closing && filter.fits(ctx, client))
        .map(|client| client.id)
        .collect();
    for victim in &victims {
        ctx.state.doom(*victim);
    }
    victims.len()
}
