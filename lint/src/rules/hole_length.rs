//! `#t` of a table that has holes: a nil among its elements, or one that is set to nil later.

use crate::script::Script;
use crate::syntax::{self, ExprKind, Field, Span, StmtKind};

use super::{Level, Rule};

pub(crate) static RULE: Rule = Rule {
    id: "hole-length",
    level: Level::Warning,
    finds: "`#t` of a table that has holes: a nil among its elements, or one that is set to nil later.",
    why: "The length of a table with holes is any index before a nil: it can be smaller than one thinks, and differ from version to version.",
    better: "Count yourself, or use table.remove and table.insert, which leave no holes.",
    limits: "Only tables whose holes stand in the text are known. Setting the last element to nil leaves no hole and is told all the same.",
    check: Some(check),
};

fn check(script: &Script<'_>, found: &mut Vec<(Span, String)>) {
    let mut emptied: Vec<String> = Vec::new();
    syntax::walk_stmts(script.block, &mut |stmt| {
        let StmtKind::Assign { targets, values } = &stmt.kind else { return };
        for (target, value) in targets.iter().zip(values) {
            if let (ExprKind::Index(object, key), ExprKind::Nil) = (&target.kind, &value.kind)
                && key.as_text().is_none()
            {
                emptied.extend(object.as_name().map(str::to_owned));
            }
        }
    });
    syntax::walk(script.block, &mut |expr| {
        let ExprKind::Unary(operator, operand) = &expr.kind else { return };
        if operator != "#" {
            return;
        }
        let has_hole = match &script.resolve(operand).kind {
            ExprKind::Table(fields) => {
                let items: Vec<&Field> = fields.iter().filter(|field| field.key.is_none()).collect();
                items.iter().any(|field| matches!(field.value.kind, ExprKind::Nil))
            }
            _ => false,
        };
        if has_hole || operand.as_name().is_some_and(|name| emptied.iter().any(|known| known == name)) {
            found.push((expr.span, "the length of a table with holes is not what one thinks".to_owned()));
        }
    });
}
