//! Texts to values, with the reasons that CONFIG SET gives for a refusal.

use std::borrow::Cow;

use crate::Bytes;
use crate::profile::Version;
use crate::value::number;

use super::{Kind, Spec, Value, machine};

pub(super) type Reason = Cow<'static, str>;

/// `current` is the value in force.
pub(super) fn parse(spec: &Spec, current: &[u8], text: &[u8], version: Version) -> Result<Value, Reason> {
    let lower = String::from_utf8_lossy(text).to_ascii_lowercase();
    match spec.kind {
        Kind::Bool => match lower.as_str() {
            "yes" => Ok(Value::Bool(true)),
            "no" => Ok(Value::Bool(false)),
            _ => Err("argument must be 'yes' or 'no'".into()),
        },
        // Before 7.2 it is bounded by its type only.
        Kind::Int { min, .. } if spec.name == "maxmemory-samples" && version < Version::V7_2 => {
            within(integer(&lower)?, min, i32::MAX.into()).map(Value::Int)
        }
        // A number without a sign.
        Kind::Int { max, .. } if spec.name.starts_with("max-new-") => {
            at_least(integer(&lower)?, 0, version)?;
            within(integer(&lower)?, 1, max).map(Value::Int)
        }
        Kind::Int { min, max } => within(integer(&lower)?, min, max).map(|number| clipped(spec, number)),
        Kind::Count => at_least(integer(&lower)?, 0, version),
        Kind::Memory { min } => within(bytes(&lower)?, min, i64::MAX).map(|number| clipped(spec, number)),
        Kind::Size { min } => at_least(bytes(&lower)?, min, version),
        Kind::MemoryOrPercent => memory_or_percent(&lower),
        Kind::Choice(choices) => {
            // Only newer servers can be told to log nothing.
            let fewer = spec.name == "loglevel" && version < Version::V7_2;
            let choices = if fewer { &choices[..choices.len() - 1] } else { choices };
            if choices.contains(&lower.as_str()) {
                return Ok(Value::Text(Bytes::from(lower)));
            }
            Err(format!("argument(s) must be one of the following: {}", choices.join(", ")).into())
        }
        Kind::Events => events(text, version),
        Kind::Save => save(text),
        Kind::OutputLimits => output_limits(current, &lower),
        Kind::Percentiles => percentiles(&lower),
        Kind::Addresses => machine::addresses(text),
        Kind::Title => machine::title(text),
        Kind::Adjustments => machine::adjustments(text),
        Kind::Hostname => machine::hostname(text),
        Kind::NodeName => machine::node_name(text),
        Kind::Locale => machine::locale(text),
        Kind::Shutdown => machine::shutdown(&lower),
        Kind::Text => Ok(Value::Text(Bytes::from(text))),
    }
}

fn integer(text: &str) -> Result<i64, Reason> {
    number::parse_i64(text.as_bytes()).ok_or_else(|| "argument couldn't be parsed into an integer".into())
}

fn bytes(text: &str) -> Result<i64, Reason> {
    parse_memory(text).ok_or("argument must be a memory value".into())
}

fn within(number: i64, min: i64, max: i64) -> Result<i64, Reason> {
    if (min..=max).contains(&number) {
        Ok(number)
    } else {
        Err(format!("argument must be between {min} and {max} inclusive").into())
    }
}

/// For numbers without a sign: from 7.2 on a negative one is told in words of its own.
fn at_least(number: i64, min: i64, version: Version) -> Result<Value, Reason> {
    if number < 0 && version >= Version::V7_2 {
        return Err("argument must be greater or equal to 0".into());
    }
    within(number, min, i64::MAX).map(Value::Int)
}

/// Some are taken as asked but never go beyond bounds of their own.
fn clipped(spec: &Spec, number: i64) -> Value {
    Value::Int(match spec.name {
        "hz" => number.clamp(1, 500),
        "repl-backlog-size" => number.max(16_384),
        // A watch that is kept at all looks no more often than that.
        "watchdog-period" if number > 0 => number.max(200),
        _ => number,
    })
}

fn memory_or_percent(text: &str) -> Result<Value, Reason> {
    let wrong = || Reason::from("argument must be a memory or percent value");
    if let Some(share) = text.strip_suffix('%') {
        let share: u64 = share.parse().map_err(|_| wrong())?;
        if share > 100 {
            return Err("percentage argument must be less or equal to 100".into());
        }
        return Ok(Value::Text(Bytes::from(text)));
    }
    parse_memory(text).map(Value::Int).ok_or_else(wrong)
}

fn save(text: &[u8]) -> Result<Value, Reason> {
    let text = String::from_utf8_lossy(text);
    let invalid = "Invalid save parameters";
    // Nothing counts as zero, as it does for C's strtoll.
    let number = |word: &&str| if word.is_empty() { Some(0) } else { word.parse::<i64>().ok() };
    let numbers: Option<Vec<i64>> = single_words(&text).iter().map(number).collect();
    let numbers = numbers.ok_or(invalid)?;
    let valid =
        numbers.len().is_multiple_of(2) && numbers.chunks_exact(2).all(|pair| pair[0] >= 1 && pair[1] >= 0);
    if !valid {
        return Err(invalid.into());
    }
    let shown: Vec<String> = numbers.iter().map(i64::to_string).collect();
    Ok(Value::Text(Bytes::from(shown.join(" "))))
}

/// Words parted by single blanks; nothing has none.
pub(super) fn single_words(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.split(' ').collect() }
}

/// Kept as CONFIG GET shows it: numbers in bytes, and replicas under their old name.
fn output_limits(current: &[u8], text: &str) -> Result<Value, Reason> {
    let current = String::from_utf8_lossy(current);
    let mut classes: Vec<[String; 4]> = Vec::new();
    for class in single_words(&current).chunks_exact(4) {
        classes.push(std::array::from_fn(|index| class[index].to_owned()));
    }
    let words = single_words(text);
    if !words.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    }
    for given in words.chunks_exact(4) {
        let name = if given[0] == "replica" { "slave" } else { given[0] };
        let class = classes.iter_mut().find(|class| class[0] == name);
        let class = class.ok_or("Invalid client class specified in buffer limit configuration.")?;
        let seconds = given[3].parse::<i64>().ok().filter(|seconds| *seconds >= 0);
        let (Some(hard), Some(soft), Some(seconds)) =
            (unsigned_memory(given[1]), unsigned_memory(given[2]), seconds)
        else {
            return Err("Error in hard, soft or soft_seconds setting in buffer limit configuration.".into());
        };
        // Seconds are kept in an int of C.
        *class = [name.to_owned(), hard.to_string(), soft.to_string(), (seconds as i32).to_string()];
    }
    let shown: Vec<String> = classes.iter().map(|class| class.join(" ")).collect();
    Ok(Value::Text(Bytes::from(shown.join(" "))))
}

fn percentiles(text: &str) -> Result<Value, Reason> {
    let mut shown = Vec::new();
    for word in single_words(text) {
        let share = number::parse_f64(word.as_bytes())
            .ok_or("Invalid latency-tracking-info-percentiles parameters")?;
        if !(0.0..=100.0).contains(&share) {
            let reason = "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
            return Err(reason.into());
        }
        shown.push(share.to_string());
    }
    Ok(Value::Text(Bytes::from(shown.join(" "))))
}

/// The classes in the order in which CONFIG GET shows them; `A` stands for those of [`ALL_EVENTS`].
const EVENTS: &[u8] = b"g$lshzxetdnocKEm";
const ALL_EVENTS: &[u8] = b"g$lshzxetd";

/// Kept are the single classes, each once.
fn events(text: &[u8], version: Version) -> Result<Value, Reason> {
    let known = |letter: &u8| {
        *letter == b'A'
            || EVENTS.contains(letter) && (version >= Version::V8_2 || !matches!(letter, b'o' | b'c'))
    };
    if !text.iter().all(known) {
        return Err("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.".into());
    }
    let set = |letter: &u8| text.contains(letter) || text.contains(&b'A') && ALL_EVENTS.contains(letter);
    Ok(Value::Text(EVENTS.iter().copied().filter(set).collect::<Vec<u8>>().into()))
}

/// Where all classes of `A` are on, it hides the others that are only on by name.
pub(super) fn shown_events(kept: &[u8]) -> Bytes {
    if !ALL_EVENTS.iter().all(|letter| kept.contains(letter)) {
        return Bytes::from(kept);
    }
    let rest = kept.iter().copied().filter(|letter| b"KEm".contains(letter));
    std::iter::once(b'A').chain(rest).collect::<Vec<u8>>().into()
}

/// A number of bytes as a command is given it.
pub fn memory_size(text: &[u8]) -> Option<i64> {
    parse_memory(&String::from_utf8_lossy(text).to_ascii_lowercase())
}

/// A number of bytes with an optional unit: `k`, `m`, `g` are powers of 1000, `kb`, `mb`, `gb` of 1024.
fn parse_memory(text: &str) -> Option<i64> {
    let (number, factor) = split_unit(text)?;
    if number.is_empty() {
        return Some(0);
    }
    // What is too big to be a number at all is taken for one that is out of range.
    Some(number.parse::<i64>().ok().and_then(|number| number.checked_mul(factor)).unwrap_or(-1))
}

/// As [`parse_memory`], where what is too big is taken for the greatest number there is.
fn unsigned_memory(text: &str) -> Option<u64> {
    let (number, factor) = split_unit(text)?;
    if number.is_empty() {
        return Some(0);
    }
    Some(number.parse().unwrap_or(u64::MAX).saturating_mul(factor as u64))
}

/// The digits, and what their unit multiplies them by.
fn split_unit(text: &str) -> Option<(&str, i64)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "" | "b" => 1,
        "k" => 1_000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return None,
    };
    Some((number, factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_units() {
        for (text, bytes) in [("100mb", Some(104_857_600)), ("1g", Some(1_000_000_000)), ("5x", None)] {
            assert_eq!(parse_memory(text), bytes, "{text}");
        }
    }

    #[test]
    fn output_limits_of_other_classes_stay() {
        let limits = |current: &Bytes, text| match output_limits(current, text) {
            Ok(Value::Text(limits)) => limits,
            other => panic!("{other:?}"),
        };
        let first = Bytes::from("normal 0 0 0 slave 0 0 0 pubsub 0 0 0");
        let before = limits(&first, "replica 256mb 64mb 60 pubsub 32mb 8mb 60");
        assert_eq!(before, "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60");
        let after = limits(&before, "pubsub 1mb 0 0 pubsub 1 2 3");
        assert_eq!(after, "normal 0 0 0 slave 268435456 67108864 60 pubsub 1 2 3");
        for wrong in ["master 1 2 3", "normal x 2 3", "normal 1 2", "normal 1  2 3"] {
            assert!(output_limits(&first, wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn classes_of_notifications_are_shown_in_one_order() {
        for (given, shown) in [("KEA", "AKE"), ("Kx", "xK"), ("Eg$lshzxetdmnK", "AKEm"), ("mnd", "dnm")] {
            let Ok(Value::Text(kept)) = events(given.as_bytes(), Version::V7_0) else { panic!("{given}") };
            assert_eq!(shown_events(&kept), shown, "{given}");
        }
        assert!(events(b"o", Version::V7_0).is_err() && events(b"o", Version::V8_2).is_ok());
    }
}
