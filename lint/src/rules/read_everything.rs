//! A command that reads a whole key or the whole keyspace: KEYS, or LRANGE 0 -1, SMEMBERS, HGETALL and the like whose answer is looped over.

use crate::rules::WHOLE_VALUE;
use crate::script::{CommandCall, Script};
use crate::syntax::{self, ExprKind, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "read-everything",
    level: Level::Warning,
    finds: "A command that reads a whole key or the whole keyspace: KEYS, or LRANGE 0 -1, SMEMBERS, HGETALL and the like whose answer is looped over.",
    why: "It takes as long as the key is large, and nobody else is served meanwhile. With ten elements it is fine, with a million it blocks the server.",
    better: "Read a bounded part (LRANGE 0 99, SRANDMEMBER, ZRANGE … LIMIT), or keep what you need in a key of its own.",
    limits: "How large a key gets is not known: a collection that stays small may be let off. Answers that are not looped over, but returned, are not told, save for KEYS.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    for call in &script.calls {
        if call.is("KEYS") {
            found.push((call.span, "KEYS looks at every key of the database".to_owned()));
        } else if is_whole(call) && is_looped(script, call) {
            let message = format!("{} reads all elements, however many there are", call.shown_name());
            found.push((call.span, message));
        }
    }
}

fn is_whole(call: &CommandCall<'_>) -> bool {
    const RANGES: &[&str] = &["LRANGE", "ZRANGE", "ZREVRANGE"];
    let bound = |at: usize| {
        call.args.get(at).and_then(|arg| match &arg.kind {
            ExprKind::Number(number) => Some(*number),
            ExprKind::String(text) => text.parse().ok(),
            ExprKind::Unary(sign, inner) if sign == "-" => match inner.kind {
                ExprKind::Number(number) => Some(-number),
                _ => None,
            },
            _ => None,
        })
    };
    call.is_one_of(WHOLE_VALUE) || call.is_one_of(RANGES) && (bound(2), bound(3)) == (Some(0.0), Some(-1.0))
}

/// Whether a loop goes over the answer, or up to its length.
fn is_looped(script: &Script<'_>, call: &CommandCall<'_>) -> bool {
    let mut looped = false;
    syntax::walk_stmts(script.block, &mut |stmt| {
        let over = match &stmt.kind {
            StmtKind::GenericFor { values, .. } => values.iter().collect::<Vec<_>>(),
            StmtKind::NumericFor { bounds, .. } => bounds.iter().collect(),
            StmtKind::While(condition, _) => vec![condition],
            _ => return,
        };
        for expr in over {
            expr.walk(&mut |inner| looped |= script.resolve(inner).span == call.span);
        }
    });
    looped
}
