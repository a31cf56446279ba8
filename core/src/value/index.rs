//! Redis's signed indexes: -1 is the last element.

use std::ops::Range;

/// The position a signed index means; None when it lies outside.
pub fn resolve(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok().filter(|&index| index < len)
}

/// The half-open range that an inclusive pair of signed indexes means; empty (`0..0`) when nothing lies in it.
pub fn resolve_range(start: i64, stop: i64, len: usize) -> Range<usize> {
    let from_end = |index: i64| if index < 0 { index.saturating_add(len as i64) } else { index };
    let start = from_end(start).max(0);
    let stop = from_end(stop).min(len as i64 - 1);
    if start > stop { 0..0 } else { start as usize..stop as usize + 1 }
}

/// As [`resolve_range`], but an end that lies before the start means the first element: GETRANGE, BITCOUNT. A pair counted from the
/// end that stands the wrong way round is empty all the same.
pub fn resolve_clamped_range(start: i64, stop: i64, len: usize) -> Range<usize> {
    if start < 0 && stop < 0 && start > stop { 0..0 } else { resolve_each_clamped(start, stop, len) }
}

/// As [`resolve_clamped_range`], but such a pair is not looked at as a whole: BITPOS.
pub fn resolve_each_clamped(start: i64, stop: i64, len: usize) -> Range<usize> {
    let clamped = |index: i64| if index < 0 { index.saturating_add(len as i64).max(0) } else { index };
    resolve_range(clamped(start), clamped(stop), len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_to_the_length() {
        let check = |start, stop, len, expected| {
            assert_eq!(resolve_range(start, stop, len), expected, "{start} {stop} of {len}")
        };
        check(0, -1, 3, 0..3);
        check(-100, 100, 3, 0..3);
        check(-2, -1, 3, 1..3);
        check(2, 1, 3, 0..0);
        check(3, 5, 3, 0..0);
        check(0, -4, 3, 0..0);
        check(0, -1, 0, 0..0);
        check(i64::MIN, i64::MAX, 3, 0..3);
        check(i64::MAX, i64::MIN, 3, 0..0);
    }

    #[test]
    fn an_index_outside_means_nothing() {
        assert_eq!(resolve(-1, 3), Some(2));
        assert_eq!(resolve(-4, 3), None);
        assert_eq!(resolve(3, 3), None);
        assert_eq!(resolve(i64::MIN, 3), None);
    }
}
