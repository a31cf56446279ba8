//! A returned table with named fields.

use crate::script::Script;
use crate::syntax::{ExprKind, Span};

use super::returned::returned;
use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "named-fields-returned",
    level: Level::Error,
    finds: "A returned table with named fields.",
    why: "Only the elements 1, 2, 3… of a table are sent; fields with names are dropped without a word.",
    better: "Return names and values in turns, or `cjson.encode(t)`; or `{map = t}` after redis.setresp(3).",
    limits: "The fields ok, err and, with RESP3, double, map, set, big_number and verbatim_string have a meaning and are let off.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    const MEANT: &[&str] =
        &["ok", "err", "double", "map", "set", "big_number", "verbatim_string", "string", "format"];
    for value in returned(script) {
        let ExprKind::Table(fields) = &script.resolve(value).kind else { continue };
        let names: Vec<&str> = fields.iter().filter_map(|field| field.key.as_ref()?.as_text()).collect();
        let is_meant = names.iter().any(|name| MEANT.contains(name));
        if let (Some(first), false) = (names.first(), is_meant) {
            found.push((value.span, format!("the field {first} does not reach the client")));
        }
    }
}
