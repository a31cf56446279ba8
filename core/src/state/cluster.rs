//! Cluster mode: who owns which of the 16,384 slots.

use std::collections::BTreeMap;

use super::layout::Layout;
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

impl Node {
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// Slots as a node of the cluster sees them. The first node is the server itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    pub nodes: Vec<Node>,
    /// Disjoint ranges, both ends included, with their owner's place in `nodes`; sorted.
    ranges: Vec<(u16, u16, usize)>,
    /// Own slots on their way to another node.
    pub migrating: BTreeMap<u16, usize>,
    /// Slots of other nodes, on their way here.
    pub importing: BTreeMap<u16, usize>,
    /// The server's own epoch where it is not the one it began with.
    pub own_epoch: Option<usize>,
}

impl Cluster {
    /// The cluster as the node at `port` sees it. A node's id follows from its port.
    pub fn new(port: u16, layout: &Layout) -> Self {
        let ports = std::iter::once(port).chain(layout.others.iter().map(|(port, _)| *port));
        let node = |port: u16| {
            let id = crate::state::Sha1::of(format!("node {port}").as_bytes()).as_str().to_owned();
            Node { id, host: "127.0.0.1".into(), port }
        };
        let nodes: Vec<Node> = ports.map(node).collect();
        let place = |port: u16| nodes.iter().rposition(|node| node.port == port).unwrap_or_default();
        let moving = |slots: &[(u16, u16)]| slots.iter().map(|(slot, port)| (*slot, place(*port))).collect();
        let (migrating, importing) = (moving(&layout.migrating), moving(&layout.importing));
        let mut cluster = Self { nodes, ranges: Vec::new(), migrating, importing, own_epoch: None };
        if layout.others.is_empty() && layout.own.is_empty() {
            cluster.assign(0, SLOTS - 1, Some(0));
        }
        let own = layout.own.iter().map(|range| (range, 0));
        let others = layout.others.iter().zip(1..);
        let of_others =
            others.flat_map(|((_, ranges), place)| ranges.iter().map(move |range| (range, place)));
        for (range, place) in own.chain(of_others) {
            cluster.assign(range.0, range.1, Some(place));
        }
        cluster
    }

    /// Each node of a new cluster has an epoch of its own; a node alone has none.
    pub fn epoch(&self, node: usize) -> usize {
        if let (0, Some(epoch)) = (node, self.own_epoch) {
            return epoch;
        }
        let port = self.nodes[node].port;
        if self.nodes.len() > 1 { 1 + self.nodes.iter().filter(|other| other.port < port).count() } else { 0 }
    }

    /// Whether every slot is served: a cluster with a gap serves nothing.
    pub fn is_whole(&self) -> bool {
        self.assigned() == usize::from(SLOTS)
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

    /// Gives one slot to a node, which ends its move: where it came from or went to does not matter any more.
    pub fn hand_over(&mut self, slot: u16, node: usize) {
        self.assign(slot, slot, Some(node));
        if node == 0 {
            self.importing.remove(&slot);
        }
        self.migrating.remove(&slot);
    }

    /// Leaves the server alone and without slots. `hard` gives it another id and no epoch.
    pub fn reset(&mut self, hard: bool) {
        let epoch = self.epoch(0);
        self.nodes.truncate(1);
        self.ranges.clear();
        self.migrating.clear();
        self.importing.clear();
        self.own_epoch = Some(if hard { 0 } else { epoch });
        if hard && let Some(node) = self.nodes.first_mut() {
            node.id = crate::state::Sha1::of(format!("after {}", node.id).as_bytes()).as_str().to_owned();
        }
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
        let mut cluster = Cluster::new(7000, &Layout::parse("0-16383; 7001:").expect("a layout"));
        cluster.assign(100, 199, Some(1));
        assert_eq!(cluster.ranges(), [(0, 99, 0), (100, 199, 1), (200, 16_383, 0)]);
        cluster.assign(150, 160, None);
        assert_eq!((cluster.owner(149), cluster.owner(155), cluster.owner(161)), (Some(1), None, Some(1)));
        cluster.assign(0, 16_383, Some(0));
        assert_eq!(cluster.ranges(), [(0, 16_383, 0)]);
    }
}
