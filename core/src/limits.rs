//! Every bound of the engine with its unit and reason. Nothing that a script or a client controls grows past one.

/// How often the count hook looks at a running script, in Lua VM instructions.
/// Costs are multiples of it; a smaller step costs measurable time.
pub const HOOK_INSTRUCTIONS: u64 = 1_000;

/// What one `redis.call` adds to a script's instructions: it takes about as long as that many.
pub const CALL_INSTRUCTIONS: u64 = 100;

/// Past this many instructions a script counts as one that never ends: it stays in progress until it is
/// killed. 20 times the default busy threshold would be a minute of the reader's own time.
pub const SCRIPT_INSTRUCTIONS_MAX: u64 = 200_000_000;

/// How long FUNCTION LOAD may run a library's top level, in milliseconds (Redis: 500).
pub const FUNCTION_LOAD_MS: u64 = 500;

/// Scripts that EVAL keeps from 7.4 on; the oldest goes first (Redis: 500).
pub const EVAL_SCRIPTS_MAX: usize = 500;

/// Databases a server has (`databases` in redis.conf).
pub const DATABASES: usize = 16;
