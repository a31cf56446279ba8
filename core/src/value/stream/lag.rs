//! How far a consumer group is behind its stream, as far as that can be known.
//!
//! The server does not count: it knows how many entries were ever added and how many the group has read, and both numbers together are
//! worth nothing once an entry in between was deleted.

use super::group::Pending;
use super::{Group, StreamId, StreamValue};
use crate::Bytes;
use crate::clock::UnixMillis;
use crate::profile::Version;

/// From here on (and in the patch releases of 7.2) deletions between the group's last ID and the end are seen.
const LAG_MENDED_SINCE: Version = Version::V7_2;

/// Who gets new entries of a group, and how.
#[derive(Clone, Debug)]
pub struct Delivery<'a> {
    /// A consumer that exists.
    pub consumer: &'a Bytes,
    /// False for NOACK.
    pub is_pending: bool,
    pub now: UnixMillis,
    pub version: Version,
}

impl StreamValue {
    /// Entries still to be delivered to the group, as XINFO tells; None when the server cannot know. Negative where XGROUP was told
    /// that more were read than were ever added.
    pub fn lag(&self, group: &Group, version: Version) -> Option<i64> {
        if self.entries_added == 0 {
            return Some(0);
        }
        if version >= LAG_MENDED_SINCE {
            if self.is_empty() {
                return Some(0);
            }
            let first = self.first_id()?;
            if group.last_id < first && self.max_deleted_id < first {
                return Some(self.len as i64);
            }
        }
        let read = match group.entries_read {
            Some(read) if !self.has_tombstone_after(group.last_id) => read,
            _ => self.distance_from_first(group.last_id)?,
        };
        Some(self.entries_added.wrapping_sub(read) as i64)
    }

    /// What XGROUP's ENTRIESREAD comes to: since 8.0 no more than were ever added.
    pub fn entries_read(&self, claimed: u64, version: Version) -> u64 {
        if version >= Version::V8_0 { claimed.min(self.entries_added) } else { claimed }
    }

    /// XREADGROUP with `>`: an entry after the group's last one goes to a consumer.
    pub fn deliver(&mut self, group: &[u8], id: StreamId, delivery: &Delivery) {
        let Some(found) = self.groups.get(group) else { return };
        let is_countable = if delivery.version >= LAG_MENDED_SINCE {
            let has_read_into = self.first_id().is_none_or(|first| found.last_id >= first);
            has_read_into && !self.has_tombstone_after(found.last_id)
        } else {
            !self.has_tombstone_after(id)
        };
        let entries_read = if id <= found.last_id {
            found.entries_read
        } else {
            match found.entries_read {
                Some(read) if is_countable => Some(read + 1),
                _ if self.entries_added > 0 => self.distance_from_first(id),
                read => read,
            }
        };
        let Some(found) = self.groups.get_mut(group) else { return };
        found.entries_read = entries_read;
        found.last_id = found.last_id.max(id);
        if delivery.is_pending {
            let &Delivery { consumer, now, .. } = delivery;
            found.assign(id, Pending { consumer: consumer.clone(), delivered_at: now, deliveries: 1 });
        }
    }

    /// Whether the highest ID ever deleted lies at or after `start`.
    fn has_tombstone_after(&self, start: StreamId) -> bool {
        let is_before_first = self.first_id().is_some_and(|first| first > self.max_deleted_id);
        let none = self.len == 0 || self.max_deleted_id == StreamId::MIN || is_before_first;
        !none && start <= self.max_deleted_id
    }

    /// How many entries of all ever added lie up to this ID, if that follows from the stream's ends.
    fn distance_from_first(&self, id: StreamId) -> Option<u64> {
        if self.entries_added == 0 {
            return Some(0);
        }
        if self.len == 0 && id <= self.last_id {
            return Some(self.entries_added);
        }
        if id == self.last_id {
            return Some(self.entries_added);
        }
        let first = self.first_id().filter(|_| id < self.last_id)?;
        if self.max_deleted_id != StreamId::MIN && self.max_deleted_id >= first {
            return None;
        }
        let before_first = self.entries_added - self.len as u64;
        match id.cmp(&first) {
            std::cmp::Ordering::Less => Some(before_first),
            std::cmp::Ordering::Equal => Some(before_first + 1),
            std::cmp::Ordering::Greater => None,
        }
    }
}
