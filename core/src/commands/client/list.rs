//! CLIENT LIST and CLIENT INFO: a line for each connection.
//!
//! Sizes of buffers are told as a server without traffic would: nothing here has sockets or buffers.

use crate::Bytes;
use crate::clock::Micros;
use crate::commands::args;
use crate::commands::ctx::{CommandResult, Ctx};
use crate::error::CommandError;
use crate::event::ClientId;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::state::{Client, Param, State, Transaction};

/// What CLIENT LIST and KILL tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    PubSub,
    Replica,
    Master,
}

impl Kind {
    pub(super) fn of(client: &Client) -> Self {
        let listens = client.subscriptions() + client.shard_channels.len() > 0;
        if listens { Self::PubSub } else { Self::Normal }
    }

    pub(super) fn parse(word: &Bytes) -> Result<Self, CommandError> {
        const NAMES: &[(&str, Kind)] = &[
            ("normal", Kind::Normal),
            ("pubsub", Kind::PubSub),
            ("replica", Kind::Replica),
            ("slave", Kind::Replica),
            ("master", Kind::Master),
        ];
        let found = NAMES.iter().find(|(name, _)| args::is(word, name));
        found.map(|(_, kind)| *kind).ok_or_else(|| CommandError::UnknownClientType(word.to_word()))
    }
}

pub(super) fn info(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let line = describe(ctx.state, ctx.client(), Some(argv)) + "\n";
    Ok(text(line).into())
}

pub(super) fn list(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let wanted = Wanted::parse(&argv[2..])?;
    let mut lines = String::new();
    for client in ctx.state.clients.values().filter(|client| wanted.includes(client)) {
        let own = (client.id == ctx.client).then_some(argv);
        lines.push_str(&describe(ctx.state, client, own));
        lines.push('\n');
    }
    Ok(text(lines).into())
}

fn text(lines: String) -> Reply {
    Reply::Verbatim { format: *b"txt", text: lines.into() }
}

/// The server's end of every connection.
pub(super) fn own_address(state: &State) -> String {
    format!("127.0.0.1:{}", state.config.int(Param::PORT))
}

/// What CLIENT LIST is asked for.
enum Wanted {
    All,
    Kind(Kind),
    Ids(Vec<ClientId>),
}

impl Wanted {
    fn parse(words: &[Bytes]) -> Result<Self, CommandError> {
        match words {
            [] => Ok(Self::All),
            [word, kind] if args::is(word, "type") => Kind::parse(kind).map(Self::Kind),
            [word, ids @ ..] if args::is(word, "id") && !ids.is_empty() => {
                let invalid = |_| CommandError::Line("ERR Invalid client ID".into());
                let parse = |id: &Bytes| args::int(id).map(|id| ClientId(id as u64)).map_err(invalid);
                ids.iter().map(parse).collect::<Result<_, _>>().map(Self::Ids)
            }
            _ => Err(CommandError::Syntax),
        }
    }

    fn includes(&self, client: &Client) -> bool {
        match self {
            Self::All => true,
            Self::Kind(kind) => *kind == Kind::of(client),
            Self::Ids(ids) => ids.contains(&client.id),
        }
    }
}

/// A client's line, without its end.
pub(in crate::commands) fn describe_other(state: &State, client: &Client) -> String {
    describe(state, client, None)
}

/// `own`: the command that asks, where the client is the one who asks.
fn describe(state: &State, client: &Client, own: Option<&[Bytes]>) -> String {
    use std::fmt::Write;

    let version = state.version;
    let seconds = |since: Micros| (state.now - since).0 / 1_000_000;
    let queued = client
        .transaction
        .as_ref()
        .map(Transaction::size)
        .or(client.exec.as_ref().map(|executing| executing.size));
    let argv = own.or(client.blocked.as_ref().map(|blocked| &*blocked.argv)).unwrap_or_default();
    let argv_bytes: usize = argv.iter().map(|argument| argument.len()).sum();
    let multi_bytes = queued.map_or(0, |queue| queue.bytes);
    let request = own.map_or(0, request_bytes);
    let mut line = format!(
        "id={} addr={} laddr={} fd={} name={} age={} idle={} flags={} db={} sub={} psub={} ssub={} multi={}",
        client.id.0,
        client.address,
        own_address(state),
        client.id.0 % 1000 + 7,
        client.name.to_text(),
        seconds(client.connected_at),
        seconds(client.last_command_at),
        flags(client),
        client.db,
        client.channels.len(),
        client.patterns.len(),
        client.shard_channels.len(),
        queued.map_or(-1, |queue| queue.commands as i64),
    );
    let mut add = |part: std::fmt::Arguments<'_>| line.write_fmt(part).expect("a String takes everything");
    if version >= Version::V7_4 {
        add(format_args!(" watch={}", client.watched.len()));
    }
    let buffer = if own.is_some() { QUERY_BUFFER_BYTES } else { 0 };
    add(format_args!(
        " qbuf={request} qbuf-free={} argv-mem={argv_bytes} multi-mem={multi_bytes} rbs=1024 rbp=0 obl=0 oll=0 omem=0 tot-mem={}",
        buffer - request.min(buffer),
        memory(client) + buffer + argv_bytes + multi_bytes,
    ));
    let command = if client.last_command.is_empty() { "NULL" } else { client.last_command };
    add(format_args!(
        " events=r cmd={command} user={} redir={} resp={}",
        client.user.to_text(),
        client.tracking.as_ref().map_or(-1, |tracking| tracking.redirect.map_or(0, |to| to.0 as i64)),
        if client.protocol == Protocol::Resp3 { 3 } else { 2 },
    ));
    if version >= Version::V7_2 {
        let (name, number) = (client.library_name.to_text(), client.library_version.to_text());
        add(format_args!(" lib-name={name} lib-ver={number}"));
    }
    if version >= Version::V8_0 {
        add(format_args!(" io-thread=0"));
    }
    if version >= Version::V8_2 {
        let done = client.commands_processed - u64::from(own.is_some());
        add(format_args!(" tot-net-in={} tot-net-out={} tot-cmds={done}", client.bytes_in, client.bytes_out));
    }
    line
}

/// The buffer that requests are read into.
const QUERY_BUFFER_BYTES: usize = 20_474;

/// A connection's own memory in bytes, buffers for requests left out.
pub(in crate::commands) fn memory(client: &Client) -> usize {
    const RECORD_BYTES: usize = 1_920;
    let names = client.channels.iter().chain(&client.patterns).chain(&client.shard_channels);
    RECORD_BYTES + names.map(|name| name.len() + 64).sum::<usize>() + 64 * client.watched.len()
}

fn request_bytes(argv: &[Bytes]) -> usize {
    let digits = |number: usize| number.to_string().len();
    3 + digits(argv.len()) + argv.iter().map(|word| 5 + digits(word.len()) + word.len()).sum::<usize>()
}

fn flags(client: &Client) -> String {
    let tracking = client.tracking.as_ref();
    let set = [
        ('O', client.monitor),
        ('P', Kind::of(client) == Kind::PubSub),
        ('x', client.transaction.is_some() || client.exec.is_some()),
        ('b', client.blocked.is_some()),
        ('t', tracking.is_some()),
        ('R', tracking.is_some_and(|tracking| tracking.broken_redirect)),
        ('B', tracking.is_some_and(|tracking| tracking.broadcast)),
        ('d', client.watch_broken),
        ('c', client.closing),
        ('r', client.readonly),
        ('e', client.no_evict),
        ('T', client.no_touch),
    ];
    let letters: String = set.into_iter().filter(|(_, is_set)| *is_set).map(|(letter, _)| letter).collect();
    if letters.is_empty() { "N".to_owned() } else { letters }
}

#[cfg(test)]
mod tests {
    use crate::event::{ClientId, EventKind};
    use crate::resp::{split_args, terminal_text};
    use crate::server::{Input, InputKind, Options, Server};

    /// As 7.0.15 and 8.2.3 tell it. A queue that is lost grows no more.
    #[test]
    fn a_transaction_is_told_while_it_is_queued_and_while_it_runs() {
        let mut server = Server::new(Options::default());
        let version = Options::default().version;
        let mut ask = |client: u64, command: &str, parts: &[&str]| {
            let argv = split_args(command.as_bytes()).expect("no quotes in it");
            let kind = InputKind::Command { client: ClientId(client), argv };
            let events = server.apply(Input { at: server.now(), kind });
            let reply = events.into_iter().find_map(|event| match event.kind {
                EventKind::Replied { reply, .. } => Some(terminal_text(&reply, version)),
                _ => None,
            });
            let text = reply.expect("each of them is answered at once");
            parts
                .iter()
                .for_each(|part| assert!(text.contains(part), "{command}: {part} is missing in {text}"));
        };
        ask(1, "MULTI", &["OK"]);
        ask(1, "CLIENT INFO", &["QUEUED"]);
        ask(1, "GET x", &["QUEUED"]);
        ask(2, "CLIENT LIST ID 1", &[" flags=x ", " multi=2 ", " multi-mem=46 "]);
        ask(1, "EXEC", &[" flags=x ", " multi=2 ", " multi-mem=46 ", " cmd=exec "]);
        ask(2, "CLIENT LIST ID 1", &[" flags=N ", " multi=-1 ", " multi-mem=0 "]);
        ask(1, "MULTI", &["OK"]);
        ask(1, "GET x", &["QUEUED"]);
        ask(1, "NOPE", &["unknown command"]);
        ask(1, "GET x", &["QUEUED"]);
        ask(2, "CLIENT LIST ID 1", &[" multi=1 ", " multi-mem=20 "]);
        ask(1, "EXEC", &["EXECABORT"]);
        ask(1, "WATCH x", &["OK"]);
        ask(2, "SET x 1", &["OK"]);
        ask(1, "MULTI", &["OK"]);
        ask(1, "GET x", &["QUEUED"]);
        ask(2, "CLIENT LIST ID 1", &[" multi=0 "]);
    }
}
