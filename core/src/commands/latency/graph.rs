//! LATENCY GRAPH: a column for each sample, the higher the longer, with its age below.

use crate::state::{LatencySample, LatencySeries};

const COLUMNS: usize = 80;
const ROWS: usize = 4;
/// What fills a row by a third, by two thirds, and wholly; below the top of a column there are bars.
const LEVELS: [char; 3] = ['_', 'o', '#'];
const BAR: char = '|';

/// `now`: Unix time in seconds.
pub(super) fn draw(event: &str, series: &LatencySeries, now: u64) -> String {
    let millis = || series.samples.iter().map(|sample| sample.millis);
    let (high, low) = (millis().max().unwrap_or(0), millis().min().unwrap_or(0));
    let mut text = format!("{event} - high {high} ms, low {low} ms (all time high {} ms)\n", series.max);
    text.push_str(&"-".repeat(COLUMNS));
    text.push('\n');
    let samples: Vec<&LatencySample> = series.samples.iter().collect();
    for (index, part) in samples.chunks(COLUMNS).enumerate() {
        if index > 0 {
            text.push('\n');
        }
        draw_columns(&mut text, part, low, high);
        draw_ages(&mut text, part, now);
    }
    text
}

fn draw_columns(text: &mut String, samples: &[&LatencySample], low: u64, high: u64) {
    let range = (high - low).max(1);
    for row in (0..ROWS).rev() {
        for sample in samples {
            let steps = LEVELS.len() * ROWS;
            let step = ((sample.millis - low) as usize * steps / range as usize).min(steps - 1);
            text.push(match step.checked_sub(row * LEVELS.len()) {
                None => ' ',
                Some(level) => LEVELS.get(level).copied().unwrap_or(BAR),
            });
        }
        text.push('\n');
    }
}

/// Written from top to bottom, below an empty line.
fn draw_ages(text: &mut String, samples: &[&LatencySample], now: u64) {
    let ages: Vec<String> = samples.iter().map(|sample| age(now.saturating_sub(sample.at))).collect();
    text.push_str(&" ".repeat(samples.len()));
    text.push('\n');
    for row in 0..ages.iter().map(String::len).max().unwrap_or(0) {
        text.extend(ages.iter().map(|age| age.as_bytes().get(row).map_or(' ', |&byte| byte.into())));
        text.push('\n');
    }
}

fn age(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        0..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        _ => format!("{}d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_the_samples_are_long() {
        let mut series = LatencySeries { max: 50, ..LatencySeries::default() };
        series.samples = [(8, 50), (9, 30), (10, 20)].map(|(at, millis)| LatencySample { at, millis }).into();
        let drawn = draw("command", &series, 10);
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows[0], "command - high 50 ms, low 20 ms (all time high 50 ms)");
        assert_eq!(rows[2..], ["#  ", "|  ", "|o ", "||_", "   ", "210", "sss"]);
    }
}
