//! How a big list lies in the nodes of the server's quicklist. Only sizes: the elements themselves lie in one sequence.
//!
//! It can be seen in DUMP, and in when a list that shrinks becomes a listpack again: once a single node is left.

use std::collections::VecDeque;
use std::ops::Range;

use super::End;
use crate::Bytes;
use crate::profile::Version;
use crate::value::{EncodingLimits, listpack};

/// What the server adds to an element's length when it asks whether a node has room for it.
const ELEMENT_OVERHEAD_BYTES: usize = 8;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Nodes(VecDeque<Node>);

#[derive(Clone, Debug, PartialEq)]
struct Node {
    len: usize,
    /// The size of its listpack.
    bytes: usize,
    /// Holds one element that is too big for a listpack.
    is_plain: bool,
}

impl Node {
    fn of(element: &[u8], limits: &EncodingLimits) -> Self {
        Self {
            len: 1,
            bytes: listpack::EMPTY_BYTES + listpack::element_bytes(element),
            is_plain: is_large(element, limits),
        }
    }

    fn has_room_for(&self, element: &[u8], limits: &EncodingLimits) -> bool {
        let bytes = self.bytes + element.len() + ELEMENT_OVERHEAD_BYTES;
        !self.is_plain && !is_large(element, limits) && !limits.list_node_exceeds(bytes, self.len + 1)
    }

    fn add(&mut self, element: &[u8]) {
        self.len += 1;
        self.bytes += listpack::element_bytes(element);
    }
}

fn is_large(element: &[u8], limits: &EncodingLimits) -> bool {
    limits.version >= Version::V7_2 && limits.list_node_exceeds(element.len(), 1)
}

impl Nodes {
    pub(super) fn new() -> Self {
        Self(VecDeque::new())
    }

    /// One node with all that was in a listpack.
    pub(super) fn single(len: usize, bytes: usize) -> Self {
        let node = Node { len, bytes, is_plain: false };
        Self(if len > 0 { VecDeque::from([node]) } else { VecDeque::new() })
    }

    /// Whether all lies in one node that is a listpack.
    pub(super) fn is_single_listpack(&self) -> bool {
        self.0.len() == 1 && !self.0[0].is_plain
    }

    pub(super) fn push(&mut self, end: End, element: &[u8], limits: &EncodingLimits) {
        let outermost = match end {
            End::Left => self.0.front_mut(),
            End::Right => self.0.back_mut(),
        };
        match outermost.filter(|node| node.has_room_for(element, limits)) {
            Some(node) => node.add(element),
            None => match end {
                End::Left => self.0.push_front(Node::of(element, limits)),
                End::Right => self.0.push_back(Node::of(element, limits)),
            },
        }
    }

    /// Puts an element at a side of the one at `pivot`; `elements` are those that are there already.
    pub(super) fn insert(
        &mut self,
        pivot: usize,
        side: End,
        element: &[u8],
        elements: &VecDeque<Bytes>,
        limits: &EncodingLimits,
    ) {
        let Some((at, offset)) = self.find(pivot) else { return };
        let node = &self.0[at];
        if node.has_room_for(element, limits) {
            return self.0[at].add(element);
        }
        let (is_at_edge, place, neighbour) = match side {
            End::Left => (offset == 0, at, at.checked_sub(1)),
            End::Right => (offset + 1 == node.len, at + 1, Some(at + 1)),
        };
        if is_at_edge || node.is_plain {
            let neighbour =
                neighbour.and_then(|at| self.0.get_mut(at)).filter(|node| node.has_room_for(element, limits));
            match neighbour.filter(|_| is_at_edge) {
                Some(neighbour) => neighbour.add(element),
                None => self.0.insert(place, Node::of(element, limits)),
            }
            return;
        }
        // The element goes to the half that is new: the first when it stands before the pivot, the second when after.
        let (kept, new_half, old_half) = match side {
            End::Left => (offset, at, at + 1),
            End::Right => (offset + 1, at + 1, at),
        };
        let start = pivot - offset;
        self.split(at, kept, elements.range(start..start + kept));
        if is_large(element, limits) {
            return self.0.insert(at + 1, Node::of(element, limits));
        }
        self.0[new_half].add(element);
        self.merge_around(old_half, limits);
    }

    /// Whether the element at a position is replaced where it lies; if not, the new one is inserted after it and the old one removed.
    pub(super) fn replaces_in_place(&self, position: usize, element: &[u8], limits: &EncodingLimits) -> bool {
        let is_plain = self.find(position).is_some_and(|(at, _)| self.0[at].is_plain);
        is_plain == is_large(element, limits)
    }

    pub(super) fn replace(&mut self, position: usize, old: &[u8], new: &[u8]) {
        if let Some((at, _)) = self.find(position) {
            let node = &mut self.0[at];
            node.bytes = node.bytes + listpack::element_bytes(new) - listpack::element_bytes(old);
        }
    }

    /// Cuts a node in two behind its first elements.
    fn split<'a>(&mut self, at: usize, kept: usize, kept_elements: impl Iterator<Item = &'a Bytes>) {
        let node = &mut self.0[at];
        let kept_bytes: usize = kept_elements.map(|element| listpack::element_bytes(element)).sum();
        let second = Node { len: node.len - kept, bytes: node.bytes - kept_bytes, is_plain: false };
        *node = Node { len: kept, bytes: listpack::EMPTY_BYTES + kept_bytes, is_plain: false };
        self.0.insert(at + 1, second);
    }

    /// Joins the two nodes before, the two after, and then the node itself with what is next to it, wherever they fit in one.
    fn merge_around(&mut self, at: usize, limits: &EncodingLimits) {
        let mut at = at;
        if at >= 2 && self.merge(at - 2, limits) {
            at -= 1;
        }
        self.merge(at + 1, limits);
        if at >= 1 && self.merge(at - 1, limits) {
            at -= 1;
        }
        self.merge(at, limits);
    }

    /// Joins a node with the one after it. False when they do not fit.
    fn merge(&mut self, at: usize, limits: &EncodingLimits) -> bool {
        let (Some(first), Some(second)) = (self.0.get(at), self.0.get(at + 1)) else { return false };
        let joined = Node {
            len: first.len + second.len,
            bytes: first.bytes + second.bytes - listpack::EMPTY_BYTES,
            is_plain: false,
        };
        if first.is_plain || second.is_plain || limits.list_node_exceeds(joined.bytes, joined.len) {
            return false;
        }
        self.0[at] = joined;
        self.0.remove(at + 1);
        true
    }

    pub(super) fn remove(&mut self, position: usize, element: &[u8]) {
        let Some((at, _)) = self.find(position) else { return };
        let node = &mut self.0[at];
        node.len -= 1;
        node.bytes = node.bytes.saturating_sub(listpack::element_bytes(element));
        if node.len == 0 {
            self.0.remove(at);
        }
    }

    /// The size of each node's content.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.0.iter().map(|node| node.bytes).collect()
    }

    /// The positions of each node's elements.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let ranges = self.0.iter().map(|node| {
            let range = start..start + node.len;
            start = range.end;
            range
        });
        ranges.collect()
    }

    /// The node a position lies in, and how many of its elements come before.
    fn find(&self, position: usize) -> Option<(usize, usize)> {
        let mut offset = position;
        for (at, node) in self.0.iter().enumerate() {
            if offset < node.len {
                return Some((at, offset));
            }
            offset -= node.len;
        }
        None
    }
}
