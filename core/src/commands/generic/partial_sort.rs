//! Puts a part of a list in order and leaves what stands before and behind it in disarray.
//!
//! It is the quicksort of Bentley and McIlroy ("Engineering a Sort Function", 1993), gone into only where a piece overlaps the wanted
//! part. SORT does so where it has both BY and LIMIT; the steps are followed exactly, for they decide which of equal elements
//! are seen. Knows nothing of what it sorts.

use std::cmp::Ordering;
use std::ops::Range;

/// Shorter pieces are sorted by insertion.
const SHORTEST_PIECE: usize = 7;
/// Longer pieces take the middle of nine elements for a pivot.
const LONGEST_OF_THREE: usize = 40;

/// Afterwards the elements at the `wanted` positions are those that a whole sort would put there.
pub(super) fn partial_sort<T>(items: &mut [T], wanted: &Range<usize>, order: &impl Fn(&T, &T) -> Ordering) {
    let mut pieces: Vec<Range<usize>> = std::iter::once(0..items.len()).collect();
    while let Some(place) = pieces.pop() {
        let piece = &mut items[place.clone()];
        if piece.len() < SHORTEST_PIECE {
            insert_all(piece, order);
            continue;
        }
        piece.swap(0, pivot(piece, order));
        let (smaller, greater) = split(piece, order);
        for part in [place.start..place.start + smaller, place.end - greater..place.end] {
            if part.start < wanted.end && wanted.start < part.end {
                pieces.push(part);
            }
        }
    }
}

fn insert_all<T>(piece: &mut [T], order: &impl Fn(&T, &T) -> Ordering) {
    for next in 1..piece.len() {
        let mut at = next;
        while at > 0 && order(&piece[at - 1], &piece[at]).is_gt() {
            piece.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// The place of the middle one of three elements, or of three such, spread over the piece.
fn pivot<T>(piece: &[T], order: &impl Fn(&T, &T) -> Ordering) -> usize {
    let (len, middle, last) = (piece.len(), piece.len() / 2, piece.len() - 1);
    let median = |a: usize, b: usize, c: usize| {
        let compare = |left: usize, right: usize| order(&piece[left], &piece[right]);
        if compare(a, b).is_lt() {
            if compare(b, c).is_lt() {
                b
            } else if compare(a, c).is_lt() {
                c
            } else {
                a
            }
        } else if compare(b, c).is_gt() {
            b
        } else if compare(a, c).is_lt() {
            a
        } else {
            c
        }
    };
    match len {
        SHORTEST_PIECE => middle,
        len if len <= LONGEST_OF_THREE => median(0, middle, last),
        len => {
            let step = len / 8;
            median(
                median(0, step, 2 * step),
                median(middle - step, middle, middle + step),
                median(last - 2 * step, last - step, last),
            )
        }
    }
}

/// Puts what is smaller than the first element to the front, what is greater to the end, and how many each are.
/// What equals it is collected at both ends first and comes between them last.
fn split<T>(piece: &mut [T], order: &impl Fn(&T, &T) -> Ordering) -> (usize, usize) {
    let len = piece.len();
    // Equal ones stand before `low_equal` and behind `high_equal`; what lies from `low` to `high` is still to be looked at.
    let (mut low_equal, mut low) = (1, 1);
    let (mut high_equal, mut high) = (len - 1, len - 1);
    loop {
        while low <= high {
            match order(&piece[low], &piece[0]) {
                Ordering::Greater => break,
                Ordering::Equal => {
                    piece.swap(low_equal, low);
                    low_equal += 1;
                }
                Ordering::Less => {}
            }
            low += 1;
        }
        while low <= high {
            match order(&piece[high], &piece[0]) {
                Ordering::Less => break,
                Ordering::Equal => {
                    piece.swap(high, high_equal);
                    high_equal -= 1;
                }
                Ordering::Greater => {}
            }
            high -= 1;
        }
        if low > high {
            break;
        }
        piece.swap(low, high);
        low += 1;
        high -= 1;
    }
    let (smaller, greater) = (low - low_equal, high_equal - high);
    swap_ranges(piece, 0, low, low_equal.min(smaller));
    swap_ranges(piece, low, len, greater.min(len - high_equal - 1));
    (smaller, greater)
}

/// Swaps `count` elements from `front` on with those that end before `end`.
fn swap_ranges<T>(piece: &mut [T], front: usize, end: usize, count: usize) {
    for nth in 0..count {
        piece.swap(front + nth, end - count + nth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(weights: &str, wanted: Range<usize>) -> String {
        let mut items: Vec<(char, usize)> =
            weights.chars().enumerate().map(|(at, weight)| (weight, at + 1)).collect();
        partial_sort(&mut items, &wanted, &|left: &(char, usize), right: &(char, usize)| {
            left.0.cmp(&right.0)
        });
        items[wanted].iter().map(|(_, at)| at.to_string()).collect::<Vec<_>>().join(" ")
    }

    /// SORT l BY w* ALPHA LIMIT … of twelve elements, numbered from 1, whose weights are these letters (7.0.15 and 8.2.3).
    #[test]
    fn equal_elements_come_as_the_servers_have_them() {
        let weights = "aababaabba  ";
        assert_eq!(sorted(weights, 0..5), "12 11 4 6 1");
        assert_eq!(sorted(weights, 3..8), "6 1 7 2 10");
        assert_eq!(sorted(&"x".repeat(12), 0..5), "12 2 3 4 5");
        assert_eq!(sorted(&"x".repeat(6), 1..4), "2 3 4");
    }

    #[test]
    fn the_wanted_part_is_what_a_whole_sort_gives() {
        let mut state = 7u64;
        for len in (0..60).chain([200, 500]) {
            let items: Vec<u64> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 40) % 50
                })
                .collect();
            let mut whole = items.clone();
            whole.sort_unstable();
            for wanted in [0..len, len / 3..len / 2, 0..len.min(1), len / 2..len] {
                let mut part = items.clone();
                partial_sort(&mut part, &wanted, &Ord::cmp);
                assert_eq!(part[wanted.clone()], whole[wanted]);
            }
        }
    }
}
