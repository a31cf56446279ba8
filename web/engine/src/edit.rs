//! Puts a typed command into a scenario's text.

use playground_core::timeline::{self, Edit, Scenario, Step};
use playground_model::message::Answer;

/// The text with the command as a step of the client behind `position` steps, or why it can't be one.
pub(crate) fn insert(
    text: &str,
    scenario: &Scenario,
    position: usize,
    client: &str,
    command: &str,
) -> Answer {
    let line = format!("{client}> {}", command.trim());
    let (new_text, at) = with_line(text, scenario, position, &line);
    let (read, diagnostics) = timeline::parse(&new_text);
    if let Some(diagnostic) = diagnostics.into_iter().next() {
        let label = client.chars().count() + 2;
        let indent =
            new_text.lines().nth(at).map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        let is_own = diagnostic.line == at + 1;
        let column = if is_own { diagnostic.column.saturating_sub(label + indent).max(1) } else { 1 };
        return Answer::Refused { message: diagnostic.message, help: diagnostic.help, column };
    }
    if read.steps.len() != scenario.steps.len() + 1 {
        let message = "this is no command".to_owned();
        return Answer::Refused { message, help: String::new(), column: 1 };
    }
    Answer::Text { text: new_text }
}

/// The new text, and the number of the new line from 0.
fn with_line(text: &str, scenario: &Scenario, position: usize, line: &str) -> (String, usize) {
    let above = position.min(scenario.steps.len()).checked_sub(1).map(|index| &scenario.steps[index]);
    if let Some(step) = above {
        let at = end_of(step);
        return (put(text, at, step.line - 1, line), at);
    }
    if let Some(first) = scenario.steps.first() {
        let lines: Vec<&str> = text.lines().collect();
        // Its remarks stay with the first step.
        let is_remark = |at: &usize| lines.get(at - 1).is_some_and(|line| line.trim_start().starts_with('#'));
        let mut at = first.line - 1;
        while at > 0 && is_remark(&at) {
            at -= 1;
        }
        return (put(text, at, first.line - 1, line), at);
    }
    let is_fence = |line: &str| line.trim_start().starts_with("```redis");
    if let Some(fence) = text.lines().position(is_fence) {
        return (put(text, fence + 1, fence, line), fence + 1);
    }
    let count = text.lines().count();
    let is_bare = text.trim().is_empty() || !timeline::parse(text).0.blocks.iter().any(is_prose);
    if is_bare {
        return (put(text, count, count, line), count);
    }
    let new_text = format!("{}\n\n```redis\n{line}\n```\n", text.trim_end());
    let at = text.trim_end().lines().count() + 2;
    (new_text, at)
}

fn is_prose(block: &timeline::Block) -> bool {
    matches!(block, timeline::Block::Prose(text) if !text.trim().is_empty())
}

/// The line behind everything that belongs to a step, from 0.
fn end_of(step: &Step) -> usize {
    let late = step.late.iter().map(|late| late.expected.lines.end);
    let own = step.expected.iter().map(|expected| expected.lines.end);
    late.chain(own).fold(step.line, usize::max)
}

fn put(text: &str, at: usize, like: usize, line: &str) -> String {
    timeline::rewrite(text, &[Edit { lines: at..at, with: vec![line.to_owned()], like }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, position: usize, command: &str, expected: &str) {
        let (scenario, _) = timeline::parse(text);
        match insert(text, &scenario, position, "A", command) {
            Answer::Text { text } => assert_eq!(text, expected),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn check_refused(command: &str, expected_column: usize) {
        let text = "# T\n\n  ```redis\n  A> PING\n  ```\n";
        let (scenario, _) = timeline::parse(text);
        match insert(text, &scenario, 1, "A", command) {
            Answer::Refused { column, message, .. } => assert_eq!(column, expected_column, "{message}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_command_goes_behind_the_step_and_its_replies() {
        let story = "# T\n```redis\nA> GET k\n(nil)\nA< 1) x\n# remark\nA> PING\n```\nend\n";
        check(
            story,
            1,
            "GET k",
            "# T\n```redis\nA> GET k\n(nil)\nA< 1) x\nA> GET k\n# remark\nA> PING\n```\nend\n",
        );
        check("A> GET k\n(nil)\nA> PING", 2, "DEL k", "A> GET k\n(nil)\nA> PING\nA> DEL k\n");
    }

    #[test]
    fn a_command_before_the_first_step_leaves_its_remarks_with_it() {
        check("@ redis 7.0\n# why\nA> PING\n", 0, "GET k", "@ redis 7.0\nA> GET k\n# why\nA> PING\n");
    }

    #[test]
    fn a_text_without_steps_gets_its_first_one() {
        check("", 0, "PING", "A> PING\n");
        check("# Title\n", 0, "PING", "# Title\n\n```redis\nA> PING\n```\n");
        check("# T\n```redis\n```\n", 0, "PING", "# T\n```redis\nA> PING\n```\n");
    }

    #[test]
    fn what_is_no_command_is_refused_at_its_place() {
        check_refused("SET k \"x", 7);
        check_refused("EVAL $nothing 0", 6);
        check_refused("", 1);
    }
}
