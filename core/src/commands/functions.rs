//! FUNCTION and FCALL: libraries that live with the data.

use crate::Bytes;
use crate::error::CommandError;
use crate::profile::Version;
use crate::resp::Reply;
use crate::state::{Function, Library, Memory, Plan, Program};
use crate::value::rdb::FunctionsError;
use crate::value::{glob, number, rdb};

use super::args;
use super::ctx::{CommandResult, Ctx};
use super::libraries;
use super::scripting::{KEYS_CHANGED, KEYS_READ};
use super::shebang;
use super::spec::{CommandSpec, Example, Flags, Group, KeySpec, Shape};

const LOAD: &str =
    "FUNCTION LOAD \"#!lua name=lib\\nredis.register_function('one', function() return 1 end)\"";

pub(super) const COMMANDS: &[CommandSpec] = &[
    CommandSpec {
        name: "fcall",
        arity: -3,
        flags: Flags::NOSCRIPT
            .or(Flags::SKIP_MONITOR)
            .or(Flags::MAY_REPLICATE)
            .or(Flags::NO_MANDATORY_KEYS)
            .or(Flags::STALE)
            .or(Flags::MOVABLEKEYS),
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RW", "access", "update"]).noted(KEYS_CHANGED)],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Calls a function of a loaded library.",
        syntax: "FCALL function numkeys [key [key ...]] [arg [arg ...]]",
        handler: fcall,
        examples: &[Example { setup: LOAD, run: "FCALL one 0", shows: "(integer) 1" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "fcall_ro",
        arity: -3,
        flags: Flags::NOSCRIPT
            .or(Flags::SKIP_MONITOR)
            .or(Flags::NO_MANDATORY_KEYS)
            .or(Flags::STALE)
            .or(Flags::READONLY)
            .or(Flags::MOVABLEKEYS),
        categories: &["scripting"],
        keys: &[KeySpec::counted(2, &["RO", "access"]).noted(KEYS_READ)],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Calls a function that is declared to write nothing.",
        syntax: "FCALL_RO function numkeys [key [key ...]] [arg [arg ...]]",
        handler: fcall,
        examples: &[Example {
            setup: LOAD,
            run: "FCALL_RO one 0",
            shows: "(error) ERR Can not execute a script with write flag using *_ro command.",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function",
        arity: -2,
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Looks after function libraries.",
        syntax: "FUNCTION subcommand",
        subcommands: FUNCTION,
        ..CommandSpec::BASE
    },
];

const FUNCTION: &[CommandSpec] = &[
    CommandSpec {
        name: "function|delete",
        arity: 3,
        flags: Flags::WRITE.or(Flags::NOSCRIPT),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Removes a library and its functions.",
        syntax: "FUNCTION DELETE library-name",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: function_delete,
        examples: &[Example { setup: LOAD, run: "FUNCTION DELETE lib", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|dump",
        arity: 2,
        flags: Flags::NOSCRIPT,
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Answers all libraries in one binary text.",
        syntax: "FUNCTION DUMP",
        reply: Shape::Bulk,
        handler: function_dump,
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|flush",
        arity: -2,
        flags: Flags::WRITE.or(Flags::NOSCRIPT),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Removes all libraries.",
        syntax: "FUNCTION FLUSH [ASYNC | SYNC]",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: function_flush,
        examples: &[Example { setup: "", run: "FUNCTION FLUSH", shows: "OK" }],
        ..CommandSpec::BASE
    },
    CommandSpec::help("function|help", (7, 0, 0), Group::Scripting, &["scripting"], &[]),
    CommandSpec {
        name: "function|kill",
        arity: 2,
        flags: Flags::NOSCRIPT.or(Flags::ALLOW_BUSY),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Ends the running function, if it has not written yet.",
        syntax: "FUNCTION KILL",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:one_succeeded"],
        handler: function_kill,
        examples: &[Example {
            setup: "",
            run: "FUNCTION KILL",
            shows: "(error) NOTBUSY No scripts in execution right now.",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|list",
        arity: -2,
        flags: Flags::NOSCRIPT,
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Lists libraries and their functions.",
        syntax: "FUNCTION LIST [LIBRARYNAME library-name-pattern] [WITHCODE]",
        reply: Shape::Array,
        tips: &["nondeterministic_output_order"],
        handler: function_list,
        examples: &[Example { setup: "", run: "FUNCTION LIST", shows: "(empty array)" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|load",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::NOSCRIPT),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Loads a library and answers its name.",
        syntax: "FUNCTION LOAD [REPLACE] function-code",
        reply: Shape::Bulk,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: function_load,
        examples: &[Example { setup: "", run: LOAD, shows: "\"lib\"" }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|restore",
        arity: -3,
        flags: Flags::WRITE.or(Flags::DENYOOM).or(Flags::NOSCRIPT),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Loads the libraries of a FUNCTION DUMP, all or none.",
        syntax: "FUNCTION RESTORE serialized-value [FLUSH | APPEND | REPLACE]",
        reply: Shape::Status,
        tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
        handler: function_restore,
        examples: &[Example {
            setup: "",
            run: "FUNCTION RESTORE x",
            shows: "(error) ERR DUMP payload version or checksum are wrong",
        }],
        ..CommandSpec::BASE
    },
    CommandSpec {
        name: "function|stats",
        arity: 2,
        flags: Flags::NOSCRIPT.or(Flags::ALLOW_BUSY),
        categories: &["scripting"],
        since: (7, 0, 0),
        group: Group::Scripting,
        summary: "Tells about the running function and the number of libraries.",
        syntax: "FUNCTION STATS",
        reply: Shape::Map,
        tips: &["nondeterministic_output", "request_policy:all_shards", "response_policy:special"],
        handler: function_stats,
        examples: &[Example {
            setup: "",
            run: "FUNCTION STATS",
            shows: "1) \"running_script\"\n2) (nil)\n3) \"engines\"\n4) 1) \"LUA\"\n   2) 1) \"libraries_count\"\n      2) (integer) 0\n      3) \"functions_count\"\n      4) (integer) 0",
        }],
        ..CommandSpec::BASE
    },
];

fn fcall(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let not_found = || CommandError::Line("ERR Function not found".into());
    let (library, function) = ctx.state.functions.find(&argv[1]).ok_or_else(not_found)?;
    let (library, function) = (library.clone(), function.clone());
    let bad = || CommandError::Line("ERR Bad number of keys provided".into());
    let count = number::parse_i64(&argv[2]).ok_or_else(bad)?;
    let rest = &argv[3..];
    if count > rest.len() as i64 {
        return Err(CommandError::Line("ERR Number of keys can't be greater than number of args".into()));
    }
    let count = usize::try_from(count)
        .map_err(|_| CommandError::Line("ERR Number of keys can't be negative".into()))?;
    super::scripting::check_cluster(ctx, function.flags)?;
    super::guards::check_script_start(ctx.state, Some(function.flags))?;
    let ro_command = ctx.spec.name.ends_with("_ro");
    if ro_command && !function.flags.no_writes {
        return Err(CommandError::Line(
            "ERR Can not execute a script with write flag using *_ro command.".into(),
        ));
    }
    super::guards::check_script_memory(ctx.state, function.flags)?;
    let (keys, args) = rest.split_at(count);
    let plan = Plan {
        command: ctx.spec.name,
        read_only: ro_command || function.flags.no_writes,
        flags: function.flags,
        cross_slot: function.flags.allow_cross_slot_keys,
        program: Program::Function { library, name: function.name },
        keys: keys.to_vec(),
        args: args.to_vec(),
        db: ctx.db,
        started_at: ctx.state.now,
    };
    super::scripting::start(ctx, plan)
}

fn function_load(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (source, options) = argv[2..].split_last().expect("the arity was checked");
    if let Some(unknown) = options.iter().find(|option| !args::is(option, "replace")) {
        return Err(CommandError::FunctionLoadOption(unknown.to_word()));
    }
    let name = shebang::of_library(source)?;
    if options.is_empty() && ctx.state.functions.library(&name).is_some() {
        return Err(CommandError::LibraryExists(name.to_word()));
    }
    load(ctx, source, name.clone())?;
    ctx.state.dirty += 1;
    Ok(Reply::Bulk(name).into())
}

fn function_dump(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let sources = ctx.state.functions.libraries().map(|library| &library.source);
    Ok(Reply::bulk(rdb::dump_functions(sources, ctx.version())).into())
}

/// What FUNCTION RESTORE does with the libraries that are there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RestorePolicy {
    Append,
    Flush,
    Replace,
}

fn function_restore(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let policy = match &argv[3..] {
        [] => RestorePolicy::Append,
        [word] if args::is(word, "append") => RestorePolicy::Append,
        [word] if args::is(word, "flush") => RestorePolicy::Flush,
        [word] if args::is(word, "replace") => RestorePolicy::Replace,
        [_] => {
            return Err(CommandError::Line(
                "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.".into(),
            ));
        }
        _ => return Err(CommandError::SubcommandOrArity(argv[1].to_word(), "FUNCTION")),
    };
    let corrupt = |_| CommandError::Line("ERR DUMP payload version or checksum are wrong".into());
    let sources = rdb::restore_functions(&argv[2], ctx.version()).map_err(corrupt)?;
    // All or none: what was there comes back when one of them fails.
    let before = ctx.state.functions.clone();
    if policy == RestorePolicy::Flush {
        ctx.state.functions.flush();
    }
    if let Err(error) = restore_all(ctx, &sources, policy) {
        ctx.state.functions = before;
        return Err(error);
    }
    ctx.state.dirty += 1;
    Ok(Reply::OK.into())
}

fn restore_all(
    ctx: &mut Ctx<'_>,
    sources: &[Result<Bytes, FunctionsError>],
    policy: RestorePolicy,
) -> Result<(), CommandError> {
    for source in sources {
        let source = source.as_ref().map_err(|error| {
            CommandError::Line(match error {
                FunctionsError::NotAFunction => "ERR given type is not a function".into(),
                FunctionsError::OldFormat => "ERR Pre-GA function format not supported".into(),
                FunctionsError::Cut => "ERR Failed loading library payload".into(),
            })
        })?;
        let name = shebang::of_library(source)?;
        if policy == RestorePolicy::Append && ctx.state.functions.library(&name).is_some() {
            return Err(CommandError::RestoredLibraryExists(name.to_word()));
        }
        load(ctx, source, name)?;
    }
    Ok(())
}

/// Runs a library's top level and puts it in the place of one of the same name.
fn load(ctx: &mut Ctx<'_>, source: &Bytes, name: Bytes) -> Result<(), CommandError> {
    let memory = Memory::fresh(source, &ctx.state.lua);
    let registration = libraries::load(ctx.state, ctx.engine, ctx.client, source, &memory);
    let registration = registration.map_err(CommandError::Script)?;
    if registration.functions.is_empty() {
        return Err(CommandError::Line("ERR No functions registered".into()));
    }
    for function in &registration.functions {
        if ctx.state.functions.owner(&function.name).is_some_and(|owner| *owner != name) {
            return Err(CommandError::FunctionExists(function.name.to_word()));
        }
    }
    ctx.state.functions.insert(Library {
        name,
        source: source.clone(),
        functions: registration.functions,
        memory,
    });
    Ok(())
}

fn function_delete(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let missing = || CommandError::Line("ERR Library not found".into());
    ctx.state.functions.remove(&argv[2]).ok_or_else(missing)?;
    ctx.state.dirty += 1;
    Ok(Reply::OK.into())
}

fn function_flush(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let fits = match &argv[2..] {
        [] => true,
        [mode] => args::is(mode, "sync") || args::is(mode, "async"),
        _ => return Err(CommandError::SubcommandOrArity(argv[1].to_word(), "FUNCTION")),
    };
    if !fits {
        return Err(CommandError::Line("ERR FUNCTION FLUSH only supports SYNC|ASYNC option".into()));
    }
    ctx.state.functions.flush();
    // Measured at 8.2.3; at 7.0.15 the functions' interpreter stays.
    if ctx.version() >= Version::V8_0 {
        ctx.state.lua.forget_function_settings();
    }
    ctx.state.dirty += 1;
    Ok(Reply::OK.into())
}

fn function_kill(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    super::scripting::kill(ctx, true)
}

fn function_list(ctx: &mut Ctx<'_>, argv: &[Bytes]) -> CommandResult {
    let (mut pattern, mut with_code) = (None, false);
    let mut rest = argv[2..].iter();
    while let Some(word) = rest.next() {
        if !with_code && args::is(word, "withcode") {
            with_code = true;
        } else if pattern.is_none() && args::is(word, "libraryname") {
            let given = rest
                .next()
                .ok_or_else(|| CommandError::Line("ERR library name argument was not given".into()))?;
            pattern = Some(given);
        } else {
            return Err(CommandError::UnknownArgument(word.to_word()));
        }
    }
    let libraries = ctx
        .state
        .functions
        .libraries()
        .filter(|library| {
            pattern.is_none_or(|pattern| glob::matches(pattern, &library.name, glob::Case::Insensitive))
        })
        .map(|library| describe_library(library, with_code))
        .collect();
    Ok(Reply::Array(libraries).into())
}

fn describe_library(library: &Library, with_code: bool) -> Reply {
    let functions = library.functions.iter().map(describe_function).collect();
    let mut fields = vec![
        (Reply::bulk("library_name"), Reply::Bulk(library.name.clone())),
        (Reply::bulk("engine"), Reply::bulk("LUA")),
        (Reply::bulk("functions"), Reply::Array(functions)),
    ];
    if with_code {
        fields.push((Reply::bulk("library_code"), Reply::Bulk(library.source.clone())));
    }
    Reply::Map(fields)
}

fn describe_function(function: &Function) -> Reply {
    let flags = function.flags.names().map(Reply::status).collect();
    Reply::Map(vec![
        (Reply::bulk("name"), Reply::Bulk(function.name.clone())),
        (Reply::bulk("description"), Reply::bulk_or_nil(function.description.clone())),
        (Reply::bulk("flags"), Reply::Set(flags)),
    ])
}

fn function_stats(ctx: &mut Ctx<'_>, _: &[Bytes]) -> CommandResult {
    let running = match ctx.state.running.as_ref().filter(|running| running.is_function()) {
        None => Reply::Nil,
        Some(running) => Reply::Map(vec![
            (Reply::bulk("name"), Reply::Bulk(running.name())),
            (Reply::bulk("command"), Reply::bulks(running.argv.iter().cloned())),
            (
                Reply::bulk("duration_ms"),
                Reply::Int(((ctx.state.now - running.plan.started_at).0 / 1000) as i64),
            ),
        ]),
    };
    let counts = Reply::Map(vec![
        (Reply::bulk("libraries_count"), Reply::from(ctx.state.functions.library_count())),
        (Reply::bulk("functions_count"), Reply::from(ctx.state.functions.function_count())),
    ]);
    Ok(Reply::Map(vec![
        (Reply::bulk("running_script"), running),
        (Reply::bulk("engines"), Reply::Map(vec![(Reply::bulk("LUA"), counts)])),
    ])
    .into())
}
