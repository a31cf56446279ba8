//! `redis.call` from the server's side: what a script may run, and the run itself.

use crate::Bytes;
use crate::clock::{Micros, UnixMillis};
use crate::error::CommandError;
use crate::event::{ClientId, EventKind};
use crate::lua::LuaValue;
use crate::profile::Version;
use crate::resp::{Protocol, Reply};
use crate::script::{AclCheckError, Caller, Engine};
use crate::state::State;

use super::call::{call, container, lookup};
use super::ctx::{Ctx, Origin, Outcome};
use super::spec::{CommandSpec, Flags};
use super::{guards, routing};

/// Answers one script's calls. A script has a database and a protocol of its own.
pub(crate) struct ScriptCaller<'a> {
    pub state: &'a mut State,
    pub engine: &'a Engine,
    pub client: ClientId,
    /// The keys that the script declares.
    pub keys: &'a [Bytes],
    pub db: usize,
    /// EVAL_RO and the like: writes are refused.
    pub read_only: bool,
    pub started_at: Micros,
    /// The time that expiry is judged by: it stands still.
    pub now: UnixMillis,
    pub stop_before_write: bool,
    /// Commands that take memory may run though there is none left.
    pub allow_oom: bool,
    pub wrote: bool,
    /// In cluster mode: the slot that the script is bound to, and whether it may leave it.
    pub slot: Option<u16>,
    pub cross_slot: bool,
}

const WRONG_ARITY: &str = "ERR Wrong number of args calling Redis command from script";

impl ScriptCaller<'_> {
    /// The command's record where it may run; a refusal is counted.
    fn admit(&mut self, argv: &[Bytes]) -> Result<&'static CommandSpec, CommandError> {
        let found = lookup(self.state.version, argv);
        let refused = found.as_ref().ok().copied().or_else(|| container(self.state.version, argv));
        found
            .map_err(|error| match error {
                CommandError::WrongArity(_) => CommandError::Line(WRONG_ARITY.into()),
                _ => CommandError::Line("ERR Unknown Redis command called from script".into()),
            })
            .and_then(|spec| self.check(spec, argv).map(|()| spec))
            .inspect_err(|error| {
                self.state.stats.count_error(error.to_string().as_bytes());
                if let Some(spec) = refused {
                    self.state.stats.command(spec.name).rejected += 1;
                }
            })
    }

    fn check(&mut self, spec: &'static CommandSpec, argv: &[Bytes]) -> Result<(), CommandError> {
        let line = |text: &'static str| CommandError::Line(text.into());
        if !spec.arity_fits(argv.len()) {
            return Err(line(WRONG_ARITY));
        }
        if spec.has(Flags::NOSCRIPT) && !self.state.scripts_may_all {
            return Err(line("ERR This Redis command is not allowed from script"));
        }
        super::acl::check(self.state, self.client, spec, argv, Origin::Script).map_err(|denied| {
            denied.to_script_error(&self.state.client(self.client).user, self.state.version)
        })?;
        if self.read_only && spec.flags.intersects(Flags::WRITE.or(Flags::MAY_REPLICATE)) {
            return Err(CommandError::ReadOnlyScript);
        }
        guards::check_in_script(self.state, spec)?;
        if spec.has(Flags::DENYOOM) && self.state.is_over_limit() && !self.allow_oom && !self.wrote {
            return Err(CommandError::OutOfMemory);
        }
        routing::check_script(self.state, self.client, spec, argv, &mut self.slot, self.cross_slot)
    }

    fn tell_call(&mut self, argv: Vec<Bytes>, reply: &Reply) {
        let (at, client) = (self.state.now, self.client);
        self.state.journal.detail(at, || EventKind::ScriptCalled { client, argv, reply: reply.clone() });
    }

    /// What clocks show: before 7.2 they move with the script, later they stand still until the busy threshold.
    fn wall(&self, elapsed: u64) -> Micros {
        let moving = self.started_at + self.state.cost.script(elapsed);
        let busy_at = self.started_at + self.state.busy_threshold();
        if self.state.version < Version::V7_2 || moving >= busy_at { moving } else { self.started_at }
    }
}

impl Caller for ScriptCaller<'_> {
    fn call(&mut self, argv: Vec<Bytes>, protocol: Protocol, elapsed: u64) -> Option<Reply> {
        let spec = match self.admit(&argv) {
            Ok(spec) => spec,
            Err(error) => {
                let reply = Reply::from(error);
                self.tell_call(argv, &reply);
                return Some(reply);
            }
        };
        if spec.has(Flags::WRITE) {
            if self.stop_before_write {
                return None;
            }
            self.wrote = true;
        }
        let wall = self.wall(elapsed);
        let mut ctx = Ctx {
            state: self.state,
            engine: self.engine,
            client: self.client,
            spec,
            origin: Origin::Script,
            db: self.db,
            protocol,
            now: self.now,
            wall,
            only_key: None,
        };
        let outcome = call(&mut ctx, spec, &argv);
        self.db = ctx.db;
        if self.state.version < Version::V7_2 {
            super::client::remember_declared(self.state, self.client, spec, self.keys);
        } else {
            super::client::remember(self.state, self.client, spec, &argv);
        }
        let reply = match outcome {
            Outcome::Reply(reply) => reply,
            Outcome::Replies(_) | Outcome::Silent | Outcome::Block(_) | Outcome::Running(_) => Reply::Nil,
        };
        self.tell_call(argv, &reply);
        Some(reply)
    }

    fn wants_value(&self) -> bool {
        self.state.journal.detailed
    }

    fn returned(&mut self, value: LuaValue, protocol: Protocol) {
        let (at, client) = (self.state.now, self.client);
        self.state.journal.detail(at, || EventKind::ScriptReturned { client, value, protocol });
    }

    fn has_written(&self) -> bool {
        self.wrote
    }

    fn state(&self) -> &State {
        self.state
    }

    /// As if the server had been at work ever since its start.
    fn cpu_micros(&self, elapsed: u64) -> u64 {
        (self.started_at + self.state.cost.script(elapsed) - self.state.started_at).0
    }

    fn log(&mut self, level: u8, text: Bytes) {
        let (at, client) = (self.state.now, self.client);
        self.state.journal.detail(at, || EventKind::ScriptLogged { client, level, text });
    }

    fn acl_check(&mut self, argv: &[Bytes]) -> Result<bool, AclCheckError> {
        let spec = lookup(self.state.version, argv).map_err(|_| AclCheckError::UnknownCommand)?;
        if self.state.version >= Version::V8_4 && !spec.arity_fits(argv.len()) {
            return Err(AclCheckError::WrongArity);
        }
        let user = self.state.acl.user(&self.state.client(self.client).user);
        Ok(user.is_none_or(|user| super::acl::check_user(user, spec, argv).is_ok()))
    }
}
