//! One step as a detector sees it: who ran what with which reply, what became of which key, and the memory of all before.

use std::collections::{BTreeMap, VecDeque};

use crate::Bytes;
use crate::bytes::has_word;
use crate::clock::Micros;
use crate::commands::{CommandSpec, Flags, key_positions, lookup};
use crate::keyspace::{Entry, KeyId};
use crate::lua::LuaValue;
use crate::profile::Version;
use crate::resp::{Protocol, Reply, quote_arg};
use crate::server::{ClientId, EventKind, InputKind, KeyChange, Server};
use crate::state::State;
use crate::timeline::{Action, Record, Timeline};

use super::conversion::Conversion;
use super::ledger::Ledger;

/// A command that has run or was refused. Clients and steps are the scenario's.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) step: usize,
    pub(super) client: usize,
    pub(super) db: usize,
    pub(super) argv: Vec<Bytes>,
    pub(super) reply: Reply,
    pub(super) way: Way,
}

/// How a command came to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Direct,
    /// Queued, and run by EXEC.
    Exec,
    /// Called by a script.
    Script,
}

#[derive(Clone, Debug)]
pub(super) struct Changed {
    pub(super) db: usize,
    pub(super) key: Bytes,
    pub(super) change: KeyChange,
    pub(super) at: Micros,
    /// Who, and the step whose command it was.
    pub(super) by: Option<(usize, usize)>,
}

#[derive(Clone, Debug)]
pub(super) struct Returned {
    pub(super) step: usize,
    pub(super) value: LuaValue,
    pub(super) protocol: Protocol,
}

impl Returned {
    pub(super) fn conversion(&self) -> Conversion {
        Conversion::of(&self.value, self.protocol)
    }
}

/// Something of the scripting engine or of waiting, by step.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Cached {
        sha: Bytes,
    },
    Evicted {
        sha: Bytes,
    },
    BusyBegan {
        step: usize,
        client: usize,
    },
    /// A blocked step goes on: whose step woke it, None where time ran out.
    Unblocked {
        step: usize,
        by: Option<(usize, usize)>,
    },
}

/// Which command each connection is at.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    /// Sent and not started.
    sent: BTreeMap<ClientId, VecDeque<Sent>>,
    current: BTreeMap<ClientId, Sent>,
    /// Between MULTI and EXEC.
    queues: BTreeMap<ClientId, Vec<Vec<Bytes>>>,
    /// By client: the step of its latest command.
    latest: BTreeMap<ClientId, usize>,
}

#[derive(Clone, Debug)]
struct Sent {
    step: usize,
    argv: Vec<Bytes>,
}

pub(super) struct Moment<'a> {
    pub(super) timeline: &'a Timeline,
    pub(super) step: usize,
    pub(super) record: &'a Record,
    pub(super) before: &'a State,
    pub(super) after: &'a State,
    /// All that happened before this step.
    pub(super) ledger: &'a Ledger,
    /// Commands that were answered, and those of scripts, in order.
    pub(super) ops: Vec<Op>,
    pub(super) changes: Vec<Changed>,
    pub(super) returns: Vec<Returned>,
    pub(super) marks: Vec<Mark>,
    /// The keys that scripts under way have declared, by the step that sent them.
    pub(super) declared: BTreeMap<usize, Vec<Bytes>>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(
        timeline: &'a Timeline,
        step: usize,
        (before, after): (&'a Server, &'a Server),
        ledger: &'a Ledger,
        sequence: &mut Sequence,
    ) -> Self {
        let record = &timeline.records()[step];
        let mut moment = Self {
            timeline,
            step,
            record,
            before: before.state(),
            after: after.state(),
            ledger,
            ops: Vec::new(),
            changes: Vec::new(),
            returns: Vec::new(),
            marks: Vec::new(),
            declared: BTreeMap::new(),
        };
        for input in &timeline.inputs()[record.inputs.clone()] {
            if let InputKind::Command { client, argv } = &input.kind {
                let sent = Sent { step, argv: argv.clone() };
                sequence.sent.entry(*client).or_default().push_back(sent);
            }
        }
        for event in &record.events {
            moment.take(event.at, &event.kind, sequence);
        }
        moment
    }

    fn take(&mut self, at: Micros, kind: &EventKind, sequence: &mut Sequence) {
        match kind {
            EventKind::Started { client } => {
                let next = sequence.sent.get_mut(client).and_then(VecDeque::pop_front);
                if let Some(sent) = next {
                    sequence.latest.insert(*client, sent.step);
                    sequence.current.insert(*client, sent);
                }
            }
            EventKind::Replied { client, reply, .. } => {
                let Some(sent) = sequence.current.remove(client) else { return };
                self.declare(*client, &sent, sequence);
                self.answered(*client, sent, reply, sequence);
            }
            EventKind::Closed { client } => {
                sequence.sent.remove(client);
                sequence.current.remove(client);
                sequence.queues.remove(client);
            }
            EventKind::KeyChanged { db, key, change, by } => {
                let by = by.and_then(|id| Some((self.owner(id)?, sequence.step_of(id)?)));
                let (db, key) = (*db as usize, key.clone());
                self.changes.push(Changed { db, key, change: *change, at, by });
            }
            EventKind::ScriptCalled { client, argv, reply } => {
                let Some(sent) = sequence.current.get(client).cloned() else { return };
                self.declare(*client, &sent, sequence);
                let Some(owner) = self.owner(*client) else { return };
                let (argv, reply) = (argv.clone(), reply.clone());
                let (step, db) = (sent.step, self.db(*client));
                self.ops.push(Op { step, client: owner, db, argv, reply, way: Way::Script });
            }
            EventKind::ScriptReturned { client, value, protocol } => {
                let Some(step) = sequence.step_of(*client) else { return };
                self.returns.push(Returned { step, value: value.clone(), protocol: *protocol });
            }
            EventKind::ScriptCached { sha } => self.marks.push(Mark::Cached { sha: sha.clone() }),
            EventKind::ScriptEvicted { sha } => self.marks.push(Mark::Evicted { sha: sha.clone() }),
            EventKind::BusyBegan { client } => {
                let Some((owner, step)) = self.owner(*client).zip(sequence.step_of(*client)) else { return };
                self.marks.push(Mark::BusyBegan { step, client: owner });
            }
            EventKind::Unblocked { client, by } => {
                let Some(step) = sequence.step_of(*client) else { return };
                let by = by.and_then(|id| Some((self.owner(id)?, sequence.step_of(id)?)));
                self.marks.push(Mark::Unblocked { step, by });
            }
            _ => {}
        }
    }

    fn answered(&mut self, id: ClientId, sent: Sent, reply: &Reply, sequence: &mut Sequence) {
        let Some(client) = self.owner(id) else { return };
        let Sent { step, argv } = sent;
        let db = self.db(id);
        let is = |name: &str| argv.first().is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()));
        if is("multi") && *reply == Reply::OK {
            sequence.queues.insert(id, Vec::new());
        } else if is_queued(reply) {
            if let Some(queue) = sequence.queues.get_mut(&id) {
                queue.push(argv.clone());
            }
        } else if is("exec") || is("discard") || is("reset") {
            let queue = sequence.queues.remove(&id).unwrap_or_default();
            if let (true, Reply::Array(replies)) = (is("exec"), reply) {
                for (argv, reply) in queue.into_iter().zip(replies) {
                    let reply = reply.clone();
                    self.ops.push(Op { step, client, db, argv, reply, way: Way::Exec });
                }
            }
        }
        self.ops.push(Op { step, client, db, argv, reply: reply.clone(), way: Way::Direct });
    }

    /// Notes the keys that the scripts of a command declare.
    fn declare(&mut self, id: ClientId, sent: &Sent, sequence: &Sequence) {
        if self.declared.contains_key(&sent.step) {
            return;
        }
        let own = std::iter::once(&sent.argv);
        let queued = sequence.queues.get(&id).into_iter().flatten();
        let keys = own.chain(queued).filter(|argv| is_script(argv)).flat_map(|argv| script_keys(argv));
        let keys = keys.cloned().collect();
        self.declared.insert(sent.step, keys);
    }

    fn db(&self, id: ClientId) -> usize {
        let client = self.before.clients.get(&id).or_else(|| self.after.clients.get(&id));
        client.map_or(0, |client| client.db)
    }

    pub(super) fn owner(&self, id: ClientId) -> Option<usize> {
        self.timeline.client_of(id)
    }

    pub(super) fn version(&self) -> Version {
        self.timeline.version()
    }

    pub(super) fn action(&self) -> &Action {
        &self.timeline.scenario().steps[self.step].action
    }

    pub(super) fn name(&self, client: usize) -> &str {
        &self.timeline.scenario().clients[client]
    }

    /// Since the story's begin, for a person.
    pub(super) fn moment(&self, at: Micros) -> String {
        let start = self.timeline.inputs().first().map_or(at, |input| input.at);
        span(at - start)
    }

    pub(super) fn spec(&self, op: &Op) -> Option<&'static CommandSpec> {
        lookup(self.version(), &op.argv).ok()
    }

    pub(super) fn writes(&self, op: &Op) -> bool {
        self.spec(op).is_some_and(|spec| spec.has(Flags::WRITE))
    }

    /// The keys among a command's arguments.
    pub(super) fn keys(&self, op: &Op) -> Vec<Bytes> {
        self.keys_where(op, |_| true)
    }

    /// Those with certain flags in their key specification.
    pub(super) fn keys_where(&self, op: &Op, wanted: impl Fn(&[&str]) -> bool) -> Vec<Bytes> {
        let Some(spec) = self.spec(op).filter(|spec| spec.arity_fits(op.argv.len())) else {
            return Vec::new();
        };
        let positions = key_positions(spec, &op.argv).unwrap_or_default();
        let positions = positions.into_iter().filter(|position| wanted(position.flags));
        positions.map(|position| op.argv[position.index].clone()).collect()
    }

    /// Direct commands with this name.
    pub(super) fn direct<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'b Op> {
        self.ops.iter().filter(move |op| op.way == Way::Direct && op.is(name))
    }

    /// Commands that were answered with this error code.
    pub(super) fn failed<'b>(&'b self, code: &'b str) -> impl Iterator<Item = &'b Op> {
        self.ops.iter().filter(move |op| op.code() == Some(code))
    }

    /// The answers to scripts and functions.
    pub(super) fn scripts(&self) -> impl Iterator<Item = &Op> {
        self.ops.iter().filter(|op| op.way != Way::Script && is_script(&op.argv))
    }

    /// What the scripts of a step have called.
    pub(super) fn calls(&self, step: usize) -> impl Iterator<Item = &Op> {
        self.ops.iter().filter(move |op| op.way == Way::Script && op.step == step)
    }
}

impl Sequence {
    fn step_of(&self, id: ClientId) -> Option<usize> {
        self.current.get(&id).map(|sent| sent.step).or_else(|| self.latest.get(&id).copied())
    }
}

impl Op {
    pub(super) fn is(&self, name: &str) -> bool {
        self.argv.first().is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Whether it is a command of a container, such as SCRIPT FLUSH.
    pub(super) fn is_sub(&self, name: &str, sub: &str) -> bool {
        self.is(name) && self.argv.get(1).is_some_and(|word| word.eq_ignore_ascii_case(sub.as_bytes()))
    }

    /// Whether one of the arguments behind the first `from` is this word.
    pub(super) fn has_option(&self, from: usize, word: &str) -> bool {
        has_word(self.argv.iter().skip(from).map(Bytes::as_slice), word)
    }

    /// The first word of an error, where it is one.
    pub(super) fn code(&self) -> Option<&str> {
        let Reply::Error(line) = &self.reply else { return None };
        let end = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
        std::str::from_utf8(&line[..end]).ok()
    }

    /// As one would type it, not too long.
    pub(super) fn text(&self) -> String {
        command(&self.argv)
    }
}

pub(super) fn command(argv: &[Bytes]) -> String {
    const WORDS_MAX: usize = 8;
    const WORD_MAX: usize = 40;
    let word = |word: &Bytes| match word.len() {
        0..=WORD_MAX => quote_arg(word),
        _ => format!("{}…", quote_arg(&word[..WORD_MAX - 8]).trim_end_matches('"')),
    };
    let mut words: Vec<String> = argv.iter().take(WORDS_MAX).map(word).collect();
    if argv.len() > WORDS_MAX {
        words.push("…".to_owned());
    }
    words.join(" ")
}

pub(super) fn is_queued(reply: &Reply) -> bool {
    matches!(reply, Reply::Status(text) if text.as_ref() == b"QUEUED")
}

pub(super) fn is_nil(reply: &Reply) -> bool {
    matches!(reply, Reply::Nil | Reply::NilArray)
}

pub(super) fn is_script(argv: &[Bytes]) -> bool {
    const NAMES: &[&str] = &["eval", "evalsha", "eval_ro", "evalsha_ro", "fcall", "fcall_ro"];
    argv.first().is_some_and(|word| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name.as_bytes())))
}

/// The keys that a script's command declares.
pub(super) fn script_keys(argv: &[Bytes]) -> &[Bytes] {
    let count = argv.get(2).and_then(|word| word.to_text().parse::<usize>().ok()).unwrap_or_default();
    argv.get(3..3 + count).unwrap_or_default()
}

pub(super) fn entry<'a>(state: &'a State, db: usize, key: &Bytes) -> Option<&'a Entry> {
    state.dbs.get(db)?.get(&KeyId::new(key))
}

/// `300 ms`, `1.5 s`.
pub(super) fn span(span: Micros) -> String {
    match span.0 {
        0..1_000 => format!("{} µs", span.0),
        1_000..10_000_000 => {
            let text = format!("{:.3}", span.0 as f64 / 1_000.0);
            format!("{} ms", text.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => {
            let text = format!("{:.3}", span.0 as f64 / 1_000_000.0);
            format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
        }
    }
}

/// `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The number that a step has for a reader.
pub(super) fn number(step: usize) -> usize {
    step + 1
}
