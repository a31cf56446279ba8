//! How the slots of a cluster lie on its nodes before the first command, as one node sees it.
//!
//! Its text is what stands behind `@ cluster` in a scenario:
//! `0-5460; 6380: 5461-10922; 6381: 10923-16383; migrating 42 to 6380; importing 6000 from 6380`.

use std::fmt;

use super::cluster::SLOTS;

/// Both ends included.
pub type SlotRange = (u16, u16);

/// Without other nodes, all slots are the node's own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub own: Vec<SlotRange>,
    /// The other nodes by their ports, which are distinct, with their slots. No slot stands twice.
    pub others: Vec<(u16, Vec<SlotRange>)>,
    /// Own slots that are on their way to another node, by its port.
    pub migrating: Vec<(u16, u16)>,
    /// Slots of another node that are on their way here.
    pub importing: Vec<(u16, u16)>,
}

impl Layout {
    /// Equal shares of all slots, rounded as redis-cli does when it creates a cluster, as the node at `place` sees them.
    pub fn shared(ports: &[u16], place: usize) -> Self {
        let share = |place: usize| {
            let nodes = ports.len().max(1);
            let bound = |place: usize| ((2 * usize::from(SLOTS) * place + nodes) / (2 * nodes)) as u16;
            vec![(bound(place), bound(place + 1) - 1)]
        };
        let others = ports.iter().enumerate().filter(|(other, _)| *other != place);
        Self {
            own: share(place),
            others: others.map(|(other, port)| (*port, share(other))).collect(),
            ..Self::default()
        }
    }

    /// # Errors
    /// What is wrong with the text, for the person who wrote it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut layout = Self::default();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let words: Vec<&str> = part.split_whitespace().collect();
            match words[..] {
                ["migrating", slot, "to", port] => {
                    layout.migrating.push((self::slot(slot)?, self::port(port)?))
                }
                ["importing", slot, "from", port] => {
                    layout.importing.push((self::slot(slot)?, self::port(port)?));
                }
                _ => match part.split_once(':') {
                    Some((port, slots)) => layout.others.push((self::port(port.trim())?, ranges(slots)?)),
                    None => layout.own.extend(ranges(part)?),
                },
            }
        }
        layout.check()?;
        Ok(layout)
    }

    fn check(&self) -> Result<(), String> {
        let mut taken = vec![false; SLOTS.into()];
        for &(first, last) in self.own.iter().chain(self.others.iter().flat_map(|(_, ranges)| ranges)) {
            for slot in first..=last {
                if std::mem::replace(&mut taken[usize::from(slot)], true) {
                    return Err(format!("slot {slot} is given to a node twice"));
                }
            }
        }
        let is_own = |slot| self.own.iter().any(|range| (range.0..=range.1).contains(&slot));
        for (slot, port) in self.migrating.iter().chain(&self.importing) {
            if !self.others.iter().any(|(other, _)| other == port) {
                return Err(format!("no other node has port {port}"));
            }
            if is_own(*slot) != self.migrating.iter().any(|(moving, _)| moving == slot) {
                return Err(format!(
                    "slot {slot}: only own slots migrate, and only slots of others are imported"
                ));
            }
        }
        let mut ports: Vec<u16> = self.others.iter().map(|(port, _)| *port).collect();
        ports.sort_unstable();
        match ports.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("two nodes have port {}", pair[0])),
            None => Ok(()),
        }
    }
}

fn slot(text: &str) -> Result<u16, String> {
    let slot = text.parse().ok().filter(|slot| *slot < SLOTS);
    slot.ok_or_else(|| format!("{text:?} is no slot: they go from 0 to {}", SLOTS - 1))
}

fn port(text: &str) -> Result<u16, String> {
    text.parse().ok().filter(|port| *port > 0).ok_or_else(|| format!("{text:?} is no port"))
}

fn ranges(text: &str) -> Result<Vec<SlotRange>, String> {
    let range = |word: &str| {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last) = (slot(first)?, slot(last)?);
        if first > last { Err(format!("{word}: the greater slot comes first")) } else { Ok((first, last)) }
    };
    text.split_whitespace().map(range).collect()
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges =
            |ranges: &[SlotRange]| {
                let words = ranges.iter().map(|(first, last)| {
                    if first == last { first.to_string() } else { format!("{first}-{last}") }
                });
                words.collect::<Vec<_>>().join(" ")
            };
        let mut parts = Vec::new();
        parts.extend(Some(ranges(&self.own)).filter(|own| !own.is_empty()));
        parts.extend(self.others.iter().map(|(port, slots)| format!("{port}: {}", ranges(slots))));
        parts.extend(self.migrating.iter().map(|(slot, port)| format!("migrating {slot} to {port}")));
        parts.extend(self.importing.iter().map(|(slot, port)| format!("importing {slot} from {port}")));
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_read_and_written() {
        for text in [
            "",
            "0-5460; 6380: 5461-10922; 6381: 10923-16383",
            "0 2-9; 6380: 1 10-16383; migrating 2 to 6380; importing 1 from 6380",
        ] {
            assert_eq!(Layout::parse(text).map(|layout| layout.to_string()), Ok(text.to_owned()));
        }
        let thirds = Layout::shared(&[1, 2, 3], 1);
        assert_eq!(thirds.to_string(), "5461-10922; 1: 0-5460; 3: 10923-16383");
    }

    #[test]
    fn what_can_not_be_is_refused() {
        for (text, reason) in [
            ("0-16384", "\"16384\" is no slot: they go from 0 to 16383"),
            ("5-3", "5-3: the greater slot comes first"),
            ("0-9; 6380: 9", "slot 9 is given to a node twice"),
            ("0-9; migrating 3 to 6380", "no other node has port 6380"),
            (
                "0-9; 6380: 10; importing 3 from 6380",
                "slot 3: only own slots migrate, and only slots of others are imported",
            ),
            ("0-9; 6380: 10; 6380: 11", "two nodes have port 6380"),
            ("0-9; x: 10", "\"x\" is no port"),
        ] {
            assert_eq!(Layout::parse(text), Err(reason.to_owned()), "{text}");
        }
    }
}
