//! A returned table with a nil among its elements, or with a local that may never have been set.

use crate::script::Script;
use crate::syntax::{Expr, ExprKind, Span};

use super::returned::returned;
use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "nil-in-table",
    level: Level::Error,
    finds: "A returned table with a nil among its elements, or with a local that may never have been set.",
    why: "The reply ends at the first nil: everything behind it is lost.",
    better: "Put false there (the client gets nil), or an empty string.",
    limits: "A local without a first value counts as one that may be nil, even if every path sets it. Only tables that are returned as they stand are looked at.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    for value in returned(script) {
        let ExprKind::Table(fields) = &script.resolve(value).kind else { continue };
        let items: Vec<&Expr> =
            fields.iter().filter(|field| field.key.is_none()).map(|field| &field.value).collect();
        let Some((_, before_last)) = items.split_last() else { continue };
        for item in before_last {
            if matches!(item.kind, ExprKind::Nil) {
                found.push((item.span, "the reply ends here: what follows is lost".to_owned()));
                break;
            }
            if item.as_name().is_some_and(|name| script.may_be_unset(name)) {
                let name = item.as_name().unwrap_or_default();
                found.push((item.span, format!("if {name} is nil, the reply ends here")));
                break;
            }
        }
    }
}
