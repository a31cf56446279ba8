//! How a big list lies in the nodes of the server's quicklist. Only sizes: the elements themselves lie in one sequence.
//!
//! It can be seen in DUMP, and in when a list that shrinks becomes a listpack again: once a single node is left.

use std::collections::VecDeque;
use std::ops::Range;

use super::End;
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

    /// Makes room before the element at `position`, or at the end.
    pub(super) fn insert(&mut self, position: usize, element: &[u8], limits: &EncodingLimits) {
        let Some((at, offset)) = self.find(position) else { return self.push(End::Right, element, limits) };
        if self.0[at].has_room_for(element, limits) {
            return self.0[at].add(element);
        }
        if offset == 0 {
            match at
                .checked_sub(1)
                .map(|before| &mut self.0[before])
                .filter(|node| node.has_room_for(element, limits))
            {
                Some(before) => before.add(element),
                None => self.0.insert(at, Node::of(element, limits)),
            }
            return;
        }
        // A full node is split; what its halves weigh apart is not known here, so they share evenly.
        let node = &mut self.0[at];
        let per_element = (node.bytes - listpack::EMPTY_BYTES) / node.len;
        let after =
            Node { len: node.len - offset, bytes: node.bytes - per_element * offset, is_plain: false };
        node.len = offset;
        node.bytes = listpack::EMPTY_BYTES + per_element * offset;
        self.0.insert(at + 1, after);
        match self.0[at].has_room_for(element, limits) {
            true => self.0[at].add(element),
            false => self.0.insert(at + 1, Node::of(element, limits)),
        }
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
