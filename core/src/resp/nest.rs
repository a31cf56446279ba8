//! Replies that nest: built without recursion, and laid flat where they nest too deep to be walked by it.
//!
//! Scripts can nest tables some 8,000 levels deep. Comparing, copying or dropping a [`Reply`] of that depth would take
//! more stack than a browser gives, so below [`DEPTH_MAX`] levels the rest is kept as a list, [`Reply::Deep`].

use std::sync::Arc;

use super::Reply;

/// Levels of arrays, maps and sets that are kept as such. Real replies have a handful.
pub const DEPTH_MAX: usize = 64;

/// A kind that has others in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Array,
    Map,
    Set,
    Push,
}

/// A part of a reply that is laid flat.
#[derive(Clone, Debug, PartialEq)]
pub enum Flat {
    /// So many elements follow (of a map: pairs).
    Opens(Kind, usize),
    /// None of the kinds that have others in them.
    Leaf(Reply),
}

/// Takes a reply's parts in the order in which they are sent and puts it together. Every `open` has its `close`.
#[derive(Default)]
pub(crate) struct Nest {
    open: Vec<(Kind, Vec<Reply>)>,
    /// Levels beyond [`DEPTH_MAX`]: where each begins in `flat`, and how many elements it has.
    deep: Vec<(usize, usize)>,
    flat: Vec<Flat>,
}

impl Nest {
    pub(crate) fn open(&mut self, kind: Kind) {
        if self.open.len() < DEPTH_MAX {
            self.open.push((kind, Vec::new()));
        } else {
            self.deep.push((self.flat.len(), 0));
            self.flat.push(Flat::Opens(kind, 0));
        }
    }

    /// Adds what has nothing in it. Gives the reply back where no level is open: it is all there is.
    pub(crate) fn leaf(&mut self, reply: Reply) -> Option<Reply> {
        match (self.deep.last_mut(), self.open.last_mut()) {
            (Some((_, count)), _) => {
                *count += 1;
                self.flat.push(Flat::Leaf(reply));
                None
            }
            (None, Some((_, items))) => {
                items.push(reply);
                None
            }
            (None, None) => Some(reply),
        }
    }

    /// Drops the innermost level and all that is in it.
    pub(super) fn abandon(&mut self) {
        match self.deep.pop() {
            Some((at, _)) => self.flat.truncate(at),
            None => drop(self.open.pop()),
        }
    }

    /// Ends the innermost level; the reply where that was the outermost.
    pub(crate) fn close(&mut self) -> Option<Reply> {
        if let Some((at, count)) = self.deep.pop() {
            if let Some(Flat::Opens(kind, elements)) = self.flat.get_mut(at) {
                *elements = if *kind == Kind::Map { count / 2 } else { count };
            }
            if let Some((_, outer)) = self.deep.last_mut() {
                *outer += 1;
                return None;
            }
            let flat = std::mem::take(&mut self.flat);
            return self.leaf(Reply::Deep(flat.into()));
        }
        let (kind, items) = self.open.pop()?;
        self.leaf(whole(kind, items))
    }
}

fn whole(kind: Kind, items: Vec<Reply>) -> Reply {
    match kind {
        Kind::Array => Reply::Array(items),
        Kind::Set => Reply::Set(items),
        Kind::Push => Reply::Push(items),
        Kind::Map => {
            let mut pairs = Vec::with_capacity(items.len() / 2);
            let mut items = items.into_iter();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                pairs.push((key, value));
            }
            Reply::Map(pairs)
        }
    }
}

/// What meets who walks along the parts of a flat reply.
pub enum Step<'a> {
    Opens,
    Leaf(&'a Reply),
    Closes,
}

/// The parts with the ends of their levels.
pub fn steps(parts: &[Flat]) -> impl Iterator<Item = Step<'_>> {
    // How many elements of each open level are still to come.
    let mut open: Vec<usize> = Vec::new();
    let mut parts = parts.iter();
    std::iter::from_fn(move || {
        if open.last() == Some(&0) {
            open.pop();
            return Some(Step::Closes);
        }
        let part = parts.next()?;
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        Some(match part {
            Flat::Opens(kind, count) => {
                open.push(if *kind == Kind::Map { 2 * count } else { *count });
                Step::Opens
            }
            Flat::Leaf(reply) => Step::Leaf(reply),
        })
    })
}

/// The parts with each leaf and each opening as another protocol has it.
pub(super) fn map_flat(
    parts: &[Flat],
    kind: impl Fn(Kind, usize) -> (Kind, usize),
    leaf: impl Fn(&Reply) -> Reply,
) -> Arc<[Flat]> {
    let each = |part: &Flat| match part {
        Flat::Opens(opened, count) => {
            let (opened, count) = kind(*opened, *count);
            Flat::Opens(opened, count)
        }
        Flat::Leaf(reply) => Flat::Leaf(leaf(reply)),
    };
    parts.iter().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;
    use crate::resp::{Pattern, Protocol, decode, encode, raw_text, terminal_text, transcript_text};

    /// `*1` so many times, and a leaf.
    fn nested(levels: usize) -> Vec<u8> {
        ["*1\r\n".repeat(levels), ":7\r\n".to_owned()].concat().into_bytes()
    }

    #[test]
    fn any_depth_is_sent_as_it_is() {
        for levels in [0, 1, DEPTH_MAX - 1, DEPTH_MAX, DEPTH_MAX + 1, DEPTH_MAX + 2, 8_000] {
            let bytes = nested(levels);
            let (reply, len) = decode(&bytes).expect("it is a reply").expect("and whole");
            let mut again = Vec::new();
            encode(&reply, Protocol::Resp2, Version::V8_6, &mut again);
            assert_eq!((again.len(), len), (bytes.len(), bytes.len()), "{levels} levels");
            assert!(again == bytes, "{levels} levels");
            assert_eq!(reply.as_sent(Protocol::Resp2, Version::V8_6), reply.clone(), "{levels} levels");
        }
    }

    #[test]
    fn deep_maps_and_sets_are_arrays_in_resp2() {
        let resp3 = ["*1\r\n".repeat(100), "%1\r\n#t\r\n~2\r\n,0.5\r\n*0\r\n".to_owned()].concat();
        let resp2 = ["*1\r\n".repeat(100), "*2\r\n:1\r\n*2\r\n$3\r\n0.5\r\n*0\r\n".to_owned()].concat();
        let (reply, _) = decode(resp3.as_bytes()).expect("it is a reply").expect("and whole");
        let mut bytes = Vec::new();
        encode(&reply, Protocol::Resp2, Version::V8_6, &mut bytes);
        assert_eq!(String::from_utf8_lossy(&bytes), resp2);
        let sent = reply.as_sent(Protocol::Resp2, Version::V8_6);
        let mut bytes = Vec::new();
        encode(&sent, Protocol::Resp3, Version::V8_6, &mut bytes);
        assert_eq!(String::from_utf8_lossy(&bytes), resp2);
    }

    #[test]
    fn what_nests_too_deep_to_read_is_cut_short() {
        let (reply, _) = decode(&nested(8_000)).expect("it is a reply").expect("and whole");
        let shown = terminal_text(&reply, Version::V8_6);
        assert!(shown.ends_with("1) 1) (7936 more levels)"), "{shown}");
        assert_eq!(raw_text(&reply, Version::V8_6), "7");
        let transcript = transcript_text(&reply, Version::V8_6);
        let pattern = Pattern::parse(&transcript).expect("a transcript can be read back");
        assert!(pattern.matches(&reply, Version::V8_6), "{transcript}");
    }
}
