//! `unpack` of an answer whose length is not known.

use crate::rules::WHOLE_VALUE;
use crate::script::{Script, function_name};
use crate::syntax::{self, Span};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "unpack-large",
    level: Level::Warning,
    finds: "`unpack` of an answer whose length is not known.",
    why: "unpack puts every element on Lua's stack: with some 8,000 it raises “too many results to unpack”, after everything before it has been done.",
    better: "Go in pieces: `for i = 1, #t, 1000 do redis.call('DEL', unpack(t, i, math.min(i + 999, #t))) end`.",
    limits: "unpack of KEYS and ARGV and with bounds given is not told. Tables that the script fills itself are not followed.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    syntax::walk(script.block, &mut |expr| {
        let Some(call) = expr.as_call() else { return };
        let unpacks = function_name(call).is_some_and(|name| name == "unpack" || name == "table.unpack");
        let [only] = &call.args[..] else { return };
        let many = |source: &crate::script::CommandCall<'_>| {
            source.is_one_of(WHOLE_VALUE)
                || source.is_one_of(&["LRANGE", "ZRANGE", "ZREVRANGE", "ZRANGEBYSCORE"])
        };
        if unpacks && script.source(only).is_some_and(many) {
            found.push((expr.span, "fails when there are some 8,000 elements".to_owned()));
        }
    });
}
