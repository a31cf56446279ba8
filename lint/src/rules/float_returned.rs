//! A number with decimals that is returned: a division, a fraction, a score.

use crate::script::{Script, function_name};
use crate::syntax::{Expr, ExprKind, Span};

use super::returned::returned;
use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "float-returned",
    level: Level::Error,
    finds: "A number with decimals that is returned: a division, a fraction, a score.",
    why: "Replies know integers only: what stands behind the point is cut off.",
    better: "Return `tostring(x)` or `string.format('%.2f', x)`; or math.floor where the cut is meant.",
    limits: "Only what a division, a literal or a score leads to straight away is known; numbers that pass through functions are not followed. A division that always comes out even is told all the same.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    for value in returned(script) {
        if let Some(place) = fraction(script, value, 0) {
            found.push((place, "the decimals of this number will be cut off".to_owned()));
        }
    }
}

const SCORES: &[&str] = &["ZSCORE", "ZINCRBY", "INCRBYFLOAT", "HINCRBYFLOAT"];

/// The place of a value that may have decimals.
fn fraction<'a>(script: &Script<'a>, value: &'a Expr, depth: usize) -> Option<Span> {
    if depth > 6 {
        return None;
    }
    let resolved = script.resolve(value);
    let is_fraction = match &resolved.kind {
        ExprKind::Number(number) => number.fract() != 0.0,
        ExprKind::Binary(operator, ..) if operator == "/" => true,
        ExprKind::Binary(operator, one, other)
            if ["+", "-", "*", "or", "and"].contains(&operator.as_str()) =>
        {
            let in_last = fraction(script, other, depth + 1);
            let in_first = if operator == "and" { None } else { fraction(script, one, depth + 1) };
            in_first.or(in_last).is_some()
        }
        ExprKind::Call(call) if function_name(call).as_deref() == Some("tonumber") => {
            let argument = call.args.first()?;
            let score = script.source(argument).is_some_and(|source| source.is_one_of(SCORES));
            score || script.resolve(argument).as_text().is_some_and(|text| text.contains('.'))
        }
        _ => false,
    };
    is_fraction.then_some(value.span)
}
