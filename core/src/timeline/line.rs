//! What a line inside a `redis` fence is: the small grammar of scenarios, without their meaning.

use crate::clock::Micros;

use super::document::is_script_name;
use super::scenario::{Choice, Predict, Versions};

/// A line that names a client: `A> …`, `A>> …`, `A< …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label<'a> {
    pub(super) client: &'a str,
    pub(super) direction: Direction,
    /// Where what follows begins, in bytes.
    pub(super) rest_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Sends,
    Pipelines,
    Receives,
}

pub(super) fn label(line: &str) -> Option<Label<'_>> {
    /// A longer name would not fit on a lane.
    const NAME_MAX: usize = 24;
    let end = line.find(['<', '>']).filter(|end| *end <= NAME_MAX)?;
    let (client, mark) = line.split_at(end);
    let direction = match mark.as_bytes() {
        [b'>', b'>', ..] => Direction::Pipelines,
        [b'>', ..] => Direction::Sends,
        _ => Direction::Receives,
    };
    let mark_end = end + if direction == Direction::Pipelines { 2 } else { 1 };
    let rest = &line[mark_end..];
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    // A received array may be padded: ` 1) …` keeps all blanks but the label's own.
    let blanks = if direction == Direction::Receives { blanks.min(1) } else { blanks };
    let separated = rest.is_empty() || blanks > 0;
    (is_script_name(client) && separated).then_some(Label { client, direction, rest_at: mark_end + blanks })
}

/// `400ms`, `2s`, `1.5s`, `3h`: at least a microsecond, at most some thousand years.
pub(super) fn duration(text: &str) -> Option<Micros> {
    const UNITS: &[(&str, u64)] = &[
        ("us", 1),
        ("µs", 1),
        ("ms", 1_000),
        ("s", 1_000_000),
        ("m", 60_000_000),
        ("min", 60_000_000),
        ("h", 3_600_000_000),
        ("d", 86_400_000_000),
    ];
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(unit_at);
    let (_, size) = UNITS.iter().find(|(name, _)| *name == unit.trim_start())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let micros = whole.parse::<u64>().ok()?.checked_mul(*size)?;
    let part = if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse::<f64>().ok()? };
    micros.checked_add((part * *size as f64).round() as u64).map(Micros)
}

/// `Who has the lock? | A | * B`: a question and its choices, the right ones marked.
pub(super) fn predict(text: &str) -> Result<Predict, &'static str> {
    let mut parts = text.split('|').map(str::trim);
    let question = parts.next().unwrap_or_default().to_owned();
    let choices: Vec<Choice> = parts
        .map(|part| {
            let right = part.strip_prefix('*');
            Choice { text: right.unwrap_or(part).trim_start().to_owned(), is_right: right.is_some() }
        })
        .collect();
    if question.is_empty() {
        Err("expected a question")
    } else if choices.iter().any(|choice| choice.text.is_empty()) {
        Err("a choice is empty")
    } else if !choices.is_empty() && !choices.iter().any(|choice| choice.is_right) {
        Err("no choice is marked as the right one")
    } else {
        Ok(Predict { question, choices })
    }
}

/// `8.2`: a version and its patch releases. `>= 8.4`, `< 7.4`, or both.
pub(super) fn versions(text: &str) -> Option<Versions> {
    let mut versions = Versions::default();
    let spaced = text.replace(">=", " >= ").replace('<', " < ").replace("< =", "<=");
    let mut words = spaced.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            ">=" => versions.at_least = Some(version(words.next()?)?),
            "<" => versions.below = Some(version(words.next()?)?),
            alone => {
                let (major, minor) = version(alone)?;
                versions = Versions { at_least: Some((major, minor)), below: Some((major, minor + 1)) };
            }
        }
    }
    (versions != Versions::default()).then_some(versions)
}

fn version(text: &str) -> Option<(u8, u8)> {
    let mut parts = text.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor: u8 = parts.next().unwrap_or("0").parse().ok().filter(|minor| *minor < u8::MAX)?;
    Some((major, minor))
}

/// `10M`, `500k`, `10000000`: instructions a second; at least a million, for time is counted in whole microseconds.
pub(super) fn rate(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 1_000),
        None => text.strip_suffix('M').map_or((text, 1), |number| (number, 1_000_000)),
    };
    let per_second = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (per_second >= 1_000_000).then_some(per_second / 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_name_a_client_and_a_direction() {
        let check = |line: &str, expected: Option<(&str, Direction, &str)>| {
            let found = label(line).map(|label| (label.client, label.direction, &line[label.rest_at..]));
            assert_eq!(found, expected, "{line:?}");
        };
        check("A> GET k", Some(("A", Direction::Sends, "GET k")));
        check("worker-1>>  GET k", Some(("worker-1", Direction::Pipelines, "GET k")));
        check("C<  1) \"x\"", Some(("C", Direction::Receives, " 1) \"x\"")));
        check("A>", Some(("A", Direction::Sends, "")));
        check("A>GET", None);
        check("1) \"A> b\"", None);
        check("OK", None);
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("400ms"), Some(Micros(400_000)));
        assert_eq!(duration("1.5s"), Some(Micros(1_500_000)));
        assert_eq!(duration("2 h"), Some(Micros(7_200_000_000)));
        for refused in ["400", "ms", "1.2.3s", "-1s", "1 year", "99999999999999999999s", "99999999999999d"] {
            assert_eq!(duration(refused), None, "{refused}");
        }
    }

    #[test]
    fn a_question_has_choices_or_none() {
        let choice = |text: &str, is_right| Choice { text: text.to_owned(), is_right };
        let with = |choices| Ok(Predict { question: "Who?".to_owned(), choices });
        assert_eq!(predict("Who? | A |* B"), with(vec![choice("A", false), choice("B", true)]));
        assert_eq!(predict("Who?"), with(vec![]));
        assert_eq!(predict("Who? | A | B"), Err("no choice is marked as the right one"));
        assert_eq!(predict("Who? | * | B"), Err("a choice is empty"));
        assert_eq!(predict("| * A"), Err("expected a question"));
    }

    #[test]
    fn versions_are_one_or_a_range() {
        let range = |at_least, below| Some(Versions { at_least, below });
        assert_eq!(versions("8.2"), range(Some((8, 2)), Some((8, 3))));
        assert_eq!(versions(">= 8.4"), range(Some((8, 4)), None));
        assert_eq!(versions(">=7.0 <7.4"), range(Some((7, 0)), Some((7, 4))));
        assert_eq!(versions("new"), None);
        assert_eq!(versions("<= 7.4"), None);
        assert_eq!(versions(""), None);
    }
}
