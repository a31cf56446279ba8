//! The stories. `says`: a part of the note's text, with the names and steps of the story.

pub(super) struct Case {
    pub(super) id: &'static str,
    pub(super) triggers: &'static str,
    pub(super) says: &'static str,
    pub(super) must_not: &'static str,
}

const fn case(id: &'static str, triggers: &'static str, says: &'static str, must_not: &'static str) -> Case {
    Case { id, triggers, says, must_not }
}

pub(super) const CASES: &[Case] = &[
    // What scripts return.
    case(
        "number-cut",
        "A> EVAL 'return 3.99' 0",
        "`3.99`; the reply is `(integer) 3`",
        "A> EVAL 'return tostring(3.99)' 0",
    ),
    case("number-out-of-range", "A> EVAL 'return 1/0' 0", "-9223372036854775808", "A> EVAL 'return 2^62' 0"),
    case(
        "number-rounded",
        "A> EVAL 'return 9007199254740993 + 2' 0",
        "9007199254740994",
        "A> EVAL 'return 9007199254740991' 0",
    ),
    case(
        "nil-ends-array",
        "A> EVAL 'return {1, 2, nil, 4}' 0",
        "[4] = 4",
        "A> EVAL 'return {1, 2, false, 4}' 0",
    ),
    case(
        "fields-dropped",
        "A> EVAL 'return {1, name = 2}' 0",
        "name = 2",
        "A> EVAL \"return {ok = 'fine'}\" 0",
    ),
    case(
        "false-is-nil",
        "A> EVAL 'return 1 > 2' 0",
        "`false`; the reply is `(nil)`",
        "A> EVAL 'redis.setresp(3) return false' 0",
    ),
    case("true-is-one", "A> EVAL 'return 1 < 2' 0", "`true`", "A> EVAL 'return 1' 0"),
    case(
        "nothing-returned",
        "A> EVAL \"redis.call('SET', KEYS[1], 1)\" 1 k",
        "(nil)",
        "A> EVAL \"return redis.call('SET', KEYS[1], 1)\" 1 k",
    ),
    case("no-form", "A> EVAL 'return tostring' 0", "function", "A> EVAL 'return tostring(1)' 0"),
    case(
        "missing-key-is-false",
        "A> EVAL \"local v = redis.call('GET', KEYS[1]) return v == nil and 1 or 0\" 1 stock",
        "GET stock",
        "A> SET stock 1\nA> EVAL \"return redis.call('GET', KEYS[1])\" 1 stock",
    ),
    // Scripts and functions.
    case(
        "noscript-never-loaded",
        "A> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
        "e0e1f9fa",
        "A> SCRIPT LOAD 'return 1'\nA> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    ),
    case(
        "noscript-flushed",
        "A> EVAL 'return 1' 0\nB> SCRIPT FLUSH\nA> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
        "step 2",
        "B> SCRIPT FLUSH\nA> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    ),
    case(
        "noscript-restarted",
        "A> EVAL 'return 1' 0\n@ failover\nA> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
        "step 2",
        "@ restart\nA> EVAL 'return 1' 0\nA> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    ),
    case(
        "noscript-evicted",
        EVICTED_SCRIPT,
        "e0e1f9fa",
        "A> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    ),
    case(
        "noscript-not-a-sha",
        "A> EVALSHA release 1 lock",
        "release",
        "A> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0",
    ),
    case(
        "write-kept",
        "A> EVAL \"redis.call('SET', KEYS[1], 1) error('boom')\" 1 k",
        "`k`",
        "A> MULTI\nA> SET k 1\nA> EVAL \"redis.call('GET', KEYS[1]) error('boom')\" 1 k\nA> EXEC",
    ),
    case(
        "call-raises",
        "A> SET name x\nA> EVAL \"return redis.call('INCR', KEYS[1])\" 1 name",
        "INCR name",
        "A> SET name x\nA> EVAL \"return redis.pcall('INCR', KEYS[1])\" 1 name",
    ),
    case(
        "error-swallowed",
        "A> SET name x\nA> EVAL \"redis.pcall('INCR', KEYS[1]) return 'done'\" 1 name",
        "INCR name",
        "A> SET name x\nA> EVAL \"return redis.pcall('INCR', KEYS[1])\" 1 name",
    ),
    case(
        "undeclared-key",
        "A> EVAL \"return redis.call('SET', 'user:' .. ARGV[1], 1)\" 0 7",
        "`user:7`",
        "A> EVAL \"return redis.call('SET', KEYS[1], 1)\" 1 user:7",
    ),
    case(
        "read-only-script",
        "A> EVAL_RO \"return redis.call('SET', KEYS[1], 1)\" 1 k",
        "SET k 1",
        "A> EVAL_RO \"return redis.call('GET', KEYS[1])\" 1 k",
    ),
    case("function-stays", FUNCTION_OUTLIVES, "step 1", FUNCTION_STAYS_AT_HOME),
    // A busy server, replicas, restarts.
    case(
        "busy-began",
        BUSY,
        "A's script",
        "@ config busy-reply-threshold 200\nA> EVAL 'return 1' 0\n@ +400ms",
    ),
    case(
        "busy",
        BUSY,
        "GET k",
        "@ config busy-reply-threshold 5000\nA>> EVAL 'while true do end' 0\n@ +100ms\nB>> GET k\n@ +100ms",
    ),
    case(
        "wrong-kill",
        "@ config busy-reply-threshold 200\nA>> EVAL 'while true do end' 0\n@ +400ms\nB> FUNCTION KILL\nB> SCRIPT KILL\n@ +1ms",
        "FUNCTION KILL",
        BUSY,
    ),
    case("unkillable", UNKILLABLE, "`k`", BUSY),
    case("script-killed", BUSY, "B killed it in step 4", "A> EVAL 'error(1)' 0\nB> SCRIPT KILL"),
    case(
        "waited-for-script",
        "A>> EVAL 'for i = 1, 1000000 do end return 1' 0\nB>> GET k\n@ +2s",
        "A's script",
        "A> EVAL 'return 1' 0\nB> GET k",
    ),
    case("readonly-replica", "@ replica\nA> SET k 1", "SET k 1", "@ replica\nA> GET k"),
    case(
        "data-lost",
        "A> SET k 1\n@ restart without persistence\nA> GET k",
        "`k`",
        "A> SET k 1\n@ restart with persistence\nA> GET k",
    ),
    case(
        "expired-after-script",
        "A> SET k 1 PX 10\nA>> EVAL 'for i = 1, 1000000 do end return 1' 0\n@ +2s",
        "`k` was to expire at 10 ms",
        "A> SET k 1 PX 10\n@ +2s",
    ),
    // Transactions.
    case(
        "queued-not-read",
        "A> MULTI\nA> GET stock\nA> EXEC",
        "GET stock",
        "A> MULTI\nA> SET stock 1\nA> EXEC",
    ),
    case(
        "exec-nil",
        "A> WATCH stock\nB> SET stock 0\nA> MULTI\nA> DECR stock\nA> EXEC",
        "`stock` was written by B in step 2: `SET stock 0`",
        "B> SET stock 0\nA> WATCH stock\nA> MULTI\nA> DECR stock\nA> EXEC",
    ),
    case(
        "exec-abort",
        "A> MULTI\nA> SET k\nA> EXEC",
        "`SET k` was refused in step 2",
        "A> MULTI\nA> SET k 1\nA> EXEC",
    ),
    case(
        "exec-no-rollback",
        "A> MULTI\nA> SET k x\nA> INCR k\nA> EXEC",
        "Number 2 of 2, `INCR k`",
        "A> MULTI\nA> SET k 1\nA> INCR k\nA> EXEC",
    ),
    // Locks and races.
    case(
        "lock-of-another",
        "A> SET lock A NX PX 300\n@ +400ms\nB> SET lock B NX PX 30000\nA> DEL lock",
        "A deleted `lock`, which B had taken in step 3",
        "A> SET lock A NX PX 300\nA> DEL lock\nB> SET lock B NX PX 30000",
    ),
    case(
        "set-nx-nil",
        "A> SET lock A NX\nB> SET lock B NX",
        "`lock` is held by A since step 1",
        "A> SET lock A NX\nA> DEL lock\nB> SET lock B NX",
    ),
    case(
        "read-then-write",
        "A> GET n\nB> INCR n\nA> SET n 1",
        "A read `n` in step 1; B changed it in step 2",
        "A> GET n\nB> INCR n\nA> GET n\nA> SET n 2\nA> GET m\nB> SET m 1 NX\nA> SET m 1 XX",
    ),
    // Keys and values.
    case(
        "wrongtype",
        "A> RPUSH jobs a\nB> GET jobs",
        "`jobs` holds a list since step 1",
        "A> RPUSH jobs a\nB> LRANGE jobs 0 -1",
    ),
    case(
        "key-expired",
        "A> SET k 1 PX 300\n@ +400ms\nB> GET k",
        "`k` expired at 301 ms",
        "A> SET k 1 PX 300\n@ +200ms\nB> GET k",
    ),
    case(
        "ttl-removed",
        "A> SET k 1 EX 10\nB> SET k 2",
        "`k`",
        "A> SET k 1 EX 10\nB> SET k 2 KEEPTTL\nB> PERSIST k",
    ),
    case("not-an-integer", "A> SET n 1.5\nA> INCR n", "`n` is 1.5", "A> SET n 1\nA> INCR n"),
    case(
        "many-digits",
        "A> ZADD z 0.1 a\nA> ZINCRBY z 0.2 a",
        "0.30000000000000004",
        "A> ZADD z 0.5 a\nA> ZINCRBY z 0.25 a",
    ),
    // Cluster.
    case("crossslot", "@ cluster\nA> MGET {a}1 {b}1", "by its tag {a}", "@ cluster\nA> MGET {a}1 {a}2"),
    case(
        "crossslot-in-script",
        "@ cluster\nA> EVAL \"#!lua\\nreturn redis.call('GET', 'b')\" 1 a",
        "`b` is in slot 3300",
        "@ cluster\nA> EVAL \"return redis.call('GET', KEYS[1])\" 1 a",
    ),
    case("slot-elsewhere", SLOT_LOST, "`a` is in slot 15495", "@ cluster\nA> GET a"),
    // Memory.
    case("oom", "@ config maxmemory 1\nA> SET k 1", "SET k 1", "@ config maxmemory 1\nA> GET k"),
    case("oom-passed", "A> SET k 1\nA> CONFIG SET maxmemory 1\nA> DEL k", "DEL k", "A> SET k 1\nA> DEL k"),
    case(
        "key-evicted",
        "@ config maxmemory-policy allkeys-lru\nA> SET k 1\nA> CONFIG SET maxmemory 1\nA> GET k",
        "`k`",
        "@ config maxmemory-policy allkeys-lru\nA> SET k 1\nA> GET k",
    ),
    // Waiting.
    case("woken", "A> BLPOP jobs 0\nB> RPUSH jobs a", "until B sent step 2", "A> BLPOP jobs 1\n@ +2s"),
    case(
        "wait-timed-out",
        "A> BLPOP jobs 1\n@ +2s",
        "Nothing came within",
        "A> BLPOP jobs 0\nB> RPUSH jobs a",
    ),
];

const BUSY: &str = "\
@ config busy-reply-threshold 200
A>> EVAL 'while true do end' 0
@ +400ms
B> GET k
B> SCRIPT KILL
@ +1ms";

const UNKILLABLE: &str = "\
@ config busy-reply-threshold 200
A>> EVAL \"redis.call('SET', KEYS[1], 1) while true do end\" 1 k
@ +400ms
B> SCRIPT KILL";

const FUNCTION_OUTLIVES: &str = "\
A> FUNCTION LOAD \"#!lua name=lib\\nredis.register_function('f', function() return 1 end)\"
@ failover
A> FCALL f 0";

const FUNCTION_STAYS_AT_HOME: &str = "\
A> FUNCTION LOAD \"#!lua name=lib\\nredis.register_function('f', function() return 1 end)\"
A> FCALL f 0";

const SLOT_LOST: &str = "\
@ cluster
A> CLUSTER DELSLOTS 15495
A> GET a";

/// The last-but-one line stands for as many.
const EVICTED_SCRIPT: &str = "\
A> EVAL 'return 1' 0
500 times: A> EVAL 'return 1 + #' 0
A> EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0";
