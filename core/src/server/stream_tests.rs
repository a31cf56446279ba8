//! Streams over time: idempotent producers, and claims that wait.

use super::tests::{check, check_in};
use crate::profile::Version;

/// What Redis's documentation and public tests say of 8.6.
#[test]
fn an_entry_that_is_sent_again_is_not_added_again() {
    check(
        "A: XADD s IDMP p a * f 1
         A: XADD s IDMP p a * f 2
         A: XADD s IDMP q a * f 3
         A: XADD s IDMPAUTO r * f 1 g 2
         A: XADD s IDMPAUTO r * g 2 f 1
         A: XLEN s
         +101000ms
         A: XADD s IDMP p a * f 2
         A: XINFO STREAM s",
        "A 0.001 \"1767225600000-0\"
         A 0.002 \"1767225600000-0\"
         A 0.003 \"1767225600000-1\"
         A 0.004 \"1767225600000-2\"
         A 0.005 \"1767225600000-2\"
         A 0.006 (integer) 3
         A 101000.007 \"1767225701000-0\"
         A 101000.008  1) \"length\"
         2) (integer) 4
         3) \"radix-tree-keys\"
         4) (integer) 1
         5) \"radix-tree-nodes\"
         6) (integer) 2
         7) \"last-generated-id\"
         8) \"1767225701000-0\"
         9) \"max-deleted-entry-id\"
         10) \"0-0\"
         11) \"entries-added\"
         12) (integer) 4
         13) \"recorded-first-entry-id\"
         14) \"1767225600000-0\"
         15) \"idmp-duration\"
         16) (integer) 100
         17) \"idmp-maxsize\"
         18) (integer) 100
         19) \"pids-tracked\"
         20) (integer) 1
         21) \"iids-tracked\"
         22) (integer) 1
         23) \"iids-added\"
         24) (integer) 4
         25) \"iids-duplicates\"
         26) (integer) 2
         27) \"groups\"
         28) (integer) 0
         29) \"first-entry\"
         30) 1) \"1767225600000-0\"
         2) 1) \"f\"
         2) \"1\"
         31) \"last-entry\"
         32) 1) \"1767225701000-0\"
         2) 1) \"f\"
         2) \"2\"",
    );
}

#[test]
fn the_oldest_give_way_and_a_change_forgets_them_all() {
    check(
        "A: XADD s 1-1 f v
         A: XCFGSET s IDMP-MAXSIZE 1
         A: XADD s IDMP p a * f 1
         A: XADD s IDMP p b * f 1
         A: XADD s IDMP p a * f 1
         A: XCFGSET s IDMP-MAXSIZE 1
         A: XADD s IDMP p a * f 1
         A: XCFGSET s IDMP-DURATION 5
         A: XADD s IDMP p a * f 1",
        "A 0.001 \"1-1\"
         A 0.002 OK
         A 0.003 \"1767225600000-0\"
         A 0.004 \"1767225600000-1\"
         A 0.005 \"1767225600000-2\"
         A 0.006 OK
         A 0.007 \"1767225600000-2\"
         A 0.008 OK
         A 0.009 \"1767225600000-3\"",
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    check(
        "A: XADD s IDMP p * f v
         A: XADD s IDMP p a 1-1 f v
         A: XADD s IDMPAUTO p IDMP p a * f v
         A: XADD s IDMP '' a * f v
         A: XADD s IDMP p '' * f v
         A: XADD s NOMKSTREAM IDMPAUTO p * f v
         A: XCFGSET s IDMP-DURATION 5
         A: XCFGSET s
         A: XCFGSET s IDMP-DURATION 86401
         A: XCFGSET s IDMP-MAXSIZE x
         A: XCFGSET s IDMP-MAXSIZE",
        "A 0.001 (error) ERR Invalid stream ID specified as stream command argument
         A 0.002 (error) ERR IDMP/IDMPAUTO can be used only with auto-generated IDs
         A 0.003 (error) ERR IDMP/IDMPAUTO specified multiple times
         A 0.004 (error) ERR IDMP requires a non-empty producer ID
         A 0.005 (error) ERR IDMP requires a non-empty idempotent ID
         A 0.006 (nil)
         A 0.007 (error) ERR no such key
         A 0.008 (error) ERR At least one parameter must be specified
         A 0.009 (error) ERR IDMP-DURATION must be between 1 and 86400 seconds
         A 0.010 (error) ERR value is not an integer or out of range
         A 0.011 (error) ERR syntax error",
    );
}

#[test]
fn older_servers_know_nothing_of_it() {
    check_in(
        Version::V8_4,
        "A: XADD s IDMP p a * f 1",
        "A 0.001 (error) ERR Invalid stream ID specified as stream command argument",
    );
}

const GROUP: &str = "A: XADD s 1-0 f 1\nA: XADD s 2-0 f 2\nA: XGROUP CREATE s g 0\nA: XREADGROUP GROUP g one COUNT 1 STREAMS s >\n";

/// What Redis's documentation and public tests say of 8.4.
#[test]
fn entries_that_were_left_lying_are_claimed_before_new_ones_are_read() {
    check(
        &format!(
            "{GROUP}+100ms
             A: XREADGROUP GROUP g two COUNT 5 CLAIM 50 STREAMS s >
             A: XREADGROUP GROUP g two CLAIM 50 STREAMS s >
             A: XPENDING s g - + 5
             A: XREADGROUP GROUP g two CLAIM 50 STREAMS s 1
             A: XREADGROUP GROUP g two CLAIM x STREAMS s >
             A: XREADGROUP GROUP g two CLAIM -1 STREAMS s >"
        ),
        "A 0.001 \"1-0\"
         A 0.002 \"2-0\"
         A 0.003 OK
         A 0.004 1) 1) \"s\"
         2) 1) 1) \"1-0\"
         2) 1) \"f\"
         2) \"1\"
         A 100.005 1) 1) \"s\"
         2) 1) 1) \"1-0\"
         2) 1) \"f\"
         2) \"1\"
         3) (integer) 100
         4) (integer) 1
         2) 1) \"2-0\"
         2) 1) \"f\"
         2) \"2\"
         3) (integer) 0
         4) (integer) 0
         A 100.006 (nil)
         A 100.007 1) 1) \"1-0\"
         2) \"two\"
         3) (integer) 0
         4) (integer) 2
         2) 1) \"2-0\"
         2) \"two\"
         3) (integer) 0
         4) (integer) 1
         A 100.008 1) 1) \"s\"
         2) 1) 1) \"2-0\"
         2) 1) \"f\"
         2) \"2\"
         A 100.009 (error) ERR min-idle-time is not an integer
         A 100.010 (error) ERR min-idle-time must be a positive integer",
    );
}

#[test]
fn one_who_waits_claims_an_entry_at_the_moment_at_which_it_has_been_pending_for_long_enough() {
    check(
        &format!(
            "{GROUP}A: XREADGROUP GROUP g one STREAMS s >
             B: XREADGROUP GROUP g two COUNT 1 BLOCK 0 CLAIM 1000 STREAMS s >
             C: XREADGROUP GROUP g three BLOCK 500 CLAIM 1000 STREAMS s >
             +2000ms
             A: XPENDING s g"
        ),
        "A 0.001 \"1-0\"
         A 0.002 \"2-0\"
         A 0.003 OK
         A 0.004 1) 1) \"s\"
         2) 1) 1) \"1-0\"
         2) 1) \"f\"
         2) \"1\"
         A 0.005 1) 1) \"s\"
         2) 1) 1) \"2-0\"
         2) 1) \"f\"
         2) \"2\"
         C 500.006 (nil)
         B 1000.005 1) 1) \"s\"
         2) 1) 1) \"1-0\"
         2) 1) \"f\"
         2) \"1\"
         3) (integer) 1000
         4) (integer) 1
         A 2000.008 1) (integer) 2
         2) \"1-0\"
         3) \"2-0\"
         4) 1) 1) \"one\"
         2) \"1\"
         2) 1) \"two\"
         2) \"1\"",
    );
}
