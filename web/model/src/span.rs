//! Spans of time as people read them.

/// Short, for rulers and lanes: `3 µs`, `400 ms`, `1.25 s`, `2 min 5 s`. Rounds down, so that what is left is never
/// shown as more than it is.
pub fn short(us: u64) -> String {
    match us {
        0 => "0 ms".to_owned(),
        1..1_000 => format!("{us} µs"),
        1_000..1_000_000 => format!("{} ms", us / 1_000),
        1_000_000..60_000_000 => format!("{} s", decimal(us / 10_000, 2)),
        60_000_000..3_600_000_000 => two(us, 60_000_000, "min", 1_000_000, "s"),
        3_600_000_000..86_400_000_000 => two(us, 3_600_000_000, "h", 60_000_000, "min"),
        _ => two(us, 86_400_000_000, "d", 3_600_000_000, "h"),
    }
}

/// To the microsecond, in milliseconds: `400.003 ms`.
pub fn exact(us: u64) -> String {
    format!("{} ms", decimal(us, 3))
}

/// The clock of the story: whole milliseconds below a second, else seconds to the millisecond.
pub fn clock(us: u64) -> String {
    if us < 1_000_000 { format!("{} ms", decimal(us, 3)) } else { format!("{} s", decimal(us / 1_000, 3)) }
}

/// `number` with so many of its digits behind the point, without zeros at the end.
fn decimal(number: u64, places: usize) -> String {
    let unit = 10_u64.pow(places as u32);
    let fraction = format!("{:0places$}", number % unit);
    let fraction = fraction.trim_end_matches('0');
    let whole = number / unit;
    if fraction.is_empty() { whole.to_string() } else { format!("{whole}.{fraction}") }
}

fn two(us: u64, big: u64, big_name: &str, small: u64, small_name: &str) -> String {
    let rest = us % big / small;
    let whole = format!("{} {big_name}", us / big);
    if rest == 0 { whole } else { format!("{whole} {rest} {small_name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_short_and_never_longer_than_they_are() {
        let shown = [0, 7, 999, 1_000, 400_003, 999_999, 1_000_000, 1_250_000, 29_999_999].map(short);
        assert_eq!(shown, ["0 ms", "7 µs", "999 µs", "1 ms", "400 ms", "999 ms", "1 s", "1.25 s", "29.99 s"]);
        assert_eq!([60_000_000, 125_000_000].map(short), ["1 min", "2 min 5 s"]);
        assert_eq!([3_600_000_000, 90_000_000_000].map(short), ["1 h", "1 d 1 h"]);
    }

    #[test]
    fn the_clock_is_exact() {
        assert_eq!([0, 3, 400_003, 1_400_003].map(clock), ["0 ms", "0.003 ms", "400.003 ms", "1.4 s"]);
        assert_eq!(exact(1_400_003), "1400.003 ms");
    }
}
