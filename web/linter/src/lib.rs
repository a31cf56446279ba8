//! Takes a story's text and gives what the lints say of it. A module of its own, fetched when somebody writes: a reader needs no parser of Lua.
//!
//! Invariants: every text is answered by JSON of a [`Linted`]. Should the instance be lost all the same, over Lua that is nested beyond
//! the stack, whoever started it starts another one.

use playground_lint::{Linted as Found, lint_scenario};
use playground_model::lint::{Finding, Level, Linted};
use wasm_bindgen::prelude::wasm_bindgen;

/// [`lint`] for JavaScript.
#[wasm_bindgen]
pub fn handle(text: &str) -> String {
    serde_json::to_string(&lint(text)).expect("texts and numbers can be written")
}

/// What the lints say of a story. One with mistakes has nothing to be said of but those, which the engine tells.
pub fn lint(text: &str) -> Linted {
    let Found { findings, unread } = lint_scenario(text).unwrap_or_default();
    Linted { findings: findings.into_iter().map(finding).collect(), unread }
}

fn finding(found: playground_lint::Finding) -> Finding {
    let playground_lint::Finding { rule, line, column, end_line, end_column, message } = found;
    let level = match rule.level {
        playground_lint::Level::Error => Level::Error,
        playground_lint::Level::Warning => Level::Warning,
        playground_lint::Level::Hint => Level::Hint,
    };
    let (rule, why, better) = (rule.id.to_owned(), rule.why.to_owned(), rule.better.to_owned());
    Finding { rule, level, line, column, end_line, end_column, message, why, better }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_told_where_it_goes_wrong_and_a_broken_one_nothing() {
        let text = "```lua spin\nwhile true do end\n```\n```redis\nA> EVAL $spin 0\n```\n";
        let linted = lint(text);
        let [finding] = &linted.findings[..] else { panic!("{linted:?}") };
        assert_eq!((finding.rule.as_str(), finding.level, finding.line), ("endless-loop", Level::Error, 2));
        assert!(!finding.why.is_empty() && !finding.better.is_empty());
        assert_eq!(lint("A> GET $nothing\n"), Linted::default());
        let unread = lint("A> EVAL \"return (\" 0\n").unread;
        assert_eq!(unread.len(), 1, "{unread:?}");
    }
}
