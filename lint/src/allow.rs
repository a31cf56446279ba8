//! What a text asks to be let off.

use std::collections::BTreeSet;

use crate::Finding;

/// A line, from 1, and a rule that may be broken on it.
pub(crate) type Allowed = BTreeSet<(usize, String)>;

const MARK: &str = "lint: allow";

/// From comments: at the end of a line for that line, alone on a line for the next one.
pub(crate) fn of_script(text: &str) -> Allowed {
    let mut allowed = Allowed::new();
    for (number, line) in text.lines().enumerate() {
        let Some((code, comment)) = line.split_once("--") else { continue };
        let own = !code.trim().is_empty();
        let at = if own { number + 1 } else { number + 2 };
        allowed.extend(rules(comment).map(|rule| (at, rule)));
    }
    allowed
}

/// The rules that a remark or comment names.
pub(crate) fn rules(comment: &str) -> impl Iterator<Item = String> {
    let named = comment.trim_start_matches(['-', '#', ' ']).strip_prefix(MARK).unwrap_or_default();
    // What stands behind a second mark is the reason.
    let named = named.split("--").next().unwrap_or_default().split(" because ").next().unwrap_or_default();
    let words = named.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

pub(crate) fn is_allowed(allowed: &Allowed, finding: &Finding) -> bool {
    allowed.contains(&(finding.line, finding.rule.id.to_owned()))
        || allowed.contains(&(finding.line, "all".to_owned()))
}
