//! Stories: the examples, changed.

use playground_core::profile::Version;
use playground_core::timeline::{Timeline, parse, parse_page, rewrite};

use super::same;
use crate::chance::Chance;

/// Longer ones are only read.
const STEPS_MAX: usize = 60;

/// A text is a story or has diagnostics that stand in it; a story can be run, its replay ends in the same state, and with
/// the replies it got written into it, it gets them again.
pub(super) fn run(chance: &mut Chance) -> Result<(), String> {
    let example = *chance.pick(super::super::EXAMPLES);
    let text = chance.mutate_text(example);
    let lines = text.lines().count() + 1;
    let _ = parse_page(&text);
    let (scenario, diagnostics) = parse(&text);
    if let Some(diagnostic) =
        diagnostics.iter().find(|diagnostic| diagnostic.line > lines || diagnostic.line == 0)
    {
        return Err(format!("{diagnostic} stands outside of {lines} lines"));
    }
    if !diagnostics.is_empty() || scenario.steps.len() > STEPS_MAX {
        return Ok(());
    }
    let wanted = *chance.pick(&Version::ALL);
    let Some(version) = scenario.setup.versions.choose(Some(wanted)) else { return Ok(()) };
    let Ok(timeline) = Timeline::run(scenario, version) else { return Ok(()) };
    let end = timeline.at(timeline.records().len());
    end.audit()?;
    same("the digest of the replay", &timeline.replay()?.digest(), &end.digest())?;
    let updated = rewrite(&text, &timeline.compare().edits);
    let (scenario, diagnostics) = parse(&updated);
    if let Some(diagnostic) = diagnostics.first() {
        return Err(format!("what was written into it can't be read: {diagnostic}\n{updated}"));
    }
    let again = Timeline::run(scenario, version)?.compare();
    match again.differences.first() {
        Some(difference) => Err(format!("it gets other replies the second time: {difference:?}\n{updated}")),
        None => Ok(()),
    }
}
