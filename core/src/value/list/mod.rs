//! A list. Knows its elements and the encoding the server would have chosen for them.

mod nodes;

use std::collections::VecDeque;
use std::ops::Range;

use super::encoding::EncodingLimits;
use super::listpack;
use crate::Bytes;
use nodes::Nodes;

/// One end of a list: LEFT or RIGHT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Left,
    Right,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ListValue {
    elements: VecDeque<Bytes>,
    /// What all elements would take in one listpack.
    listpack_bytes: usize,
    /// How the elements lie in a quicklist; None for a listpack.
    quicklist: Option<Nodes>,
}

impl ListValue {
    pub fn new(limits: &EncodingLimits) -> Self {
        let quicklist = (!limits.has_listpack_lists_and_sets()).then(Nodes::new);
        Self { elements: VecDeque::new(), listpack_bytes: listpack::EMPTY_BYTES, quicklist }
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// The element at a position from the left, counted from 0.
    pub fn get(&self, position: usize) -> Option<&Bytes> {
        self.elements.get(position)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Bytes> + ExactSizeIterator {
        self.elements.iter()
    }

    /// The elements at positions that [`super::index::resolve_range`] gave.
    pub fn range(
        &self,
        positions: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = &Bytes> + ExactSizeIterator {
        self.elements.range(positions)
    }

    /// Pushes one command's elements in their order: pushed left, the last one comes to stand first.
    pub fn push(&mut self, end: End, elements: &[Bytes], limits: &EncodingLimits) {
        self.grow_for(elements.iter(), limits);
        for element in elements {
            self.listpack_bytes += listpack::element_bytes(element);
            if let Some(nodes) = &mut self.quicklist {
                nodes.push(end, element, limits);
            }
            match end {
                End::Left => self.elements.push_front(element.clone()),
                End::Right => self.elements.push_back(element.clone()),
            }
        }
    }

    pub fn pop(&mut self, end: End, limits: &EncodingLimits) -> Option<Bytes> {
        self.pop_many(end, 1, limits).pop()
    }

    /// Pops up to `count` elements, in the order of the pops.
    pub fn pop_many(&mut self, end: End, count: usize, limits: &EncodingLimits) -> Vec<Bytes> {
        let popped = (0..count.min(self.len())).filter_map(|_| self.take(end)).collect();
        self.shrink(limits);
        popped
    }

    /// Told before a command looks for the place of an element: what would be too much for a listpack makes it a quicklist, found or not.
    pub fn expect(&mut self, element: &Bytes, limits: &EncodingLimits) {
        self.grow_for(std::iter::once(element), limits);
    }

    /// LSET: replaces the element at a position that exists.
    pub fn set(&mut self, position: usize, element: Bytes, limits: &EncodingLimits) {
        self.grow_for(std::iter::once(&element), limits);
        self.listpack_bytes += listpack::element_bytes(&element);
        if let Some(nodes) = &mut self.quicklist {
            let old = &self.elements[position];
            if nodes.replaces_in_place(position, &element, limits) {
                nodes.replace(position, old, &element);
            } else {
                nodes.insert(position, End::Right, &element, &self.elements, limits);
                nodes.remove(position, old);
            }
        }
        let old = std::mem::replace(&mut self.elements[position], element);
        self.listpack_bytes -= listpack::element_bytes(&old);
        self.shrink(limits);
    }

    /// LINSERT: puts an element to the left or right of the one at the position `pivot`, which exists.
    pub fn insert(&mut self, pivot: usize, side: End, element: Bytes, limits: &EncodingLimits) {
        self.grow_for(std::iter::once(&element), limits);
        self.listpack_bytes += listpack::element_bytes(&element);
        if let Some(nodes) = &mut self.quicklist {
            nodes.insert(pivot, side, &element, &self.elements, limits);
        }
        let position = match side {
            End::Left => pivot,
            End::Right => pivot + 1,
        };
        self.elements.insert(position, element);
    }

    /// The position of the first element that equals this one.
    pub fn position(&self, element: &[u8]) -> Option<usize> {
        self.elements.iter().position(|other| other == element)
    }

    /// LREM: removes up to |count| equal elements, from the left, or from the right for a negative count; all for 0.
    /// The number removed.
    pub fn remove(&mut self, count: i64, element: &[u8], limits: &EncodingLimits) -> usize {
        let most = if count == 0 { usize::MAX } else { count.unsigned_abs() as usize };
        let equal = self.elements.iter().enumerate().filter(|(_, other)| *other == element).map(|(at, _)| at);
        let mut doomed: Vec<usize> =
            if count < 0 { equal.rev().take(most).collect() } else { equal.take(most).collect() };
        doomed.sort_unstable();
        for &position in doomed.iter().rev() {
            if let Some(nodes) = &mut self.quicklist {
                nodes.remove(position, element);
            }
        }
        let mut doomed_positions = doomed.iter().copied().peekable();
        let mut at = 0;
        self.elements.retain(|_| {
            let is_removed = doomed_positions.next_if_eq(&at).is_some();
            at += 1;
            !is_removed
        });
        self.listpack_bytes -= doomed.len() * listpack::element_bytes(element);
        if !doomed.is_empty() {
            self.shrink(limits);
        }
        doomed.len()
    }

    /// LTRIM: keeps only the elements at these positions.
    pub fn trim(&mut self, kept: Range<usize>, limits: &EncodingLimits) {
        for _ in kept.end..self.len() {
            self.take(End::Right);
        }
        for _ in 0..kept.start {
            self.take(End::Left);
        }
        self.shrink(limits);
    }

    /// LPOS: the positions of equal elements. `rank` (never 0) names the first match that counts, below 0 from the right;
    /// at most `count` matches (0: all) among the first `compared_max` elements looked at (0: all).
    pub fn positions(&self, element: &[u8], rank: i64, count: usize, compared_max: usize) -> Vec<usize> {
        let all = |n: usize| if n == 0 { usize::MAX } else { n };
        let skipped = (rank.unsigned_abs() - 1) as usize;
        let numbered = self.elements.iter().enumerate();
        let equal = |(at, other): (usize, &Bytes)| (other == element).then_some(at);
        if rank < 0 {
            numbered.rev().take(all(compared_max)).filter_map(equal).skip(skipped).take(all(count)).collect()
        } else {
            numbered.take(all(compared_max)).filter_map(equal).skip(skipped).take(all(count)).collect()
        }
    }

    pub fn encoding(&self) -> &'static str {
        if self.quicklist.is_some() { "quicklist" } else { "listpack" }
    }

    /// The positions of the elements in each node of the server's list.
    pub fn nodes(&self) -> Vec<Range<usize>> {
        match &self.quicklist {
            Some(nodes) => nodes.ranges(),
            None => std::iter::once(0..self.len()).collect(),
        }
    }

    /// What all elements take in one listpack.
    pub(super) fn listpack_bytes(&self) -> usize {
        self.listpack_bytes
    }

    /// The size of what each node of the server's list holds.
    pub fn node_bytes(&self) -> Vec<usize> {
        match &self.quicklist {
            Some(nodes) => nodes.sizes(),
            None => vec![self.listpack_bytes],
        }
    }

    /// The server looks once, before it adds, at the plain lengths of a command's elements.
    fn grow_for<'a>(&mut self, added: impl ExactSizeIterator<Item = &'a Bytes>, limits: &EncodingLimits) {
        if self.quicklist.is_none() {
            let len = self.len() + added.len();
            let bytes = self.listpack_bytes + added.map(|element| element.len()).sum::<usize>();
            if limits.list_node_exceeds(bytes, len) {
                self.quicklist = Some(Nodes::single(self.len(), self.listpack_bytes));
            }
        }
    }

    /// A list goes back to a listpack when it fits half of one, so that it does not change at every push and pop.
    fn shrink(&mut self, limits: &EncodingLimits) {
        let fits = limits.list_fits_half_a_node(self.listpack_bytes, self.len());
        let is_single = self.quicklist.as_ref().is_some_and(Nodes::is_single_listpack);
        if is_single && fits && limits.has_listpack_lists_and_sets() {
            self.quicklist = None;
        }
    }

    fn take(&mut self, end: End) -> Option<Bytes> {
        let (element, position) = match end {
            End::Left => (self.elements.pop_front()?, 0),
            End::Right => (self.elements.pop_back()?, self.elements.len()),
        };
        if let Some(nodes) = &mut self.quicklist {
            nodes.remove(position, &element);
        }
        self.listpack_bytes -= listpack::element_bytes(&element);
        Some(element)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;
    use crate::value::index;

    fn list(elements: &str, limits: &EncodingLimits) -> ListValue {
        let mut list = ListValue::new(limits);
        let elements: Vec<Bytes> = elements.split(' ').map(Bytes::from).collect();
        list.push(End::Right, &elements, limits);
        list
    }

    fn shown(list: &ListValue) -> String {
        list.iter().map(|element| element.to_text()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lrem_counts_from_the_side_its_sign_names() {
        let limits = EncodingLimits::default();
        let check = |count, removed, left: &str| {
            let mut list = list("a b a c a", &limits);
            assert_eq!(list.remove(count, b"a", &limits), removed);
            assert_eq!(shown(&list), left, "LREM {count}");
            assert_eq!(list.listpack_bytes, listpack::EMPTY_BYTES + 3 * list.len());
        };
        check(0, 3, "b c");
        check(1, 1, "b a c a");
        check(-1, 1, "a b a c");
        check(-2, 2, "a b c");
        check(9, 3, "b c");
    }

    #[test]
    fn lpos_ranks_limits_and_directions() {
        let limits = EncodingLimits::default();
        let list = list("a b c 1 2 3 c c", &limits);
        let check = |rank, count, compared_max, expected: &[usize]| {
            assert_eq!(
                list.positions(b"c", rank, count, compared_max),
                expected,
                "RANK {rank} COUNT {count} MAXLEN {compared_max}"
            );
        };
        check(1, 1, 0, &[2]);
        check(2, 1, 0, &[6]);
        check(-1, 1, 0, &[7]);
        check(1, 0, 0, &[2, 6, 7]);
        check(-1, 2, 0, &[7, 6]);
        check(-3, 0, 0, &[2]);
        check(1, 0, 2, &[]);
        check(i64::MIN, 0, 0, &[]);
    }

    #[test]
    fn pushes_pops_and_trims_keep_the_order() {
        let limits = EncodingLimits::default();
        let mut list = list("c d", &limits);
        list.push(End::Left, &[Bytes::from("b"), Bytes::from("a")], &limits);
        assert_eq!(shown(&list), "a b c d");
        assert_eq!(list.pop_many(End::Right, 2, &limits), [Bytes::from("d"), Bytes::from("c")]);
        assert_eq!(list.pop(End::Left, &limits), Some(Bytes::from("a")));
        list.insert(0, End::Left, Bytes::from("x"), &limits);
        list.set(1, Bytes::from("y"), &limits);
        assert_eq!(shown(&list), "x y");
        list.trim(index::resolve_range(-1, -1, 2), &limits);
        assert_eq!(shown(&list), "y");
    }

    /// As 8.2.3: over 8 kB a quicklist, back at half of it; 7.0.15 knows quicklists only.
    #[test]
    fn the_encoding_follows_the_size() {
        let limits = EncodingLimits::new(Version::V8_2);
        let mut list = list("a", &limits);
        assert_eq!(list.encoding(), "listpack");
        list.push(End::Right, &vec![Bytes::from("x".repeat(100)); 100], &limits);
        assert_eq!(list.encoding(), "quicklist");
        list.trim(0..11, &limits);
        assert_eq!(list.encoding(), "listpack");
        assert_eq!(self::list("a", &EncodingLimits::new(Version::V7_0)).encoding(), "quicklist");
    }

    /// Nodes of at most three elements: how DUMP cut the list after the same commands at 7.0.15 and 8.2.3.
    #[test]
    fn elements_lie_in_the_servers_nodes() {
        for version in [Version::V7_0, Version::V8_2] {
            let limits = EncodingLimits { list_max_listpack_size: 3, ..EncodingLimits::new(version) };
            let mut list = list("0 1 2 3 4 5 6 7", &limits);
            assert_eq!(list.nodes(), [0..3, 3..6, 6..8]);
            list.push(End::Left, &[Bytes::from("a"), Bytes::from("b")], &limits);
            assert_eq!(list.nodes(), [0..2, 2..5, 5..8, 8..10]);
            list.insert(3, End::Left, Bytes::from("x"), &limits);
            assert_eq!(shown(&list), "b a 0 x 1 2 3 4 5 6 7");
            assert_eq!(list.nodes(), [0..2, 2..4, 4..6, 6..9, 9..11]);
        }
    }
}
