//! Every bound of the engine with its unit and reason. Nothing that a script or a client controls grows past one.

/// How often the count hook looks at a running script, in Lua VM instructions.
/// Costs are multiples of it; a smaller step costs measurable time.
pub const HOOK_INSTRUCTIONS: u64 = 1_000;

/// What one `redis.call` adds to a script's instructions: it takes about as long as that many.
pub const CALL_INSTRUCTIONS: u64 = 100;

/// Past this many instructions a script counts as one that never ends: it stays in progress until it is
/// killed. 20 times the default busy threshold would be a minute of the reader's own time.
pub const SCRIPT_INSTRUCTIONS_MAX: u64 = 200_000_000;

/// The same where the busy threshold is later than that; a script that writes and does not end is run so far at once, which takes
/// a second or more.
pub const SCRIPT_THRESHOLD_INSTRUCTIONS_MAX: u64 = 1_000_000_000;

/// How long FUNCTION LOAD may run a library's top level, in milliseconds (Redis: 500).
pub const FUNCTION_LOAD_MS: u64 = 500;

/// Scripts that EVAL keeps from 7.4 on; the oldest goes first (Redis: 500).
pub const EVAL_SCRIPTS_MAX: usize = 500;

/// Databases a server has (`databases` in redis.conf).
pub const DATABASES: usize = 16;

/// Bytes of the longest string that one library call of a script may build (`string.rep`, `table.concat`, `cjson.encode`,
/// …). Redis has no such bound: its process dies of it. 64 MiB keeps a browser tab alive and is far above any real script.
pub const SCRIPT_STRING_BYTES_MAX: usize = 64 << 20;

/// Values in one reply of a script, nested ones and aggregates included. A table that has itself in it twice has no end;
/// Redis's process dies of it.
pub const REPLY_VALUES_MAX: usize = 1 << 20;

/// Bytes that a library call copies or reads for the price of one VM instruction: about what memory does in that time.
pub const SCRIPT_BYTES_PER_INSTRUCTION: u64 = 64;

/// Steps of the pattern matcher for the price of one VM instruction. Backtracking can take steps without end, which Lua's
/// own hooks do not see.
pub const SCRIPT_STEPS_PER_INSTRUCTION: u64 = 4;

/// Random picks with repetition in one reply (HRANDFIELD, SRANDMEMBER, ZRANDMEMBER with a negative count).
/// Redis has no bound and runs out of memory instead.
pub const DRAWN_MAX: usize = 1 << 20;

/// Arguments of a slow command that are kept (Redis: 32), and bytes of each (Redis: 128).
pub const SLOWLOG_ARGS_MAX: usize = 32;
pub const SLOWLOG_ARG_BYTES_MAX: usize = 128;

/// What DEBUG POPULATE may make at most, in keys times bytes: it runs in one go.
pub const POPULATE_BYTES_MAX: usize = 16 << 20;
