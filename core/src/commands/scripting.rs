//! EVAL and its kin, and SCRIPT: from arguments to a run, and what happens at the busy threshold.

use crate::Bytes;
use crate::error::CommandError;
use crate::event::{ClientId, EventKind};
use crate::profile::Version;
use crate::resp::Reply;
use crate::script::{self, Budget, Engine, ErrorSent, RunEnd, Stop, Tracer, body_of};
use crate::state::{ExecProgress, LoadedBy, Plan, Program, RunStart, ScriptFlags, Sha1, State};

use super::args;
use super::ctx::{CommandResult, Ctx, Origin, Outcome};
use super::libraries;
use super::script_caller::ScriptCaller;
use super::shebang;
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const EVAL_FLAGS: Flags = Flags::NOSCRIPT
    .or(Flags::SKIP_MONITOR)
    .or(Flags::MAY_REPLICATE)
    .or(Flags::NO_MANDATORY_KEYS)
    .or(Flags::STALE)
    .or(Flags::MOVABLEKEYS);
const EVAL_RO_FLAGS: Flags = Flags::NOSCRIPT
    .or(Flags::SKIP_MONITOR)
    .or(Flags::NO_MANDATORY_KEYS)
    .or(Flags::STALE)
    .or(Flags::READONLY)
    .or(Flags::MOVABLEKEYS);

/// The servers' own words: they are a part of COMMAND INFO that clients compare.
pub(super) const KEYS_CHANGED: &str =
    "We cannot tell how the keys will be used so we assume the worst, RW and UPDATE";
pub(super) const KEYS_READ: &str =
    "We cannot tell how the keys will be used so we assume the worst, RO and ACCESS";

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "eval",
        arity: -3,
        flags: EVAL_FLAGS,
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RW", "access", "update"]).noted(KEYS_CHANGED)],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Runs a Lua script given as text.",
        syntax: "EVAL script numkeys [key [key ...]] [arg [arg ...]]",
        handler: eval,
        examples: &[Example {
            setup: "",
            run: "EVAL \"return {KEYS[1], ARGV[1]}\" 1 k a",
            shows: "1) \"k\"\n2) \"a\"",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "eval_ro",
        arity: -3,
        flags: EVAL_RO_FLAGS,
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RO", "access"]).noted(KEYS_READ)],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Runs a Lua script that may only read.",
        syntax: "EVAL_RO script numkeys [key [key ...]] [arg [arg ...]]",
        handler: eval,
        examples: &[Example {
            setup: "SET k v",
            run: "EVAL_RO \"return redis.call('GET', KEYS[1])\" 1 k",
            shows: "\"v\"",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "evalsha",
        arity: -3,
        flags: EVAL_FLAGS,
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RW", "access", "update"])],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Runs a cached Lua script by its SHA1.",
        syntax: "EVALSHA sha1 numkeys [key [key ...]] [arg [arg ...]]",
        handler: evalsha,
        examples: &[Example {
            setup: "SCRIPT LOAD \"return 1\"",
            run: "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
            shows: "(integer) 1",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "evalsha_ro",
        arity: -3,
        flags: EVAL_RO_FLAGS,
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RO", "access"])],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Runs a cached Lua script that may only read.",
        syntax: "EVALSHA_RO sha1 numkeys [key [key ...]] [arg [arg ...]]",
        handler: evalsha,
        examples: &[Example {
            setup: "SCRIPT LOAD \"return 1\"",
            run: "EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
            shows: "(integer) 1",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "script",
        arity: -2,
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Looks after the script cache.",
        syntax: "SCRIPT subcommand",
        subcommands: SCRIPT,
        ..CommandSpec::BASE
    },
];

const SCRIPT: &[CommandSpec] = &[
    CommandSpec {
        name: "script|debug",
        arity: 3,
        flags: Flags::NOSCRIPT,
        categories: &["scripting"],
        since: (3, 2, 0),
        group: Group::Scripting,
        summary: "Sets the mode of Redis's own debugger; no debugger can attach here.",
        syntax: "SCRIPT DEBUG <YES | SYNC | NO>",
        reply: Shape::Status,
        handler: script_debug,
        examples: &[Example { setup: "", run: "SCRIPT DEBUG NO", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "script|exists",
        arity: -3,
        flags: Flags::NOSCRIPT,
        categories: &["scripting"],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Tells for each SHA1 whether the script is cached.",
        syntax: "SCRIPT EXISTS sha1 [sha1 ...]",
        reply: Shape::Array,
        tips: &["request_policy:all_shards", "response_policy:agg_logical_and"],
        handler: script_exists,
        examples: &[Example { setup: "", run: "SCRIPT EXISTS nosuch", shows: "1) (integer) 0" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "script|flush",
        arity: -2,
        flags: Flags::NOSCRIPT,
        categories: &["scripting"],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Empties the script cache.",
        syntax: "SCRIPT FLUSH [ASYNC | SYNC]",
        reply: Shape::Status,
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        handler: script_flush,
        examples: &[Example { setup: "", run: "SCRIPT FLUSH", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("script|help", (5, 0, 0), Group::Scripting, &["scripting"], &[]),
    CommandSpec {
        name: "script|kill",
        arity: 2,
        flags: Flags::NOSCRIPT.or(Flags::ALLOW_BUSY),
        categories: &["scripting"],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Ends the running script, if it has not written yet.",
        syntax: "SCRIPT KILL",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:one_succeeded"],
        handler: script_kill,
        examples: &[Example {
            setup: "",
            run: "SCRIPT KILL",
            shows: "(error) NOTBUSY No scripts in execution right now.",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "script|load",
        arity: 3,
        flags: Flags::NOSCRIPT.or(Flags::STALE),
        categories: &["scripting"],
        since: (2, 6, 0),
        group: Group::Scripting,
        summary: "Caches a script and answers its SHA1.",
        syntax: "SCRIPT LOAD script",
        reply: Shape::Bulk,
        tips: &["request_policy:all_nodes", "response_policy:all_succeeded"],
        handler: script_load,
        examples: &[Example {
            setup: "",
            run: "SCRIPT LOAD \"return 1\"",
            shows: "\"e0e1f9fabfc9d4800c877a703b823ac0578ff8db\"",
        }],
        ..CommandSpec::BASE
    },
];

/// A script that was stopped at the busy threshold, and how much is known of it.
#[derive(Debug)]
pub struct Progress {
    pub plan: Plan,
    pub exec: Option<ExecProgress>,
    pub wrote: bool,
    /// How far it was run.
    pub instructions: u64,
    /// Its reply, where that run came to the end.
    pub reply: Option<Reply>,
}

fn eval(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (keys, args) = keys_and_args(argv)?;
    let source = &argv[1];
    let sha = Sha1::of(source);
    let flags = if ctx.state.scripts.touch(&sha).is_some() {
        shebang::of_script(source)?
    } else {
        cache(ctx, sha, source, LoadedBy::Eval)?
    };
    run_script(ctx, sha, source.clone(), flags, keys, args)
}

fn evalsha(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    // What has not the length of a SHA1 is no script's, whatever follows it.
    let sha = Sha1::parse(&argv[1]);
    if argv[1].len() != 40 {
        return Err(CommandError::NoScript);
    }
    let (keys, args) = keys_and_args(argv)?;
    let sha = sha.ok_or(CommandError::NoScript)?;
    let source = ctx.state.scripts.touch(&sha).ok_or(CommandError::NoScript)?;
    let flags = shebang::of_script(&source)?;
    run_script(ctx, sha, source, flags, keys, args)
}

/// Splits what follows the script at `numkeys`.
fn keys_and_args(argv: &[Bytes]) -> Result<(&[Bytes], &[Bytes]), CommandError> {
    let count = args::int(&argv[2])?;
    let rest = &argv[3..];
    if count > rest.len() as i64 {
        return Err(CommandError::Line("ERR Number of keys can't be greater than number of args".into()));
    }
    let count = usize::try_from(count)
        .map_err(|_| CommandError::Line("ERR Number of keys can't be negative".into()))?;
    Ok(rest.split_at(count))
}

/// Compiles a script and puts it into the cache; gives the flags of its shebang.
fn cache(
    ctx: &mut Ctx<'_>,
    sha: Sha1,
    source: &Bytes,
    loaded_by: LoadedBy,
) -> Result<Option<ScriptFlags>, CommandError> {
    let flags = shebang::of_script(source)?;
    ctx.engine.compile(&sha, body_of(source)).map_err(|text| {
        CommandError::Script([b"ERR Error compiling script (new function): ", &*text].concat())
    })?;
    let bounded = ctx.version() >= Version::V7_4;
    let evicted = ctx.state.scripts.insert(sha, source.clone(), loaded_by, bounded);
    let now = ctx.state.now;
    let journal = &mut ctx.state.journal;
    journal.detail(now, || EventKind::ScriptCached { sha: Bytes::from(sha.as_bytes()) });
    if let Some(sha) = evicted {
        journal.detail(now, || EventKind::ScriptEvicted { sha: Bytes::from(sha.as_bytes()) });
    }
    Ok(flags)
}

fn run_script(
    ctx: &mut Ctx<'_>,
    sha: Sha1,
    source: Bytes,
    flags: Option<ScriptFlags>,
    keys: &[Bytes],
    args: &[Bytes],
) -> CommandResult {
    check_cluster(ctx, flags.unwrap_or_default())?;
    super::guards::check_script_start(ctx.state, flags)?;
    let ro_command = ctx.spec.name.ends_with("_ro");
    if ro_command && flags.is_some_and(|flags| !flags.no_writes) {
        return Err(CommandError::Line(
            "ERR Can not execute a script with write flag using *_ro command.".into(),
        ));
    }
    if let Some(flags) = flags {
        super::guards::check_script_memory(ctx.state, flags)?;
    }
    let cross_slot = flags.is_none_or(|flags| flags.allow_cross_slot_keys);
    let flags = flags.unwrap_or_default();
    start(
        ctx,
        Plan {
            command: ctx.spec.name,
            program: Program::Script { sha, source },
            keys: keys.to_vec(),
            args: args.to_vec(),
            flags,
            cross_slot,
            read_only: ro_command || flags.no_writes,
            db: ctx.db,
            started_at: ctx.state.now,
        },
    )
}

/// The flag `no-cluster`.
pub(super) fn check_cluster(ctx: &Ctx<'_>, flags: ScriptFlags) -> Result<(), CommandError> {
    if flags.no_cluster && ctx.state.cluster.is_some() {
        return Err(CommandError::Line(
            "ERR Can not run script on cluster, 'no-cluster' flag is set.".into(),
        ));
    }
    Ok(())
}

/// Runs a plan for the first time, up to the busy threshold.
pub(super) fn start(ctx: &mut Ctx<'_>, plan: Plan) -> CommandResult {
    let (now, client) = (ctx.state.now, ctx.client);
    let threshold = ctx.state.cost.instructions(ctx.state.busy_threshold());
    let budget = Budget { stop_at: Some(threshold.max(1)), ..Budget::default() };
    let mark = ctx.state.journal.mark();
    ctx.state.journal.detail(now, || EventKind::ScriptStarted { client, name: plan_name(&plan) });
    if let Some(witness) = ctx.state.witness.take() {
        witness.begin(run_start(ctx.state, client, &plan, budget));
        ctx.state.witness = Some(witness);
    }
    let (end, wrote) = run(ctx.state, ctx.engine, client, &plan, budget);
    match end {
        RunEnd::Finished { reply, instructions, .. } if wrote && instructions >= threshold.max(1) => {
            let progress = Progress { plan, exec: None, wrote, instructions, reply: Some(reply) };
            Ok(Outcome::Running(Box::new(progress)))
        }
        RunEnd::Finished { reply, instructions, .. } => {
            ctx.state.spent += instructions;
            ctx.state.journal.detail(now, || EventKind::ScriptEnded { client, instructions });
            Ok(Outcome::Reply(reply))
        }
        RunEnd::Crashed => {
            ctx.state.saved.is_final = true;
            ctx.state.stopping = true;
            Ok(Outcome::Silent)
        }
        RunEnd::Stopped { instructions, .. } => {
            if !wrote {
                ctx.state.journal.back_to(mark);
            }
            Ok(Outcome::Running(Box::new(Progress { plan, exec: None, wrote, instructions, reply: None })))
        }
    }
}

fn plan_name(plan: &Plan) -> Bytes {
    match &plan.program {
        Program::Script { sha, .. } => Bytes::from(sha.as_bytes()),
        Program::Function { name, .. } => name.clone(),
    }
}

fn run_start(state: &State, client: ClientId, plan: &Plan, budget: Budget) -> RunStart {
    let state = State { witness: None, ..state.clone() };
    RunStart { state, client, plan: plan.clone(), budget }
}

/// Makes the run that counts of a script that has been begun; else as [`run`].
pub(crate) fn run_again(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    plan: &Plan,
    budget: Budget,
) -> (RunEnd, bool) {
    if let Some(witness) = state.witness.take() {
        witness.again(run_start(state, client, plan, budget));
        state.witness = Some(witness);
    }
    run(state, engine, client, plan, budget)
}

/// Runs a plan from its start with a budget; tells also whether it has written.
pub(crate) fn run(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    plan: &Plan,
    budget: Budget,
) -> (RunEnd, bool) {
    run_traced(state, engine, client, plan, budget, None)
}

/// As [`run`], looked into.
pub(crate) fn run_traced(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    plan: &Plan,
    budget: Budget,
    trace: Option<&mut Tracer>,
) -> (RunEnd, bool) {
    let Program::Function { library, .. } = &plan.program else {
        return run_in(state, engine, client, plan, None, budget, trace);
    };
    libraries::recall(state, engine, client, library);
    // Whoever looks into a run can change what it finds.
    let start = trace.is_none().then(|| run_start(state, client, plan, budget));
    let ended = run_in(state, engine, client, plan, Some(library.memory.name()), budget, trace);
    libraries::settle(state, engine, plan, start, &ended.0);
    ended
}

/// Runs a plan on what the VM has: a function of the library that is there by this name.
pub(super) fn run_in(
    state: &mut State,
    engine: &Engine,
    client: ClientId,
    plan: &Plan,
    library: Option<&Sha1>,
    budget: Budget,
    trace: Option<&mut Tracer>,
) -> (RunEnd, bool) {
    let budget = Budget { endless_at: Some(state.endless_at()), ..budget };
    let mut lua = std::mem::take(&mut state.lua);
    let mut caller = ScriptCaller {
        now: plan.started_at.unix_millis(),
        engine,
        client,
        db: plan.db,
        read_only: plan.read_only,
        started_at: plan.started_at,
        stop_before_write: budget.stop_before_write,
        wrote: false,
        keys: &plan.keys,
        allow_oom: plan.flags.allow_oom,
        slot: super::routing::declared_slot(state, &plan.keys),
        cross_slot: plan.cross_slot,
        state,
    };
    let program = match &plan.program {
        Program::Script { sha, source } => script::Program::Script { sha, body: body_of(source) },
        Program::Function { library: planned, name } => {
            script::Program::Function { memory: library.unwrap_or(planned.memory.name()), name }
        }
    };
    let executing = caller.state.executing.replace(client);
    let end = engine.run(program, &plan.keys, &plan.args, budget, &mut lua, &mut caller, trace);
    caller.state.executing = executing;
    let wrote = caller.wrote;
    state.lua = lua;
    if let RunEnd::Finished { errors, .. } = &end {
        count_errors(state, plan.command, errors);
    }
    (end, wrote)
}

/// What the errors in a script's reply are in the statistics. The errors of commands that it called are there already
/// and only make it a failed call, once for each.
fn count_errors(state: &mut State, command: &'static str, errors: &[ErrorSent]) {
    let known = errors.iter().filter(|error| error.counted).count();
    errors.iter().filter(|error| !error.counted).for_each(|error| state.stats.count_error(&error.line));
    let failed = known as u64 + u64::from(known < errors.len());
    if failed > 0 {
        state.stats.command(command).failed += failed;
    }
}

/// Looks ahead: how does the plan go on up to `until` instructions, without any effect?
pub(crate) fn probe(state: &mut State, engine: &Engine, client: ClientId, plan: &Plan, until: u64) -> Probe {
    let mark = state.journal.mark();
    let (lua, stats, functions) = (state.lua.clone(), state.stats.clone(), state.functions.clone());
    let budget = Budget { stop_at: Some(until), stop_before_write: true, ..Budget::default() };
    let (end, _) = run(state, engine, client, plan, budget);
    state.journal.back_to(mark);
    (state.lua, state.stats, state.functions) = (lua, stats, functions);
    match end {
        RunEnd::Finished { instructions, .. } => Probe::Ends(instructions),
        RunEnd::Stopped { why: Stop::Write, instructions } => Probe::Writes(instructions),
        RunEnd::Stopped { instructions, .. } => Probe::RunsPast(instructions),
        // It is found out again when the run that counts is made.
        RunEnd::Crashed => Probe::Writes(0),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    Ends(u64),
    Writes(u64),
    RunsPast(u64),
}

fn script_load(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let source = &argv[2];
    let sha = Sha1::of(source);
    if ctx.state.scripts.touch(&sha).is_none() {
        cache(ctx, sha, source, LoadedBy::ScriptLoad)?;
    }
    Ok(Reply::bulk(sha.as_bytes()).into())
}

fn script_exists(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let cached = |text: &Bytes| Sha1::parse(text).is_some_and(|sha| ctx.state.scripts.contains(&sha));
    Ok(Reply::Array(argv[2..].iter().map(|text| Reply::from(cached(text))).collect()).into())
}

fn script_flush(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let fits = match &argv[2..] {
        [] => true,
        [mode] => args::is(mode, "sync") || args::is(mode, "async"),
        _ => false,
    };
    if !fits {
        return Err(CommandError::Line("ERR SCRIPT FLUSH only support SYNC|ASYNC option".into()));
    }
    ctx.state.scripts.flush();
    ctx.state.lua.forget_script_settings();
    Ok(Reply::OK.into())
}

fn script_debug(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    if ctx.origin == Origin::Exec {
        return Err(CommandError::Line("ERR SCRIPT DEBUG must be called outside a pipeline".into()));
    }
    if ["no", "yes", "sync"].iter().any(|mode| args::is(&argv[2], mode)) {
        Ok(Reply::OK.into())
    } else {
        Err(CommandError::Line("ERR Use SCRIPT DEBUG YES/SYNC/NO".into()))
    }
}

fn script_kill(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    kill(ctx, false)
}

/// SCRIPT KILL and FUNCTION KILL. The victim ends as soon as time moves on, so a command sent together with
/// the KILL can still be answered BUSY.
pub(super) fn kill(ctx: &mut Ctx<'_>, function: bool) -> CommandResult {
    let now = ctx.state.now;
    let running = ctx.state.running.as_mut().ok_or(CommandError::NotBusy)?;
    if running.is_function() != function {
        return Err(CommandError::Busy { function: running.is_function() });
    }
    if running.wrote {
        return Err(CommandError::Unkillable);
    }
    running.killed_at.get_or_insert(now);
    Ok(Reply::OK.into())
}
