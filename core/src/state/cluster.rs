//! Cluster mode: who owns which of the 16,384 slots.

use crate::Bytes;

pub const SLOTS: u16 = 16_384;

/// A node as the cluster knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// 40 hexadecimal digits.
    pub id: String,
    pub host: String,
    pub port: u16,
}

/// Slots as a node of the cluster sees them. The first node is the server itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub nodes: Vec<Node>,
    /// Disjoint ranges, both ends included, with their owner's place in `nodes`; sorted.
    ranges: Vec<(u16, u16, usize)>,
}

impl Cluster {
    /// A cluster of one node that owns every slot.
    pub fn single(port: u16) -> Self {
        let id = crate::state::Sha1::of(format!("node {port}").as_bytes()).as_str().to_owned();
        let me = Node { id, host: "127.0.0.1".into(), port };
        Self { nodes: vec![me], ranges: vec![(0, SLOTS - 1, 0)] }
    }

    /// The node that owns a slot, if any does.
    pub fn owner(&self, slot: u16) -> Option<usize> {
        self.ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&slot)).map(|(_, _, node)| *node)
    }

    pub fn is_mine(&self, slot: u16) -> bool {
        self.owner(slot) == Some(0)
    }

    /// Contiguous ranges with one owner, in the order of slots.
    pub fn ranges(&self) -> &[(u16, u16, usize)] {
        &self.ranges
    }

    /// Gives a range to a node, or to nobody.
    pub fn assign(&mut self, first: u16, last: u16, node: Option<usize>) {
        let mut ranges = Vec::new();
        for (from, to, owner) in self.ranges.drain(..) {
            if from < first {
                ranges.push((from, to.min(first - 1), owner));
            }
            if to > last {
                ranges.push((from.max(last + 1), to, owner));
            }
        }
        ranges.extend(node.map(|node| (first, last, node)));
        ranges.sort_unstable();
        let mut joined: Vec<(u16, u16, usize)> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if last.2 == range.2 && last.1 + 1 == range.0 => last.1 = range.1,
                _ => joined.push(range),
            }
        }
        self.ranges = joined;
    }

    /// A node by its id.
    pub fn find(&self, id: &Bytes) -> Option<usize> {
        self.nodes.iter().position(|node| node.id.as_bytes().eq_ignore_ascii_case(id))
    }

    pub fn assigned(&self) -> usize {
        self.ranges.iter().map(|(first, last, _)| usize::from(last - first) + 1).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_and_joined() {
        let mut cluster = Cluster::single(7000);
        cluster.nodes.push(Node { id: "b".into(), host: "127.0.0.1".into(), port: 7001 });
        cluster.assign(100, 199, Some(1));
        assert_eq!(cluster.ranges(), [(0, 99, 0), (100, 199, 1), (200, 16_383, 0)]);
        cluster.assign(150, 160, None);
        assert_eq!((cluster.owner(149), cluster.owner(155), cluster.owner(161)), (Some(1), None, Some(1)));
        cluster.assign(0, 16_383, Some(0));
        assert_eq!(cluster.ranges(), [(0, 16_383, 0)]);
    }
}
