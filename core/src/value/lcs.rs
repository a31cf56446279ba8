//! The longest common subsequence of two strings, as LCS finds it.

use std::ops::Range;

/// A run of bytes that both strings have in common, by position in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    pub in_first: Range<usize>,
    pub in_second: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonSubsequence {
    pub text: Vec<u8>,
    /// From the end of the strings to their start.
    pub matches: Vec<Match>,
}

/// Cells of the table that is filled, 4 bytes each: a quarter of a GB, which a browser tab can still give.
pub const CELLS_MAX: usize = 64 << 20;

/// None when the strings are so long that the table would need more than [`CELLS_MAX`]; the server then answers that memory is insufficient.
pub fn longest_common_subsequence(first: &[u8], second: &[u8]) -> Option<CommonSubsequence> {
    let width = second.len() + 1;
    let cells = (first.len() + 1).checked_mul(width).filter(|&cells| cells <= CELLS_MAX)?;
    // lengths[i * width + j] belongs to the first i and the first j bytes.
    let mut lengths = vec![0u32; cells];
    for (i, a) in first.iter().enumerate() {
        for (j, b) in second.iter().enumerate() {
            let above = i * width + j;
            lengths[above + width + 1] =
                if a == b { lengths[above] + 1 } else { lengths[above + 1].max(lengths[above + width]) };
        }
    }
    Some(trace(first, second, &lengths))
}

/// Walks back from the end; where both ways are as long, the second string's byte is the one left out.
fn trace(first: &[u8], second: &[u8], lengths: &[u32]) -> CommonSubsequence {
    let width = second.len() + 1;
    let (mut i, mut j) = (first.len(), second.len());
    let mut text = Vec::new();
    let mut matches: Vec<Match> = Vec::new();
    let mut is_in_run = false;
    while i > 0 && j > 0 {
        if first[i - 1] == second[j - 1] {
            text.push(first[i - 1]);
            (i, j) = (i - 1, j - 1);
            match matches.last_mut().filter(|_| is_in_run) {
                Some(run) => (run.in_first.start, run.in_second.start) = (i, j),
                None => matches.push(Match { in_first: i..i + 1, in_second: j..j + 1 }),
            }
            is_in_run = true;
        } else {
            let (without_first, without_second) = (lengths[(i - 1) * width + j], lengths[i * width + j - 1]);
            if without_first > without_second {
                i -= 1;
            } else {
                j -= 1;
            }
            is_in_run = false;
        }
    }
    text.reverse();
    CommonSubsequence { text, matches }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of 7.0.15 to LCS with IDX.
    #[test]
    fn runs_come_from_the_end() {
        let found = longest_common_subsequence(b"ohmytext", b"mynewtext").expect("short enough");
        assert_eq!(found.text, b"mytext");
        let runs: Vec<_> = found.matches.into_iter().map(|run| (run.in_first, run.in_second)).collect();
        assert_eq!(runs, [(4..8, 5..9), (2..4, 0..2)]);
    }

    #[test]
    fn nothing_in_common_and_too_much_to_compare() {
        let found = longest_common_subsequence(b"abc", b"").expect("short enough");
        assert_eq!((found.text.len(), found.matches.len()), (0, 0));
        let long = vec![b'a'; CELLS_MAX / 1000];
        assert_eq!(longest_common_subsequence(&long, &long[..1001]), None);
    }
}
